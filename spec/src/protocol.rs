//! The reader and writer protocol, version 1: requests, answers and results.
//!
//! `spec/protocol.md` states it for implementers. The harness sends [`Request`]
//! and reads answers as plain JSON, leniently; the in-tree reader and the
//! generators use the typed results, so that both spell every field alike.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Map, Value};

use crate::kind::Kind;

/// The protocol's version, sent with `hello`.
pub const PROTOCOL_VERSION: u32 = 1;

/// The longest answer line that the harness reads, in bytes, line end included.
pub const MAX_LINE_BYTES: usize = 64 * 1024 * 1024;

/// The operations of a reader, and the level that requires each; `hello` binds
/// every reader.
pub const OPERATIONS: &[(&str, u8)] = &[
    ("hello", 1),
    ("read", 1),
    ("index", 2),
    ("state_at", 2),
    ("window", 2),
    ("loss", 2),
    ("clock", 3),
    ("times", 3),
    ("recover", 4),
];

/// The reader level of an operation; `None` for what is no reader's operation.
pub fn operation_level(op: &str) -> Option<u8> {
    OPERATIONS
        .iter()
        .find(|(name, _)| *name == op)
        .map(|(_, level)| *level)
}

/// A 64-bit integer that travels as a decimal string; numbers are read too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Decimal(pub u64);

impl From<u64> for Decimal {
    fn from(value: u64) -> Self {
        Decimal(value)
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Number(u64),
            Text(String),
        }
        match Form::deserialize(deserializer)? {
            Form::Number(value) => Ok(Decimal(value)),
            Form::Text(text) => text.parse().map(Decimal).map_err(de::Error::custom),
        }
    }
}

/// Bytes that travel as lower-case hexadecimal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hex(pub Vec<u8>);

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits: Option<Vec<u8>> = text
            .chars()
            .map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
            .collect();
        match digits {
            Some(digits) if digits.len() % 2 == 0 => Ok(Hex(digits
                .chunks_exact(2)
                .map(|pair| pair.iter().fold(0, |n, d| n << 4 | d))
                .collect())),
            _ => Err(de::Error::custom("not a string of hexadecimal pairs")),
        }
    }
}

/// One line from the harness to an implementation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Number that the answer must repeat.
    pub id: u64,
    /// The operation.
    pub op: String,
    /// Absolute path of the vector, for operations on a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The operation's own arguments.
    #[serde(flatten)]
    pub arguments: Map<String, Value>,
}

/// What an implementation answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The request's number.
    pub id: u64,
    /// How it went.
    #[serde(flatten)]
    pub outcome: AnswerOutcome,
}

/// The three ways in which a request is answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "lowercase")]
pub enum AnswerOutcome {
    /// It was carried out.
    Ok {
        /// The operation's result.
        result: Value,
    },
    /// The implementation rejects the file, or this operation on it.
    Refused {
        /// Why.
        error: Report,
    },
    /// The implementation does not have the operation.
    Unsupported {
        /// Why not.
        reason: String,
    },
}

/// A violation as reported by an implementation: an `error`, or one of `problems`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// What sort of violation.
    pub kind: Kind,
    /// For a person; never judged.
    #[serde(default)]
    pub message: String,
    /// Feature bits that are not implemented, ascending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bits: Option<Vec<u8>>,
    /// The names of `bits`, place by place; null for a bit without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<Vec<Option<String>>>,
    /// The opcode at fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opcode: Option<u8>,
    /// The name of a reserved record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The value at fault, such as a codec byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<u64>,
    /// File offset of the opcode byte of the record at fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<Decimal>,
    /// The stream concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_ref: Option<u32>,
    /// The clock domain concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
}

impl Report {
    /// A report of a kind with its message and nothing named yet.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Report {
            kind,
            message: message.into(),
            bits: None,
            names: None,
            opcode: None,
            name: None,
            value: None,
            offset: None,
            stream_ref: None,
            domain: None,
        }
    }
}

/// What an implementation says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The implementation's name.
    pub name: String,
    /// Its version.
    #[serde(default)]
    pub version: String,
    /// The language it is written in.
    #[serde(default)]
    pub language: String,
    /// The reader level it claims, 1 to 4.
    pub level: u8,
    /// The defined feature bits it implements (0 and 2 in version 1).
    #[serde(default)]
    pub features: Vec<u8>,
    /// The formats it reads; `ca3` where absent.
    #[serde(default = "ca3_only")]
    pub formats: Vec<String>,
    /// The operations it answers.
    #[serde(default)]
    pub ops: Vec<String>,
    /// How it reaches a file: `file`, and perhaps `http`.
    #[serde(default = "file_only")]
    pub io: Vec<String>,
}

fn ca3_only() -> Vec<String> {
    vec!["ca3".to_owned()]
}

fn file_only() -> Vec<String> {
    vec!["file".to_owned()]
}

/// Whether the file can be placed on a calendar (§4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CalendarTime {
    /// The Header carries a wall anchor.
    Known,
    /// `anchor_wall_unix_ns` is zero.
    None,
}

/// The result of `read`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadResult {
    /// The trailing magic is present (§2.1).
    pub sealed: bool,
    /// The reader presents what it returns as the whole recording.
    pub complete: bool,
    /// File offset at which the walk stopped; null in a sealed file.
    pub stopped_at: Option<Decimal>,
    /// The Header's fields (§4).
    pub header: HeaderView,
    /// Whether the anchor is there (§4.2).
    pub calendar_time: CalendarTime,
    /// The Session record in force (§11).
    pub session: Option<SessionView>,
    /// Declared schemas, ascending by reference.
    pub schemas: Vec<SchemaView>,
    /// Declared streams, ascending by reference.
    pub streams: Vec<StreamView>,
    /// Chunks in file order, messages in stored order.
    pub messages: Vec<MessageView>,
    /// Every skippable record of an opcode that version 1 does not define.
    pub skipped: Vec<SkippedView>,
    /// What is reported without refusing the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Report>,
}

/// The Header's fields by name (§4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct HeaderView {
    pub required_features: Decimal,
    pub profile: String,
    pub library: String,
    pub host_id: String,
    pub host_clock_epoch: String,
    pub monotonic_source: String,
    pub anchor_monotonic_ns: Decimal,
    pub anchor_wall_unix_ns: Decimal,
    pub anchor_wall_source: String,
    pub attributes: BTreeMap<String, String>,
}

/// A schema, its descriptor by digest (§5.1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct SchemaView {
    pub schema_ref: u32,
    pub schema_id: String,
    pub encoding: String,
    /// SHA-256 over the descriptor's bytes.
    pub descriptor_sha256: Hex,
}

/// A stream's fields by name (§5.7, §5.9), bytes that version 1 does not
/// define already read as §5.7 and §11.3 say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct StreamView {
    pub stream_ref: u32,
    pub schema_ref: u32,
    pub topic: String,
    pub node: String,
    pub origin: u8,
    pub source_clock_domain: String,
    pub host_id: String,
    pub host_clock_epoch: String,
    pub operator_reference: String,
    pub operator_asserted_by: u8,
    pub authorisation_reference: String,
    pub authorisation_from_unix_ns: Decimal,
    pub authorisation_until_unix_ns: Decimal,
    pub nominal_rate_millihz: Decimal,
    pub schema_conformance: u8,
    pub flags: u32,
    pub metadata: BTreeMap<String, String>,
    pub block_alignment: u32,
    pub block_offset: u32,
}

/// A Session's fields by name (§11).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct SessionView {
    pub session_id: String,
    pub study: String,
    pub participant_code: String,
    pub operator: String,
    pub operator_asserted_by: u8,
    pub profile_name: String,
    pub profile_version: u32,
    pub security_tier: u32,
    pub app_name: String,
    pub app_version: String,
    pub created_unix_ns: Decimal,
    pub devices: Vec<DeviceView>,
    pub custom: BTreeMap<String, String>,
}

/// One device of a Session (§11).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct DeviceView {
    pub device_ref: u32,
    pub kind: String,
    pub serial: String,
    pub firmware: String,
    pub clock_domain: String,
}

/// One message with every stamp as the file carries it (§6.2, §6.3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct MessageView {
    pub stream_ref: u32,
    pub monotonic_timestamp_ns: Decimal,
    pub record_ts_ns: Option<Decimal>,
    pub wall_clock_ns: Option<Decimal>,
    pub source_timestamp_ns: Option<Decimal>,
    pub sequence: Option<u32>,
    pub payload: Hex,
}

/// A record that was stepped over (§3.1, §3.4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedView {
    /// Its opcode.
    pub opcode: u8,
    /// File offset of its opcode byte.
    pub offset: Decimal,
    /// Its name where version 1 reserves it.
    pub name: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_travel_as_strings_and_are_read_in_both_forms() {
        assert_eq!(
            serde_json::to_string(&Decimal(u64::MAX)).unwrap(),
            "\"18446744073709551615\""
        );
        assert_eq!(
            serde_json::from_str::<Decimal>("\"7\"").unwrap(),
            Decimal(7)
        );
        assert_eq!(serde_json::from_str::<Decimal>("7").unwrap(), Decimal(7));
        assert!(serde_json::from_str::<Decimal>("\"-1\"").is_err());
    }

    #[test]
    fn bytes_travel_as_lower_case_hexadecimal() {
        assert_eq!(
            serde_json::to_string(&Hex(vec![0x0A, 0xFF])).unwrap(),
            "\"0aff\""
        );
        assert_eq!(
            serde_json::from_str::<Hex>("\"0aff\"").unwrap(),
            Hex(vec![0x0A, 0xFF])
        );
        assert!(serde_json::from_str::<Hex>("\"0af\"").is_err());
        assert!(serde_json::from_str::<Hex>("\"zz\"").is_err());
    }

    #[test]
    fn an_answer_is_tagged_by_its_status() {
        let text = r#"{"id":7,"status":"refused","error":{"kind":"bad-crc"}}"#;
        let answer: Answer = serde_json::from_str(text).unwrap();
        assert_eq!(answer.id, 7);
        assert_eq!(
            answer.outcome,
            AnswerOutcome::Refused {
                error: Report::new(Kind::BadCrc, "")
            }
        );
    }
}
