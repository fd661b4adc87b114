//! Item 24: sealed files, whole, without a summary, and damaged (§8.3 steps 1
//! and 2, §13.1).
//!
//! No chunk and no definition of these files is damaged, so that whatever way
//! a reader goes it owes all of them: the way shows in `method`.

use ca3_spec::kind::Kind::{
    self, BadCrc, BadLength, BadMagic, BadOrder, IndexMismatch, InvalidOpcode, LimitExceeded,
    Other, TruncatedRecord, UnknownOpcode,
};
use ca3_wire::Encoder;
use ca3_wire::records::{Checkpoint, Record, Session};
use serde_json::json;

use super::super::timeline::Timeline;
use super::super::{Page, plan};
use super::chained::{DAMAGE, beheaded, by_chain, listed, two_checkpoints};
use crate::asking::index_of;
use crate::plan::{At, Plan, stream};
use crate::recovering::{CHAIN, SPINE, header, intact, never_listed, repaired};
use crate::{Ask, Draft, Values};

/// What may be said of a sealed file whose end is damaged.
const AT_THE_END: [Kind; 9] = [
    BadOrder,
    BadCrc,
    BadLength,
    IndexMismatch,
    InvalidOpcode,
    UnknownOpcode,
    LimitExceeded,
    TruncatedRecord,
    Other,
];

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = sealed(page);
    cases.extend(damaged(page));
    cases.extend(without(page));
    cases.extend(entered(page));
    cases.extend(astray(page));
    cases.extend(described(page));
    cases
}

/// A sealed file by the chain of its two checkpoints.
fn chained(file: &Plan) -> Ask {
    repaired(CHAIN, file)
        .holds(listed(2))
        .may_report(&AT_THE_END)
}

fn pair(v: &Values) -> Plan {
    two_checkpoints(v, &Timeline::new(v))
}

fn sealed(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-8.3-01";
    let v = page.values("through-the-summary");
    let (dropped, never) = (
        v.u64("dropped_by_queue", 3, 1..=1 << 40),
        v.u64("never_arrived", 7, 1..=1 << 40),
    );
    // Only the recorder knew these.
    let file = pair(&v)
        .edit_directory("", "counters of the recorder", move |rows| {
            for row in rows {
                row.dropped_by_queue = dropped;
                row.never_arrived = never;
            }
        })
        .as_valid();
    let directory = json!({"directory": index_of(&file).get("directory")});
    // The last byte of the second entry's min_stamp_ns: frame 9, table head 8,
    // one entry 56, offset and length 16, and 7.
    let flipped = file
        .clone()
        .patch(At::record("ChunkIndex", 9 + 8 + 56 + 16 + 7), &[0x40])
        .what("ChunkIndex: the highest byte of the second entry's min_stamp_ns becomes 40");
    let through = Draft::new(
        "through-the-summary",
        &[RULE],
        "a sealed file is read through its summary, the recorder's counters included",
    )
    .valid_asked(file.clone(), vec![intact(&file).holds(directory)])
    .invalid_asked(flipped, vec![chained(&file)]);

    let v = page.values("magic-damaged");
    let file = pair(&v);
    let byte = v.u8("byte", 0x1B, 0x1B..=0xFF);
    let unsealed = file.clone().patch(At::End(1), &[byte]).what(&format!(
        "the last byte of the trailing magic is {byte:02X}"
    ));
    // The Footer is still there; so are the checkpoints, whoever scans for them.
    let magic = Draft::new(
        "magic-damaged",
        &[RULE],
        "without its trailing magic the file is not sealed, whatever its summary says",
    )
    .why(
        "A file whose end is not as it was written is taken for whole, so nobody \
         looks into what happened to it.",
    )
    .valid_asked(file.clone(), vec![intact(&file)])
    .invalid_asked(
        unsealed,
        vec![
            by_chain(&file, 2)
                .may_report(&AT_THE_END)
                .may_report(&[BadMagic]),
        ],
    );
    vec![through, magic]
}

/// Footer fields that keep the summary from verifying.
fn damaged(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-8.3-02";
    let case = |name: &str, title: &str, spoil: &dyn Fn(&Values, Plan) -> Plan| {
        let v = page.values(name);
        let file = pair(&v);
        Draft::new(name, &[RULE], title)
            .valid_asked(file.clone(), vec![intact(&file)])
            .invalid_asked(spoil(&v, file.clone()), vec![chained(&file)])
    };
    vec![
        case(
            "checksum-damaged",
            "summary_crc does not hold: the checkpoints are gone through",
            &|_, file| {
                file.edit_footer("summary_crc", "every bit of it is turned", |footer| {
                    footer.summary_crc = !footer.summary_crc;
                })
            },
        ),
        case(
            "summary-start-past-the-end",
            "summary_start lies behind the end of the file",
            &|v, file| {
                let start = v.u64("start", 1 << 40, 1 << 30..=u64::MAX);
                file.replace_field("Footer", "summary_start", &start.to_le_bytes())
            },
        ),
        case(
            "offset-start-damaged",
            "summary_offset_start is one too small, so the checksum covers other bytes",
            &|_, file| {
                let start = file.offset_of("SummaryOffset 04") - 1;
                file.replace_field("Footer", "summary_offset_start", &start.to_le_bytes())
            },
        ),
        case(
            "definition-damaged",
            "a byte of the summary's copy of a definition is turned: none of it is trusted",
            // The lengths stand; behind the frame: stream_ref, schema_ref, the
            // topic's length, and the topic.
            &|_, file| {
                file.patch(At::record("summary Stream 1", 9 + 4 + 4 + 4), b"T")
                    .what("summary Stream 1: the topic's first letter becomes T")
            },
        )
        // A walk that goes on into the summary meets another definition.
        .readings(&["G54", "G138"]),
    ]
}

/// `summary_start` 0, which is no damage.
fn without(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-8.3-02";
    let v = page.values("no-summary");
    let file = pair(&v).without_summary();
    let chain = Draft::new(
        "no-summary",
        &[RULE, "CA3-8.3-03", "CA3-13.1-05"],
        "a sealed file without a summary is read by its checkpoints, its head there or not",
    )
    // The Footer names the last checkpoint rightly, so no reading decides.
    .readings(&[])
    .valid_asked(file.clone(), vec![chained(&file)])
    .invalid_asked(beheaded(&file), vec![chained(&file).may_report(&DAMAGE)]);

    let v = page.values("no-summary-and-no-checkpoint");
    let line = Timeline::new(&v);
    let file = plan(&v)
        .stream(stream(1))
        .chunk(line.chunk(1, &[0, 1]))
        .chunk(line.chunk(1, &[2]))
        .without_summary();
    let spine = Draft::new(
        "no-summary-and-no-checkpoint",
        &[RULE],
        "a sealed file with neither summary nor checkpoint is walked",
    )
    .valid_asked(
        file.clone(),
        vec![
            repaired(SPINE, &file)
                .holds(json!({"checkpoints": []}))
                .may_report(&AT_THE_END),
        ],
    )
    .wrong_answer("an empty answer, or the method summary");
    vec![chain, spine]
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
    vec![straight, overwritten, removed]
}

const PADDING: u8 = 0x4A;

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

/// §11: of a file recovered from its checkpoints the records are walked for the
/// last Session; the Header stands where it always does.
fn described(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-8.3-18";
    let session = |id: &str| Session {
        session_id: id.to_owned(),
        participant_code: "P-01".to_owned(),
        ..Session::default()
    };
    // Ahead of every checkpoint: none carries it, and step 4 does not pass it.
    let v = page.values("session-ahead-of-the-chain");
    let line = Timeline::new(&v);
    let file = plan(&v)
        .session(session(&v.text("session_id", "plan")))
        .stream(stream(1))
        .chunk(line.chunk(1, &[0, 1]))
        .checkpoint(false, Vec::new())
        .chunk(line.chunk(1, &[2]))
        .checkpoint(false, Vec::new())
        .chunk(line.chunk(1, &[3]))
        .unsealed();
    let ahead = Draft::new(
        "session-ahead-of-the-chain",
        &[RULE],
        "in a chain a Session ahead of the checkpoints comes back, by a walk over the frames",
    )
    .valid_asked(file.clone(), vec![by_chain(&file, 2).holds(header(&file))])
    .wrong_answer("null, for no checkpoint carries a Session");

    let v = page.values("session-behind-the-chain");
    let line = Timeline::new(&v);
    let file = plan(&v)
        .session(session(&v.text("planned", "plan")))
        .stream(stream(1))
        .chunk(line.chunk(1, &[0, 1]))
        .checkpoint(false, Vec::new())
        .chunk(line.chunk(1, &[2]))
        .session(session(&v.text("held", "session-held")))
        .unsealed();
    let behind = Draft::new(
        "session-behind-the-chain",
        &[RULE],
        "in a chain the Header comes back, and a Session behind the last checkpoint is in force",
    )
    .readings(&[])
    .valid_asked(file.clone(), vec![by_chain(&file, 1).holds(header(&file))])
    .wrong_answer("no Header, for no checkpoint carries it; the first Session, or none");
    vec![ahead, behind]
}
