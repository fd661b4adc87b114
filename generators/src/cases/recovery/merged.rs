//! Item 24: a chain is gone through to its first checkpoint, and what stands
//! behind the last is added (§8.1, §8.3 steps 3 and 4).

use ca3_spec::kind::Kind::{self, MappingInconsistent};
use ca3_wire::records::{ClockBlock, ClockDomain, Stream};
use serde_json::json;

use super::super::mapping::{PEER, block_of, line as clock_line};
use super::super::timeline::Timeline;
use super::super::{Page, plan};
use super::chained::{by_chain, with_and_without_head, with_block};
use crate::plan::{LengthClaim, Plan, schema, stream};
use crate::recovering::{CHAIN, SPINE, clock, never_listed, recovered, stopped};
use crate::{Draft, Values};

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = chains(page);
    cases.extend(broken(page));
    cases.extend(destroyed(page));
    cases.extend(blocks(page));
    cases.extend(unknown(page));
    cases.extend(super::listed::cases(page));
    cases
}

const RULE: &str = "CA3-8.3-06";

/// A stream described by schema 1.
fn described(stream_ref: u32) -> Stream {
    Stream {
        schema_ref: 1,
        ..stream(stream_ref)
    }
}

/// Chains of several lengths, the records at the head there or not.
fn chains(page: &Page) -> Vec<Draft> {
    let v = page.values("chain-of-one");
    let line = Timeline::new(&v);
    let one = plan(&v)
        .schema(schema(1))
        .stream(described(1))
        .chunk(line.chunk(1, &[0, 1]))
        .checkpoint(false, Vec::new())
        .chunk(line.chunk(1, &[2]))
        .unsealed();
    let one = with_and_without_head(
        Draft::new(
            "chain-of-one",
            &[RULE],
            "one checkpoint has the schema, the stream and the chunk ahead of it",
        ),
        &one,
        1,
    );

    // The first checkpoint has the schema and stream 1, the second stream 2.
    let v = page.values("chain-of-two");
    let line = Timeline::new(&v);
    let two = plan(&v)
        .schema(schema(1))
        .stream(described(1))
        .chunk(line.chunk(1, &[0, 1]))
        .checkpoint(false, Vec::new())
        .stream(described(2))
        .chunk(line.chunk(2, &[2, 3]))
        .checkpoint(false, Vec::new())
        .chunk(line.chunk(1, &[4]))
        .unsealed();
    let two = with_and_without_head(
        Draft::new(
            "chain-of-two",
            &[RULE],
            "a schema in the first checkpoint, a stream in each, entries in both",
        ),
        &two,
        2,
    );

    // Checkpoint 3 has the definition of stream 2 and its first chunk.
    let v = page.values("chain-of-five");
    let line = Timeline::new(&v);
    let five = plan(&v)
        .stream(stream(1))
        .chunk(line.chunk(1, &[0, 1]))
        .checkpoint(false, Vec::new())
        .chunk(line.chunk(1, &[2, 3]))
        .checkpoint(false, Vec::new())
        .stream(stream(2))
        .chunk(line.chunk(2, &[4]))
        .checkpoint(false, Vec::new())
        .chunk(line.chunk(1, &[5]))
        .checkpoint(false, Vec::new())
        .chunk(line.chunk(2, &[6, 7]))
        .checkpoint(false, Vec::new())
        .chunk(line.chunk(1, &[8]))
        .unsealed();
    let five = with_and_without_head(
        Draft::new(
            "chain-of-five",
            &[RULE],
            "five checkpoints with a chunk each, the third with a stream of its own",
        ),
        &five,
        5,
    );
    let mut cases = vec![one, two, five];
    cases.extend(restated(page));
    cases
}

/// Bit 0 says that every definition is there, and nothing of entries: no step
/// reads it.
fn restated(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-8.3-18";
    let case = |[name, title]: [&str; 2], restates: [bool; 3]| {
        let v = page.values(name);
        let line = Timeline::new(&v);
        let [first, second, third] = restates;
        let file = plan(&v)
            .schema(schema(1))
            .stream(described(1))
            .chunk(line.chunk(1, &[0, 1]))
            .checkpoint(first, Vec::new())
            .chunk(line.chunk(1, &[2, 3]))
            .checkpoint(second, Vec::new())
            .chunk(line.chunk(1, &[4, 5]))
            .checkpoint(third, Vec::new())
            .unsealed();
        let draft = Draft::new(name, &[RULE], title).readings(&[]).why(
            "A checkpoint that restates every definition has only its own entries. A chain \
                 that ends there loses every chunk ahead of it.",
        );
        with_and_without_head(draft, &file, 3)
    };
    vec![
        case(
            [
                "newest-restates",
                "the newest of three checkpoints restates the definitions; the chain goes on",
            ],
            [false, false, true],
        ),
        case(
            [
                "middle-restates",
                "the middle one of three checkpoints restates the definitions; the chain goes on",
            ],
            [false, true, false],
        ),
        case(
            [
                "each-restates",
                "each of three checkpoints restates the definitions: each of them comes back once",
            ],
            [true, true, true],
        ),
    ]
}

fn broken(page: &Page) -> Vec<Draft> {
    let v = page.values("chain-broken");
    let line = Timeline::new(&v);
    let file = plan(&v)
        .schema(schema(1))
        .stream(described(1))
        .chunk(line.chunk(1, &[0, 1]))
        .checkpoint(false, Vec::new())
        .chunk(line.chunk(1, &[2, 3]))
        .checkpoint(false, Vec::new())
        .chunk(line.chunk(1, &[4]))
        .unsealed();
    // It is 0 as planned, so the checksum cannot hold.
    let wall = v.u8("wall", 0x40, 1..=0xFF);
    let spoilt = file
        .clone()
        .patch_field("Checkpoint 1", "wall_ns", 0, &[wall]);
    let ask = recovered(SPINE, &file).holds(never_listed(&["Checkpoint 1"]));
    vec![
        Draft::new(
            "chain-broken",
            &[RULE],
            "a schema in checkpoint 1, entries in 1 and 2; checkpoint 1 no longer holds: a walk",
        )
        .why(
            "A chain that is broken has lost a part of what it lists. Taken for all there is, it \
             leaves out the early chunks and the definitions, which a walk still reaches.",
        )
        .valid_asked(file.clone(), vec![by_chain(&file, 2)])
        .invalid_asked(spoilt, vec![ask]),
    ]
}

/// Frames ahead of the last checkpoint that no walk gets past.
fn destroyed(page: &Page) -> Vec<Draft> {
    let case = |[name, title, why]: [&str; 3], file: Plan, label: &str| {
        let past = file.clone().claim(label, LengthClaim::Value(u64::MAX));
        Draft::new(name, &[RULE], title)
            .why(why)
            .valid_asked(file.clone(), vec![by_chain(&file, 2)])
            .invalid_asked(past, vec![by_chain(&file, 2)])
    };
    let v = page.values("frame-destroyed");
    let line = Timeline::new(&v);
    let padded = plan(&v)
        .stream(stream(1))
        .chunk(line.chunk(1, &[0, 1]))
        .checkpoint(false, Vec::new())
        .record(PADDING, &v.bytes("padding", b"padding"))
        .chunk(line.chunk(1, &[2, 3]))
        .checkpoint(false, Vec::new())
        .chunk(line.chunk(1, &[4]))
        .unsealed();

    let v = page.values("definition-destroyed");
    let line = Timeline::new(&v);
    let declared = plan(&v)
        .stream(stream(1))
        .chunk(line.chunk(1, &[0, 1]))
        .checkpoint(false, Vec::new())
        .stream(stream(2))
        .chunk(line.chunk(2, &[2, 3]))
        .checkpoint(false, Vec::new())
        .chunk(line.chunk(2, &[4]))
        .unsealed();
    vec![
        case(
            [
                "frame-destroyed",
                "a frame between two checkpoints is destroyed: the chain leads around it",
                "No walk gets past a destroyed frame, and checkpoints lead around it. Whoever \
                 walks all the same loses every chunk behind it.",
            ],
            padded,
            "record 1",
        ),
        case(
            [
                "definition-destroyed",
                "a Stream between two checkpoints is destroyed: the second has its definition",
                "The checkpoint repeats what was declared since the one before. A reader that \
                 takes definitions from records alone gives up the stream and its chunks.",
            ],
            declared,
            "Stream 2",
        ),
    ]
}

const PADDING: u8 = 0x4A;

/// The block of a peer host's line, none of whose figures has a word of its own.
fn block(offset_ns: u64) -> ClockBlock {
    let offset_ns = i64::try_from(offset_ns).unwrap_or_default();
    block_of(&[ClockDomain {
        skew_uncertainty_ppb: 0,
        ..clock_line(PEER, offset_ns, 0, 0)
    }])
}

/// Three checkpoints with or without a block, of the offset that is given.
fn of_blocks(v: &Values, offsets: [Option<u64>; 3]) -> Plan {
    let line = Timeline::new(v);
    let file = (0u64..3).fold(plan(v).stream(stream(1)), |file, number| {
        file.chunk(line.chunk(1, &[number]))
            .checkpoint(false, Vec::new())
    });
    (1u64..)
        .zip(offsets)
        .fold(file.unsealed(), |file, (seq, offset)| match offset {
            Some(offset) => with_block(file, &format!("Checkpoint {seq}"), &block(offset)),
            None => file,
        })
}

fn blocks(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-8.3-08";
    let case = |[name, title, wrong]: [&str; 3], filled: [bool; 3], newest: usize| {
        let v = page.values(name);
        // Apart by construction.
        let base = v.u64("offset_ns", 10, 1..=1 << 30);
        let offsets = [base, base + 10, base + 20];
        let there = |index: usize| -> Option<u64> {
            let filled = filled.get(index).copied().unwrap_or_default();
            offsets.get(index).copied().filter(|_| filled)
        };
        let file = of_blocks(&v, [there(0), there(1), there(2)]);
        let right = there(newest).map(|offset| clock(&block(offset)));
        let ask = by_chain(&file, 3).may_report(&[MappingInconsistent]);
        Draft::new(name, &[RULE], title)
            .readings(&[])
            .valid_asked(file, vec![ask.holds(right.unwrap_or_default())])
            .wrong_answer(wrong)
    };
    let mut cases = vec![
        case(
            [
                "newest-block-that-is-not-empty",
                "clock blocks with offsets 10 and 20, then none: 20",
                "null, for the newest checkpoint has none; or the first block",
            ],
            [true, true, false],
            1,
        ),
        case(
            [
                "only-an-old-block",
                "only the first of three checkpoints has a clock block",
                "null, for the newest checkpoint has none",
            ],
            [true, false, false],
            0,
        ),
        case(
            [
                "newest-of-three-blocks",
                "three checkpoints, each with a clock block: the last one's counts",
                "the first block, or all domains of the three",
            ],
            [true, true, true],
            2,
        ),
    ];
    let v = page.values("no-block");
    let file = of_blocks(&v, [None; 3]);
    cases.push(
        Draft::new(
            "no-block",
            &[RULE],
            "no checkpoint has a clock block, and nothing is said of a clock",
        )
        // In which form nothing is said.
        .readings(&["G90"])
        .valid_asked(
            file.clone(),
            vec![by_chain(&file, 3).holds(json!({"clock": null}))],
        )
        .wrong_answer("a block without domains, of no reference"),
    );
    cases.push(of_a_record(page));
    cases
}

/// The file ends behind the summary's ClockBlock, ahead of its Footer.
fn of_a_record(page: &Page) -> Draft {
    let v = page.values("block-of-a-record");
    let line = Timeline::new(&v);
    let block = block(v.u64("offset_ns", 10, 1..=1 << 30));
    let file = plan(&v)
        .stream(stream(1))
        .chunk(line.chunk(1, &[0]))
        .checkpoint(false, Vec::new())
        .chunk(line.chunk(1, &[1]))
        .clock_block(&block)
        .cut_behind_summary();
    // What a reader says of records of a summary without a Footer is not judged.
    let ask = by_chain(&file, 1).may_report_anything();
    Draft::new(
        "block-of-a-record",
        &["CA3-8.3-08"],
        "no checkpoint has a clock block, and a ClockBlock stands in the summary of a cut file",
    )
    .readings(&["G144"])
    .valid_asked(file, vec![ask.holds(clock(&block))])
    .wrong_answer("null, for no checkpoint has a block")
}

fn unknown(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-8.3-24";
    let v = page.values("unknown-behind-the-checkpoint");
    let line = Timeline::new(&v);
    let before = plan(&v)
        .stream(stream(1))
        .chunk(line.chunk(1, &[0, 1]))
        .checkpoint(false, Vec::new())
        .chunk(line.chunk(1, &[2, 3]))
        .unsealed();
    let file = before
        .clone()
        .record(PADDING, &v.bytes("content", b"other"))
        .chunk(line.chunk(1, &[4, 5]));
    // Private opcodes are understood by nobody here.
    let opcode = v.u8("opcode", 0x2A, 0x80..=0xBF);
    let kept = recovered(CHAIN, &before)
        .holds(super::chained::listed(1))
        .holds(stopped("record 1", &[Kind::UnknownOpcode]));
    vec![
        Draft::new(
            "unknown-behind-the-checkpoint",
            &[RULE],
            "an unknown must-understand record behind the last checkpoint: the walk stops there",
        )
        .valid_asked(file.clone(), vec![by_chain(&file, 1)])
        .invalid_asked(file.opcode("record 1", opcode), vec![kept]),
    ]
}
