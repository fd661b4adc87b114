//! The trailer's fields: which stands where, and where its links lead (§8.1).

use ca3_spec::protocol::Decimal;
use serde_json::json;

use super::super::{Page, one_stream};
use super::candidates::field;
use super::forged::{TRAILER, stored};
use super::killed::{
    by_both, by_the_first, by_the_spine, chunk, odd, one, severed, severed_ahead, two,
};
use crate::Values;
use crate::asking::offset_of;
use crate::draft::Draft;
use crate::plan::{At, Plan, wide};
use crate::recovering::{CHAIN, SPINE, found, lent};

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = swapped(page);
    cases.extend(cut(page));
    cases.extend(links(page));
    cases.push(copy_of_the_number(page));
    cases
}

fn swapped(page: &Page) -> Vec<Draft> {
    let v = page.values("newest-swapped");
    let valid = severed(one_stream(&v), &v).chunk(chunk(&v, 3));
    let newest = Draft::new(
        "newest-swapped",
        &["CA3-8.1-06"],
        &severed_ahead("self_offset and prev_offset of the newest stand in each other's place"),
    )
    .valid_asked(valid.clone(), odd(by_both(&valid)))
    .invalid_asked(
        swap(valid, "Checkpoint 2"),
        vec![by_the_first(&one(one_stream(&v), &v))],
    );

    let v = page.values("only-swapped");
    let valid = one(one_stream(&v), &v).chunk(chunk(&v, 2));
    let spoilt = swap(valid.clone(), "Checkpoint 1");
    let only = Draft::new(
        "only-swapped",
        &["CA3-8.1-06"],
        "self_offset and prev_offset stand in each other's place: self_offset is 0",
    )
    .readings(&["G145"])
    .valid_asked(valid.clone(), vec![by_the_first(&valid)])
    .invalid_asked(spoilt.clone(), vec![by_the_spine(&spoilt)]);
    vec![newest, only]
}

fn swap(plan: Plan, label: &str) -> Plan {
    // Two fields of eight bytes, one behind the other.
    let from = field(&plan, label, "trailer.self_offset");
    let mut fields = plan.layout().map_or_else(
        |_| Vec::new(),
        |layout| stored(&layout, from, from.saturating_add(16)).to_vec(),
    );
    let half = fields.len() / 2;
    fields.rotate_left(half);
    plan.patch(At::Start(from), &fields)
        .what(&format!("{label}: self_offset and prev_offset are swapped"))
}

/// The file ends inside the trailer of the newest checkpoint: what a scan finds
/// there reaches past the end.
fn cut(page: &Page) -> Vec<Draft> {
    // Sentinel 8, then 8 each of self_offset, prev_offset, checkpoint_seq, and 4.
    let places = [
        ("cut-inside-the-sentinel", 7, "a byte short of its sentinel"),
        ("cut-behind-the-sentinel", 8, "directly behind its sentinel"),
        (
            "cut-inside-self-offset",
            13,
            "five bytes into its self_offset",
        ),
        (
            "cut-behind-self-offset",
            16,
            "directly behind its self_offset",
        ),
        ("cut-in-front-of-the-crc", 32, "in front of its content_crc"),
        ("cut-by-a-byte", 35, "a byte short of its end"),
    ];
    let cases = places.into_iter().map(|(name, keep, place)| {
        let v = page.values(name);
        let valid = two(one_stream(&v), &v);
        let lost = TRAILER.saturating_sub(keep);
        let spoilt = valid.clone().truncate(At::End(wide(lost)));
        let kept = one(one_stream(&v), &v).chunk(chunk(&v, 2));
        Draft::new(
            name,
            &["CA3-8.1-06"],
            &format!("the file ends in the trailer of the newest checkpoint, {place}"),
        )
        .why(
            "A sentinel so near the end has no whole trailer behind it. It is no checkpoint, and \
             reading past the end is no way to find that out.",
        )
        .valid_asked(valid.clone(), vec![by_both(&valid)])
        .invalid_asked(spoilt, vec![by_the_first(&kept)])
    });
    cases.collect()
}

/// A case's name, its title, and where the newest checkpoint's `prev_offset` leads.
type Link = (&'static str, &'static str, fn(&Values, &Plan) -> u64);

const LINKS: &[Link] = &[
    (
        "prev-inside-a-chunk",
        "prev_offset leads into the middle of a chunk",
        |v, plan| {
            let into = v.u64("into", 20, 10..=60);
            plan.offset_of("Chunk 1").saturating_add(into)
        },
    ),
    (
        "prev-at-a-chunk",
        "prev_offset leads to a Chunk",
        |_, plan| plan.offset_of("Chunk 1"),
    ),
    (
        "prev-at-the-header",
        "prev_offset leads to the Header",
        |_, _| 8,
    ),
    (
        "prev-inside-the-magic",
        "prev_offset leads into the leading magic",
        |_, _| 1,
    ),
    (
        "prev-past-the-end",
        "prev_offset leads past the end of the file",
        |_, _| 1 << 40,
    ),
    ("prev-is-the-greatest", "prev_offset is 2^64 - 1", |_, _| {
        u64::MAX
    }),
];

fn links(page: &Page) -> Vec<Draft> {
    let mut cases: Vec<Draft> = LINKS
        .iter()
        .map(|(name, title, place)| {
            let v = page.values(name);
            let valid = two(one_stream(&v), &v).chunk(chunk(&v, 3));
            let prev = place(&v, &valid);
            linked(name, title, valid, "Checkpoint 2", prev)
        })
        .collect();
    // It would be followed for ever.
    for (name, title, label) in [
        (
            "prev-is-itself",
            "prev_offset of the newest checkpoint is its own place",
            "Checkpoint 2",
        ),
        (
            "prev-leads-round",
            "prev_offset of the first checkpoint is the place of the newest",
            "Checkpoint 1",
        ),
    ] {
        let v = page.values(name);
        let valid = two(one_stream(&v), &v).chunk(chunk(&v, 3));
        let prev = valid.offset_of("Checkpoint 2");
        cases.push(linked(name, title, valid, label, prev).readings(&["G145"]));
    }
    cases
}

fn linked(name: &str, title: &str, valid: Plan, label: &str, prev: u64) -> Draft {
    let spoilt = valid.clone().edit_checkpoint(
        label,
        "trailer.prev_offset",
        &format!("prev_offset becomes {prev}"),
        move |checkpoint| checkpoint.prev_offset = prev,
    );
    // Both checkpoints pass the four checks: either may have lent something.
    let both = lent(("Checkpoint 2", 2), ("Checkpoint 1", 1));
    let walked = found(SPINE, &spoilt).holds(both);
    Draft::new(name, &["CA3-8.1-07"], title)
        .why(
            "A chain ends at the checkpoint whose prev_offset is 0. One that leads anywhere else \
             is broken: the spine is walked, which is said, and nothing is lost.",
        )
        .valid_asked(valid.clone(), vec![by_both(&valid)])
        .invalid_asked(spoilt, vec![walked])
}

/// The copy is for validation, and none of the four checks asks for it.
fn copy_of_the_number(page: &Page) -> Draft {
    let v = page.values("copy-of-the-number");
    let valid = severed(one_stream(&v), &v).chunk(chunk(&v, 3));
    let copy = v.u64("copy", 7, 3..=u64::MAX);
    let spoilt = valid.clone().replace_field(
        "Checkpoint 2",
        "trailer.checkpoint_seq",
        &copy.to_le_bytes(),
    );
    let listed = json!({"checkpoints": [
        {
            "offset": offset_of("Checkpoint 2"),
            "checkpoint_seq": {"$one_of": [Decimal(2), Decimal(copy)]},
        },
        {"offset": offset_of("Checkpoint 1"), "checkpoint_seq": Decimal(1)},
    ]});
    let all_the_same = found(CHAIN, &spoilt).holds(listed);
    Draft::new(
        "copy-of-the-number",
        &["CA3-8.1-06"],
        &severed_ahead("the trailer's copy of checkpoint_seq differs, which is no check"),
    )
    .why(
        "The copy stands behind the bytes that the checksum covers. A checkpoint that is given up \
         for it takes all that lies between it and the break with it.",
    )
    .readings(&["G42"])
    .valid_asked(valid.clone(), odd(by_both(&valid)))
    .invalid_asked(spoilt, vec![all_the_same])
}
