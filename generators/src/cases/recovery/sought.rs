//! Where the last checkpoint's sentinel stands, and between what bytes: a scan
//! finds it wherever it is (§8.2, §8.3, step 2).

use ca3_spec::opcode::op;
use ca3_wire::records::{DegradedInterval, Header};
use serde_json::json;

use super::super::mapping::block_of;
use super::super::{Page, header_of, one_stream};
use super::chained::with_block;
use super::killed::{by_both, chunk, odd, severed, severed_ahead};
use crate::Draft;
use crate::plan::{Chunk, LengthClaim, Plan, stream};
use crate::recovering::{CHAIN, chain, found};

const RULE: &[&str] = &["CA3-8.3-04"];
const WRONG: &str =
    "no checkpoint, or the one before, and the walk stops where the spine is broken";

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    vec![behind_a_c(page), ahead_of_a_t(page), far_from_the_end(page)]
}

/// The bytes there read CCA3POINT: a comparison that begins anew behind the
/// second C misses the sentinel.
fn behind_a_c(page: &Page) -> Draft {
    let v = page.values("behind-its-own-first-letter");
    let mut block = block_of(&[]);
    block.degraded_intervals = vec![DegradedInterval {
        stream_ref: 1,
        from_ns: 1,
        to_ns: v.u64("to_ns", 9, 1..=1 << 40),
        reason: "C".to_owned(),
    }];
    let plan = with_block(severed(one_stream(&v), &v), "Checkpoint 2", &block).chunk(chunk(&v, 3));
    Draft::new(
        "behind-its-own-first-letter",
        RULE,
        &severed_ahead("a C stands in front of the newest sentinel, the end of a clock block"),
    )
    .why("A search that does not look again at the byte where it failed misses the sentinel.")
    .valid_asked(plan.clone(), odd(by_both(&plan)))
    .wrong_answer(WRONG)
}

/// The lowest byte of `self_offset`, which stands behind the sentinel, is a T.
fn ahead_of_a_t(page: &Page) -> Draft {
    let v = page.values("ahead-of-its-own-last-letter");
    let padded = |length: u64| {
        let header = Header {
            profile: "p".repeat(usize::try_from(length).unwrap_or_default()),
            ..header_of(&v)
        };
        severed(Plan::with_header(header).stream(stream(1)), &v).chunk(chunk(&v, 3))
    };
    let offset = padded(0).offset_of("Checkpoint 2");
    let plan = padded(0x54u64.wrapping_sub(offset) & 0xFF);
    Draft::new(
        "ahead-of-its-own-last-letter",
        RULE,
        &severed_ahead("a T stands behind the newest sentinel, the first byte of self_offset"),
    )
    .why("A search from the end that does not look again at the byte where it failed misses it.")
    .valid_asked(plan.clone(), odd(by_both(&plan)))
    .wrong_answer(WRONG)
}

/// One chunk of more than 64 KiB stands behind the only checkpoint.
fn far_from_the_end(page: &Page) -> Draft {
    const LONG: usize = 66_000;
    let v = page.values("far-from-the-end");
    let last = v.u64("start_ns", 5_000, 1..=1 << 40).saturating_add(3_000);
    let plan = one_stream(&v)
        .chunk(chunk(&v, 1))
        .record(op::PADDING, b"pad")
        .chunk(chunk(&v, 2))
        .checkpoint(true, Vec::new())
        .chunk(Chunk::plain(1, &[(last, &[b'.'; LONG])]))
        .unsealed()
        .claim("record 1", LengthClaim::Value(u64::MAX))
        .as_valid();
    // The long payload is judged by its chunk's length.
    let stamps = [last - 2_000, last - 1_000, last];
    let stamps = stamps.map(|stamp| json!({"monotonic_timestamp_ns": stamp.to_string()}));
    let owed = found(CHAIN, &plan)
        .holds(json!({"messages": stamps}))
        .holds(chain(&[("Checkpoint 1", 1)]));
    Draft::new(
        "far-from-the-end",
        RULE,
        &severed_ahead("a chunk of more than 64 KiB stands behind the only checkpoint"),
    )
    .why(
        "A recording may go on for long behind its last checkpoint. A scan of the last few \
         kilobytes finds none, and the chunk behind the break is lost.",
    )
    .valid_asked(plan, odd(owed))
    .wrong_answer(WRONG)
}
