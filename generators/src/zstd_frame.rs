//! zstd frames assembled by hand, so that no compressor's version can change
//! a committed byte (RFC 8878).
//!
//! ```text
//! 28 B5 2F FD   magic number
//! E0            frame header: 8-byte content size, single segment, no checksum
//! size          u64
//! block header  u24: last << 0 | type << 1 | size << 3; type 0 raw, 1 repeat
//! ```

use crate::plan::wide;

const MAGIC_NUMBER: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
const SINGLE_SEGMENT_64: u8 = 0xE0;
const RAW: u32 = 0;
const REPEAT: u32 = 1;

/// A frame of one raw block that decompresses to `bytes` (less than 2^17 of them).
pub fn raw(bytes: &[u8]) -> Vec<u8> {
    frame(wide(bytes.len()), &[block(true, RAW, bytes.len(), bytes)])
}

/// A frame of a raw block and a repeat block: `head`, then `count` times `byte`.
pub fn raw_then_repeat(head: &[u8], byte: u8, count: usize) -> Vec<u8> {
    let size = wide(head.len()).saturating_add(wide(count));
    frame(
        size,
        &[
            block(false, RAW, head.len(), head),
            block(true, REPEAT, count, &[byte]),
        ],
    )
}

fn frame(size: u64, blocks: &[Vec<u8>]) -> Vec<u8> {
    let mut out = MAGIC_NUMBER.to_vec();
    out.push(SINGLE_SEGMENT_64);
    out.extend_from_slice(&size.to_le_bytes());
    for block in blocks {
        out.extend_from_slice(block);
    }
    out
}

fn block(last: bool, kind: u32, size: usize, body: &[u8]) -> Vec<u8> {
    let size = u32::try_from(size).unwrap_or(u32::MAX);
    let header = u32::from(last) | kind << 1 | size << 3;
    let [a, b, c, _] = header.to_le_bytes();
    let mut out = vec![a, b, c];
    out.extend_from_slice(body);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_raw_frame_is_laid_out_as_the_format_says() {
        let expected = [
            0x28, 0xB5, 0x2F, 0xFD, 0xE0, 3, 0, 0, 0, 0, 0, 0, 0, 0x19, 0, 0, b'a', b'b', b'c',
        ];
        assert_eq!(raw(b"abc"), expected);
    }

    #[test]
    fn a_decompressor_accepts_both_forms() {
        let mut repeated = b"ab".to_vec();
        repeated.extend([7; 300]);
        for (frame, bytes) in [
            (raw(b"hello"), b"hello".to_vec()),
            (raw(b""), Vec::new()),
            (raw_then_repeat(b"ab", 7, 300), repeated),
        ] {
            assert_eq!(zstd::decode_all(frame.as_slice()).unwrap(), bytes);
        }
    }
}
