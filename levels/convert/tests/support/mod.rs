//! Recordings to be cut and spoilt.

#![allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "each test program uses a part of it, and a test may fail"
)]

#[path = "../../../writer/tests/support/files.rs"]
mod files;

use std::num::NonZeroU32;
use std::path::PathBuf;

use ca3_convert::Failure;
use ca3_convert::recover::{Existing, recover};
use ca3_convert::signals::Signals;
use ca3_convert::statement::Statement;
use ca3_reader::l1::{BytesSource, Limits};
use ca3_spec::opcode::op;
use ca3_wire::records::{
    Attachment, ClockBlock, ClockDomain, Header, Metadata, Schema, Session, Stream,
};
use ca3_wire::{Codec, Map, OwnedMessage, crc};
use ca3_writer::{Layout, Observed, Options, Writer};

pub use files::{Placed, clock, read, records};

/// A recording: every kind of record that a recorder writes.
pub fn recording(checkpoints: Option<u32>, rounds: u64) -> Writer<Vec<u8>> {
    let header = Header {
        required_features: 0b100,
        library: "a test".to_owned(),
        host_id: "host".to_owned(),
        host_clock_epoch: "boot".to_owned(),
        monotonic_source: "clock_gettime(CLOCK_BOOTTIME)".to_owned(),
        ..Header::default()
    };
    let options = Options {
        codec: Codec::ZSTD,
        chunk_messages: NonZeroU32::new(2).unwrap(),
        checkpoint_chunks: checkpoints.and_then(NonZeroU32::new),
        ..Options::default()
    };
    let mut writer = Writer::create(Vec::new(), header, options).unwrap();
    writer.session(&session("before")).unwrap();
    let schema = Schema {
        schema_ref: 7,
        schema_id: "a.B".to_owned(),
        ..Schema::default()
    };
    writer.schema(&schema).unwrap();
    for stream_ref in 1..=3 {
        let stream = Stream {
            stream_ref,
            schema_ref: if stream_ref == 1 { 7 } else { 0 },
            topic: format!("topic/{stream_ref}"),
            source_clock_domain: if stream_ref == 1 { "device" } else { "" }.to_owned(),
            host_id: "host".to_owned(),
            host_clock_epoch: "boot".to_owned(),
            block_alignment: if stream_ref == 2 { 32 } else { 0 },
            block_offset: if stream_ref == 2 { 3 } else { 0 },
            ..Stream::default()
        };
        let layout = if stream_ref == 3 {
            Layout::Columns
        } else {
            Layout::Rows
        };
        writer.stream(&stream, layout).unwrap();
    }
    writer.clock_block(clock()).unwrap();
    for round in 0..rounds {
        for stream_ref in 1..=3 {
            let message = OwnedMessage {
                // Every third round comes late.
                monotonic_timestamp_ns: if round % 3 == 2 { round } else { 10 + round },
                sequence: u32::try_from(round).ok().map(|it| 1 + it * it),
                payload: format!("{stream_ref}: message {round:02}").into_bytes(),
                ..OwnedMessage::default()
            };
            writer.message(stream_ref, message).unwrap();
        }
        match round {
            1 => drop(writer.record(0xC5, b"of an application").unwrap()),
            2 => {
                let metadata = Metadata {
                    name: "notes".to_owned(),
                    entries: Map::sorted([("k", "v")]),
                };
                writer.append(&metadata).unwrap();
            }
            3 => writer.session(&session("during")).unwrap(),
            4 => {
                let data = b"calibration".to_vec();
                let attachment = Attachment {
                    name: "a".to_owned(),
                    data_crc32c: crc::crc32c(&data),
                    data,
                    ..Attachment::default()
                };
                writer.append(&attachment).unwrap();
            }
            _ => {}
        }
    }
    let observed = Observed {
        dropped_by_queue: 5,
        max_queue_depth: 6,
        ..Observed::default()
    };
    writer.observed(1, observed).unwrap();
    writer
}

pub fn sealed(checkpoints: Option<u32>, rounds: u64) -> Vec<u8> {
    recording(checkpoints, rounds).seal().unwrap().sink
}

pub fn abandoned(checkpoints: Option<u32>, rounds: u64) -> Vec<u8> {
    recording(checkpoints, rounds).abandon().sink
}

fn session(id: &str) -> Session {
    Session {
        session_id: id.to_owned(),
        ..Session::default()
    }
}

/// A folder with a source in it.
pub struct Bench {
    pub folder: tempfile::TempDir,
}

impl Bench {
    pub fn new() -> Self {
        // In memory where there is such a place: every output is synchronised,
        // which takes a disk its time.
        let memory = std::path::Path::new("/dev/shm");
        let folder = if memory.is_dir() {
            tempfile::tempdir_in(memory)
        } else {
            tempfile::tempdir()
        };
        Bench {
            folder: folder.unwrap(),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What becomes of these bytes: the statement and the output.
    pub fn recovered(&self, source: &[u8]) -> Result<(Statement, Vec<u8>), Failure> {
        let (input, output) = (self.path("in.ca3"), self.path("out.ca3"));
        std::fs::write(&input, source).unwrap();
        let made = recover(
            &input,
            &output,
            Existing::Replace,
            &Limits::default(),
            &Signals::default(),
        );
        assert_eq!(std::fs::read(&input).unwrap(), source);
        let names = std::fs::read_dir(self.folder.path()).unwrap();
        for name in names {
            let name = name.unwrap().file_name();
            assert!(name == "in.ca3" || name == "out.ca3", "{name:?} is left");
        }
        match made {
            Ok(statement) => {
                let bytes = std::fs::read(&output).unwrap();
                std::fs::remove_file(&output).unwrap();
                Ok((statement, bytes))
            }
            Err(failure) => {
                assert!(!output.exists());
                Err(failure)
            }
        }
    }
}

/// Those of an opcode.
pub fn of(records: &[Placed], opcode: u8) -> Vec<Vec<u8>> {
    let own = records.iter().filter(|record| record.0 == opcode);
    own.map(|record| record.2.clone()).collect()
}

/// The contents of the chunks, of either layout, in file order.
pub fn chunks(records: &[Placed]) -> Vec<Vec<u8>> {
    let own = records.iter();
    let own = own.filter(|record| matches!(record.0, op::CHUNK | op::COLUMNAR_CHUNK));
    own.map(|record| record.2.clone()).collect()
}

pub fn end_of(record: &Placed) -> usize {
    record.1 + 9 + record.2.len()
}

/// What the validator finds wrong in a file, a line each; that a record is of
/// an application is nothing wrong.
pub fn findings(bytes: &[u8]) -> Vec<String> {
    let limits = ca3_validate::DEFAULT_LIMITS;
    let report = ca3_validate::validate(&mut BytesSource(bytes), "file.ca3", limits);
    assert!(report.scan_complete, "{:?}", report.incomplete);
    let findings = report.findings.iter();
    findings
        .filter(|it| it.severity > ca3_reports::Severity::Info)
        .map(|it| format!("{} {} at {}: {}", it.rule, it.field, it.offset, it.message))
        .collect()
}

/// The entries of the Metadata record of a name; of several, the last.
pub fn metadata(records: &[Placed], name: &str) -> Map {
    use ca3_wire::records::Record as _;
    let own = of(records, op::METADATA);
    let found = own
        .iter()
        .map(|content| Metadata::from_content(content, 0).unwrap())
        .rfind(|metadata| metadata.name == name);
    found.unwrap_or_else(|| panic!("no {name}")).entries
}
