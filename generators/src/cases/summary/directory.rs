//! Item 9: the directory's prefix, its runs of index entries, and its counters,
//! from the summary alone (§7.3).

use ca3_spec::kind::Kind::{BadCrc, BadLength, BadUtf8, IndexMismatch, Other};
use ca3_wire::records::DirectoryEntry;

use super::super::{Page, plan};
use super::{nothing_misread, paired, payload};
use crate::asking::{in_force, none_in_force};
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::{At, Chunk, Plan, stream};
use crate::{Ask, Values};

/// Changes the entry of this number, from 0.
pub(super) fn with_entry(
    plan: Plan,
    number: usize,
    what: &str,
    change: impl Fn(&mut DirectoryEntry) + Send + Sync + 'static,
) -> Plan {
    plan.edit_directory("", what, move |entries| {
        if let Some(entry) = entries.get_mut(number) {
            change(entry);
        }
    })
}

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    vec![
        prefix(page),
        runs(page),
        counters(page),
        summary_alone(page),
        header_and_all(page),
    ]
}

/// Two chunks of stream 6, which overlap: five messages from `start` to 700
/// behind it.
fn overlapping(v: &Values) -> Plan {
    let start = v.u64("start", 2_000, 1_000..=9_999);
    let at = |after: u64| start.saturating_add(after);
    let names = ["a", "b", "c", "d", "e"].map(|name| payload(v, name));
    let [a, b, c, d, e] = &names;
    plan(v)
        .stream(stream(6))
        .chunk(Chunk::plain(6, &[(at(0), a), (at(500), b), (at(700), c)]))
        .chunk(Chunk::plain(6, &[(at(300), d), (at(400), e)]))
}

fn prefix(page: &Page) -> Draft {
    let v = page.values("thirteen-fields");
    // Every counter another number, whatever is drawn.
    let (dropped, never, late) = (
        v.u64("dropped_by_queue", 11, 10..=99),
        v.u64("never_arrived", 133, 100..=999),
        v.u64("reordered", 1_717, 1_000..=9_999),
    );
    let valid = with_entry(overlapping(&v), 0, "counters and sync", move |entry| {
        entry.dropped_by_queue = dropped;
        entry.never_arrived = never;
        entry.reordered = late;
        entry.sync_quality = 2;
    })
    .as_valid();
    let guard = surface(&[BadLength]).result(nothing_misread(&valid, "directory"));
    Draft::new(
        "thirteen-fields",
        &["CA3-7.3-04"],
        "four u32, seven u64 and the quality byte, each under its own name; then the string",
    )
    .valid_asked(valid.clone(), vec![Ask::index()])
    .invalid_asked(
        // The string is empty: 4 bytes of length, of which the prefix of 73
        // now takes one.
        valid
            .drop_field("StreamDirectory", "entries[0].sync_quality")
            .what("StreamDirectory: sync_quality is left out, entry_size still 73"),
        vec![Ask::index().surfaces(guard)],
    )
}

fn runs(page: &Page) -> Draft {
    let v = page.values("a-streams-own-run");
    // In table order: stream 1 at 100; stream 2 at 50 and 70; stream 3 at 90;
    // stream 4 never. Each chunk's second message is 5 later.
    let base = v.u64("base", 1_000, 1_000..=99_999);
    let at = |after: u64| base.saturating_add(after);
    let chunk = |stream_ref: u32, after: u64, name: &str| {
        let (one, two) = (payload(&v, name), payload(&v, &format!("{name}, later")));
        Chunk::plain(stream_ref, &[(at(after), &one), (at(after + 5), &two)])
    };
    let valid = (1..=4)
        .fold(plan(&v), |plan, number| plan.stream(stream(number)))
        .chunk(chunk(2, 50, "two"))
        .chunk(chunk(2, 70, "two again"))
        .chunk(chunk(3, 90, "three"))
        .chunk(chunk(1, 100, "one"));
    let holds = |stream_ref: u32, after: u64, name: &str| {
        let later = payload(&v, &format!("{name}, later"));
        in_force(stream_ref, "exact", at(after), at(after), &later)
    };
    Draft::new(
        "a-streams-own-run",
        &["CA3-7.3-05"],
        "first_index and index_count are the stream's run of entries, no more and no less",
    )
    .valid_asked(
        valid,
        vec![
            Ask::index(),
            // A run that is too long, or begins one late, ends at stream 3's
            // entry; one that begins one early, at stream 1's.
            Ask::state_of(at(120), &[2], &[holds(2, 75, "two again")]),
            Ask::state_of(at(62), &[2], &[holds(2, 55, "two")]),
            Ask::state_of(at(40), &[2], &[none_in_force(2, "exact")]),
            Ask::state_of(
                at(97),
                &[1, 3],
                &[none_in_force(1, "exact"), holds(3, 95, "three")],
            ),
            Ask::state_at(
                at(120),
                &[
                    holds(1, 105, "one"),
                    holds(2, 75, "two again"),
                    holds(3, 95, "three"),
                    none_in_force(4, "exact"),
                ],
            ),
        ],
    )
    .wrong_answer("a message of stream 1 or 3 for stream 2, or its last chunk not found")
}

fn counters(page: &Page) -> Draft {
    let v = page.values("two-kinds-of-loss");
    let (dropped, never) = (
        v.u64("dropped_by_queue", 3, 1..=9),
        v.u64("never_arrived", 50, 10..=99),
    );
    let (_, plan) = paired(&v);
    let valid = with_entry(plan.stream(stream(2)), 0, "two losses", move |entry| {
        entry.dropped_by_queue = dropped;
        entry.never_arrived = never;
    });
    // Stream 2 the other way round: none of either comes from the other.
    let valid = with_entry(valid, 1, "two losses", move |entry| {
        entry.dropped_by_queue = never;
    })
    .as_valid();
    Draft::new(
        "two-kinds-of-loss",
        &["CA3-7.3-07"],
        "what a queue dropped and what never arrived stay two numbers",
    )
    .valid_asked(valid, vec![Ask::index()])
    .wrong_answer("one sum under either name, or the two exchanged")
}

fn lossy(v: &Values) -> Plan {
    let (dropped, never, late) = (
        v.u64("dropped_by_queue", 3, 1..=9),
        v.u64("never_arrived", 50, 10..=99),
        v.u64("reordered", 200, 100..=999),
    );
    let (_, plan) = paired(v);
    with_entry(plan, 0, "losses", move |entry| {
        entry.dropped_by_queue = dropped;
        entry.never_arrived = never;
        entry.reordered = late;
    })
    .as_valid()
}

fn summary_alone(page: &Page) -> Draft {
    let v = page.values("from-the-summary-alone");
    let valid = lossy(&v);
    // The blob begins 86 behind the opcode; two bytes on is a payload.
    let spoilt = valid
        .clone()
        .patch(At::record("Chunk 1", 88), &[0x90])
        .patch(At::record("Chunk 2", 88), &[0x91])
        .what("a payload byte of either chunk is overwritten, its checksum not");
    Draft::new(
        "from-the-summary-alone",
        &["CA3-7.3-08"],
        "the directory of a file whose chunks are all damaged",
    )
    .valid_asked(valid, vec![Ask::index()])
    .invalid_asked(
        spoilt,
        vec![Ask::index().may_report(&[BadCrc, BadLength, Other])],
    )
}

fn header_and_all(page: &Page) -> Draft {
    let v = page.values("data-section-overwritten");
    let valid = lossy(&v);
    let length = |label: &str| {
        let layout = valid.layout().ok();
        let placed = layout.and_then(|layout| {
            let mut placed = layout.placed.into_iter();
            placed.find(|placed| placed.label == label)
        });
        placed.map_or(0, |placed| placed.content_length)
    };
    let filler = |label: &str| vec![0xFF; usize::try_from(length(label)).unwrap_or_default()];
    let spoilt = ["Stream 1", "Chunk 1", "Chunk 2"]
        .into_iter()
        .fold(valid.clone(), |plan, label| {
            plan.patch(At::record(label, 9), &filler(label))
        })
        .what("every content of the data section is FF throughout, the frames kept");
    Draft::new(
        "data-section-overwritten",
        &["CA3-7.3-08"],
        "the directory of a file of whose data section only the frames are left",
    )
    .readings(&["G32", "G44"])
    .valid_asked(valid, vec![Ask::index()])
    .invalid_asked(
        spoilt,
        vec![Ask::index().may_report(&[BadCrc, BadLength, BadUtf8, IndexMismatch, Other])],
    )
}
