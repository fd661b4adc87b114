//! Item 26: just a complete chunk has an entry and messages (§8.3, step 4; §8.4).

use super::super::{Page, plan_with};
use super::numbered::{CUT, checkpointed, numbered, samples};
use crate::draft::Draft;
use crate::plan::{At, COLUMNAR, Columnar, Plan, ZSTD, stream};
use crate::recovering::{CHAIN, chain, recovered, stopped};

/// A case of a last record that is not all there.
fn cut_case(page: &Page, [name, title]: [&str; 2], kept: Plan, last: Last, at: At) -> Draft {
    let v = page.values(name);
    let (label, valid) = match last {
        Last::Row => ("Chunk 2", kept.clone().chunk(numbered(&v, 1, 2))),
        Last::Compressed => ("Chunk 2", kept.clone().chunk(numbered(&v, 1, 2).zstd())),
        Last::Columnar => (
            "ColumnarChunk 1",
            kept.clone().columnar(Columnar::of(1, &samples(&v, 2))),
        ),
    };
    let valid = valid.unsealed();
    let first = chain(&[("Checkpoint 1", 1)]);
    Draft::new(name, &["CA3-8.3-10"], title)
        .valid_asked(
            valid.clone(),
            vec![recovered(CHAIN, &valid).holds(first.clone())],
        )
        .invalid_asked(
            valid.truncate(at),
            vec![
                recovered(CHAIN, &kept)
                    .holds(first)
                    .holds(stopped(label, CUT)),
            ],
        )
}

#[derive(Clone, Copy)]
enum Last {
    Row,
    Compressed,
    Columnar,
}

/// The last chunk cut at every place that a reader may trip over.
pub(super) fn cut(page: &Page) -> Vec<Draft> {
    let mut cases = Vec::new();
    // The frame is 9 bytes, the chunk's header 77.
    for (name, title, at) in [
        (
            "cut-in-the-frame",
            "the last chunk ends in its length",
            At::record("Chunk 2", 6),
        ),
        (
            "cut-in-the-header",
            "the last chunk ends in its header",
            At::record("Chunk 2", 40),
        ),
        (
            "cut-ahead-of-the-blob",
            "of the last chunk the header is there, and no message",
            At::record("Chunk 2", 86),
        ),
        (
            "one-byte-short",
            "the last chunk lacks one byte: no entry, and none of its messages",
            At::End(1),
        ),
    ] {
        let v = page.values(name);
        cases.push(cut_case(
            page,
            [name, title],
            checkpointed(&v),
            Last::Row,
            at,
        ));
    }
    let name = "compressed-and-short";
    let v = page.values(name);
    let kept = plan_with(&v, ZSTD)
        .stream(stream(1))
        .chunk(numbered(&v, 1, 1))
        .checkpoint(false, Vec::new());
    let title = "a compressed last chunk lacks one byte";
    cases.push(cut_case(
        page,
        [name, title],
        kept,
        Last::Compressed,
        At::End(1),
    ));
    let name = "cut-between-the-columns-and-the-blocks";
    let v = page.values(name);
    let kept = plan_with(&v, COLUMNAR)
        .stream(stream(1))
        .chunk(numbered(&v, 1, 1))
        .checkpoint(false, Vec::new());
    let title = "a columnar last chunk ends behind its column of stamps";
    let at = At::record("ColumnarChunk 1", 9 + 81 + 16);
    cases.push(cut_case(page, [name, title], kept, Last::Columnar, at));
    cases
}
