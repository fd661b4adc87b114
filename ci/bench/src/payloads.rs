//! How fast payloads are held against their schema: information, as for throughput.

use std::hint::black_box;

use ca3_schema::descriptor::Described;
use ca3_schema::payload::{Plan, Walk};
use prost_reflect::prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage, MapKey, MessageDescriptor, Value};
use protox::file::{ChainFileResolver, File, FileResolver, GoogleFileResolver};

use crate::Outcome;
use crate::table::{Figure, Part};
use crate::throughput::fastest;

/// Payload bytes that are gone through in a run.
const TOTAL: usize = 32 << 20;

const OPTIONS: &str = include_str!("../../../spec/proto/ca3/options/v1/options.proto");
const SCHEMA: &str = r#"
syntax = "proto3";
package bench;
import "ca3/options/v1/options.proto";

message Vector { float x = 1; float y = 2; float z = 3; }
message Imu {
  fixed64 device_ns = 1;
  Vector acceleration = 2;
  Vector angular_velocity = 3;
  Vector magnetic_field = 4;
}

message Channel {
  string label = 1;
  repeated float microvolts = 2 [(ca3.options.v1.cardinality) = 0];
  bool valid = 3 [(ca3.options.v1.validity_for) = "microvolts"];
}
message Eeg {
  repeated Channel channels = 1 [(ca3.options.v1.cardinality) = 32];
  uint32 sample_count = 2;
}

enum Severity { UNKNOWN = 0; NOTE = 1; WARNING = 2; }
message Event {
  string name = 1;
  string text = 2;
  Severity severity = 3;
  map<string, string> attributes = 4;
  repeated int64 values = 5 [(ca3.options.v1.cardinality) = 0];
}

message Body {
  option (ca3.options.v1.tensor_form) = {
    id: "body.tensor.v1" element_type: FLOAT32 byte_order: LITTLE block: "joints"
    axes { name: "joint" length: 28 }
    axes { name: "component" length: 8 }
    components { name: "x" unit: "m" }
    components { name: "y" unit: "m" }
    components { name: "z" unit: "m" }
    components { name: "qx" unit: "1" }
    components { name: "qy" unit: "1" }
    components { name: "qz" unit: "1" }
    components { name: "qw" unit: "1" }
    components { name: "radius" unit: "m" }
  };
  bytes joints = 1 [(ca3.options.v1.cardinality) = 28];
  bytes valid = 2 [(ca3.options.v1.validity_for) = "joints", (ca3.options.v1.cardinality) = 28];
}
"#;

/// The files of the schema, by their names.
struct Texts;

impl FileResolver for Texts {
    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        match name {
            "bench.proto" => File::from_source(name, SCHEMA),
            "ca3/options/v1/options.proto" => File::from_source(name, OPTIONS),
            _ => Err(protox::Error::file_not_found(name)),
        }
    }
}

/// Every message, checked and decoded.
pub(crate) fn measure() -> Outcome<Part> {
    let mut part = Part::new("Payload bytes a second against their schema, one message each");
    let pool = pool()?;
    for (name, payload) in [
        ("Imu", imu(&pool)?),
        ("Eeg", eeg(&pool)?),
        ("Event", event(&pool)?),
        ("Body", body(&pool)?),
    ] {
        let descriptor = message(&pool, name)?;
        let plan = Plan::new(&Described::new(descriptor.clone()));
        let mut walk = Walk::default();
        if !plan.check(&payload, None, &mut walk).is_empty() {
            return Err(format!("{name} is not what its schema says").into());
        }
        let times = TOTAL.div_ceil(payload.len());
        let bytes = times.saturating_mul(payload.len());
        let time = fastest(|| {
            for _ in 0..times {
                black_box(plan.check(black_box(&payload), None, &mut walk));
            }
            Ok(())
        })?;
        let what = format!("{name}, {} bytes: checked", payload.len());
        part.figures.push(speed(&what, bytes, time.as_micros())?);
        // A sixteenth is enough of what takes so much longer.
        let times = times.div_ceil(16);
        let bytes = times.saturating_mul(payload.len());
        let time = fastest(|| {
            for _ in 0..times {
                let decoded = DynamicMessage::decode(descriptor.clone(), black_box(&*payload))?;
                black_box(decoded);
            }
            Ok(())
        })?;
        let what = format!("{name}, {} bytes: decoded by prost-reflect", payload.len());
        part.figures.push(speed(&what, bytes, time.as_micros())?);
    }
    Ok(part)
}

/// Megabytes a second are bytes a microsecond.
fn speed(what: &str, bytes: usize, micros: u128) -> Outcome<Figure> {
    let micros = u64::try_from(micros)?.max(1);
    let value = u64::try_from(bytes)?.checked_div(micros);
    Ok(Figure::new(what, value.unwrap_or_default(), "MB/s"))
}

fn pool() -> Outcome<DescriptorPool> {
    Ok(DescriptorPool::decode(&*descriptor_set()?)?)
}

/// The schema and what it imports, as a recording carries them.
pub(crate) fn descriptor_set() -> Outcome<Vec<u8>> {
    let mut resolver = ChainFileResolver::new();
    resolver.add(Texts);
    resolver.add(GoogleFileResolver::new());
    let mut compiler = protox::Compiler::with_file_resolver(resolver);
    compiler.include_imports(true).include_source_info(true);
    compiler.open_file("bench.proto")?;
    Ok(compiler.encode_file_descriptor_set())
}

fn message(pool: &DescriptorPool, name: &str) -> Outcome<MessageDescriptor> {
    let message = pool.get_message_by_name(&format!("bench.{name}"));
    message.ok_or_else(|| format!("no message {name}").into())
}

/// A message with these fields.
fn with(
    pool: &DescriptorPool,
    name: &str,
    fields: impl IntoIterator<Item = (&'static str, Value)>,
) -> Outcome<DynamicMessage> {
    let mut message = DynamicMessage::new(message(pool, name)?);
    for (field, value) in fields {
        message.try_set_field_by_name(field, value)?;
    }
    Ok(message)
}

fn imu(pool: &DescriptorPool) -> Outcome<Vec<u8>> {
    let vector = |x: f32| {
        let fields = ["x", "y", "z"].map(|axis| (axis, Value::F32(x)));
        Ok::<_, Box<dyn std::error::Error>>(Value::Message(with(pool, "Vector", fields)?))
    };
    let fields = [
        ("device_ns", Value::U64(1_700_000_000_000_000_000)),
        ("acceleration", vector(9.81)?),
        ("angular_velocity", vector(0.02)?),
        ("magnetic_field", vector(43.5)?),
    ];
    Ok(with(pool, "Imu", fields)?.encode_to_vec())
}

fn eeg(pool: &DescriptorPool) -> Outcome<Vec<u8>> {
    let mut channels = Vec::new();
    for channel in 0..32 {
        let fields = [
            ("label", Value::String(format!("E{channel}"))),
            ("microvolts", Value::List(vec![Value::F32(12.5); 250])),
            ("valid", Value::Bool(true)),
        ];
        channels.push(Value::Message(with(pool, "Channel", fields)?));
    }
    let fields = [
        ("channels", Value::List(channels)),
        ("sample_count", Value::U32(250)),
    ];
    Ok(with(pool, "Eeg", fields)?.encode_to_vec())
}

fn event(pool: &DescriptorPool) -> Outcome<Vec<u8>> {
    let text = |text: &str| Value::String(text.to_owned());
    let attributes = [
        ("device", "headset 4"),
        ("operator", "Jürgen"),
        ("reason", "a strap came loose, and was fastened again"),
    ];
    let attributes = attributes.map(|(key, value)| (MapKey::String(key.to_owned()), text(value)));
    let values = [1, -1, 300, 70_000, 1 << 40].map(Value::I64);
    let fields = [
        ("name", text("electrode.contact")),
        (
            "text",
            text("contact of electrode E7 is above five kiloohms"),
        ),
        ("severity", Value::EnumNumber(2)),
        ("attributes", Value::Map(attributes.into_iter().collect())),
        ("values", Value::List(values.to_vec())),
    ];
    Ok(with(pool, "Event", fields)?.encode_to_vec())
}

fn body(pool: &DescriptorPool) -> Outcome<Vec<u8>> {
    let fields = [
        ("joints", Value::Bytes(vec![0x3F; 896].into())),
        ("valid", Value::Bytes(vec![0xFF; 4].into())),
    ];
    Ok(with(pool, "Body", fields)?.encode_to_vec())
}
