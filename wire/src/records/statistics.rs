//! Statistics (`0x44`, §13.2; layout by reading G07).
//!
//! ```text
//! message_count    u64
//! chunk_count      u64
//! schema_count     u32
//! stream_count     u32
//! metadata_count   u32
//! attachment_count u32
//! first_stamp_ns   u64    over streams of the file's own domain
//! last_stamp_ns    u64
//! entry_size       u32    the stride; 40 in version 1
//! entry_count      u32
//! streams:
//!   offset size
//!     0     4  stream_ref
//!     4     4  reserved
//!     8     8  message_count
//!    16     8  max_gap_ns
//!    24     8  min_transport_delay_ns
//!    32     8  max_queue_depth
//! ```

use ca3_spec::opcode::op;

use super::Record;
use crate::{Cursor, EncodeError, Encoder, WireError};

/// Whole-file counts and the recorder's timing observations (§13.2).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Messages in the file.
    pub message_count: u64,
    /// Chunks in the file.
    pub chunk_count: u64,
    /// Schemas declared.
    pub schema_count: u32,
    /// Streams declared.
    pub stream_count: u32,
    /// Metadata records.
    pub metadata_count: u32,
    /// Attachment records.
    pub attachment_count: u32,
    /// The least stamp of streams in the file's own domain.
    pub first_stamp_ns: u64,
    /// The greatest.
    pub last_stamp_ns: u64,
    /// One row a stream.
    pub streams: Vec<StreamStatistics>,
}

/// What the recorder observed of one stream (§13.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamStatistics {
    /// The stream.
    pub stream_ref: u32,
    /// Zero.
    pub reserved: u32,
    /// Its messages.
    pub message_count: u64,
    /// The longest time between two arrivals.
    pub max_gap_ns: u64,
    /// The least transport delay observed.
    pub min_transport_delay_ns: u64,
    /// The deepest that the queue became.
    pub max_queue_depth: u64,
}

impl Record for Statistics {
    const OPCODE: u8 = op::STATISTICS;

    fn encode(&self, out: &mut Encoder) -> Result<(), EncodeError> {
        out.u64("message_count", self.message_count);
        out.u64("chunk_count", self.chunk_count);
        out.u32("schema_count", self.schema_count);
        out.u32("stream_count", self.stream_count);
        out.u32("metadata_count", self.metadata_count);
        out.u32("attachment_count", self.attachment_count);
        out.u64("first_stamp_ns", self.first_stamp_ns);
        out.u64("last_stamp_ns", self.last_stamp_ns);
        out.table(
            "streams",
            StreamStatistics::BYTES,
            &self.streams,
            |out, row| row.encode(out),
        )
    }

    fn decode(cursor: &mut Cursor<'_>) -> Result<Self, WireError> {
        Ok(Statistics {
            message_count: cursor.u64("message_count")?,
            chunk_count: cursor.u64("chunk_count")?,
            schema_count: cursor.u32("schema_count")?,
            stream_count: cursor.u32("stream_count")?,
            metadata_count: cursor.u32("metadata_count")?,
            attachment_count: cursor.u32("attachment_count")?,
            first_stamp_ns: cursor.u64("first_stamp_ns")?,
            last_stamp_ns: cursor.u64("last_stamp_ns")?,
            streams: cursor.table("streams", StreamStatistics::BYTES, StreamStatistics::decode)?,
        })
    }
}

impl StreamStatistics {
    /// This version's `entry_size`.
    pub const BYTES: u32 = 40;

    fn encode(&self, out: &mut Encoder) -> Result<(), EncodeError> {
        out.u32("stream_ref", self.stream_ref);
        out.u32("reserved", self.reserved);
        out.u64("message_count", self.message_count);
        out.u64("max_gap_ns", self.max_gap_ns);
        out.u64("min_transport_delay_ns", self.min_transport_delay_ns);
        out.u64("max_queue_depth", self.max_queue_depth);
        Ok(())
    }

    fn decode(cursor: &mut Cursor<'_>) -> Result<Self, WireError> {
        Ok(StreamStatistics {
            stream_ref: cursor.u32("stream_ref")?,
            reserved: cursor.u32("reserved")?,
            message_count: cursor.u64("message_count")?,
            max_gap_ns: cursor.u64("max_gap_ns")?,
            min_transport_delay_ns: cursor.u64("min_transport_delay_ns")?,
            max_queue_depth: cursor.u64("max_queue_depth")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::golden;

    #[test]
    fn golden_bytes() {
        let statistics = Statistics {
            message_count: 1,
            chunk_count: 2,
            schema_count: 3,
            stream_count: 4,
            metadata_count: 5,
            attachment_count: 6,
            first_stamp_ns: 7,
            last_stamp_ns: 8,
            streams: vec![StreamStatistics {
                stream_ref: 9,
                reserved: 0,
                message_count: 10,
                max_gap_ns: 11,
                min_transport_delay_ns: 12,
                max_queue_depth: 13,
            }],
        };
        golden(
            &statistics,
            "01 00 00 00 00 00 00 00 \
             02 00 00 00 00 00 00 00 \
             03 00 00 00 \
             04 00 00 00 \
             05 00 00 00 \
             06 00 00 00 \
             07 00 00 00 00 00 00 00 \
             08 00 00 00 00 00 00 00 \
             28 00 00 00 \
             01 00 00 00 \
             09 00 00 00 00 00 00 00 \
             0a 00 00 00 00 00 00 00 \
             0b 00 00 00 00 00 00 00 \
             0c 00 00 00 00 00 00 00 \
             0d 00 00 00 00 00 00 00",
        );
    }
}
