//! Metadata (`0x40`, §13.3; layout by reading G08).
//!
//! ```text
//! name     string
//! entries  map
//! ```

use ca3_spec::opcode::op;

use super::Record;
use crate::{Cursor, EncodeError, Encoder, Map, WireError};

/// A named block of free-form pairs (§13.3).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// What the block is.
    pub name: String,
    /// Its pairs.
    pub entries: Map,
}

impl Record for Metadata {
    const OPCODE: u8 = op::METADATA;

    fn encode(&self, out: &mut Encoder) -> Result<(), EncodeError> {
        out.string("name", &self.name)?;
        out.map("entries", &self.entries)
    }

    fn decode(cursor: &mut Cursor<'_>) -> Result<Self, WireError> {
        Ok(Metadata {
            name: cursor.string("name")?.to_owned(),
            entries: cursor.map("entries")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::{golden, hex};
    use ca3_spec::kind::Kind;

    #[test]
    fn golden_bytes() {
        let metadata = Metadata {
            name: "n".to_owned(),
            entries: Map::sorted([("a", "b"), ("c", "")]),
        };
        golden(
            &metadata,
            "01 00 00 00 6e \
             02 00 00 00 01 00 00 00 61 01 00 00 00 62 01 00 00 00 63 00 00 00 00",
        );
    }

    #[test]
    fn keys_ascend_by_their_bytes_and_never_repeat() {
        for (keys, kind) in [
            (
                "01 00 00 00 62 00 00 00 00 01 00 00 00 61 00 00 00 00",
                Kind::MapOrder,
            ),
            (
                "01 00 00 00 61 00 00 00 00 01 00 00 00 61 00 00 00 00",
                Kind::MapOrder,
            ),
            (
                "02 00 00 00 61 61 00 00 00 00 01 00 00 00 61 00 00 00 00",
                Kind::MapOrder,
            ),
            (
                "01 00 00 00 61 00 00 00 00 01 00 00 00 ff 00 00 00 00",
                Kind::BadUtf8,
            ),
        ] {
            let bytes = hex(&format!("00 00 00 00 02 00 00 00 {keys}"));
            let error = Metadata::from_content(&bytes, 0).unwrap_err();
            assert_eq!(error.kind(), kind);
            assert_eq!(error.field, "Metadata.entries[1].key");
        }
    }
}
