//! Item 24: the layout of a checkpoint, field by field (§1.2, §8.1).
//!
//! Where an edit leaves a checkpoint whose checksum holds and whose content
//! does not decode, the records of the data section are whole: whoever says so,
//! or walks them, has everything.

use ca3_spec::kind::Kind::{
    self, BadCrc, BadEntrySize, BadLength, BadUtf8, IndexMismatch, LimitExceeded, MapOrder, Other,
    UnresolvedReference, ZeroReference,
};
use ca3_wire::records::{ClockBlock, ClockDomain, Stream};

use super::super::mapping::{PEER, block_of, line as clock_line};
use super::super::timeline::Timeline;
use super::super::{Page, plan};
use super::chained::{beheaded, by_chain, with_and_without_head, with_block};
use crate::plan::{Plan, schema, schema_of, stream};
use crate::recovering::{clock, without_its_content};
use crate::{Draft, Values};

const LABEL: &str = "Checkpoint 1";

/// Content that a shifted field makes, in whatever field a reader gives up.
const SHIFTED: &[Kind] = &[
    BadLength,
    BadUtf8,
    BadEntrySize,
    MapOrder,
    ZeroReference,
    UnresolvedReference,
    IndexMismatch,
    LimitExceeded,
    BadCrc,
    Other,
];

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = elements(page);
    cases.extend(fields(page));
    cases.extend(strides(page));
    cases.extend(blocks(page));
    cases
}

fn of_schema(stream_ref: u32, schema_ref: u32) -> Stream {
    Stream {
        schema_ref,
        ..stream(stream_ref)
    }
}

fn elements(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-1.2-06";
    let v = page.values("elements-by-their-own-length");
    let line = Timeline::new(&v);
    let file = plan(&v)
        .schema(schema(1))
        .append("Schema 1", &v.bytes("unknown", b"\x07\x00\x02\xFF"))
        .as_valid()
        .schema(schema_of(2, "Other"))
        .stream(of_schema(1, 1))
        .stream(of_schema(2, 2))
        .chunk(line.chunk(1, &[0, 1]))
        .chunk(line.chunk(2, &[2]))
        .checkpoint(false, Vec::new())
        .unsealed();
    // The content and the four bytes behind it.
    let length = u32::try_from(file.part_length("Schema 1")).unwrap_or_default() + 4;
    let short = file
        .clone()
        .patch_field(LABEL, "schemas[0]", 0, &(length - 1).to_le_bytes())
        .right_checksum(LABEL)
        .what("Checkpoint 1: the first element's length is one too small");
    let pair = Draft::new(
        "elements-by-their-own-length",
        &[RULE],
        "two Schema contents, the first with four unknown bytes behind its fields",
    )
    .valid_asked(file.clone(), vec![by_chain(&file, 1)])
    .invalid_asked(short, without_its_content(&file, SHIFTED));

    let v = page.values("elements-alone");
    let line = Timeline::new(&v);
    let file = plan(&v)
        .schema(schema(1))
        .stream(of_schema(1, 1))
        .append(
            "Stream 1",
            &v.bytes("unknown", b"\x00\x00\x00\x00\x01\x02\x03\x04\x05"),
        )
        .as_valid()
        .stream(stream(2))
        .chunk(line.chunk(2, &[0]))
        .chunk(line.chunk(1, &[1, 2]))
        .checkpoint(false, Vec::new())
        .unsealed();
    let alone = with_and_without_head(
        Draft::new(
            "elements-alone",
            &[RULE],
            "the definitions stand in a checkpoint alone, one stream with unknown bytes behind it",
        ),
        &file,
        1,
    );
    vec![pair, alone]
}

/// A checkpoint that holds one of each, its times drawn.
fn one_of_each(v: &Values) -> (Plan, ClockBlock) {
    let line = Timeline::new(v);
    let record_ts_ns = v.u64("record_ts_ns", 5_000, 1..=1 << 40);
    let wall_ns = v.u64("wall_ns", 1_700_000_000_000_000_000, 1 << 60..=1 << 61);
    let file = plan(v)
        .schema(schema(1))
        .stream(of_schema(1, 1))
        .chunk(line.chunk(1, &[0, 1]))
        .checkpoint(false, Vec::new())
        .unsealed()
        .edit_checkpoint(LABEL, "record_ts_ns", "its times", move |checkpoint| {
            checkpoint.record_ts_ns = record_ts_ns;
            checkpoint.wall_ns = wall_ns;
        });
    let block = block_of(&[domain(v.u64("offset_ns", 10, 1..=1 << 30))]);
    (with_block(file, LABEL, &block), block)
}

/// A domain none of whose figures has a word of its own.
fn domain(offset_ns: u64) -> ClockDomain {
    ClockDomain {
        skew_uncertainty_ppb: 0,
        ..clock_line(PEER, i64::try_from(offset_ns).unwrap_or_default(), 0, 0)
    }
}

fn fields(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-8.1-01";
    let case = |name: &str, title: &str, spoil: &dyn Fn(Plan) -> Plan| {
        let v = page.values(name);
        let (file, block) = one_of_each(&v);
        let whole = by_chain(&file, 1)
            .holds(clock(&block))
            .may_report(&[Kind::MappingInconsistent]);
        Draft::new(name, &[RULE], title)
            .valid_asked(file.clone(), vec![whole])
            .invalid_asked(
                spoil(file.clone()).right_checksum(LABEL),
                without_its_content(&file, SHIFTED),
            )
    };
    // What follows moves up by four bytes, and a length and a count are read
    // out of the parts of other fields.
    let reserved = case(
        "reserved-word-left-out",
        "a checkpoint of one schema, one stream, one entry and a clock block, without its second u32",
        &|plan| plan.drop_field(LABEL, "reserved"),
    );
    // The entry size, 56, is then read as the number of streams.
    let streams = case(
        "streams-left-out",
        "a checkpoint of one of each, without its array of streams",
        &|plan| {
            plan.drop_field(LABEL, "streams[0]")
                .drop_field(LABEL, "streams.count")
                .what("Checkpoint 1: the array of streams is left out")
        },
    );

    // Nothing was declared and no chunk written since the first.
    let v = page.values("checkpoint-of-nothing");
    let line = Timeline::new(&v);
    let file = plan(&v)
        .stream(stream(1))
        .chunk(line.chunk(1, &[0, 1]))
        .checkpoint(false, Vec::new())
        .checkpoint(false, Vec::new())
        .chunk(line.chunk(1, &[2]))
        .unsealed();
    let nothing = with_and_without_head(
        Draft::new(
            "checkpoint-of-nothing",
            &[RULE],
            "the newest checkpoint has no definition, no entry and no block, and the chain goes on",
        )
        .why(
            "A checkpoint with nothing in it is still a link. A chain that ends at it loses every \
             chunk and definition that those before it list.",
        ),
        &file,
        2,
    );

    let v = page.values("reserved-word");
    let line = Timeline::new(&v);
    let word = v.u32("reserved", 1, 1..=u32::MAX);
    let file = plan(&v)
        .stream(stream(1))
        .chunk(line.chunk(1, &[0, 1]))
        .checkpoint(false, Vec::new())
        .chunk(line.chunk(1, &[2]))
        .unsealed();
    let set = file.clone().edit_checkpoint(
        LABEL,
        "reserved",
        &format!("the reserved word is {word}, and the checksum is right"),
        move |checkpoint| checkpoint.reserved = word,
    );
    let ignored = Draft::new(
        "reserved-word",
        &["CA3-8.1-02"],
        "a checkpoint whose reserved word is not zero is used all the same",
    )
    .valid_asked(file.clone(), vec![by_chain(&file, 1)])
    .invalid_asked(set, vec![by_chain(&file, 1)]);
    vec![reserved, streams, nothing, ignored]
}

/// Three entries of two streams in one checkpoint.
fn three_entries(v: &Values) -> Plan {
    let line = Timeline::new(v);
    plan(v)
        .stream(stream(1))
        .stream(stream(2))
        .chunk(line.chunk(1, &[0, 1]))
        .chunk(line.chunk(2, &[2]))
        .chunk(line.chunk(1, &[3, 4]))
        .checkpoint(false, Vec::new())
        .unsealed()
}

const SIZE: &str = "index_entries.entry_size";

fn of_entry(index: usize, field: &str) -> String {
    format!("index_entries.entries[{index}].{field}")
}

fn strides(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-8.1-04";
    let wide = |name: &str, size: u32, title: &str| {
        let v = page.values(name);
        let unknown = v.bytes("unknown", &[0xA5; 16]);
        let grown = usize::try_from(size).unwrap_or_default() - 56;
        let unknown = unknown.get(..grown).unwrap_or_default().to_vec();
        let entries = (0..3).fold(three_entries(&v), |plan, index| {
            plan.insert_behind(LABEL, &of_entry(index, "seq_last"), &unknown)
        });
        let file = entries
            .replace_field(LABEL, SIZE, &size.to_le_bytes())
            .right_checksum(LABEL)
            .as_valid();
        with_and_without_head(Draft::new(name, &[RULE], title), &file, 1)
    };
    let cases = [
        (
            "entries-of-64",
            64,
            "index entries of a later version, of 64 bytes each",
        ),
        (
            "entries-of-57",
            57,
            "index entries of 57 bytes each: no multiple of anything",
        ),
    ];
    let mut cases: Vec<Draft> = cases
        .into_iter()
        .map(|(name, size, title)| wide(name, size, title))
        .collect();

    let v = page.values("entries-of-48");
    let file = three_entries(&v);
    let short = (0..3).rev().fold(file.clone(), |plan, index| {
        plan.drop_field(LABEL, &of_entry(index, "seq_last"))
            .drop_field(LABEL, &of_entry(index, "seq_first"))
    });
    let short = short
        .replace_field(LABEL, SIZE, &48u32.to_le_bytes())
        .right_checksum(LABEL)
        .what("Checkpoint 1: its entries end behind stream_ref, and entry_size says 48");
    cases.push(
        Draft::new(
            "entries-of-48",
            &[RULE],
            "index entries of 48 bytes each: too small for this version's",
        )
        .why(
            "Entries that are too short lack fields. Read as whole ones, each takes the beginning \
             of the next, and recovery lists chunks that do not exist.",
        )
        .valid_asked(file.clone(), vec![by_chain(&file, 1)])
        .invalid_asked(short, without_its_content(&file, SHIFTED)),
    );
    cases
}

fn blocks(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-8.1-05";
    let case = |name: &str, label: &str, title: &str| {
        let v = page.values(name);
        let line = Timeline::new(&v);
        let file = plan(&v)
            .stream(stream(1))
            .chunk(line.chunk(1, &[0, 1]))
            .checkpoint(false, Vec::new())
            .chunk(line.chunk(1, &[2, 3]))
            .checkpoint(false, Vec::new())
            .unsealed();
        let block = block_of(&[domain(v.u64("offset_ns", 10, 1..=1 << 30))]);
        let file = with_block(file, label, &block);
        let ask = || by_chain(&file, 2).may_report(&[Kind::MappingInconsistent]);
        Draft::new(name, &[RULE], title)
            .valid_asked(file.clone(), vec![ask()])
            .invalid_asked(beheaded(&file), vec![ask()])
    };
    vec![
        case(
            "block-then-none",
            "Checkpoint 1",
            "the first of two checkpoints has a clock block, the second an empty field",
        ),
        case(
            "none-then-block",
            "Checkpoint 2",
            "the first of two checkpoints has an empty clock_block, the second a block",
        ),
    ]
}
