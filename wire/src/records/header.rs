//! Header (`0x01`, §4).
//!
//! ```text
//! required_features   u64      at absolute file offset 17
//! profile             string
//! library             string
//! host_id             string
//! host_clock_epoch    string
//! monotonic_source    string
//! anchor_monotonic_ns u64
//! anchor_wall_unix_ns u64      0: no anchor was taken
//! anchor_wall_source  string
//! attributes          map
//! ```

use ca3_spec::opcode::op;

use super::Record;
use crate::{Cursor, EncodeError, Encoder, Map, WireError};

/// What a file says of itself before anything else (§4).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Bits that a reader must implement to open the file (§3.3).
    pub required_features: u64,
    /// A named set of conventions, or empty.
    pub profile: String,
    /// What wrote the file.
    pub library: String,
    /// The recording host.
    pub host_id: String,
    /// Which boot of that host.
    pub host_clock_epoch: String,
    /// The platform call behind the ordering clock.
    pub monotonic_source: String,
    /// A reading of the ordering clock, in nanoseconds.
    pub anchor_monotonic_ns: u64,
    /// A wall reading taken beside it, in nanoseconds since 1970; 0 for none.
    pub anchor_wall_unix_ns: u64,
    /// The platform call behind the wall reading.
    pub anchor_wall_source: String,
    /// Free-form pairs.
    pub attributes: Map,
}

impl Record for Header {
    const OPCODE: u8 = op::HEADER;

    fn encode(&self, out: &mut Encoder) -> Result<(), EncodeError> {
        out.u64("required_features", self.required_features);
        out.string("profile", &self.profile)?;
        out.string("library", &self.library)?;
        out.string("host_id", &self.host_id)?;
        out.string("host_clock_epoch", &self.host_clock_epoch)?;
        out.string("monotonic_source", &self.monotonic_source)?;
        out.u64("anchor_monotonic_ns", self.anchor_monotonic_ns);
        out.u64("anchor_wall_unix_ns", self.anchor_wall_unix_ns);
        out.string("anchor_wall_source", &self.anchor_wall_source)?;
        out.map("attributes", &self.attributes)
    }

    fn decode(cursor: &mut Cursor<'_>) -> Result<Self, WireError> {
        Ok(Header {
            required_features: cursor.u64("required_features")?,
            profile: cursor.string("profile")?.to_owned(),
            library: cursor.string("library")?.to_owned(),
            host_id: cursor.string("host_id")?.to_owned(),
            host_clock_epoch: cursor.string("host_clock_epoch")?.to_owned(),
            monotonic_source: cursor.string("monotonic_source")?.to_owned(),
            anchor_monotonic_ns: cursor.u64("anchor_monotonic_ns")?,
            anchor_wall_unix_ns: cursor.u64("anchor_wall_unix_ns")?,
            anchor_wall_source: cursor.string("anchor_wall_source")?.to_owned(),
            attributes: cursor.map("attributes")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::golden;

    #[test]
    fn golden_bytes() {
        let header = Header {
            required_features: 0x0000_0000_0000_0005,
            profile: "p".to_owned(),
            library: "lib".to_owned(),
            host_id: "h".to_owned(),
            host_clock_epoch: "boot".to_owned(),
            monotonic_source: "m".to_owned(),
            anchor_monotonic_ns: 258,
            anchor_wall_unix_ns: u64::MAX,
            anchor_wall_source: String::new(),
            attributes: Map::sorted([("b", "2"), ("a", "1")]),
        };
        golden(
            &header,
            "05 00 00 00 00 00 00 00 \
             01 00 00 00 70 \
             03 00 00 00 6c 69 62 \
             01 00 00 00 68 \
             04 00 00 00 62 6f 6f 74 \
             01 00 00 00 6d \
             02 01 00 00 00 00 00 00 \
             ff ff ff ff ff ff ff ff \
             00 00 00 00 \
             02 00 00 00 01 00 00 00 61 01 00 00 00 31 01 00 00 00 62 01 00 00 00 32",
        );
    }
}
