//! Item 9: the entries of the chunk index, by name and as they stand (§6.5,
//! §7.1).

use ca3_spec::kind::Kind::{
    BadCrc, BadLength, BadOrder, IndexMismatch, InvalidOpcode, LimitExceeded, Other,
    TruncatedRecord, UnknownOpcode, UnresolvedReference,
};
use ca3_wire::records::IndexEntry;
use serde_json::json;

use super::super::{Page, plan, plan_with};
use super::{nothing_misread, of_each, paired, payload};
use crate::asking::{emitted, in_force};
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::{COLUMNAR, Chunk, Columnar, Decoded, Plan, Sample, stream};
use crate::{Ask, Values};

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = layout(page);
    cases.extend(as_stored(page));
    cases.push(columnar(page));
    cases
}

/// Changes the second entry of the index.
fn second(
    plan: Plan,
    field: &str,
    what: &str,
    change: impl Fn(&mut IndexEntry) + Send + Sync + 'static,
) -> Plan {
    plan.edit_index(&format!("entries[1].{field}"), what, move |entries| {
        if let Some(entry) = entries.get_mut(1) {
            change(entry);
        }
    })
}

/// Stream 4: three messages, then two, the second chunk reaching back, so that
/// the last entry has another running maximum than its own end.
fn distinct(v: &Values) -> Plan {
    let start = v.u64("start", 2_000, 1_000..=9_999);
    let sequence = v.u32("sequence", 21, 1..=9_999);
    let sample = |after: u64, number: u32, name: &str| {
        let decoded = Decoded::at(start.saturating_add(after));
        let decoded = decoded.sequence(sequence.saturating_add(number));
        Sample::new(decoded, &payload(v, name))
    };
    plan(v)
        .stream(stream(4))
        .chunk(Chunk::of(
            4,
            &[
                sample(0, 0, "a"),
                sample(300, 1, "bb"),
                sample(500, 2, "ccc"),
            ],
        ))
        .chunk(Chunk::of(4, &[sample(100, 3, "d"), sample(200, 4, "e")]))
}

fn layout(page: &Page) -> Vec<Draft> {
    let v = page.values("nine-fields");
    let valid = distinct(&v);
    let fields = of_each("entries", 2, "message_count");
    let left_out = fields
        .iter()
        .rev()
        .fold(valid.clone(), |plan, field| {
            plan.drop_field("ChunkIndex", field)
        })
        .what("ChunkIndex: message_count is left out of both entries, entry_size still 56");
    let guard = surface(&[BadLength, LimitExceeded]).result(nothing_misread(&valid, "entries"));
    let nine = Draft::new(
        "nine-fields",
        &["CA3-7.1-04"],
        "offset, length, min, max, running max; count, stream, first and last sequence",
    )
    .valid_asked(valid, vec![Ask::index()])
    .invalid_asked(left_out, vec![Ask::index().surfaces(guard)]);

    let v = page.values("stream-and-count-exchanged");
    let valid = distinct(&v);
    let exchanged = second(
        valid.clone(),
        "message_count",
        "the second entry's message_count 2 and stream_ref 4 are exchanged",
        |entry| std::mem::swap(&mut entry.message_count, &mut entry.stream_ref),
    );
    let undeclared = Draft::new(
        "stream-and-count-exchanged",
        &["CA3-7.1-04"],
        "an entry of stream 2, which nothing declares",
    )
    .readings(&["G108"])
    .valid_asked(valid, vec![Ask::index()])
    .invalid_asked(
        exchanged,
        vec![Ask::index().surfaces(surface(&[UnresolvedReference, IndexMismatch, BadOrder]))],
    );

    let v = page.values("offset-of-the-opcode");
    let (pair, valid) = paired(&v);
    let raised = second(
        valid.clone(),
        "chunk_offset",
        "the second entry's chunk_offset is 9 more, that of the content",
        |entry| entry.chunk_offset = entry.chunk_offset.saturating_add(9),
    );
    let kinds = [
        IndexMismatch,
        InvalidOpcode,
        UnknownOpcode,
        BadLength,
        BadCrc,
        TruncatedRecord,
        LimitExceeded,
        Other,
    ];
    // Whoever says what is wrong may have found the message by other means.
    let no_other = json!({"results": {"$one_of": [
        {"$absent": true}, [], [{"message": null}], [pair.holds(3)],
    ]}});
    let instant = pair.behind(3);
    let offset = Draft::new(
        "offset-of-the-opcode",
        &["CA3-7.1-05"],
        "chunk_offset is where the opcode byte is, 9 in front of the content",
    )
    .valid_asked(valid, pair.asks())
    .invalid_asked(
        raised,
        vec![Ask::state_at(instant, &[]).surfaces(surface(&kinds).result(no_other))],
    );

    let v = page.values("no-sequences");
    let start = v.u64("start", 2_000, 1_000..=99_999);
    let after = start.saturating_add(10);
    let sequence = v.u32("sequence", 7, 2..=9_999);
    let counted = Sample::new(Decoded::at(after).sequence(sequence), &payload(&v, "two"));
    let absent = Draft::new(
        "no-sequences",
        &["CA3-7.1-08"],
        "stream 1 has no sequence, its entry 0 and 0; stream 2 has one, first and last",
    )
    .valid_asked(
        plan(&v)
            .stream(stream(1))
            .stream(stream(2))
            .chunk(Chunk::plain(1, &[(start, &payload(&v, "one"))]))
            .chunk(Chunk::of(2, &[counted])),
        vec![Ask::index()],
    )
    .wrong_answer("an absent sequence comes back as 1, or as null");
    vec![nine, undeclared, offset, absent]
}

/// Stored tables that are wrong: as they stand, reported, or refused, and never
/// put right.
fn as_stored(page: &Page) -> Vec<Draft> {
    let may = [IndexMismatch, BadOrder, BadLength, Other];
    let case = |name: &str, title: &str, spoil: &dyn Fn(Plan) -> Plan| {
        let v = page.values(name);
        let (_, valid) = paired(&v);
        Draft::new(name, &["CA3-7.1-12"], title)
            .valid_asked(valid.clone(), vec![Ask::index().with_groups()])
            .invalid_asked(
                spoil(valid),
                vec![Ask::index().with_groups().may_report(&may).or_refused(&may)],
            )
    };
    let prefix = case(
        "wrong-running-maximum",
        "a running maximum beyond every message is given as it stands",
        &|plan| {
            second(
                plan,
                "prefix_max_stamp_ns",
                "the second entry's prefix_max_stamp_ns is 1000 more",
                |entry| {
                    entry.prefix_max_stamp_ns = entry.prefix_max_stamp_ns.saturating_add(1_000);
                },
            )
        },
    );
    let overlap = case(
        "wrong-overlap-bit",
        "chunks_overlap of a stream whose chunks stand apart is given as it stands",
        &|plan| {
            plan.edit_directory("entries[0].flags", "chunks_overlap is set", |entries| {
                if let Some(entry) = entries.first_mut() {
                    entry.flags = 1;
                }
            })
        },
    );
    let count = case(
        "wrong-message-count",
        "a directory that counts a message too many is given as it stands",
        &|plan| {
            plan.edit_directory(
                "entries[0].message_count",
                "message_count 4 becomes 5",
                |entries| {
                    if let Some(entry) = entries.first_mut() {
                        entry.message_count = 5;
                    }
                },
            )
        },
    );
    let order = case(
        "groups-exchanged",
        "the group 09 in front of 08, and SummaryOffsets that say so",
        &|plan| plan.reorder("ChunkIndex", "StreamDirectory"),
    );
    vec![prefix, overlap, count, order]
}

fn columnar(page: &Page) -> Draft {
    let v = page.values("columnar-chunk");
    let start = v.u64("start", 2_000, 1_000..=99_999);
    let (after, later) = (start.saturating_add(10), start.saturating_add(1_000));
    let blocks = [v.bytes("first", b"aaaa"), v.bytes("second", b"bbbb")];
    let [first, second] = &blocks;
    let rows = payload(&v, "rows");
    let columns = Columnar::of(
        1,
        &[
            Sample::new(Decoded::at(start), first),
            Sample::new(Decoded::at(after), second),
        ],
    );
    let valid = plan_with(&v, COLUMNAR)
        .stream(stream(1))
        .columnar(columns)
        .chunk(Chunk::plain(1, &[(later, &rows)]));
    Draft::new(
        "columnar-chunk",
        &["CA3-6.5-24"],
        "a columnar chunk has an index entry like any other, and queries find it",
    )
    .valid_asked(
        valid,
        vec![
            Ask::index(),
            Ask::state_at(
                start.saturating_add(15),
                &[in_force(1, "exact", after, after, second)],
            ),
            Ask::window(
                0,
                later.saturating_add(5),
                &[1],
                &[
                    emitted(1, "exact", start, start, first),
                    emitted(1, "exact", after, after, second),
                    emitted(1, "exact", later, later, &rows),
                ],
            ),
        ],
    )
    .wrong_answer("the entry is passed over, or its stamps are taken for 0")
}
