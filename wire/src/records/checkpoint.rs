//! Checkpoint (`0x07`, §8.1, §8.2).
//!
//! ```text
//! checkpoint_seq  u64
//! flags           u32              bit 0: restates every live definition
//! reserved        u32              zero; a reader ignores it
//! record_ts_ns    u64
//! wall_ns         u64
//! schemas         array of bytes   each one Schema's content
//! streams         array of bytes   each one Stream's content
//! index_entries   entry_size u32, entry_count u32, entries (§7.1)
//! clock_block     bytes            a ClockBlock's content, or empty
//! trailer, located from the content's end:
//!   0     8  sentinel        "CA3POINT"
//!   8     8  self_offset     absolute, of this record's opcode byte
//!  16     8  prev_offset     of the Checkpoint before; 0 for the first
//!  24     8  checkpoint_seq  a copy
//!  32     4  content_crc     CRC-32C over the content before the sentinel
//!  36
//! ```

use ca3_spec::opcode::op;

use super::{IndexEntry, Record};
use crate::error::Fault;
use crate::width::wide;
use crate::{Cursor, EncodeError, Encoder, WireError, crc};

/// What a reader needs to resume from, should the tail never be written (§8.1).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checkpoint {
    /// Its number.
    pub checkpoint_seq: u64,
    /// Bit 0: restates every live definition.
    pub flags: u32,
    /// Zero; a reader ignores it.
    pub reserved: u32,
    /// When it was written, on the recording host's monotonic clock.
    pub record_ts_ns: u64,
    /// The same on its wall clock.
    pub wall_ns: u64,
    /// Schema contents, each as in a record of its own.
    pub schemas: Vec<Vec<u8>>,
    /// Stream contents, each as in a record of its own.
    pub streams: Vec<Vec<u8>>,
    /// Index entries of the chunks since the checkpoint before, in flush order.
    pub index_entries: Vec<IndexEntry>,
    /// A ClockBlock's content as of now, or empty.
    pub clock_block: Vec<u8>,
    /// Absolute offset of this record's opcode byte.
    pub self_offset: u64,
    /// Absolute offset of the checkpoint before; 0 for the first.
    pub prev_offset: u64,
    /// The trailer's copy of `checkpoint_seq`, as decoded; encoding writes
    /// `checkpoint_seq` there whatever this says (reading G42).
    pub trailer_checkpoint_seq: u64,
}

impl Checkpoint {
    /// Bit 0 of `flags`: restates every live definition.
    pub const RESTATES: u32 = 1;
    /// What the trailer begins with.
    pub const SENTINEL: [u8; 8] = *b"CA3POINT";
    /// Bytes of the trailer.
    pub const TRAILER_BYTES: u64 = 36;
}

impl Record for Checkpoint {
    const OPCODE: u8 = op::CHECKPOINT;

    fn encode(&self, out: &mut Encoder) -> Result<(), EncodeError> {
        let start = usize::try_from(out.len()).unwrap_or(usize::MAX);
        out.u64("checkpoint_seq", self.checkpoint_seq);
        out.u32("flags", self.flags);
        out.u32("reserved", self.reserved);
        out.u64("record_ts_ns", self.record_ts_ns);
        out.u64("wall_ns", self.wall_ns);
        out.array("schemas", &self.schemas, |out, content| {
            out.bytes("", content)
        })?;
        out.array("streams", &self.streams, |out, content| {
            out.bytes("", content)
        })?;
        out.scoped("index_entries", |out| {
            out.table(
                "entries",
                IndexEntry::BYTES,
                &self.index_entries,
                |out, entry| entry.encode(out),
            )
        })?;
        out.bytes("clock_block", &self.clock_block)?;
        let content_crc = crc::crc32c(out.as_bytes().get(start..).unwrap_or_default());
        out.scoped("trailer", |out| {
            out.raw("sentinel", &Self::SENTINEL);
            out.u64("self_offset", self.self_offset);
            out.u64("prev_offset", self.prev_offset);
            out.u64("checkpoint_seq", self.checkpoint_seq);
            out.u32("content_crc", content_crc);
            Ok(())
        })
    }

    /// # Errors
    /// Besides those of reading, [`Fault::Fixed`] for another sentinel,
    /// [`Fault::Crc`] where `content_crc` does not hold, and
    /// [`Fault::Leftover`] for bytes between `clock_block` and the trailer.
    fn decode(cursor: &mut Cursor<'_>) -> Result<Self, WireError> {
        let left = cursor.left();
        let Some(body_length) = left.checked_sub(Self::TRAILER_BYTES) else {
            let fault = Fault::Short {
                needed: Self::TRAILER_BYTES,
                left,
            };
            return Err(cursor.fault_at(cursor.offset(), "trailer", fault));
        };
        let mut body = cursor.fence(body_length)?;
        let trailer = cursor.scoped("trailer", |cursor| {
            let covered = body.peek(body_length).unwrap_or_default();
            Trailer::decode(cursor, covered)
        })?;
        let checkpoint = Checkpoint {
            checkpoint_seq: body.u64("checkpoint_seq")?,
            flags: body.u32("flags")?,
            reserved: body.u32("reserved")?,
            record_ts_ns: body.u64("record_ts_ns")?,
            wall_ns: body.u64("wall_ns")?,
            schemas: body.array("schemas", |body| Ok(body.bytes("")?.to_owned()))?,
            streams: body.array("streams", |body| Ok(body.bytes("")?.to_owned()))?,
            index_entries: body.scoped("index_entries", |body| {
                body.table("entries", IndexEntry::BYTES, IndexEntry::decode)
            })?,
            clock_block: body.bytes("clock_block")?.to_owned(),
            self_offset: trailer.self_offset,
            prev_offset: trailer.prev_offset,
            trailer_checkpoint_seq: trailer.checkpoint_seq,
        };
        body.finish("trailer")?;
        Ok(checkpoint)
    }
}

/// The last 36 bytes.
struct Trailer {
    self_offset: u64,
    prev_offset: u64,
    checkpoint_seq: u64,
}

impl Trailer {
    fn decode(cursor: &mut Cursor<'_>, covered: &[u8]) -> Result<Self, WireError> {
        let start = cursor.offset();
        let sentinel = cursor.raw("sentinel", wide(Checkpoint::SENTINEL.len()))?;
        if sentinel != Checkpoint::SENTINEL {
            let expected = Checkpoint::SENTINEL.to_vec();
            let fault = Fault::Fixed {
                expected,
                found: sentinel.to_vec(),
            };
            return Err(cursor.fault_at(start, "sentinel", fault));
        }
        let trailer = Trailer {
            self_offset: cursor.u64("self_offset")?,
            prev_offset: cursor.u64("prev_offset")?,
            checkpoint_seq: cursor.u64("checkpoint_seq")?,
        };
        let start = cursor.offset();
        let stated = cursor.u32("content_crc")?;
        let computed = crc::crc32c(covered);
        if stated != computed {
            return Err(cursor.fault_at(start, "content_crc", Fault::Crc { stated, computed }));
        }
        Ok(trailer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::{decodes, golden, hex};

    const BODY: &str = "01 00 00 00 00 00 00 00 \
         01 00 00 00 \
         02 00 00 00 \
         03 00 00 00 00 00 00 00 \
         04 00 00 00 00 00 00 00 \
         01 00 00 00 02 00 00 00 aa bb \
         02 00 00 00 01 00 00 00 cc 00 00 00 00 \
         38 00 00 00 01 00 00 00 \
         46 00 00 00 00 00 00 00 \
         60 00 00 00 00 00 00 00 \
         03 00 00 00 00 00 00 00 \
         04 00 00 00 00 00 00 00 \
         05 00 00 00 00 00 00 00 \
         06 00 00 00 07 00 00 00 08 00 00 00 09 00 00 00 \
         01 00 00 00 dd";
    const SENTINEL: &str = "43 41 33 50 4f 49 4e 54";
    /// CRC-32C of `BODY`, computed apart from this crate.
    const CRC: &str = "f5 12 83 2e";

    fn checkpoint() -> Checkpoint {
        Checkpoint {
            checkpoint_seq: 1,
            flags: 1,
            reserved: 2,
            record_ts_ns: 3,
            wall_ns: 4,
            schemas: vec![vec![0xAA, 0xBB]],
            streams: vec![vec![0xCC], vec![]],
            index_entries: vec![IndexEntry {
                chunk_offset: 70,
                chunk_length: 96,
                min_stamp_ns: 3,
                max_stamp_ns: 4,
                prefix_max_stamp_ns: 5,
                message_count: 6,
                stream_ref: 7,
                seq_first: 8,
                seq_last: 9,
            }],
            clock_block: vec![0xDD],
            self_offset: 0x0200,
            prev_offset: 0x0100,
            trailer_checkpoint_seq: 1,
        }
    }

    fn text(sentinel: &str, sequence: &str, crc: &str) -> String {
        format!(
            "{BODY} {sentinel} 00 02 00 00 00 00 00 00 00 01 00 00 00 00 00 00 \
             {sequence} 00 00 00 00 00 00 00 {crc}"
        )
    }

    #[test]
    fn golden_bytes() {
        golden(&checkpoint(), &text(SENTINEL, "01", CRC));
    }

    #[test]
    fn the_trailers_copy_of_the_number_is_kept_and_not_judged() {
        let other = Checkpoint {
            trailer_checkpoint_seq: 9,
            ..checkpoint()
        };
        decodes(&other, &hex(&text(SENTINEL, "09", CRC)));
    }

    #[test]
    fn sentinel_and_checksum_are_judged() {
        let bytes = hex(&text("43 41 33 50 4f 49 4e 55", "01", CRC));
        let error = Checkpoint::from_content(&bytes, 0).unwrap_err();
        assert!(matches!(error.fault, Fault::Fixed { .. }));
        let bytes = hex(&text(SENTINEL, "01", "00 00 00 00"));
        let error = Checkpoint::from_content(&bytes, 0).unwrap_err();
        assert!(matches!(error.fault, Fault::Crc { stated: 0, .. }));
        assert_eq!(error.field, "Checkpoint.trailer.content_crc");
        assert_eq!(error.offset, wide(bytes.len()) - 4);
    }

    #[test]
    fn nothing_stands_between_the_last_field_and_the_trailer() {
        let body = hex(&format!("{BODY} 00"));
        let crc = crc::crc32c(&body).to_le_bytes();
        let trailer = hex(&text(SENTINEL, "01", CRC));
        let trailer = &trailer[trailer.len() - 36..trailer.len() - 4];
        let bytes = [body.as_slice(), trailer, &crc].concat();
        let error = Checkpoint::from_content(&bytes, 0).unwrap_err();
        assert_eq!(error.fault, Fault::Leftover { left: 1 });
    }
}
