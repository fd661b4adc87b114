//! Item 10: MessageOffsets, which a reader may follow or pass over, and never
//! to other messages (§7.5, §14).

use ca3_spec::kind::Kind::{
    BadEntrySize, BadLength, BadOrder, BadUtf8, IndexMismatch, LimitExceeded, MapOrder, Other,
};
use ca3_wire::Map;
use ca3_wire::records::{MessageOffsets, Metadata};
use serde_json::Value;

use super::super::{Page, plan};
use super::{of_each, payload};
use crate::asking::{emitted, in_force};
use crate::draft::Draft;
use crate::plan::{Chunk, Plan, stream};
use crate::{Ask, Values};

const LABEL: &str = "MessageOffsets 1";

/// Three messages of one chunk, 10 ns apart. In front of each payload stand a
/// byte of len and a byte of stamp_delta: with payloads of 5, 6 and 4 bytes the
/// messages begin at 0, 7 and 15 of the blob.
struct Three {
    start: u64,
    payloads: [Vec<u8>; 3],
    plan: Plan,
}

const STARTS: [u32; 3] = [0, 7, 15];

fn three(v: &Values) -> Three {
    let start = v.u64("start", 2_000, 1_000..=99_999);
    let payloads = ["one", "four", "si"].map(|name| payload(v, name));
    let [first, second, third] = &payloads;
    let at = |after: u64| start.saturating_add(after);
    let plan = plan(v).stream(stream(1)).chunk(Chunk::plain(
        1,
        &[(at(0), first), (at(10), second), (at(20), third)],
    ));
    Three {
        start,
        payloads,
        plan,
    }
}

/// A table of the plan's first chunk.
pub(super) fn table_of(plan: &Plan, offsets: &[u32]) -> MessageOffsets {
    MessageOffsets {
        chunk_offset: plan.offset_of("Chunk 1"),
        offsets: offsets.to_vec(),
    }
}

impl Three {
    /// With the right table.
    fn indexed(&self) -> Plan {
        let table = table_of(&self.plan, &STARTS);
        self.plan.clone().message_offsets(&table)
    }

    fn messages(&self) -> Vec<Value> {
        let stamps = (0u64..).map(|number| self.start.saturating_add(number.saturating_mul(10)));
        stamps
            .zip(&self.payloads)
            .map(|(stamp, payload)| emitted(1, "exact", stamp, stamp, payload))
            .collect()
    }

    /// Windows over the last two messages, over the middle one and over all, and
    /// the middle one in force.
    fn asks(&self) -> Vec<Ask> {
        let at = |after: u64| self.start.saturating_add(after);
        let messages = self.messages();
        let [_, second, _] = &self.payloads;
        vec![
            Ask::window(at(5), at(25), &[1], messages.get(1..).unwrap_or_default()),
            Ask::window(at(5), at(15), &[1], messages.get(1..2).unwrap_or_default()),
            Ask::window(0, at(25), &[1], &messages),
            Ask::state_at(at(15), &[in_force(1, "exact", at(10), at(10), second)]),
        ]
    }
}

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = sound(page);
    cases.extend(spoilt(page));
    cases.extend(skippable(page));
    cases
}

fn sound(page: &Page) -> Vec<Draft> {
    let v = page.values("from-the-start-of-the-blob");
    let three_of = three(&v);
    let mut asks = vec![Ask::index()];
    asks.extend(three_of.asks());
    let from_the_blob = Draft::new(
        "from-the-start-of-the-blob",
        &["CA3-7.5-02"],
        "offsets 0, 7, 15 count from the blob, 86 bytes behind the chunk's opcode",
    )
    .valid_asked(three_of.indexed(), asks)
    .wrong_answer("a message read at the offset from the file, the record or the content");

    let v = page.values("unknown-bytes-behind-the-last-offset");
    let three_of = three(&v);
    // Read as a fourth offset they would lie far outside the blob.
    let grown = three_of
        .indexed()
        .append(LABEL, &[0xE7, 0xE7, 0xE7, 0xE7])
        .as_valid();
    let trailing = Draft::new(
        "unknown-bytes-behind-the-last-offset",
        &["CA3-14-07"],
        "four unknown bytes behind the last offset of a MessageOffsets are not the next one",
    )
    .readings(&["G100"])
    .valid_asked(grown, three_of.asks())
    .wrong_answer("a message read at the unknown bytes, or the file refused for them");
    vec![from_the_blob, trailing]
}

/// A table that is at fault is not followed: the messages are right, whether
/// its fault is reported or not, or the question is refused.
fn at_fault(
    name: &str,
    rule: &str,
    title: &str,
    page: &Page,
    kind: ca3_spec::kind::Kind,
    shape: impl Fn(&Three) -> (Plan, Plan),
) -> Draft {
    let three_of = three(&page.values(name));
    let (valid, invalid) = shape(&three_of);
    let may = [
        kind,
        BadLength,
        BadOrder,
        IndexMismatch,
        LimitExceeded,
        Other,
    ];
    let asks = three_of.asks().into_iter();
    Draft::new(name, &[rule], title)
        .valid_asked(valid, three_of.asks())
        .invalid_asked(
            invalid,
            asks.map(|ask| ask.may_report(&may).or_refused(&may))
                .collect(),
        )
}

fn spoilt(page: &Page) -> Vec<Draft> {
    let fields = of_each("offsets", 3, "message_offset");
    let four = at_fault(
        "four-for-three",
        "CA3-7.5-02",
        "entries of 8 bytes, four of them unknown; then one more counted than is there",
        page,
        BadLength,
        |three| {
            let valid = three
                .indexed()
                .grow_entries(LABEL, &fields, 8, &[0xE7, 0xE7, 0xE7, 0xE7])
                .as_valid();
            let invalid = valid
                .clone()
                .replace_field(LABEL, "entry_count", &4u32.to_le_bytes())
                .what("MessageOffsets 1: entry_count becomes 4");
            (valid, invalid)
        },
    );
    let narrow = at_fault(
        "entries-of-2",
        "CA3-7.5-03",
        "offsets of two bytes each, entry_size 2",
        page,
        BadEntrySize,
        |three| {
            let halves = fields.iter().zip(STARTS).rev();
            let invalid = halves.fold(three.indexed(), |plan, (field, start)| {
                let half = u16::try_from(start).unwrap_or_default();
                plan.replace_field(LABEL, field, &half.to_le_bytes())
            });
            let invalid = invalid
                .replace_field(LABEL, "entry_size", &2u32.to_le_bytes())
                .what("MessageOffsets 1: the offsets are stored in two bytes, entry_size is 2");
            (three.indexed(), invalid)
        },
    );
    let other = |name: &str, title: &str, offsets: [u32; 3], what: &str| {
        at_fault(name, "CA3-7.5-04", title, page, BadOrder, |three| {
            let table = table_of(&three.plan, &offsets);
            let invalid = three.indexed().rewrite(LABEL, &table, "", what);
            (three.indexed(), invalid)
        })
    };
    let backwards = other(
        "a-step-backwards",
        "offsets 0, 15, 7: the second and the third exchanged",
        [0, 15, 7],
        "the offsets are 0, 15, 7",
    );
    let equal = other(
        "an-offset-twice",
        "offsets 0, 7, 7: the third message's start is the second's",
        [0, 7, 7],
        "the offsets are 0, 7, 7",
    );
    vec![four, narrow, backwards, equal]
}

/// A fault inside a record that may be passed over costs no message.
fn skippable(page: &Page) -> Vec<Draft> {
    let name = "a-faulty-table-costs-no-message";
    let v = page.values(name);
    let three_of = three(&v);
    let table = table_of(&three_of.plan, &[0, 15, 7]);
    let invalid = three_of
        .indexed()
        .rewrite(LABEL, &table, "", "the offsets are 0, 15, 7");
    let may = [BadOrder, BadLength, IndexMismatch, LimitExceeded, Other];
    let mut asks = vec![Ask::read()];
    asks.extend(three_of.asks());
    let asks_of = |asks: Vec<Ask>, may: &[ca3_spec::kind::Kind]| -> Vec<Ask> {
        asks.into_iter().map(|ask| ask.may_report(may)).collect()
    };
    let offsets = Draft::new(
        name,
        &["CA3-7.5-08"],
        "a MessageOffsets out of order: reported or not, every message is there",
    )
    .readings(&["G52"])
    .valid_asked(three_of.indexed(), asks.clone())
    .invalid_asked(invalid, asks_of(asks, &may));

    let name = "a-faulty-metadata-costs-no-message";
    let v = page.values(name);
    let three_of = three(&v);
    let metadata = Metadata {
        name: v.text("name", "notes"),
        entries: Map::sorted([("a", "1"), ("b", "2")]),
    };
    let valid = three_of.plan.clone().annotation(&metadata);
    let may = [BadUtf8, BadLength, MapOrder, Other];
    let mut asks = vec![Ask::read()];
    asks.extend(three_of.asks());
    let free = Draft::new(
        name,
        &["CA3-7.5-08"],
        "a Metadata whose name is not UTF-8: reported or not, every message is there",
    )
    .valid_asked(valid.clone(), asks.clone())
    .invalid_asked(
        valid.patch_field("record 1", "name", 4, &[0xFF]),
        asks_of(asks, &may),
    );
    vec![offsets, free]
}
