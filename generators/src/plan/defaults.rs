//! The Header, streams and schemas that plans have unless a case says otherwise.

use ca3_wire::Map;
use ca3_wire::records::{Header, Schema, Stream};

use super::descriptor;

/// The recording host of every plan, unless a case says otherwise.
pub const HOST: &str = "rec-host";
/// Which boot of it.
pub const EPOCH: &str = "boot-1";

/// The Header of every plan, unless a case says otherwise.
pub fn header() -> Header {
    Header {
        required_features: 0,
        profile: String::new(),
        library: "ca3-corpus".to_owned(),
        host_id: HOST.to_owned(),
        host_clock_epoch: EPOCH.to_owned(),
        monotonic_source: "clock_gettime(CLOCK_BOOTTIME)".to_owned(),
        anchor_monotonic_ns: 1_000,
        anchor_wall_unix_ns: 1_700_000_000_000_000_000,
        anchor_wall_source: "clock_gettime(CLOCK_REALTIME)".to_owned(),
        attributes: Map::default(),
    }
}

/// A stream on the recording host's clock, its payload undescribed.
pub fn stream(stream_ref: u32) -> Stream {
    Stream {
        stream_ref,
        topic: format!("topic-{stream_ref}"),
        node: "source".to_owned(),
        origin: 1,
        host_id: HOST.to_owned(),
        host_clock_epoch: EPOCH.to_owned(),
        ..Stream::default()
    }
}

/// The schema `ca3.conformance.v1.Sample` with its descriptor.
pub fn schema(schema_ref: u32) -> Schema {
    schema_of(schema_ref, "Sample")
}

/// A schema of that package and its descriptor.
pub fn schema_of(schema_ref: u32, message: &str) -> Schema {
    Schema {
        schema_ref,
        schema_id: format!("ca3.conformance.v1.{message}"),
        encoding: "protobuf".to_owned(),
        descriptor: descriptor::sample(message),
    }
}

/// The schema `ca3.conformance.v1.Event`, whose `attributes` are a map of strings.
pub fn event_schema(schema_ref: u32) -> Schema {
    Schema {
        descriptor: descriptor::event("Event", 1),
        ..schema_of(schema_ref, "Event")
    }
}

/// The schema `ca3.conformance.v1.Marker`, whose `attributes` are field 7.
pub fn marker_schema(schema_ref: u32) -> Schema {
    Schema {
        descriptor: descriptor::event("Marker", 7),
        ..schema_of(schema_ref, "Marker")
    }
}
