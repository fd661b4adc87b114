//! Files that mean harm, and sources that fail.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::as_conversions,
    reason = "functions beside the tests, which may fail"
)]

mod support;

use std::io;

use ca3_reader::l1::{BytesSource, Source};
use ca3_reports::{FileReport, Limits};
use ca3_spec::MAGIC;
use ca3_spec::opcode::op;
use ca3_validate::{DEFAULT_LIMITS, validate};
use ca3_wire::frame::framed;
use ca3_wire::records::{
    ChunkHeader, ChunkIndex, Footer, Header, IndexEntry, MessageOffsets, Record, Stream,
};
use ca3_wire::{Codec, Encoder, compress, crc};

fn file(records: &[Vec<u8>]) -> Vec<u8> {
    let header = Header {
        required_features: 1,
        monotonic_source: "CLOCK_BOOTTIME".to_owned(),
        ..Header::default()
    };
    let mut bytes = MAGIC.to_vec();
    bytes.extend(framed(op::HEADER, &header.content().unwrap()));
    bytes.extend(records.concat());
    bytes
}

fn stream() -> Vec<u8> {
    let stream = Stream {
        stream_ref: 1,
        ..Stream::default()
    };
    framed(op::STREAM, &stream.content().unwrap())
}

fn chunk(header: &ChunkHeader, blob: &[u8]) -> Vec<u8> {
    let header = ChunkHeader {
        records_crc32c: crc::crc32c(blob),
        records_length: u64::try_from(blob.len()).unwrap(),
        ..*header
    };
    let mut out = Encoder::plain();
    header.encode(&mut out).unwrap();
    framed(op::CHUNK, &[out.into_bytes(), blob.to_vec()].concat())
}

fn rules(report: &FileReport) -> Vec<&'static str> {
    report.findings.iter().map(|finding| finding.rule).collect()
}

fn within(bytes: &[u8], memory: u64) -> FileReport {
    let limits = Limits {
        memory,
        ..DEFAULT_LIMITS
    };
    validate(&mut BytesSource(bytes), "hostile.ca3", limits)
}

#[test]
fn a_bomb_is_stopped_at_what_it_claims_or_at_the_limit() {
    let bomb = compress::compress(&vec![0; 64 << 20]).unwrap();
    let header = ChunkHeader {
        stream_ref: 1,
        codec: Codec::ZSTD,
        message_count: 1,
        uncompressed_bytes: 100,
        ..ChunkHeader::default()
    };
    let bytes = file(&[stream(), chunk(&header, &bomb)]);
    assert!(rules(&within(&bytes, 1 << 20)).contains(&"CA3-6.1-07"));
    let honest = ChunkHeader {
        uncompressed_bytes: 64 << 20,
        ..header
    };
    let bytes = file(&[stream(), chunk(&honest, &bomb)]);
    let report = within(&bytes, 1 << 20);
    assert!(!report.scan_complete && report.incomplete.is_some());
    let liar = ChunkHeader {
        uncompressed_bytes: u64::MAX,
        ..header
    };
    let bytes = file(&[stream(), chunk(&liar, &bomb)]);
    assert!(!within(&bytes, 1 << 20).scan_complete);
}

#[test]
fn claimed_counts_are_never_taken() {
    let huge = [0xFF; 4];
    let index = [&56u32.to_le_bytes()[..], &huge].concat();
    let directory = [&73u32.to_le_bytes()[..], &huge].concat();
    let offsets = [&[0; 8][..], &4u32.to_le_bytes(), &huge].concat();
    let annotations = [&huge[..], &[0; 12]].concat();
    for (opcode, content, rule) in [
        (op::CHUNK_INDEX, index, "CA3-7.1-01"),
        (op::STREAM_DIRECTORY, directory, "CA3-7.3-01"),
        (op::MESSAGE_OFFSETS, offsets, "CA3-7.5-02"),
        (op::ANNOTATIONS, annotations, "CA3-12-02"),
        (op::SCHEMA, [[0xFF; 12], [0xFF; 12]].concat(), "CA3-1.2-11"),
    ] {
        let report = within(&file(&[framed(opcode, &content)]), 1 << 20);
        assert!(
            rules(&report).contains(&rule),
            "{rule}: {:?}",
            report.findings
        );
        assert!(report.scan_complete);
    }
    // Reading G08: an Attachment that does not parse may have another layout.
    let report = within(&file(&[framed(op::ATTACHMENT, &[0xFF; 30])]), 1 << 20);
    assert!(report.unchecked.iter().any(|it| it.reason.contains("G08")));
    assert!(report.scan_complete);
    let endless = ChunkHeader {
        stream_ref: 1,
        message_count: u32::MAX,
        ..ChunkHeader::default()
    };
    let report = within(&file(&[stream(), chunk(&endless, &[])]), 1 << 20);
    assert!(rules(&report).contains(&"CA3-6.1-04"));
}

#[test]
fn repetitions_are_capped_and_counted() {
    let unknown: Vec<Vec<u8>> = (0..5000).map(|_| framed(0x3F, &[])).collect();
    let report = support::judge(&file(&unknown));
    let total = report.totals.iter().find(|it| it.rule == "CA3-3.1-02");
    let total = total.unwrap();
    assert_eq!((total.total, total.shown), (5000, 10));
    assert_eq!(report.counts.error, 5000);
    assert!(report.findings.is_sorted_by_key(|it| (it.offset, it.rule)));
}

#[test]
fn a_record_beyond_the_limit_is_left_out_and_said_so() {
    let padding = framed(op::PADDING, &vec![0; 4 << 20]);
    let large = framed(op::SCHEMA, &vec![0; 4 << 20]);
    assert!(within(&file(&[padding]), 1 << 20).scan_complete);
    let report = within(&file(&[large]), 1 << 20);
    assert!(!report.scan_complete);
    assert!(
        report
            .unchecked
            .iter()
            .any(|it| it.reason.contains("memory limit"))
    );
}

/// Bytes of which some cannot be read.
struct Shrinking<'a> {
    bytes: &'a [u8],
    readable: usize,
}

impl Source for Shrinking<'_> {
    fn length(&self) -> u64 {
        u64::try_from(self.bytes.len()).unwrap()
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        BytesSource(&self.bytes[..self.readable]).read_at(offset, buffer)
    }
}

#[test]
fn a_file_that_shrinks_is_not_read_to_its_end() {
    let bytes = file(&[stream()]);
    for readable in 0..bytes.len() {
        let mut source = Shrinking {
            bytes: &bytes,
            readable,
        };
        let report = validate(&mut source, "shrinking.ca3", DEFAULT_LIMITS);
        assert!(!report.scan_complete, "{readable}");
        assert!(report.incomplete.unwrap().starts_with("reading failed"));
    }
}

#[test]
fn what_is_no_ca3_file_is_said_to_be_none() {
    for (bytes, rule) in [
        (&b""[..], "CA3-2.1-03"),
        (&MAGIC[..5], "CA3-2.1-03"),
        (b"PK\x03\x04 and more", "CA3-2.1-01"),
        (b"\x89CA32\r\n\x1a and more", "CA3-2.1-02"),
    ] {
        let report = support::judge(bytes);
        assert_eq!(rules(&report), [rule]);
        assert!(report.scan_complete);
    }
    // Cut in front of its Header: truncated, and nothing else.
    assert_eq!(rules(&support::judge(&MAGIC)), ["CA3-16-01"]);
}

/// A sealed file of one stream and one chunk of two messages, with this record
/// as its summary.
fn with_summary(opcode: u8, content: &[u8]) -> Vec<u8> {
    let header = ChunkHeader {
        stream_ref: 1,
        message_count: 2,
        ..ChunkHeader::default()
    };
    let mut bytes = file(&[stream(), chunk(&header, &[1, 0, 1, 0])]);
    let summary_start = u64::try_from(bytes.len()).unwrap();
    let summary = framed(opcode, content);
    let footer = Footer {
        summary_start,
        summary_crc: crc::crc32c(&summary),
        ..Footer::default()
    };
    bytes.extend(summary);
    bytes.extend(framed(op::FOOTER, &footer.content().unwrap()));
    bytes.extend(MAGIC);
    bytes
}

#[test]
fn an_entry_that_points_nowhere_is_no_place_of_the_file() {
    let entry = |chunk_offset, stream_ref| IndexEntry {
        chunk_offset,
        stream_ref,
        max_stamp_ns: 7,
        ..IndexEntry::default()
    };
    let index = ChunkIndex {
        entries: vec![entry(u64::MAX, 3), entry(u64::MAX - 1, 2)],
    };
    let bytes = with_summary(op::CHUNK_INDEX, &index.content().unwrap());
    let report = support::judge(&bytes);
    let found = rules(&report);
    for rule in ["CA3-7.1-06", "CA3-7.1-07", "CA3-7.1-10"] {
        assert!(found.contains(&rule), "{rule}: {found:?}");
    }
    let length = u64::try_from(bytes.len()).unwrap();
    for finding in &report.findings {
        assert!(finding.field_offset <= length, "{finding:?}");
        let inside = finding.chunk_offset.is_none_or(|offset| offset < length);
        assert!(inside, "{finding:?}");
    }
}

/// Bytes, and how many of them were read.
struct Counting<'a> {
    bytes: &'a [u8],
    read: usize,
}

impl Source for Counting<'_> {
    fn length(&self) -> u64 {
        u64::try_from(self.bytes.len()).unwrap()
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.read += buffer.len();
        BytesSource(self.bytes).read_at(offset, buffer)
    }
}

#[test]
fn a_chunk_of_many_tables_is_read_again_once() {
    let header = ChunkHeader {
        stream_ref: 1,
        message_count: 1,
        ..ChunkHeader::default()
    };
    let message = [&[0xE9, 0x07, 0][..], &[7; 1000]].concat();
    let front = file(&[stream()]);
    let table = MessageOffsets {
        chunk_offset: u64::try_from(front.len()).unwrap(),
        offsets: vec![0],
    };
    let tables = framed(op::MESSAGE_OFFSETS, &table.content().unwrap()).repeat(1000);
    let bytes = [front, chunk(&header, &message), tables].concat();
    let mut source = Counting {
        bytes: &bytes,
        read: 0,
    };
    let report = validate(&mut source, "tables.ca3", DEFAULT_LIMITS);
    let total = report.totals.iter().find(|it| it.rule == "CA3-7.5-07");
    assert_eq!(total.unwrap().total, 999);
    assert!(source.read < 2 * bytes.len(), "{} bytes", source.read);
}
