//! What a reader must answer to `read`, from the plan's typed values (§4-§6, §11).

use std::collections::BTreeMap;

use ca3_spec::protocol::{
    CalendarTime, Decimal, DeviceView, HeaderView, Hex, MessageView, SchemaView, SessionView,
    StreamView,
};
use ca3_wire::Map;
use ca3_wire::records::{Header, Schema, Session, Stream};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{Content, Definition, Layout, Meaning, Plan};

impl Plan {
    /// The expected result of `read` on the laid-out valid file.
    ///
    /// Maps are matched member by member and nothing more; `skipped` holds the
    /// records that must be reported, and admits those that may be (reading
    /// G87). `stopped_at` is left to the cases that are about it (reading G72).
    pub fn expected(&self, layout: &Layout) -> Value {
        let mut schemas: BTreeMap<u32, Value> = BTreeMap::new();
        let mut streams: BTreeMap<u32, Value> = BTreeMap::new();
        let mut result = serde_json::Map::new();
        let sealed = !self.is_unsealed();
        result.insert("sealed".to_owned(), json!(sealed));
        result.insert("complete".to_owned(), json!(sealed));
        let mut session = Value::Null;
        let mut messages: Vec<MessageView> = Vec::new();
        let mut define = |definition: &Definition| match definition {
            Definition::Schema(schema) => {
                schemas.insert(schema.schema_ref, schema_value(schema));
            }
            Definition::Stream(stream) => {
                streams.insert(stream.stream_ref, stream_value(stream));
            }
        };
        for part in &self.parts {
            match &part.meaning {
                Meaning::Header(header) => {
                    let anchored = header.anchor_wall_unix_ns != 0;
                    let calendar = if anchored {
                        CalendarTime::Known
                    } else {
                        CalendarTime::None
                    };
                    result.insert("header".to_owned(), header_value(header));
                    result.insert("calendar_time".to_owned(), json!(calendar));
                }
                Meaning::Definition(definition) => define(definition),
                Meaning::Session(record) => session = session_value(record),
                Meaning::Skipped(_) | Meaning::MaySkip(_) | Meaning::Content => {}
            }
            match &part.content {
                Content::Chunk(chunk) => messages.extend(chunk.views()),
                Content::Columnar(chunk) => messages.extend(chunk.views()),
                Content::Checkpoint { only_here, .. } => only_here.iter().for_each(&mut define),
                Content::Bytes { .. } => {}
            }
        }
        result.insert("session".to_owned(), session);
        result.insert("schemas".to_owned(), schemas.into_values().collect());
        result.insert("streams".to_owned(), streams.into_values().collect());
        result.insert("messages".to_owned(), json!(messages));
        result.insert("skipped".to_owned(), self.skipped(layout));
        Value::Object(result)
    }

    fn skipped(&self, layout: &Layout) -> Value {
        let mut must = Vec::new();
        let mut may = Vec::new();
        for placed in &layout.placed {
            let entry = |name: Option<&str>| json!({"opcode": placed.opcode, "offset": Decimal(placed.offset), "name": name});
            match placed.meaning {
                Meaning::Skipped(name) => must.push(entry(name)),
                Meaning::MaySkip(name) => may.push(entry(Some(name))),
                _ => {}
            }
        }
        if may.is_empty() {
            json!(must)
        } else {
            json!({"$must_may": {"must": must, "may": may}})
        }
    }
}

fn exactly(map: &Map) -> Value {
    let members: serde_json::Map<String, Value> = map
        .entries()
        .iter()
        .map(|(key, value)| (key.clone(), json!(value)))
        .collect();
    json!({ "$exactly": members })
}

/// Replaces a map member of a typed view by its exact matcher.
fn with_exact(view: impl serde::Serialize, member: &str, map: &Map) -> Value {
    let mut value = json!(view);
    if let Some(object) = value.as_object_mut() {
        object.insert(member.to_owned(), exactly(map));
    }
    value
}

fn header_value(header: &Header) -> Value {
    let view = HeaderView {
        required_features: Decimal(header.required_features),
        profile: header.profile.clone(),
        library: header.library.clone(),
        host_id: header.host_id.clone(),
        host_clock_epoch: header.host_clock_epoch.clone(),
        monotonic_source: header.monotonic_source.clone(),
        anchor_monotonic_ns: Decimal(header.anchor_monotonic_ns),
        anchor_wall_unix_ns: Decimal(header.anchor_wall_unix_ns),
        anchor_wall_source: header.anchor_wall_source.clone(),
        attributes: BTreeMap::new(),
    };
    with_exact(view, "attributes", &header.attributes)
}

fn schema_value(schema: &Schema) -> Value {
    json!(SchemaView {
        schema_ref: schema.schema_ref,
        schema_id: schema.schema_id.clone(),
        encoding: schema.encoding.clone(),
        descriptor_sha256: Hex(Sha256::digest(&schema.descriptor).to_vec()),
    })
}

/// A stream as it must come back: §5.7's and §11.3's unknown bytes read as
/// those sections (and reading G37) say.
fn stream_value(stream: &Stream) -> Value {
    let view = StreamView {
        stream_ref: stream.stream_ref,
        schema_ref: stream.schema_ref,
        topic: stream.topic.clone(),
        node: stream.node.clone(),
        origin: stream.origin,
        source_clock_domain: stream.source_clock_domain.clone(),
        host_id: stream.host_id.clone(),
        host_clock_epoch: stream.host_clock_epoch.clone(),
        operator_reference: stream.operator_reference.clone(),
        operator_asserted_by: assertion(stream.operator_asserted_by),
        authorisation_reference: stream.authorisation_reference.clone(),
        authorisation_from_unix_ns: Decimal(stream.authorisation_from_unix_ns),
        authorisation_until_unix_ns: Decimal(stream.authorisation_until_unix_ns),
        nominal_rate_millihz: Decimal(stream.nominal_rate_millihz),
        schema_conformance: match stream.schema_conformance {
            1 | 2 => 1,
            _ => 0,
        },
        flags: stream.flags,
        metadata: BTreeMap::new(),
        block_alignment: stream.block_alignment,
        block_offset: stream.block_offset,
    };
    with_exact(view, "metadata", &stream.metadata)
}

fn session_value(session: &Session) -> Value {
    let view = SessionView {
        session_id: session.session_id.clone(),
        study: session.study.clone(),
        participant_code: session.participant_code.clone(),
        operator: session.operator.clone(),
        operator_asserted_by: assertion(session.operator_asserted_by),
        profile_name: session.profile_name.clone(),
        profile_version: session.profile_version,
        security_tier: session.security_tier,
        app_name: session.app_name.clone(),
        app_version: session.app_version.clone(),
        created_unix_ns: Decimal(session.created_unix_ns),
        devices: session
            .devices
            .iter()
            .map(|device| DeviceView {
                device_ref: device.device_ref,
                kind: device.kind.clone(),
                serial: device.serial.clone(),
                firmware: device.firmware.clone(),
                clock_domain: device.clock_domain.clone(),
            })
            .collect(),
        custom: BTreeMap::new(),
    };
    with_exact(view, "custom", &session.custom)
}

/// §11.3: a byte that is not defined is read as unspecified.
fn assertion(byte: u8) -> u8 {
    if byte <= 4 { byte } else { 0 }
}
