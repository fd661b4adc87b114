//! Item 29: what is truncated is said to be, what was recovered is never said to
//! be complete, and where a walk stopped is told (§8.3, §8.4).

use serde_json::json;

use super::super::{Page, one_stream};
use super::broken::whole_chain;
use super::numbered::{CUT, begun, chained, checkpointed, numbered};
use crate::Values;
use crate::draft::Draft;
use crate::plan::{At, Plan};
use crate::recovering::{CHAIN, SPINE, intact, recovered, repaired, stopped, to_the_end};

pub(in super::super) fn truncated(page: &Page) -> Vec<Draft> {
    let mut cases = cut_off(page);
    cases.extend(not_complete(page));
    cases.extend(damaged(page));
    cases.extend(stopping(page));
    cases
}

/// Two checkpoints and a chunk behind them, sealed.
fn whole(v: &Values) -> Plan {
    chained(v, 2).chunk(numbered(v, 1, 3))
}

/// A sealed file of which the end is missing.
fn cut_off(page: &Page) -> Vec<Draft> {
    let mut cases = Vec::new();
    for (name, at, data, title) in [
        (
            "cut-in-the-last-chunk",
            At::record("Chunk 3", 50),
            false,
            "a sealed file, and the same cut in its last chunk",
        ),
        (
            "cut-in-the-summary",
            At::record("StreamDirectory", 30),
            true,
            "a sealed file, and the same cut in its summary",
        ),
        (
            "cut-in-the-footer",
            At::record("Footer", 20),
            true,
            "a sealed file, and the same cut in its Footer",
        ),
        (
            "without-the-magic",
            At::End(8),
            true,
            "a sealed file, and the same without its trailing magic",
        ),
        (
            "magic-cut",
            At::End(3),
            true,
            "a sealed file, and the same without the last three bytes of its magic",
        ),
    ] {
        let v = page.values(name);
        let valid = whole(&v);
        let kept = if data { valid.clone() } else { chained(&v, 2) };
        cases.push(
            Draft::new(name, &["CA3-8.4-01", "CA3-8.4-02"], title)
                .valid_asked(valid.clone(), vec![intact(&valid)])
                .invalid_asked(
                    valid.truncate(at),
                    vec![recovered(CHAIN, &kept).holds(whole_chain(2))],
                ),
        );
    }
    cases
}

/// Every message is there, and the set is still not complete.
fn not_complete(page: &Page) -> Vec<Draft> {
    let mut cases = Vec::new();
    for (name, checkpoint, title) in [
        (
            "all-data-and-no-summary",
            false,
            "all of the data section and nothing of the summary: recovered, never complete",
        ),
        (
            "ends-with-a-checkpoint",
            true,
            "the file ends with a checkpoint over everything in it: recovered, never complete",
        ),
    ] {
        let v = page.values(name);
        let (valid, links) = if checkpoint {
            (whole(&v).checkpoint(false, Vec::new()), 3)
        } else {
            (whole(&v), 2)
        };
        cases.push(
            Draft::new(name, &["CA3-8.4-02", "CA3-8.4-01"], title)
                .valid_asked(valid.clone(), vec![intact(&valid)])
                .invalid_asked(
                    valid.clone().truncate(At::record("summary Stream 1", 0)),
                    vec![recovered(CHAIN, &valid).holds(whole_chain(links))],
                ),
        );
    }
    cases
}

/// Sealed, and the summary does not verify.
fn damaged(page: &Page) -> Vec<Draft> {
    let mut cases = Vec::new();
    for (name, checkpoints, title) in [
        (
            "damaged-summary",
            true,
            "a sealed file whose summary is damaged: not truncated, and not complete",
        ),
        (
            "damaged-summary-without-checkpoints",
            false,
            "a sealed file without checkpoints whose summary is damaged: neither truncated nor complete",
        ),
    ] {
        let v = page.values(name);
        let (valid, method) = if checkpoints {
            (whole(&v), CHAIN)
        } else {
            let plan = one_stream(&v)
                .chunk(numbered(&v, 1, 1))
                .chunk(numbered(&v, 1, 2));
            (plan, SPINE)
        };
        // Frame 9, table head 8: the highest byte of the first chunk_offset.
        let spoilt = valid
            .clone()
            .patch(At::record("ChunkIndex", 9 + 8 + 7), &[0x40])
            .what("ChunkIndex: a byte of the first entry becomes 40, summary_crc stays");
        cases.push(
            Draft::new(name, &["CA3-8.3-20"], title)
                .valid_asked(valid.clone(), vec![intact(&valid)])
                .invalid_asked(
                    spoilt,
                    vec![
                        repaired(method, &valid)
                            .holds(json!({"truncated": false, "complete": false})),
                    ],
                ),
        );
    }
    cases
}

/// `stopped_at` and `stop_reason`.
fn stopping(page: &Page) -> Vec<Draft> {
    let nowhere = json!({"stopped_at": null, "stop_reason": null});
    let v = page.values("sealed-stops-nowhere");
    let valid = checkpointed(&v).chunk(numbered(&v, 1, 2));
    let sealed = Draft::new(
        "sealed-stops-nowhere",
        &["CA3-8.3-22"],
        "through its summary a sealed file stops nowhere; cut in its Footer it stops there",
    )
    .valid_asked(valid.clone(), vec![intact(&valid).holds(nowhere.clone())])
    .invalid_asked(
        valid.clone().truncate(At::record("Footer", 12)),
        vec![recovered(CHAIN, &valid).holds(stopped("Footer", CUT))],
    );

    let v = page.values("walked-to-the-footer");
    let valid = checkpointed(&v).chunk(numbered(&v, 1, 2));
    let walked = Draft::new(
        "walked-to-the-footer",
        &["CA3-8.3-22", "CA3-8.3-20"],
        "a sealed file is walked to its Footer where its summary is damaged: it stops nowhere",
    )
    .valid_asked(valid.clone(), vec![intact(&valid).holds(nowhere.clone())])
    .invalid_asked(
        valid
            .clone()
            .edit_footer("summary_crc", "another checksum", |footer| {
                footer.summary_crc ^= 1;
            }),
        vec![repaired(CHAIN, &valid).holds(nowhere)],
    );

    let mut cases = vec![sealed, walked];
    for (name, checkpoint, title) in [
        (
            "ends-between-records",
            true,
            "stopped_at is the file's size where it ends between records, else the cut record",
        ),
        (
            "walk-ends-between-records",
            false,
            "without checkpoints too stopped_at is the file's size where it ends between records",
        ),
    ] {
        let v = page.values(name);
        let (method, kept) = begun(&v, checkpoint);
        let valid = kept.clone().chunk(numbered(&v, 1, 2)).unsealed();
        cases.push(
            Draft::new(name, &["CA3-8.3-22"], title)
                .valid_asked(
                    valid.clone(),
                    vec![recovered(method, &valid).holds(to_the_end())],
                )
                .invalid_asked(
                    valid.truncate(At::record("Chunk 2", 50)),
                    vec![recovered(method, &kept).holds(stopped("Chunk 2", CUT))],
                ),
        );
    }
    cases
}
