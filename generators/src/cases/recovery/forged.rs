//! Bytes that look like a checkpoint's end, or like a whole checkpoint, for
//! places where none stands (§8.2).

use ca3_spec::FRAME_BYTES;
use ca3_spec::opcode::op;
use ca3_wire::records::{Checkpoint, Record, Stream};

use crate::plan::{Layout, Plan, crc32c};

/// Bytes of a trailer.
pub(super) const TRAILER: usize = 36;

/// A trailer of these fields (§8.1).
pub(super) fn trailer(self_offset: u64, prev_offset: u64, seq: u64, crc: u32) -> Vec<u8> {
    let mut out = Checkpoint::SENTINEL.to_vec();
    for field in [self_offset, prev_offset, seq] {
        out.extend_from_slice(&field.to_le_bytes());
    }
    out.extend_from_slice(&crc.to_le_bytes());
    out
}

/// A whole checkpoint that passes all four checks where it stands at this
/// offset; it declares a stream that the file does not have.
pub(super) fn checkpoint_at(offset: u64) -> Vec<u8> {
    let intruder = Stream {
        stream_ref: 9,
        topic: "intruder".to_owned(),
        ..Stream::default()
    };
    let checkpoint = Checkpoint {
        checkpoint_seq: 3,
        flags: Checkpoint::RESTATES,
        streams: vec![intruder.content().unwrap_or_default()],
        self_offset: offset,
        ..Checkpoint::default()
    };
    let content = checkpoint.content().unwrap_or_default();
    let mut out = vec![op::CHECKPOINT];
    let length = u64::try_from(content.len()).unwrap_or_default();
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(&content);
    out
}

/// Bytes with others in the place of some.
pub(super) fn with(mut bytes: Vec<u8>, at: usize, new: &[u8]) -> Vec<u8> {
    if let Some(place) = bytes.get_mut(at..at.saturating_add(new.len())) {
        place.copy_from_slice(new);
    }
    bytes
}

/// The bytes of a file from one offset to another.
pub(super) fn stored(layout: &Layout, from: u64, to: u64) -> &[u8] {
    let narrow = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
    layout.bytes.get(narrow(from)..narrow(to)).unwrap_or(&[])
}

/// Where bytes come to lie, and the file around them.
pub(super) struct Site<'c> {
    /// File offset of the first of them.
    pub(super) at: u64,
    layout: Layout,
    carry: &'c dyn Fn(&[u8]) -> Plan,
}

impl Site<'_> {
    /// Where a record begins.
    pub(super) fn offset(&self, label: &str) -> u64 {
        self.layout.record(label).map_or(0, |placed| placed.offset)
    }

    /// The trailer of a checkpoint of this file.
    pub(super) fn trailer_of(&self, label: &str) -> Vec<u8> {
        let placed = self.layout.record(label);
        let trailer = placed.and_then(|placed| {
            let end = placed.content_offset.checked_add(placed.content_length)?;
            let start = end.checked_sub(Checkpoint::TRAILER_BYTES)?;
            Some(stored(&self.layout, start, end).to_vec())
        });
        trailer.unwrap_or_default()
    }

    /// As [`Site::settled`], `self_offset` and `prev_offset` by label.
    pub(super) fn settled_at(&self, label: &str, prev: &str) -> Vec<u8> {
        self.settled(self.offset(label), self.offset(prev))
    }

    /// A trailer whose checksum holds over what stands between the frame at
    /// `self_offset` and the sentinel. A checksum of the record that carries it
    /// covers it and is covered by it: the figure has to agree with itself.
    pub(super) fn settled(&self, self_offset: u64, prev_offset: u64) -> Vec<u8> {
        let start = self_offset.saturating_add(FRAME_BYTES);
        // The polynomial keeps the parity of what it covers: of two numbers that
        // differ in it, one has such a figure.
        let settled = [3, 4].into_iter().find_map(|seq| {
            let covered = |crc: u32| {
                let plan = (self.carry)(&trailer(self_offset, prev_offset, seq, crc));
                let layout = plan.layout();
                layout.map_or(0, |layout| crc32c(stored(&layout, start, self.at)))
            };
            Some(trailer(
                self_offset,
                prev_offset,
                seq,
                fixed_point(covered)?,
            ))
        });
        settled.unwrap_or_else(|| trailer(self_offset, prev_offset, 3, 0))
    }
}

/// The two files of a pair: plain bytes where `carry` puts them, and in their
/// place those that `forge` makes.
pub(super) fn pair(
    carry: &dyn Fn(&[u8]) -> Plan,
    forge: &dyn Fn(&Site<'_>) -> Vec<u8>,
) -> (Plan, Plan) {
    let site = |plain: &[u8]| {
        let layout = carry(plain).layout().ok()?;
        let mut windows = layout.bytes.windows(plain.len().max(1));
        let at = windows.position(|window| window == plain).unwrap_or(0);
        let at = u64::try_from(at).ok()?;
        Some(Site { at, layout, carry })
    };
    let forged = |plain: &[u8]| site(plain).map_or_else(Vec::new, |site| forge(&site));
    // What is forged has one length wherever it stands. Full stops in such
    // number stand nowhere else in a file of these cases.
    let plain = vec![b'.'; forged(b"").len()];
    (carry(&plain), carry(&forged(&plain)))
}

/// The value that a function gives back unchanged, where there is one. The
/// function is affine over single bits, as checksums of one length are.
fn fixed_point(function: impl Fn(u32) -> u32) -> Option<u32> {
    let moved = |value: u32| function(value) ^ value;
    let constant = moved(0);
    // What a set of bits adds to `moved`, and the set; leading bits differ.
    let mut basis: Vec<(u32, u32)> = Vec::new();
    let reduce = |basis: &[(u32, u32)], mut sum: u32, mut set: u32| {
        for (added, bits) in basis {
            if sum ^ added < sum {
                sum ^= added;
                set ^= bits;
            }
        }
        (sum, set)
    };
    for bit in (0..32).map(|bit| 1u32 << bit) {
        let (sum, set) = reduce(&basis, moved(bit) ^ constant, bit);
        if sum != 0 {
            basis.push((sum, set));
        }
    }
    match reduce(&basis, constant, 0) {
        (0, set) => Some(set),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixed_point_is_found_where_there_is_one() {
        // x = x rotated by one, with all bits flipped: 0101... is one.
        let found = fixed_point(|value| !value.rotate_left(1)).unwrap();
        assert_eq!(!found.rotate_left(1), found);
        assert_eq!(fixed_point(|value| value ^ 1), None);
        assert_eq!(fixed_point(|_| 77), Some(77));
    }

    #[test]
    fn a_checkpoint_is_whole_where_it_says_that_it_stands() {
        let bytes = checkpoint_at(500);
        let sentinel = bytes.len() - TRAILER;
        assert_eq!(bytes[sentinel..sentinel + 8], Checkpoint::SENTINEL);
        let length = u64::from_le_bytes(bytes[1..9].try_into().unwrap());
        assert_eq!(length, u64::try_from(bytes.len() - 9).unwrap());
        let crc = u32::from_le_bytes(bytes[bytes.len() - 4..].try_into().unwrap());
        assert_eq!(crc, crc32c(&bytes[9..sentinel]));
    }
}
