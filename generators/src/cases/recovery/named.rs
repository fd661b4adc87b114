//! Item 24: where the Footer of a sealed file leads, and where it is gone (§8.3
//! step 2, §13.1).

use ca3_wire::Encoder;
use ca3_wire::records::{Checkpoint, Record};
use serde_json::json;

use super::super::Page;
use super::numbered::break_checkpoint;
use super::summary::{chained, pair};
use crate::Draft;
use crate::plan::{At, Plan};
use crate::recovering::{CHAIN, SPINE, intact, never_listed};

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = entered(page);
    cases.extend(astray(page));
    cases
}

/// Where `last_checkpoint_offset` is what it says, and where the Footer is gone.
fn entered(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-8.3-03";
    // A record that passes the four checks stands inside Padding, whose bytes
    // are to be ignored (§13.4). A scan from the end meets it first, and by its
    // prev_offset of 0 it would be the whole chain.
    let v = page.values("lookalike-nearer-the-end");
    let file = pair(&v).without_summary();
    let inside = file.clone().record(PADDING, &[]).offset_of("record 1") + 9;
    let lookalike = Checkpoint {
        checkpoint_seq: v.u64("checkpoint_seq", 9, 9..=u64::MAX),
        self_offset: inside,
        ..Checkpoint::default()
    };
    let mut out = Encoder::plain();
    let encoded = lookalike.encode(&mut out);
    let content = out.into_bytes();
    let length = u64::try_from(content.len()).unwrap_or_default();
    let framed = [&[Checkpoint::OPCODE][..], &length.to_le_bytes(), &content].concat();
    let mut lured = file.record(PADDING, &framed);
    if let Err(error) = encoded {
        lured.fail(error.into());
    }
    let straight = Draft::new(
        "lookalike-nearer-the-end",
        &[RULE],
        "the Footer names the last checkpoint; a lookalike stands in the Padding behind it",
    )
    .valid_asked(lured.clone(), vec![chained(&lured)])
    .wrong_answer("a backward scan in the place of the offset: nothing ahead of the lookalike");

    // Zeros: neither an offset nor a summary_start is left of it.
    const GONE: &str = "CA3-8.3-17";
    let v = page.values("footer-overwritten");
    let file = pair(&v);
    let overwritten = Draft::new(
        "footer-overwritten",
        &[GONE],
        "zeros in the place of the Footer, the magic behind them: the checkpoints are scanned for",
    )
    .readings(&[])
    .valid_asked(file.clone(), vec![intact(&file)])
    .invalid_asked(
        file.clone()
            .patch(At::record("Footer", 0), &[0; 37])
            .what("zeros stand in the place of the Footer"),
        vec![chained(&file)],
    );

    let v = page.values("footer-removed");
    let file = pair(&v);
    let removed = Draft::new(
        "footer-removed",
        &[GONE],
        "the trailing magic directly behind the SummaryOffsets: the checkpoints are scanned for",
    )
    .valid_asked(file.clone(), vec![intact(&file)])
    .invalid_asked(
        file.clone().leave_out("Footer"),
        vec![chained(&file).holds(json!({"complete": false}))],
    );
    vec![straight, named_and_broken(page), overwritten, removed]
}

const PADDING: u8 = 0x4A;

/// The Footer leads straight to a checkpoint that fails its checksum: the chain
/// is broken there, or one is found that begins ahead of it. No reading decides:
/// either way has every message.
fn named_and_broken(page: &Page) -> Draft {
    let v = page.values("named-checkpoint-broken");
    let kept = pair(&v);
    let summed_wrongly = kept
        .clone()
        .edit_footer("summary_crc", "another checksum", |footer| {
            footer.summary_crc = !footer.summary_crc;
        })
        .as_valid();
    Draft::new(
        "named-checkpoint-broken",
        &["CA3-8.3-03", "CA3-8.3-02"],
        "the summary does not hold, and the checkpoint that the Footer names fails its checksum",
    )
    .why(
        "An offset in the Footer spares the scan and none of the checks. A checkpoint that is \
         believed because it was named gives damaged definitions and entries.",
    )
    .readings(&[])
    .valid_asked(summed_wrongly.clone(), vec![chained(&kept)])
    .invalid_asked(
        break_checkpoint(summed_wrongly.clone(), "Checkpoint 2"),
        vec![
            chained(&kept)
                .holds(json!({"method": {"$one_of": [SPINE, CHAIN]}}))
                .holds(never_listed(&["Checkpoint 2"])),
        ],
    )
}

/// A `last_checkpoint_offset` that is not the last checkpoint's. A scan finds
/// the chain, the document's own step is the walk (reading G54): every message
/// either way, so no reading decides.
fn astray(page: &Page) -> Vec<Draft> {
    let astray = |file: &Plan, label: &str| {
        chained(file)
            .holds(json!({"method": {"$one_of": [SPINE, CHAIN]}}))
            .holds(never_listed(&[label]))
    };
    let case = |[name, rule, title]: [&str; 3], what: &str, change: &dyn Fn(&Plan) -> u64| {
        let v = page.values(name);
        let file = pair(&v).without_summary();
        let offset = change(&file);
        let moved = file
            .clone()
            .edit_footer("last_checkpoint_offset", what, move |footer| {
                footer.last_checkpoint_offset = offset;
            });
        Draft::new(name, &[rule], title)
            .readings(&[])
            .valid_asked(file.clone(), vec![chained(&file)])
            .invalid_asked(moved, vec![astray(&file, "Chunk 1")])
    };
    let v = page.values("offset-of-none");
    let file = pair(&v);
    let none =
        file.clone()
            .without_summary()
            .edit_footer("last_checkpoint_offset", "it is 0", |footer| {
                footer.last_checkpoint_offset = 0;
            });
    vec![
        case(
            [
                "offset-nine-too-large",
                "CA3-13.1-05",
                "last_checkpoint_offset is the checkpoint's opcode byte, not its content",
            ],
            "it is nine too large",
            &|file| file.offset_of("Checkpoint 2") + 9,
        ),
        // Step 2: a Footer that names none is as good as no Footer.
        Draft::new(
            "offset-of-none",
            &["CA3-13.1-05"],
            "last_checkpoint_offset 0: the checkpoints that there are all the same are scanned for",
        )
        .readings(&[])
        .valid_asked(file.clone().without_summary(), vec![chained(&file)])
        .invalid_asked(none, vec![chained(&file)]),
        case(
            [
                "offset-of-a-chunk",
                "CA3-8.3-18",
                "last_checkpoint_offset leads to a Chunk: every message comes back all the same",
            ],
            "it names Chunk 1",
            &|file| file.offset_of("Chunk 1"),
        ),
        case(
            [
                "offset-past-the-end",
                "CA3-8.3-18",
                "last_checkpoint_offset is 2^64 - 1: every message comes back all the same",
            ],
            "it is the greatest there is",
            &|_| u64::MAX,
        ),
    ]
}
