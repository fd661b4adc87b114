//! Records as the protocol gives them back (§4, §5.7, §11).

use std::collections::BTreeMap;

use ca3_spec::protocol::{
    CalendarTime, Decimal, DeviceView, HeaderView, Hex, MessageView, SchemaView, SessionView,
    StreamView,
};
use ca3_wire::records::{Device, Header, Schema, Session, Stream};
use ca3_wire::{Map, Message};
use sha2::{Digest, Sha256};

fn pairs(map: &Map) -> BTreeMap<String, String> {
    map.entries().iter().cloned().collect()
}

/// §11.3: a byte that is not defined is read as unspecified; 0 and 4 stay apart.
fn assertion(byte: u8) -> u8 {
    if byte <= 4 { byte } else { 0 }
}

/// §5.7: 2 is retired and read as 1; what is not defined claims nothing
/// (reading G37).
fn conformance(byte: u8) -> u8 {
    match byte {
        1 | 2 => 1,
        _ => 0,
    }
}

/// §4.2: no wall reading, no calendar.
pub(crate) fn calendar_time(header: &Header) -> CalendarTime {
    match header.anchor_wall_unix_ns {
        0 => CalendarTime::None,
        _ => CalendarTime::Known,
    }
}

pub(crate) fn header(header: Header) -> HeaderView {
    HeaderView {
        required_features: Decimal(header.required_features),
        profile: header.profile,
        library: header.library,
        host_id: header.host_id,
        host_clock_epoch: header.host_clock_epoch,
        monotonic_source: header.monotonic_source,
        anchor_monotonic_ns: Decimal(header.anchor_monotonic_ns),
        anchor_wall_unix_ns: Decimal(header.anchor_wall_unix_ns),
        anchor_wall_source: header.anchor_wall_source,
        attributes: pairs(&header.attributes),
    }
}

pub(crate) fn schema(schema: Schema) -> SchemaView {
    SchemaView {
        schema_ref: schema.schema_ref,
        descriptor_sha256: Hex(Sha256::digest(&schema.descriptor).to_vec()),
        schema_id: schema.schema_id,
        encoding: schema.encoding,
    }
}

pub(crate) fn stream(stream: Stream) -> StreamView {
    StreamView {
        stream_ref: stream.stream_ref,
        schema_ref: stream.schema_ref,
        topic: stream.topic,
        node: stream.node,
        origin: stream.origin,
        source_clock_domain: stream.source_clock_domain,
        host_id: stream.host_id,
        host_clock_epoch: stream.host_clock_epoch,
        operator_reference: stream.operator_reference,
        operator_asserted_by: assertion(stream.operator_asserted_by),
        authorisation_reference: stream.authorisation_reference,
        authorisation_from_unix_ns: Decimal(stream.authorisation_from_unix_ns),
        authorisation_until_unix_ns: Decimal(stream.authorisation_until_unix_ns),
        nominal_rate_millihz: Decimal(stream.nominal_rate_millihz),
        schema_conformance: conformance(stream.schema_conformance),
        flags: stream.flags,
        metadata: pairs(&stream.metadata),
        block_alignment: stream.block_alignment,
        block_offset: stream.block_offset,
    }
}

pub(crate) fn session(session: Session) -> SessionView {
    SessionView {
        session_id: session.session_id,
        study: session.study,
        participant_code: session.participant_code,
        operator: session.operator,
        operator_asserted_by: assertion(session.operator_asserted_by),
        profile_name: session.profile_name,
        profile_version: session.profile_version,
        security_tier: session.security_tier,
        app_name: session.app_name,
        app_version: session.app_version,
        created_unix_ns: Decimal(session.created_unix_ns),
        devices: session.devices.into_iter().map(device).collect(),
        custom: pairs(&session.custom),
    }
}

fn device(device: Device) -> DeviceView {
    DeviceView {
        device_ref: device.device_ref,
        kind: device.kind,
        serial: device.serial,
        firmware: device.firmware,
        clock_domain: device.clock_domain,
    }
}

pub(crate) fn message(stream_ref: u32, message: &Message<'_>) -> MessageView {
    MessageView {
        stream_ref,
        monotonic_timestamp_ns: Decimal(message.monotonic_timestamp_ns),
        record_ts_ns: message.record_ts_ns.map(Decimal),
        wall_clock_ns: message.wall_clock_ns.map(Decimal),
        source_timestamp_ns: message.source_timestamp_ns.map(Decimal),
        sequence: message.sequence,
        payload: Hex(message.payload.to_vec()),
    }
}
