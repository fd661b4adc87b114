//! Item 29: what a crash leaves behind the last record is no reason to refuse a
//! file: the walk ends where it begins (§8.3, §16).

use ca3_spec::kind::Kind::{self, InvalidOpcode, UnknownOpcode};

use super::super::{Page, one_stream};
use super::broken::whole_chain;
use super::numbered::{CUT, checkpointed, numbered, skipping};
use crate::draft::Draft;
use crate::plan::Plan;
use crate::recovering::{CHAIN, SPINE, intact, recovered, stopped_behind};

const ZEROS: &[&str] = &["CA3-16-08"];
const STOPS: &[&str] = &["CA3-16-07"];

/// A case of a file that ends between two records, and of the same file with
/// bytes behind it, where the walk ends for one of these reasons.
fn tail(
    [name, title]: [&str; 2],
    rules: &[&str],
    (method, valid): (&str, Plan),
    tail: &[u8],
    reasons: &[Kind],
) -> Draft {
    Draft::new(name, rules, title)
        .valid_asked(valid.clone(), vec![recovered(method, &valid)])
        .invalid_asked(
            valid.clone().append_to_file(tail),
            vec![recovered(method, &valid).holds(stopped_behind(&valid, reasons))],
        )
}

/// The reasons of [`CUT`] and one more.
fn cut_or(kind: Kind) -> Vec<Kind> {
    CUT.iter().copied().chain([kind]).collect()
}

pub(in super::super) fn tails(page: &Page) -> Vec<Draft> {
    let chained = |name: &str| {
        let v = page.values(name);
        let plan = checkpointed(&v).chunk(numbered(&v, 1, 2));
        (CHAIN, plan.unsealed())
    };
    let walked = |name: &str| {
        let v = page.values(name);
        let plan = one_stream(&v).chunk(numbered(&v, 1, 1));
        (SPINE, plan.unsealed())
    };
    // Fewer than nine bytes are no frame, and their first one says no opcode.
    let short_zeros = cut_or(InvalidOpcode);
    // The first byte is a must-understand opcode, and the length is past the end.
    let unknown_and_long = cut_or(UnknownOpcode);
    let mut cases = Vec::new();
    for (name, checkpoint, count, reasons, title) in [
        (
            "zeros",
            true,
            64,
            &[InvalidOpcode][..],
            "64 zeros follow a file with a checkpoint",
        ),
        (
            "zeros-behind-a-walk",
            false,
            64,
            &[InvalidOpcode][..],
            "64 zeros follow a file without checkpoints",
        ),
        (
            "nine-zeros",
            true,
            9,
            &[InvalidOpcode][..],
            "nine zeros follow, a whole frame of opcode 00",
        ),
        (
            "eight-zeros",
            true,
            8,
            short_zeros.as_slice(),
            "eight zeros follow, one byte less than a frame",
        ),
        (
            "one-zero",
            false,
            1,
            short_zeros.as_slice(),
            "a single zero follows",
        ),
    ] {
        let base = if checkpoint {
            chained(name)
        } else {
            walked(name)
        };
        let zeros = vec![0; count];
        cases.push(tail([name, title], ZEROS, base, &zeros, reasons));
    }

    let ones = [0xFF; 64];
    let old_text = b"killed: signal 9\n";
    // An unknown skippable record of 200 bytes, of which 20 are there.
    let skippable = [&[0x60, 200, 0, 0, 0, 0, 0, 0, 0][..], &[7; 20]].concat();
    // A chunk of 4096 bytes, of which a part of the header is there.
    let chunk = [
        &[0x05, 0, 0x10, 0, 0, 0, 0, 0, 0][..],
        &[1, 0, 0, 0, 0, 0, 0, 1],
    ]
    .concat();
    for (name, checkpoint, bytes, reasons, title) in [
        (
            "ones",
            true,
            &ones[..],
            CUT,
            "64 bytes FF follow: a skippable opcode, and a length of 2^64 - 1",
        ),
        (
            "five-ones",
            false,
            &ones[..5],
            CUT,
            "five bytes FF follow, fewer than a frame has",
        ),
        (
            "text",
            true,
            old_text,
            CUT,
            "a line of text follows, whose first bytes read as a frame past the end",
        ),
        (
            "escape-sequence",
            true,
            b"\x1b[31mfailed\x1b[0m",
            unknown_and_long.as_slice(),
            "text follows that begins with an unknown must-understand opcode",
        ),
        (
            "part-of-the-magic",
            true,
            &ca3_spec::MAGIC[..7],
            unknown_and_long.as_slice(),
            "seven bytes of the trailing magic follow: the file is not sealed",
        ),
        (
            "skippable-past-the-end",
            true,
            skippable.as_slice(),
            CUT,
            "bytes follow that look like a skippable record, whose length passes the end",
        ),
        (
            "chunk-past-the-end",
            false,
            chunk.as_slice(),
            CUT,
            "bytes follow that look like the beginning of a chunk",
        ),
    ] {
        let base = if checkpoint {
            chained(name)
        } else {
            walked(name)
        };
        cases.push(tail([name, title], STOPS, base, bytes, reasons));
    }

    // What is whole is passed, and only what is behind it ends the walk.
    let v = page.values("skippable-then-zeros");
    let valid = checkpointed(&v)
        .chunk(numbered(&v, 1, 2))
        .record(v.u8("unknown", 0x5A, 0x4B..=0x7F), b"whole")
        .unsealed();
    cases.push(
        Draft::new(
            "skippable-then-zeros",
            &["CA3-16-08", "CA3-16-07"],
            "a whole skippable record, and zeros behind it: the walk ends at the first zero",
        )
        .valid_asked(valid.clone(), skipping(&valid))
        .invalid_asked(
            valid.clone().append_to_file(&[0; 33]),
            vec![
                recovered(CHAIN, &valid)
                    .holds(whole_chain(1))
                    .holds(stopped_behind(&valid, &[InvalidOpcode])),
            ],
        ),
    );

    // A disk fills up the rest of a block behind a file that was sealed.
    let v = page.values("sealed-then-zeros");
    let valid = checkpointed(&v).chunk(numbered(&v, 1, 2));
    cases.push(
        Draft::new(
            "sealed-then-zeros",
            &["CA3-8.4-01", "CA3-16-08"],
            "zeros follow the trailing magic: the file does not end with it and is not sealed",
        )
        .valid_asked(valid.clone(), vec![intact(&valid)])
        .invalid_asked(
            valid.clone().append_to_file(&[0; 64]),
            // The walk ends at the magic, whose first byte is a must-understand
            // opcode; what the summary repeats is ahead of it.
            vec![recovered(CHAIN, &valid).holds(whole_chain(1))],
        ),
    );
    cases
}
