//! Session (`0x06`, §11).
//!
//! ```text
//! session_id           string
//! study                string
//! participant_code     string
//! operator             string
//! operator_asserted_by u8        §11.3
//! profile_name         string
//! profile_version      u32
//! security_tier        u32
//! app_name             string
//! app_version          string
//! created_unix_ns      u64
//! devices              array: device_ref u32, kind string, serial string,
//!                             firmware string, clock_domain string
//! custom               map
//! ```

use ca3_spec::opcode::op;

use super::Record;
use crate::{Cursor, EncodeError, Encoder, Map, WireError};

/// Who and what a recording is of (§11).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// Stable identifier of the session.
    pub session_id: String,
    /// The study it belongs to.
    pub study: String,
    /// A pseudonym (§11.2).
    pub participant_code: String,
    /// Who was said to operate: opaque (§11.3).
    pub operator: String,
    /// On what basis.
    pub operator_asserted_by: u8,
    /// The conformance profile declared, or empty.
    pub profile_name: String,
    /// Its version.
    pub profile_version: u32,
    /// The deployment's own number.
    pub security_tier: u32,
    /// The recording application.
    pub app_name: String,
    /// Its version.
    pub app_version: String,
    /// When the session was made, in nanoseconds since 1970.
    pub created_unix_ns: u64,
    /// The instruments.
    pub devices: Vec<Device>,
    /// Free-form pairs.
    pub custom: Map,
}

/// One instrument of a session (§11).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Device {
    /// The number by which it is named.
    pub device_ref: u32,
    /// What sort of instrument it is.
    pub kind: String,
    /// Its serial number.
    pub serial: String,
    /// Its firmware.
    pub firmware: String,
    /// The domain that its timestamps are in.
    pub clock_domain: String,
}

impl Record for Session {
    const OPCODE: u8 = op::SESSION;

    fn encode(&self, out: &mut Encoder) -> Result<(), EncodeError> {
        out.string("session_id", &self.session_id)?;
        out.string("study", &self.study)?;
        out.string("participant_code", &self.participant_code)?;
        out.string("operator", &self.operator)?;
        out.u8("operator_asserted_by", self.operator_asserted_by);
        out.string("profile_name", &self.profile_name)?;
        out.u32("profile_version", self.profile_version);
        out.u32("security_tier", self.security_tier);
        out.string("app_name", &self.app_name)?;
        out.string("app_version", &self.app_version)?;
        out.u64("created_unix_ns", self.created_unix_ns);
        out.array("devices", &self.devices, |out, device| device.encode(out))?;
        out.map("custom", &self.custom)
    }

    fn decode(cursor: &mut Cursor<'_>) -> Result<Self, WireError> {
        Ok(Session {
            session_id: cursor.string("session_id")?.to_owned(),
            study: cursor.string("study")?.to_owned(),
            participant_code: cursor.string("participant_code")?.to_owned(),
            operator: cursor.string("operator")?.to_owned(),
            operator_asserted_by: cursor.u8("operator_asserted_by")?,
            profile_name: cursor.string("profile_name")?.to_owned(),
            profile_version: cursor.u32("profile_version")?,
            security_tier: cursor.u32("security_tier")?,
            app_name: cursor.string("app_name")?.to_owned(),
            app_version: cursor.string("app_version")?.to_owned(),
            created_unix_ns: cursor.u64("created_unix_ns")?,
            devices: cursor.array("devices", Device::decode)?,
            custom: cursor.map("custom")?,
        })
    }
}

impl Device {
    fn encode(&self, out: &mut Encoder) -> Result<(), EncodeError> {
        out.u32("device_ref", self.device_ref);
        out.string("kind", &self.kind)?;
        out.string("serial", &self.serial)?;
        out.string("firmware", &self.firmware)?;
        out.string("clock_domain", &self.clock_domain)
    }

    fn decode(cursor: &mut Cursor<'_>) -> Result<Self, WireError> {
        Ok(Device {
            device_ref: cursor.u32("device_ref")?,
            kind: cursor.string("kind")?.to_owned(),
            serial: cursor.string("serial")?.to_owned(),
            firmware: cursor.string("firmware")?.to_owned(),
            clock_domain: cursor.string("clock_domain")?.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::golden;

    #[test]
    fn golden_bytes() {
        let session = Session {
            session_id: "s".to_owned(),
            study: "st".to_owned(),
            participant_code: "p1".to_owned(),
            operator: "o".to_owned(),
            operator_asserted_by: 9,
            profile_name: "pn".to_owned(),
            profile_version: 2,
            security_tier: 3,
            app_name: "app".to_owned(),
            app_version: "1".to_owned(),
            created_unix_ns: 0x0102_0304_0506_0708,
            devices: vec![
                Device {
                    device_ref: 1,
                    kind: "eye".to_owned(),
                    serial: "x".to_owned(),
                    firmware: "2.1".to_owned(),
                    clock_domain: "d".to_owned(),
                },
                Device {
                    device_ref: 2,
                    ..Device::default()
                },
            ],
            custom: Map::sorted([("k", "")]),
        };
        golden(
            &session,
            "01 00 00 00 73 \
             02 00 00 00 73 74 \
             02 00 00 00 70 31 \
             01 00 00 00 6f \
             09 \
             02 00 00 00 70 6e \
             02 00 00 00 \
             03 00 00 00 \
             03 00 00 00 61 70 70 \
             01 00 00 00 31 \
             08 07 06 05 04 03 02 01 \
             02 00 00 00 \
             01 00 00 00 03 00 00 00 65 79 65 01 00 00 00 78 03 00 00 00 32 2e 31 01 00 00 00 64 \
             02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 \
             01 00 00 00 01 00 00 00 6b 00 00 00 00",
        );
    }
}
