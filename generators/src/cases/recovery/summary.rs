//! Item 24: sealed files, whole, without a summary, and damaged (§8.3 steps 1
//! and 2, §13.1).
//!
//! No chunk and no definition of these files is damaged, so that whatever way
//! a reader goes it owes all of them: the way shows in `method`.

use ca3_wire::records::Session;
use serde_json::json;

use super::super::timeline::Timeline;
use super::super::{Page, plan};
use super::chained::{beheaded, by_chain, listed, two_checkpoints};
use crate::asking::index_of;
use crate::plan::{At, Plan, stream};
use crate::recovering::{CHAIN, SPINE, header, intact, repaired};
use crate::{Ask, Draft, Values};

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = sealed(page);
    cases.extend(damaged(page));
    cases.extend(without(page));
    cases.extend(super::named::cases(page));
    cases.extend(described(page));
    cases
}

/// A sealed file by the chain of its two checkpoints.
pub(super) fn chained(file: &Plan) -> Ask {
    repaired(CHAIN, file).holds(listed(2))
}

pub(super) fn pair(v: &Values) -> Plan {
    two_checkpoints(v, &Timeline::new(v))
}

fn sealed(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-8.3-01";
    let v = page.values("through-the-summary");
    let (dropped, never) = (
        v.u64("dropped_by_queue", 3, 1..=1 << 40),
        v.u64("never_arrived", 7, 1..=1 << 40),
    );
    let kept = pair(&v);
    // Only the recorder knew these.
    let file = kept
        .clone()
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
    .valid_asked(file, vec![intact(&kept).holds(directory)])
    .invalid_asked(flipped, vec![chained(&kept)]);

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
    .invalid_asked(unsealed, vec![by_chain(&file, 2)]);
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
        )
        .why(
            "One bad offset in the Footer is no end of the file. Following it reads past the end, \
             and giving up strands a recording that its checkpoints restore.",
        ),
        case(
            "start-beyond-32-bits",
            "summary_start is too large by 2^32, its lower half and the checksum right",
            &|_, file| beyond_32_bits(file, "summary_start"),
        )
        .why(BEYOND),
        case(
            "offset-start-beyond-32-bits",
            "summary_offset_start is too large by 2^32, its lower half and the checksum right",
            &|_, file| beyond_32_bits(file, "summary_offset_start"),
        )
        .why(BEYOND),
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

const BEYOND: &str = "An offset that is kept in 32 bits leads to the right place here, and to a \
                      wrong one in the first recording of more than four gibibytes.";

/// The Footer's offset is 2^32 more than it was; the checksum covers neither
/// (§13.1).
fn beyond_32_bits(file: Plan, field: &str) -> Plan {
    let label = match field {
        "summary_start" => "summary Stream 1",
        _ => "SummaryOffset 04",
    };
    let offset = file.offset_of(label).saturating_add(1 << 32);
    file.replace_field("Footer", field, &offset.to_le_bytes())
        .what(&format!("Footer: {field} is too large by 2^32"))
}

const WITHOUT: &str = "A writer may leave the summary out, and says so with a start of 0. Whoever \
                       takes that for a place, for damage or for an empty recording loses a file \
                       in which nothing is wrong.";

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
    .why(WITHOUT)
    // The Footer names the last checkpoint rightly, so no reading decides.
    .readings(&[])
    .valid_asked(file.clone(), vec![chained(&file)])
    .invalid_asked(beheaded(&file), vec![chained(&file)]);

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
    .why(WITHOUT)
    .valid_asked(
        file.clone(),
        vec![repaired(SPINE, &file).holds(json!({"checkpoints": []}))],
    )
    .wrong_answer("an empty answer, or the method summary");
    vec![chain, spine]
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
