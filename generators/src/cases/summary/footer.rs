//! Item 9: the Footer, found by arithmetic from the end of the file, and what it
//! says of the summary (§2.4, §8.3, §13.1).

use ca3_spec::kind::Kind::{
    BadCrc, BadLength, BadMagic, BadOrder, IndexMismatch, InvalidOpcode, LimitExceeded, Other,
    ReservedOpcode, TruncatedRecord, UnknownOpcode,
};
use serde_json::{Value, json};

use super::super::Page;
use super::{nothing_misread, paired};
use crate::asking::index_of;
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::{At, Plan, crc32c};
use crate::{Ask, Values};

/// Bytes from the Footer's fields to the end of the file: 28 of content and 8
/// of magic, less what stands in front of the field.
const SUMMARY_START: usize = 36;
const SUMMARY_OFFSET_START: usize = 28;

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = placed(page);
    cases.extend(fields(page));
    cases.extend(absent(page));
    cases.extend(checksum(page));
    cases
}

/// A u64 of the laid-out Footer, that far from the end.
fn word(plan: &Plan, from_end: usize) -> u64 {
    let bytes = plan.layout().map_or(Vec::new(), |layout| layout.bytes);
    let start = bytes.len().saturating_sub(from_end);
    let field = bytes.get(start..start.saturating_add(8));
    field
        .and_then(|field| field.try_into().ok())
        .map_or(0, u64::from_le_bytes)
}

/// A file without a Footer in its place: `index` surfaces it, and gives no other
/// table than the right one.
fn no_footer(
    name: &str,
    rule: &str,
    title: &str,
    v: &Values,
    spoil: impl Fn(Plan) -> Plan,
) -> Draft {
    let (pair, valid) = paired(v);
    // A reader that recovers, and says so, may give the tables.
    let kinds = [
        Other,
        BadLength,
        BadOrder,
        InvalidOpcode,
        UnknownOpcode,
        TruncatedRecord,
        LimitExceeded,
    ];
    let surfaced = surface(&kinds).result(nothing_misread(&valid, "entries"));
    Draft::new(name, &[rule], title)
        .valid_asked(valid.clone(), vec![Ask::index(), pair.state(3)])
        .invalid_asked(spoil(valid), vec![Ask::index().surfaces(surfaced)])
}

fn placed(page: &Page) -> Vec<Draft> {
    let missing = no_footer(
        "no-footer",
        "CA3-2.4-08",
        "the trailing magic is there and the Footer is not",
        &page.values("no-footer"),
        |plan| plan.leave_out("Footer"),
    );
    let v = page.values("padding-behind-the-footer");
    // A frame of 9 bytes and 4 of filler: what lies 45 bytes from the end is
    // then 13 bytes in front of the Footer, inside a SummaryOffset.
    let padding = [
        &[0x4A, 4, 0, 0, 0, 0, 0, 0, 0][..],
        &v.bytes("filler", &[0; 4]),
    ]
    .concat();
    let behind = no_footer(
        "padding-behind-the-footer",
        "CA3-2.4-08",
        "a whole record stands between the Footer and the trailing magic",
        &v,
        move |plan| {
            let what = "a Padding record of 4 bytes stands between the Footer and the magic";
            plan.put_in(At::End(8), &padding, what)
        },
    );
    let v = page.values("four-bytes-before-the-magic");
    let filler = v.bytes("filler", &[0xEE; 4]);
    let shifted = no_footer(
        "four-bytes-before-the-magic",
        "CA3-13.1-01",
        "the Footer lies 45 bytes from the end; here it lies 49 from it",
        &v,
        move |plan| {
            let what = "four bytes stand between the Footer and the magic";
            plan.put_in(At::End(8), &filler, what)
        },
    );
    let v = page.values("grown");
    let unknown = v.bytes("unknown", &[0xEE; 4]);
    let grown = no_footer(
        "grown",
        "CA3-13.1-03",
        "a Footer of 32 bytes: the only record that never grows",
        &v,
        move |plan| plan.append("Footer", &unknown),
    );

    // What the arithmetic finds must also be a Footer.
    let v = page.values("another-opcode");
    let (_, valid) = paired(&v);
    let surfaced = || surface(&[Other, BadLength, BadOrder, UnknownOpcode]).refused();
    let opcode = Draft::new(
        "another-opcode",
        &["CA3-2.4-10"],
        "28 bytes in the Footer's place, under an unknown skippable opcode",
    )
    .valid_asked(valid.clone(), vec![Ask::read(), Ask::index()])
    .invalid_asked(
        valid
            .patch(At::End(45), &[0x5B])
            .what("the Footer's opcode becomes 5B"),
        vec![
            Ask::read().surfaces(surfaced()),
            Ask::index().surfaces(surfaced()),
        ],
    );
    let v = page.values("no-footer-to-read-or-index");
    let (_, valid) = paired(&v);
    let kinds = [
        Other,
        BadLength,
        BadOrder,
        InvalidOpcode,
        UnknownOpcode,
        TruncatedRecord,
    ];
    let surfaced = || surface(&kinds).refused();
    let refused = Draft::new(
        "no-footer-to-read-or-index",
        &["CA3-2.4-10"],
        "without a Footer in its place a sealed file is refused by read and index alike",
    )
    .valid_asked(valid.clone(), vec![Ask::read(), Ask::index()])
    .invalid_asked(
        valid.leave_out("Footer"),
        vec![
            Ask::read().surfaces(surfaced()),
            Ask::index().surfaces(surfaced()),
        ],
    );
    let v = page.values("length-of-32");
    let (_, valid) = paired(&v);
    let kinds = [BadLength, Other, TruncatedRecord];
    let claim = Draft::new(
        "length-of-32",
        &["CA3-13.1-03"],
        "a Footer of 28 bytes whose frame claims 32",
    )
    .readings(&["G25", "G48"])
    .valid_asked(valid.clone(), vec![Ask::index()])
    .invalid_asked(
        valid
            .patch(At::End(44), &32u64.to_le_bytes())
            .what("the Footer's content_length becomes 32"),
        vec![Ask::index().surfaces(surface(&kinds))],
    );
    vec![missing, behind, shifted, grown, opcode, refused, claim]
}

fn fields(page: &Page) -> Vec<Draft> {
    let v = page.values("starts-exchanged");
    let (pair, valid) = paired(&v);
    let valid = valid.checkpoint(true, Vec::new());
    let (summary, offsets) = (
        word(&valid, SUMMARY_START),
        word(&valid, SUMMARY_OFFSET_START),
    );
    // The checksum stays that of the summary, so that putting the two back in
    // order would find everything else right.
    let exchanged = valid
        .clone()
        .replace_field("Footer", "summary_offset_start", &summary.to_le_bytes())
        .replace_field("Footer", "summary_start", &offsets.to_le_bytes())
        .what("summary_start and summary_offset_start are exchanged");
    let kinds = [
        BadCrc,
        BadLength,
        BadOrder,
        IndexMismatch,
        Other,
        UnknownOpcode,
    ];
    vec![
        Draft::new(
            "starts-exchanged",
            &["CA3-13.1-02"],
            "summary_start, summary_offset_start, last_checkpoint_offset, in this order",
        )
        .valid_asked(valid, pair.asks())
        .invalid_asked(exchanged, vec![Ask::index().surfaces(surface(&kinds))]),
    ]
}

fn absent(page: &Page) -> Vec<Draft> {
    let v = page.values("no-summary-to-read");
    let (_, valid) = paired(&v);
    let valid = valid.without_summary();
    let at_five = valid.clone().edit_footer(
        "summary_start",
        "summary_start becomes 5, inside the leading magic",
        |footer| footer.summary_start = 5,
    );
    let kinds = [
        BadCrc,
        BadLength,
        Other,
        BadOrder,
        BadMagic,
        IndexMismatch,
        InvalidOpcode,
        UnknownOpcode,
        ReservedOpcode,
        TruncatedRecord,
        LimitExceeded,
    ];
    let read = Draft::new(
        "no-summary-to-read",
        &["CA3-13.1-04"],
        "summary_start 0 is no position: a sealed file without summary is read in full",
    )
    .valid_asked(
        valid,
        vec![
            // Whether it is the whole recording, a reader may be unsure.
            Ask::read()
                .holds(json!({"complete": {"$one_of": [true, false]}}))
                .may_report(&[Other, BadLength, BadOrder, IndexMismatch, TruncatedRecord]),
        ],
    )
    .invalid_asked(at_five, vec![Ask::index().surfaces(surface(&kinds))]);

    let v = page.values("no-summary-to-index");
    let (pair, sealed) = paired(&v);
    let right = index_of(&sealed);
    let chunks = |member: &str| -> Value {
        let rows = right.get("entries").and_then(Value::as_array);
        let rows = rows.map_or(&[][..], Vec::as_slice).iter();
        rows.map(|row| json!({member: row.get(member)})).collect()
    };
    let may = [Other, BadLength, BadOrder, IndexMismatch, TruncatedRecord];
    let rebuilt = json!({
        "entries": {"$one_of": [[], chunks("chunk_offset")]},
        "directory": {"$one_of": [[], [{"stream_ref": 1}]]},
        "summary_groups": {"$one_of": [{"$absent": true}, []]},
    });
    let indexed = Draft::new(
        "no-summary-to-index",
        &["CA3-13.1-10"],
        "without a summary, index refuses or is empty; a query is never answered as if empty",
    )
    .readings(&["G77", "G107"])
    .valid_asked(
        sealed.without_summary(),
        vec![
            Ask::index()
                .holds(rebuilt)
                .may_report(&may)
                .or_refused(&may),
            pair.window().may_report(&may).or_refused(&may),
            pair.state(3).may_report(&may).or_refused(&may),
        ],
    )
    .wrong_answer("the missing index is taken for an empty one: no message in a window");
    vec![read, indexed]
}

fn checksum(page: &Page) -> Vec<Draft> {
    let v = page.values("a-counter-flipped");
    let (pair, plan) = paired(&v);
    let dropped = v.u64("dropped_by_queue", 6, 1..=9_999).saturating_mul(2);
    let counted = plan
        .edit_directory(
            "entries[0].dropped_by_queue",
            "a queue dropped",
            move |entries| {
                if let Some(entry) = entries.first_mut() {
                    entry.dropped_by_queue = dropped;
                }
            },
        )
        .as_valid();
    // Frame 9, table head 8, and 48 of the entry: 4 u32, counts and stamps.
    let spoilt = counted
        .clone()
        .patch(
            At::record("StreamDirectory", 9 + 8 + 48),
            &dropped.saturating_add(1).to_le_bytes(),
        )
        .what("StreamDirectory: the lowest bit of dropped_by_queue is flipped");
    let none_spoilt = json!({
        "directory": {"$not": {"$contains": [
            {"dropped_by_queue": dropped.saturating_add(1).to_string()},
        ]}},
    });
    let counter = Draft::new(
        "a-counter-flipped",
        &["CA3-13.1-06"],
        "a bit of the summary flipped, that nothing but summary_crc shows",
    )
    .valid_asked(counted, pair.asks())
    .invalid_asked(
        spoilt,
        vec![Ask::index().surfaces(surface(&[BadCrc]).result(none_spoilt))],
    );

    let flip_last = |plan: Plan, from_end: u64| {
        // The last byte of Statistics: of max_queue_depth, 0 in the valid file.
        plan.patch(At::End(from_end), &[0x40])
            .what("the last byte of the summary becomes 40")
    };
    let v = page.values("last-byte-flipped");
    let (pair, valid) = paired(&v);
    let end = word(&valid, SUMMARY_OFFSET_START);
    let size = valid.layout().map_or(0, |layout| layout.bytes.len());
    let from_end = u64::try_from(size).unwrap_or_default().saturating_sub(end);
    let last = Draft::new(
        "last-byte-flipped",
        &["CA3-13.1-06"],
        "summary_crc covers the last byte in front of the offset section",
    )
    .valid_asked(valid.clone(), pair.asks())
    .invalid_asked(
        flip_last(valid, from_end.saturating_add(1)),
        vec![Ask::index().surfaces(surface(&[BadCrc]))],
    );

    let v = page.values("no-offset-section");
    let (pair, valid) = paired(&v);
    let valid = valid.without_offsets();
    let may = [Other, BadLength, BadOrder, IndexMismatch];
    let groups = json!({"summary_groups": {"$one_of": [{"$absent": true}, {"$contains": []}]}});
    let whole = Draft::new(
        "no-offset-section",
        &["CA3-13.1-07"],
        "summary_offset_start 0: the summary and its checksum reach to the Footer's opcode",
    )
    .valid_asked(
        valid.clone(),
        vec![
            Ask::index().holds(groups).may_report(&may).or_refused(&may),
            pair.state(3).may_report(&may).or_refused(&may),
        ],
    )
    .invalid_asked(
        // The Footer takes 9 + 28, the magic 8.
        flip_last(valid, 46),
        vec![Ask::index().surfaces(surface(&[BadCrc]))],
    );

    let v = page.values("over-the-offsets-too");
    let (pair, valid) = paired(&v);
    let bytes = valid.layout().map_or(Vec::new(), |layout| layout.bytes);
    let start = usize::try_from(word(&valid, SUMMARY_START)).unwrap_or_default();
    let footer = bytes.len().saturating_sub(45);
    let both = crc32c(bytes.get(start..footer).unwrap_or_default());
    let wide = Draft::new(
        "over-the-offsets-too",
        &["CA3-13.1-08"],
        "the SummaryOffset records are not under the checksum",
    )
    .valid_asked(valid.clone(), pair.asks())
    .invalid_asked(
        valid.clone().edit_footer(
            "summary_crc",
            "summary_crc is that of the groups and the SummaryOffsets",
            move |footer| footer.summary_crc = both,
        ),
        vec![Ask::index().surfaces(surface(&[BadCrc]).result(nothing_misread(&valid, "entries")))],
    );
    vec![counter, last, whole, wide]
}
