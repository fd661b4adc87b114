//! The messages of `ca3.time.v1` (readings G05, G06): schemas with the
//! descriptor set of `ca3/time/v1/time.proto`, and payloads.
//!
//! ```text
//! ClockObservation  source_ns 1, receipt_ns 2, optional sent_ns 3
//! DeviceDelay       device_ref 1, stream_ref 2, delay_ns 3, uncertainty_ns 4, method 5,
//!                   measured_unix_ns 6, measured_by 7, valid_firmware 8, valid_config 9
//! AlignmentEvent    event_id 1, kind 2, method 3, observed_by 4, observations 5
//!   .Observation    stream_ref 1, stamp_ns 2, uncertainty_ns 3
//! ```
//!
//! Payloads are as a protobuf implementation writes them: fields ascending, and
//! a field without presence left out where it is zero or empty.

use ca3_wire::records::{Schema, Stream};
use ca3_wire::varint::zigzag_encode;

use super::chunk::{Chunk, Decoded, Sample, varint};
use super::defaults::stream;
use super::descriptor::{attributes_in, counted};

/// Wire types (protobuf encoding).
const VARINT: u8 = 0;
const FIXED64: u8 = 1;

/// An uncertainty that leaves a delay unknown (§10.9).
pub const DELAY_UNKNOWN: u64 = u64::MAX;

/// A message of `ca3.time.v1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeMessage {
    /// One observation of a clock, from the reference.
    ClockObservation,
    /// A device's calibrated delay.
    DeviceDelay,
    /// One physical event, as streams observed it.
    AlignmentEvent,
}

impl TimeMessage {
    /// Its name in the package.
    pub const fn name(self) -> &'static str {
        match self {
            TimeMessage::ClockObservation => "ClockObservation",
            TimeMessage::DeviceDelay => "DeviceDelay",
            TimeMessage::AlignmentEvent => "AlignmentEvent",
        }
    }
}

/// The schema of a message of `ca3.time.v1`, with its descriptor set.
pub fn time_schema(schema_ref: u32, message: TimeMessage) -> Schema {
    Schema {
        schema_ref,
        schema_id: format!("ca3.time.v1.{}", message.name()),
        encoding: "protobuf".to_owned(),
        descriptor: descriptor_set(),
    }
}

/// A stream of the recording host's clock whose payloads are of this schema.
pub fn described(stream_ref: u32, schema_ref: u32) -> Stream {
    Stream {
        schema_ref,
        ..stream(stream_ref)
    }
}

/// A `ClockObservation` (§10.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation {
    /// On the observed domain's clock, ns.
    pub source_ns: u64,
    /// When it was asked for, on the reference clock, ns: a round trip's.
    pub sent_ns: Option<u64>,
    /// When it arrived, on the reference clock, ns.
    pub receipt_ns: u64,
}

impl Observation {
    /// Its payload.
    pub fn payload(&self) -> Vec<u8> {
        let sent = self.sent_ns.map_or_else(Vec::new, |sent| {
            // It has presence, so that a zero stands as well.
            [vec![3 << 3 | FIXED64], sent.to_le_bytes().to_vec()].concat()
        });
        [
            fixed64(1, self.source_ns),
            fixed64(2, self.receipt_ns),
            sent,
        ]
        .concat()
    }

    /// As a message that is published when the observation arrives.
    pub fn sample(&self) -> Sample {
        Sample::new(Decoded::at(self.receipt_ns), &self.payload())
    }
}

/// A chunk of observations, stored in this order.
pub fn observations(stream_ref: u32, seen: &[Observation]) -> Chunk {
    let samples: Vec<Sample> = seen.iter().map(Observation::sample).collect();
    Chunk::of(stream_ref, &samples)
}

/// A `DeviceDelay` (§10.9).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delay {
    /// A device of the Session.
    pub device_ref: u32,
    /// The stream concerned; 0 is every stream of the device.
    pub stream_ref: u32,
    /// Positive: the device reports later than reality, ns.
    pub delay_ns: i64,
    /// Of the delay, ns; [`DELAY_UNKNOWN`] where it is unknown.
    pub uncertainty_ns: u64,
    /// How it was obtained.
    pub method: String,
    /// When, since 1970, ns.
    pub measured_unix_ns: u64,
    /// Who or what measured it.
    pub measured_by: String,
    /// The firmware that it was measured under, or empty.
    pub valid_firmware: String,
    /// The configuration that it holds for.
    pub valid_config: Vec<(&'static str, &'static str)>,
}

impl Delay {
    /// Its payload.
    pub fn payload(&self) -> Vec<u8> {
        [
            uint(1, u64::from(self.device_ref)),
            uint(2, u64::from(self.stream_ref)),
            uint(3, zigzag_encode(self.delay_ns)),
            fixed64(4, self.uncertainty_ns),
            string(5, &self.method),
            fixed64(6, self.measured_unix_ns),
            string(7, &self.measured_by),
            string(8, &self.valid_firmware),
            attributes_in(9, &self.valid_config),
        ]
        .concat()
    }
}

/// An `AlignmentEvent` (§10.10).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its number.
    pub event_id: u32,
    /// 0 instrumented, 1 derived from content.
    pub kind: u32,
    /// How it was observed.
    pub method: String,
    /// Who or what established the correspondence.
    pub observed_by: String,
    /// Who saw it, and when.
    pub observations: Vec<Sight>,
}

/// One stream's sight of an event (§10.10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sight {
    /// The stream.
    pub stream_ref: u32,
    /// In that stream's own domain, ns.
    pub stamp_ns: u64,
    /// Of the stamp, ns.
    pub uncertainty_ns: u64,
}

impl Event {
    /// Its payload.
    pub fn payload(&self) -> Vec<u8> {
        let mut out = [
            uint(1, u64::from(self.event_id)),
            uint(2, u64::from(self.kind)),
            string(3, &self.method),
            string(4, &self.observed_by),
        ]
        .concat();
        for seen in &self.observations {
            let body = [
                uint(1, u64::from(seen.stream_ref)),
                fixed64(2, seen.stamp_ns),
                fixed64(3, seen.uncertainty_ns),
            ]
            .concat();
            out.extend(counted(5, &body));
        }
        out
    }
}

/// A fixed64 field without presence.
fn fixed64(number: u8, value: u64) -> Vec<u8> {
    match value {
        0 => Vec::new(),
        value => [vec![number << 3 | FIXED64], value.to_le_bytes().to_vec()].concat(),
    }
}

/// A varint field without presence; of a sint64, its zigzag form.
fn uint(number: u8, value: u64) -> Vec<u8> {
    match value {
        0 => Vec::new(),
        value => [vec![number << 3 | VARINT], varint(value)].concat(),
    }
}

/// A string field without presence.
fn string(number: u8, text: &str) -> Vec<u8> {
    match text {
        "" => Vec::new(),
        text => counted(number, text.as_bytes()),
    }
}

// What follows is `google/protobuf/descriptor.proto`, without json_name: a
// descriptor pool derives it.

const OPTIONAL: u8 = 1;
const REPEATED: u8 = 3;

const OF_FIXED64: u8 = 6;
const OF_STRING: u8 = 9;
const OF_MESSAGE: u8 = 11;
const OF_UINT32: u8 = 13;
const OF_SINT64: u8 = 18;

/// A FieldDescriptorProto.
fn field(name: &str, number: u8, kind: u8) -> Vec<u8> {
    [
        counted(1, name.as_bytes()),
        vec![3 << 3, number, 4 << 3, OPTIONAL, 5 << 3, kind],
    ]
    .concat()
}

/// A repeated field of a message type.
fn repeated(name: &str, number: u8, of: &str) -> Vec<u8> {
    [
        counted(1, name.as_bytes()),
        vec![3 << 3, number, 4 << 3, REPEATED, 5 << 3, OF_MESSAGE],
        counted(6, of.as_bytes()),
    ]
    .concat()
}

/// A DescriptorProto: a name, fields, and what else it holds.
fn message(name: &str, fields: &[Vec<u8>], more: &[Vec<u8>]) -> Vec<u8> {
    let fields: Vec<u8> = fields.iter().flat_map(|field| counted(2, field)).collect();
    [counted(1, name.as_bytes()), fields, more.concat()].concat()
}

/// The FileDescriptorSet of `ca3/time/v1/time.proto`, which imports nothing.
pub(crate) fn descriptor_set() -> Vec<u8> {
    let sent = [
        field("sent_ns", 3, OF_FIXED64),
        // oneof_index 0; proto3_optional, field 17, true: the tag takes two bytes.
        vec![9 << 3, 0, 0x88, 0x01, 1],
    ]
    .concat();
    let observation = message(
        "ClockObservation",
        &[
            field("source_ns", 1, OF_FIXED64),
            field("receipt_ns", 2, OF_FIXED64),
            sent,
        ],
        // The oneof that presence in proto3 stands for.
        &[counted(8, &counted(1, b"_sent_ns"))],
    );
    let entry = message(
        "ValidConfigEntry",
        &[field("key", 1, OF_STRING), field("value", 2, OF_STRING)],
        &[counted(7, &[7 << 3, 1])], // map_entry = true
    );
    let entries = ".ca3.time.v1.DeviceDelay.ValidConfigEntry";
    let delay = message(
        "DeviceDelay",
        &[
            field("device_ref", 1, OF_UINT32),
            field("stream_ref", 2, OF_UINT32),
            field("delay_ns", 3, OF_SINT64),
            field("uncertainty_ns", 4, OF_FIXED64),
            field("method", 5, OF_STRING),
            field("measured_unix_ns", 6, OF_FIXED64),
            field("measured_by", 7, OF_STRING),
            field("valid_firmware", 8, OF_STRING),
            repeated("valid_config", 9, entries),
        ],
        &[counted(3, &entry)],
    );
    let sight = message(
        "Observation",
        &[
            field("stream_ref", 1, OF_UINT32),
            field("stamp_ns", 2, OF_FIXED64),
            field("uncertainty_ns", 3, OF_FIXED64),
        ],
        &[],
    );
    let event = message(
        "AlignmentEvent",
        &[
            field("event_id", 1, OF_UINT32),
            field("kind", 2, OF_UINT32),
            field("method", 3, OF_STRING),
            field("observed_by", 4, OF_STRING),
            repeated("observations", 5, ".ca3.time.v1.AlignmentEvent.Observation"),
        ],
        &[counted(3, &sight)],
    );
    let file = [
        counted(1, b"ca3/time/v1/time.proto"),
        counted(2, b"ca3.time.v1"),
        counted(4, &observation),
        counted(4, &delay),
        counted(4, &event),
        counted(12, b"proto3"),
    ]
    .concat();
    counted(1, &file)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the protobuf encoding's own rules: tag, then the value.
    #[test]
    fn payloads_are_protobuf() {
        let seen = Observation {
            source_ns: 0x0102,
            sent_ns: Some(0),
            receipt_ns: 3,
        };
        let of = |tag: u8, low: [u8; 2]| [vec![tag], low.to_vec(), vec![0; 6]].concat();
        let expected = [of(0x09, [2, 1]), of(0x11, [3, 0]), of(0x19, [0, 0])].concat();
        assert_eq!(seen.payload(), expected);

        let delay = Delay {
            device_ref: 300,
            delay_ns: -2,
            method: "m".to_owned(),
            valid_config: vec![("k", "v")],
            ..Delay::default()
        };
        // 300 is AC 02; -2 is zigzag 3; field 9 is an entry of key 1 and value 2.
        let expected = b"\x08\xAC\x02\x18\x03\x2A\x01m\x4A\x06\x0A\x01k\x12\x01v";
        assert_eq!(delay.payload(), expected);

        let event = Event {
            event_id: 1,
            kind: 0,
            method: String::new(),
            observed_by: "o".to_owned(),
            observations: vec![Sight {
                stream_ref: 2,
                stamp_ns: 0,
                uncertainty_ns: 1,
            }],
        };
        let expected = b"\x08\x01\x22\x01o\x2A\x0B\x08\x02\x19\x01\0\0\0\0\0\0\0";
        assert_eq!(event.payload(), expected);
    }

    /// Its length in every prefix, so that a field that grows is noticed.
    #[test]
    fn the_descriptor_set_is_one_file() {
        let set = descriptor_set();
        assert_eq!(set.first(), Some(&0x0A));
        // The length takes two bytes: the file is between 128 and 16383 bytes.
        let length = u64::try_from(set.len() - 3).unwrap();
        assert_eq!(set.get(1..3), Some(varint(length).as_slice()));
        let names = ["ca3/time/v1/time.proto", "_sent_ns", "ValidConfigEntry"];
        for name in names {
            assert!(set.windows(name.len()).any(|part| part == name.as_bytes()));
        }
    }
}
