//! Recordings of clocks, put together record by record: unfinished ones, whose last
//! records are those of a summary.

use ca3_spec::MAGIC;
use ca3_spec::opcode::op;
use ca3_wire::frame::framed;
use ca3_wire::records::{
    ChunkHeader, ClockBlock, ClockDomain, DegradedInterval, Device, Header, Record, Schema,
    Session, Stream,
};
use ca3_wire::{Codec, Encoder, compress, crc, varint};

pub(crate) const HOST: &str = "rig";
pub(crate) const OBSERVATION: u32 = 1;
pub(crate) const DELAY: u32 = 2;
pub(crate) const EVENT: u32 = 3;
/// A schema that is none of these.
pub(crate) const OTHER: u32 = 4;

/// Records behind the Header, in order.
#[derive(Clone, Default)]
pub(crate) struct Recording(pub(crate) Vec<Vec<u8>>);

impl Recording {
    /// The four schemas, and stream 1 of the reference.
    pub(crate) fn new() -> Self {
        let schema = |schema_ref, schema_id: &str| Schema {
            schema_ref,
            schema_id: schema_id.to_owned(),
            encoding: "protobuf".to_owned(),
            descriptor: Vec::new(),
        };
        let schemas = [
            schema(OBSERVATION, "ca3.time.v1.ClockObservation"),
            schema(DELAY, "ca3.time.v1.DeviceDelay"),
            schema(EVENT, "ca3.time.v1.AlignmentEvent"),
            schema(OTHER, "ca3.time.v1.ClockObservation2"),
        ];
        let records = schemas.map(|schema| framed(op::SCHEMA, &schema.content().unwrap()));
        Recording(records.to_vec()).stream(1, 0, "")
    }

    /// A stream of the recording host.
    pub(crate) fn stream(self, stream_ref: u32, schema_ref: u32, device: &str) -> Self {
        self.stream_of(Stream {
            stream_ref,
            schema_ref,
            host_id: HOST.to_owned(),
            source_clock_domain: device.to_owned(),
            ..Stream::default()
        })
    }

    pub(crate) fn stream_of(self, stream: Stream) -> Self {
        self.record(&stream)
    }

    pub(crate) fn record<R: Record>(mut self, record: &R) -> Self {
        self.0.push(framed(R::OPCODE, &record.content().unwrap()));
        self
    }

    /// Messages of a stream, at one stamp after the other.
    pub(crate) fn chunk(mut self, stream_ref: u32, payloads: &[Vec<u8>]) -> Self {
        self.0.push(chunk(stream_ref, payloads, Codec::NONE));
        self
    }

    pub(crate) fn compressed(mut self, stream_ref: u32, payloads: &[Vec<u8>]) -> Self {
        self.0.push(chunk(stream_ref, payloads, Codec::ZSTD));
        self
    }

    pub(crate) fn devices(self, devices: &[Device]) -> Self {
        self.record(&Session {
            devices: devices.to_vec(),
            ..Session::default()
        })
    }

    /// The summary's ClockBlock.
    pub(crate) fn mapped(self, domains: &[ClockDomain]) -> Self {
        self.mapped_degraded(domains, &[])
    }

    pub(crate) fn mapped_degraded(
        self,
        domains: &[ClockDomain],
        intervals: &[DegradedInterval],
    ) -> Self {
        self.record(&ClockBlock {
            reference_host_id: HOST.to_owned(),
            domains: domains.to_vec(),
            degraded_intervals: intervals.to_vec(),
            ..ClockBlock::default()
        })
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let header = Header {
            required_features: 1,
            monotonic_source: "CLOCK_BOOTTIME".to_owned(),
            host_id: HOST.to_owned(),
            ..Header::default()
        };
        [
            MAGIC.to_vec(),
            framed(op::HEADER, &header.content().unwrap()),
            self.0.concat(),
        ]
        .concat()
    }
}

fn chunk(stream_ref: u32, payloads: &[Vec<u8>], codec: Codec) -> Vec<u8> {
    let mut blob = Vec::new();
    for (delta, payload) in (0u64..).zip(payloads) {
        let mut body = Vec::new();
        varint::encode(delta, &mut body);
        body.extend(payload);
        varint::encode(u64::try_from(body.len()).unwrap(), &mut blob);
        blob.extend(body);
    }
    let uncompressed_bytes = u64::try_from(blob.len()).unwrap();
    if codec == Codec::ZSTD {
        blob = compress::compress(&blob).unwrap();
    }
    let header = ChunkHeader {
        stream_ref,
        codec,
        flags: 1,
        message_count: u32::try_from(payloads.len()).unwrap(),
        max_stamp_ns: u64::try_from(payloads.len()).unwrap().saturating_sub(1),
        uncompressed_bytes,
        records_crc32c: crc::crc32c(&blob),
        records_length: u64::try_from(blob.len()).unwrap(),
        ..ChunkHeader::default()
    };
    let mut out = Encoder::plain();
    header.encode(&mut out).unwrap();
    framed(op::CHUNK, &[out.into_bytes(), blob].concat())
}

fn fixed(number: u8, value: u64) -> Vec<u8> {
    [&[number << 3 | 1][..], &value.to_le_bytes()].concat()
}

fn number(field: u8, value: u64) -> Vec<u8> {
    let mut out = vec![field << 3];
    varint::encode(value, &mut out);
    out
}

fn text(field: u8, bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![field << 3 | 2];
    varint::encode(u64::try_from(bytes.len()).unwrap(), &mut out);
    out.extend(bytes);
    out
}

/// A ClockObservation.
pub(crate) fn probe(source: u64, receipt: u64, sent: Option<u64>) -> Vec<u8> {
    let sent = sent.map_or_else(Vec::new, |sent| fixed(3, sent));
    [fixed(1, source), fixed(2, receipt), sent].concat()
}

/// A DeviceDelay of 1 ms, +- 5 us, that says where it comes from.
pub(crate) fn delay(device: u64, stream: u64, firmware: &str) -> Vec<u8> {
    [
        bare_delay(device, stream),
        text(5, b"photodiode"),
        fixed(6, 1_700_000_000_000_000_000),
        text(7, b"the lab"),
        text(8, firmware.as_bytes()),
    ]
    .concat()
}

/// The same that says nothing of the kind.
pub(crate) fn bare_delay(device: u64, stream: u64) -> Vec<u8> {
    [
        number(1, device),
        number(2, stream),
        number(3, 2_000_000),
        fixed(4, 5_000),
    ]
    .concat()
}

/// An AlignmentEvent: stream, stamp and uncertainty of each observation.
pub(crate) fn event(id: u64, seen: &[(u64, u64, u64)]) -> Vec<u8> {
    let seen = seen.iter().flat_map(|(stream, stamp, uncertainty)| {
        let seen = [number(1, *stream), fixed(2, *stamp), fixed(3, *uncertainty)];
        text(5, &seen.concat())
    });
    [number(1, id), text(3, b"ttl"), seen.collect()].concat()
}
