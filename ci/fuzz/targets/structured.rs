//! Whole files, laid out by the generators from a plan that the bytes choose.
//!
//! A plan without an edit is in order: the validator finds no error, and the
//! reader gives back what the plan holds, as the plan itself states it. The same
//! plan with one edit is whatever it is: nothing panics over it.

#![no_main]

use arbitrary::{Result, Unstructured};
use ca3_conform::matching::mismatches;
use ca3_generators::Plan;
use ca3_generators::plan::{
    At, Chunk, Columnar, Decoded, LengthClaim, Sample, event_schema, header, schema, stream,
};
use ca3_reader::l1::{BytesSource, Limits, read};
use ca3_reports::Severity;
use ca3_spec::feature;
use ca3_spec::opcode::op;
use ca3_validate::{DEFAULT_LIMITS, validate};
use ca3_wire::annotate::annotate;
use ca3_wire::records::{Attachment, Header, Metadata, Session};
use ca3_wire::{Map, crc};
use libfuzzer_sys::fuzz_target;

const LIMITS: Limits = Limits { memory: 64 << 20 };

/// Stamps far enough from both ends of 64 bits for any skew between them.
fn stamp(u: &mut Unstructured<'_>) -> Result<u64> {
    let span = *u.choose(&[10, 10_000, 1 << 40, 1 << 61])?;
    u.int_in_range(1..=span)
}

fn text(u: &mut Unstructured<'_>) -> Result<String> {
    const TEXTS: [&str; 5] = [
        "",
        "a",
        "é 漢字",
        "a longer text of some words",
        "\u{10FFFF}",
    ];
    u.choose(&TEXTS).map(|text| (*text).to_owned())
}

fn map(u: &mut Unstructured<'_>) -> Result<Map> {
    let mut entries = Vec::new();
    for number in 0..u.int_in_range(0..=3)? {
        entries.push((format!("key {number}"), text(u)?));
    }
    Ok(Map::sorted(entries))
}

/// Messages of one stream: what one carries, all may carry.
fn samples(u: &mut Unstructured<'_>, length: Option<usize>) -> Result<Vec<Sample>> {
    let (recorded, walled, sourced): (bool, bool, bool) = u.arbitrary()?;
    let numbered = u.int_in_range(0..=2)?;
    let first: u32 = u.int_in_range(1..=1000)?;
    let mut samples = Vec::new();
    let mut at = stamp(u)?;
    for index in 0..u.int_in_range(1..=5u32)? {
        at = if u.ratio(4, 5)? {
            at + stamp(u)? / 64
        } else {
            stamp(u)?
        };
        let mut decoded = Decoded::at(at);
        if recorded {
            decoded = decoded.record_ts(stamp(u)?);
        }
        if walled && u.arbitrary()? {
            decoded = decoded.wall(stamp(u)?);
        }
        if numbered == 1 || (numbered == 2 && u.arbitrary()?) {
            decoded = decoded.sequence(first + index);
        }
        if sourced && u.arbitrary()? {
            decoded = decoded.source(stamp(u)?);
        }
        let length = match length {
            Some(length) => length,
            None => u.int_in_range(0..=40)?,
        };
        let fill: u8 = u.arbitrary()?;
        samples.push(Sample::new(decoded, &vec![fill; length]));
    }
    Ok(samples)
}

fn session(u: &mut Unstructured<'_>) -> Result<Session> {
    Ok(Session {
        session_id: text(u)?,
        study: text(u)?,
        custom: map(u)?,
        ..Session::default()
    })
}

fn attachment(u: &mut Unstructured<'_>) -> Result<Attachment> {
    let data = vec![u.arbitrary()?; u.int_in_range(0..=50)?];
    Ok(Attachment {
        name: "name".to_owned(),
        media_type: "text/plain".to_owned(),
        created_unix_ns: 1,
        data_crc32c: crc::crc32c(&data),
        data,
    })
}

/// A plan that is in order.
fn plan(u: &mut Unstructured<'_>) -> Result<Plan> {
    let (compressed, columnar): (bool, bool) = u.arbitrary()?;
    let bits =
        u64::from(compressed) << feature::ZSTD | u64::from(columnar) << feature::COLUMNAR_CHUNK;
    let mut plan = Plan::with_header(Header {
        required_features: bits,
        profile: text(u)?,
        attributes: map(u)?,
        ..header()
    });
    let schemas = u.int_in_range(0..=2)?;
    for number in 1..=schemas {
        plan = plan.schema(if u.arbitrary()? {
            schema(number)
        } else {
            event_schema(number)
        });
    }
    let streams: u32 = u.int_in_range(1..=3)?;
    for number in 1..=streams {
        let mut declared = stream(number);
        declared.schema_ref = u.int_in_range(0..=schemas)?;
        declared.source_clock_domain = "device".to_owned();
        declared.metadata = map(u)?;
        plan = plan.stream(declared);
    }
    for _ in 0..u.int_in_range(0..=6)? {
        let reference = u.int_in_range(1..=streams)?;
        plan = match u.int_in_range(0..=8)? {
            0..=2 => {
                let chunk = Chunk::of(reference, &samples(u, None)?);
                plan.chunk(if compressed && u.arbitrary()? {
                    chunk.zstd()
                } else {
                    chunk
                })
            }
            3 | 4 if columnar => {
                let length = u.int_in_range(0..=20)?;
                let chunk = Columnar::of(reference, &samples(u, Some(length))?);
                plan.columnar(if compressed && u.arbitrary()? {
                    chunk.zstd()
                } else {
                    chunk
                })
            }
            5 => plan.checkpoint(u.arbitrary()?, Vec::new()),
            6 => plan.session(session(u)?),
            7 => plan.annotation(&attachment(u)?),
            8 => plan.annotation(&Metadata {
                name: text(u)?,
                entries: map(u)?,
            }),
            _ => plan.record(op::PADDING, &vec![0; u.int_in_range(0..=20)?]),
        };
    }
    Ok(if u.ratio(1, 4)? {
        plan.unsealed()
    } else {
        plan
    })
}

/// A label of a record, there or not.
fn label(u: &mut Unstructured<'_>) -> Result<&'static str> {
    const LABELS: [&str; 16] = [
        "Header",
        "Schema 1",
        "Stream 1",
        "Stream 2",
        "Chunk 1",
        "Chunk 2",
        "ColumnarChunk 1",
        "Checkpoint 1",
        "Session 1",
        "record 1",
        "summary Stream 1",
        "summary Session",
        "ChunkIndex",
        "StreamDirectory",
        "Statistics",
        "Footer",
    ];
    u.choose(&LABELS).copied()
}

fn bytes(u: &mut Unstructured<'_>, most: usize) -> Result<Vec<u8>> {
    let length = u.int_in_range(1..=most)?;
    u.bytes(length.min(u.len())).map(<[u8]>::to_vec)
}

/// A number that lies near a border of something, or anywhere.
fn number(u: &mut Unstructured<'_>) -> Result<u64> {
    const BORDERS: [u64; 8] = [
        0,
        1,
        0xFF,
        0xFFFF,
        u32::MAX as u64,
        1 << 32,
        1 << 63,
        u64::MAX,
    ];
    if u.arbitrary()? {
        Ok(u.choose(&BORDERS)?
            .wrapping_add(u.int_in_range(0..=16)?)
            .wrapping_sub(8))
    } else {
        u.arbitrary()
    }
}

fn edited(u: &mut Unstructured<'_>, plan: Plan, length: usize) -> Result<Plan> {
    let anywhere = |u: &mut Unstructured<'_>| u.int_in_range(0..=length as u64);
    let label = label(u)?;
    Ok(match u.int_in_range(0..=14)? {
        0 => plan.truncate(At::Start(anywhere(u)?)),
        1 => plan.patch(At::Start(anywhere(u)?), &bytes(u, 8)?),
        2 => plan.take_out(
            At::Start(anywhere(u)?),
            u.int_in_range(1..=40)?,
            "some bytes",
        ),
        3 => plan.append_to_file(&bytes(u, 60)?),
        4 => plan.opcode(label, u.arbitrary()?),
        5 => plan.claim(label, LengthClaim::Value(number(u)?)),
        6 => plan.claim(label, LengthClaim::Off(u.int_in_range(-100..=100)?)),
        7 => plan.append(label, &bytes(u, 20)?),
        8 => plan.leave_out(label),
        9 => plan.repeat(label),
        10 => {
            let value = number(u)?;
            let change = u.int_in_range(0..=3)?;
            plan.edit_footer("", "a member is another", move |footer| match change {
                0 => footer.summary_start = value,
                1 => footer.summary_offset_start = value,
                2 => footer.last_checkpoint_offset = value,
                _ => footer.summary_crc = value as u32,
            })
        }
        11 => {
            let (first, second) = (number(u)?, number(u)?);
            plan.edit_index("", "entries are others", move |entries| {
                if let Some(entry) = entries.first_mut() {
                    entry.chunk_offset = first;
                    entry.chunk_length = second;
                    entry.message_count = second as u32;
                }
            })
        }
        12 => {
            let (first, second) = (number(u)?, number(u)?);
            plan.edit_directory("", "entries are others", move |entries| {
                if let Some(entry) = entries.first_mut() {
                    entry.first_index = first as u32;
                    entry.index_count = second as u32;
                    entry.chunk_count = second;
                }
            })
        }
        13 => {
            let (count, stamp, length) = (number(u)?, number(u)?, number(u)?);
            plan.edit_chunk("Chunk 1", "", "members are others", move |chunk| {
                chunk.message_count = Some(count as u32);
                chunk.min_stamp_ns = stamp;
                chunk.uncompressed_bytes = Some(length);
                chunk.field_mask = length as u16;
            })
        }
        _ => {
            let (count, width, length) = (number(u)?, number(u)?, number(u)?);
            plan.edit_columnar("ColumnarChunk 1", "", "members are others", move |chunk| {
                chunk.message_count = Some(count as u32);
                chunk.block_bytes = width as u32;
                chunk.columns_length = Some(length);
                chunk.seq_first = count as u32;
            })
        }
    })
}

fn in_order(plan: &Plan) -> usize {
    let layout = plan
        .layout()
        .expect("a plan that is in order can be laid out");
    let report = validate(&mut BytesSource(&layout.bytes), "plan.ca3", DEFAULT_LIMITS);
    let errors = report
        .findings
        .iter()
        .filter(|it| it.severity == Severity::Error);
    let errors: Vec<_> = errors.collect();
    assert!(errors.is_empty() && report.scan_complete, "{errors:#?}");
    let answer = read(&mut BytesSource(&layout.bytes), &LIMITS).expect("a file in order is read");
    let answer = serde_json::to_value(&answer).expect("an answer is JSON");
    let wrong = mismatches(&plan.expected(&layout), Some(&answer));
    assert!(wrong.is_empty(), "{wrong:#?}");
    layout.bytes.len()
}

fn survived(bytes: &[u8]) {
    let _ = read(&mut BytesSource(bytes), &LIMITS);
    let _ = validate(&mut BytesSource(bytes), "edited.ca3", DEFAULT_LIMITS);
    let _ = annotate(bytes);
}

fuzz_target!(|bytes: &[u8]| {
    let mut u = Unstructured::new(bytes);
    let Ok(plan) = plan(&mut u) else { return };
    let length = in_order(&plan);
    // An edit of something that the plan does not hold makes no file.
    if let Ok(plan) = edited(&mut u, plan, length)
        && let Ok(layout) = plan.layout()
    {
        survived(&layout.bytes);
    }
});
