//! Stream (`0x04`, §5.7, §5.9).
//!
//! ```text
//! stream_ref                  u32       1 and up; 0 means absent
//! schema_ref                  u32       0: the payload is not described
//! topic                       string
//! node                        string
//! origin                      u8
//! source_clock_domain         string
//! host_id                     string
//! host_clock_epoch            string
//! operator_reference          string
//! operator_asserted_by        u8        §11.3
//! authorisation_reference     string
//! authorisation_from_unix_ns  u64
//! authorisation_until_unix_ns u64
//! nominal_rate_millihz        u64
//! schema_conformance          u8
//! flags                       u32       bit 0: payload_entropy_coded
//! metadata                    map
//! block_alignment             u32       a content may end before these two
//! block_offset                u32
//! ```

use ca3_spec::opcode::op;

use super::Record;
use crate::{Cursor, EncodeError, Encoder, Map, WireError};

/// One stream of messages and what is known of it beforehand (§5.7).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stream {
    /// The reference by which chunks name it.
    pub stream_ref: u32,
    /// The schema of its payloads; 0 for none.
    pub schema_ref: u32,
    /// The name it was published under.
    pub topic: String,
    /// What produced it.
    pub node: String,
    /// 0 unspecified, 1 raw, 2 derived, 3 ephemeral.
    pub origin: u8,
    /// The clock of `source_timestamp_ns`; empty where there is none.
    pub source_clock_domain: String,
    /// The publishing host.
    pub host_id: String,
    /// Which boot of that host.
    pub host_clock_epoch: String,
    /// Who was said to operate it: opaque.
    pub operator_reference: String,
    /// On what basis (§11.3).
    pub operator_asserted_by: u8,
    /// Under what authority it was captured.
    pub authorisation_reference: String,
    /// From when that authority held.
    pub authorisation_from_unix_ns: u64,
    /// Until when.
    pub authorisation_until_unix_ns: u64,
    /// The configured rate in millihertz; 0 where it is not periodic.
    pub nominal_rate_millihz: u64,
    /// 0 undeclared, 1 well-formed, 2 retired.
    pub schema_conformance: u8,
    /// Bit 0: payloads are compressed already.
    pub flags: u32,
    /// Free-form pairs.
    pub metadata: Map,
    /// The boundary on which tensor blocks begin; 0 for no claim (§5.9).
    pub block_alignment: u32,
    /// Bytes of a payload in front of its tensor block.
    pub block_offset: u32,
}

impl Stream {
    /// Bit 0 of `flags`: payloads are compressed already.
    pub const PAYLOAD_ENTROPY_CODED: u32 = 1;
    /// The largest `block_alignment` (§5.9).
    pub const MAX_BLOCK_ALIGNMENT: u32 = 4096;

    /// Whether `block_alignment` is zero or a power of two up to a page, and
    /// `block_offset` zero where there is no alignment (§5.9).
    pub fn has_valid_alignment(&self) -> bool {
        match self.block_alignment {
            0 => self.block_offset == 0,
            boundary => boundary.is_power_of_two() && boundary <= Self::MAX_BLOCK_ALIGNMENT,
        }
    }
}

impl Record for Stream {
    const OPCODE: u8 = op::STREAM;

    fn encode(&self, out: &mut Encoder) -> Result<(), EncodeError> {
        out.u32("stream_ref", self.stream_ref);
        out.u32("schema_ref", self.schema_ref);
        out.string("topic", &self.topic)?;
        out.string("node", &self.node)?;
        out.u8("origin", self.origin);
        out.string("source_clock_domain", &self.source_clock_domain)?;
        out.string("host_id", &self.host_id)?;
        out.string("host_clock_epoch", &self.host_clock_epoch)?;
        out.string("operator_reference", &self.operator_reference)?;
        out.u8("operator_asserted_by", self.operator_asserted_by);
        out.string("authorisation_reference", &self.authorisation_reference)?;
        out.u64(
            "authorisation_from_unix_ns",
            self.authorisation_from_unix_ns,
        );
        out.u64(
            "authorisation_until_unix_ns",
            self.authorisation_until_unix_ns,
        );
        out.u64("nominal_rate_millihz", self.nominal_rate_millihz);
        out.u8("schema_conformance", self.schema_conformance);
        out.u32("flags", self.flags);
        out.map("metadata", &self.metadata)?;
        out.u32("block_alignment", self.block_alignment);
        out.u32("block_offset", self.block_offset);
        Ok(())
    }

    fn decode(cursor: &mut Cursor<'_>) -> Result<Self, WireError> {
        let mut stream = Stream {
            stream_ref: cursor.u32("stream_ref")?,
            schema_ref: cursor.u32("schema_ref")?,
            topic: cursor.string("topic")?.to_owned(),
            node: cursor.string("node")?.to_owned(),
            origin: cursor.u8("origin")?,
            source_clock_domain: cursor.string("source_clock_domain")?.to_owned(),
            host_id: cursor.string("host_id")?.to_owned(),
            host_clock_epoch: cursor.string("host_clock_epoch")?.to_owned(),
            operator_reference: cursor.string("operator_reference")?.to_owned(),
            operator_asserted_by: cursor.u8("operator_asserted_by")?,
            authorisation_reference: cursor.string("authorisation_reference")?.to_owned(),
            authorisation_from_unix_ns: cursor.u64("authorisation_from_unix_ns")?,
            authorisation_until_unix_ns: cursor.u64("authorisation_until_unix_ns")?,
            nominal_rate_millihz: cursor.u64("nominal_rate_millihz")?,
            schema_conformance: cursor.u8("schema_conformance")?,
            flags: cursor.u32("flags")?,
            metadata: cursor.map("metadata")?,
            block_alignment: 0,
            block_offset: 0,
        };
        // Reading G34: a content that ends with `metadata` claims no alignment.
        if !cursor.is_empty() {
            stream.block_alignment = cursor.u32("block_alignment")?;
            stream.block_offset = cursor.u32("block_offset")?;
        }
        Ok(stream)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::{decodes, hex};

    const UP_TO_METADATA: &str = "01 00 00 00 02 00 00 00 \
         01 00 00 00 74 \
         01 00 00 00 6e \
         03 \
         02 00 00 00 63 64 \
         01 00 00 00 68 \
         01 00 00 00 65 \
         02 00 00 00 6f 70 \
         04 \
         01 00 00 00 61 \
         05 00 00 00 00 00 00 00 \
         06 00 00 00 00 00 00 00 \
         ff e0 00 00 00 00 00 00 \
         01 \
         01 00 00 00 \
         01 00 00 00 01 00 00 00 6b 01 00 00 00 76";

    fn stream() -> Stream {
        Stream {
            stream_ref: 1,
            schema_ref: 2,
            topic: "t".to_owned(),
            node: "n".to_owned(),
            origin: 3,
            source_clock_domain: "cd".to_owned(),
            host_id: "h".to_owned(),
            host_clock_epoch: "e".to_owned(),
            operator_reference: "op".to_owned(),
            operator_asserted_by: 4,
            authorisation_reference: "a".to_owned(),
            authorisation_from_unix_ns: 5,
            authorisation_until_unix_ns: 6,
            nominal_rate_millihz: 0xE0FF,
            schema_conformance: 1,
            flags: 1,
            metadata: Map::sorted([("k", "v")]),
            block_alignment: 64,
            block_offset: 7,
        }
    }

    #[test]
    fn golden_bytes() {
        let bytes = hex(&format!("{UP_TO_METADATA} 40 00 00 00 07 00 00 00"));
        assert_eq!(stream().content().unwrap(), bytes);
        decodes(&stream(), &bytes);
    }

    /// Reading G34: the one place where a shorter content is whole.
    #[test]
    fn a_content_may_end_with_metadata_and_nowhere_else() {
        let bytes = hex(&format!("{UP_TO_METADATA} 40 00 00 00 07 00 00 00"));
        let whole = bytes.len() - 8;
        let without = Stream {
            block_alignment: 0,
            block_offset: 0,
            ..stream()
        };
        decodes(&without, &bytes[..whole]);
        for cut in (0..bytes.len()).filter(|cut| *cut != whole) {
            let error = Stream::from_content(&bytes[..cut], 100).unwrap_err();
            assert_eq!(
                error.kind(),
                ca3_spec::kind::Kind::BadLength,
                "cut at {cut}"
            );
            let field = match cut {
                cut if cut > whole + 3 => "Stream.block_offset",
                cut if cut > whole => "Stream.block_alignment",
                _ => continue,
            };
            assert_eq!(error.field, field);
        }
    }

    #[test]
    fn an_alignment_is_a_power_of_two_up_to_a_page() {
        let with = |block_alignment, block_offset| Stream {
            block_alignment,
            block_offset,
            ..stream()
        };
        for (alignment, offset) in [(0, 0), (1, 5), (64, 0), (4096, 1)] {
            assert!(
                with(alignment, offset).has_valid_alignment(),
                "{alignment} {offset}"
            );
        }
        for (alignment, offset) in [(0, 1), (3, 0), (8192, 0), (u32::MAX, 0)] {
            assert!(
                !with(alignment, offset).has_valid_alignment(),
                "{alignment} {offset}"
            );
        }
    }
}
