//! Item 10: the tables of the summary, by their own `entry_size` (§7.1, §7.3,
//! §14).

use ca3_spec::kind::Kind::{BadEntrySize, BadLength, BadUtf8, LimitExceeded};

use super::super::Page;
use super::directory::with_entry;
use super::{nothing_misread, of_each, paired};
use crate::asking::{in_force, none_in_force};
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::{Chunk, Plan, stream};
use crate::{Ask, Values};

const INDEX: &str = "ChunkIndex";
const DIRECTORY: &str = "StreamDirectory";

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = index(page);
    cases.extend(directory(page));
    cases.extend(behind_the_last_entry(page));
    cases.extend(summary_offset(page));
    cases
}

/// Unknown bytes that no reader takes for nothing.
fn unknown(v: &Values, count: usize) -> Vec<u8> {
    let mut bytes = v.bytes("unknown", &vec![0xE7; count]);
    // Misread as a count or a length, they are too much for any file.
    if let Some(last) = bytes.last_mut() {
        *last |= 0x80;
    }
    bytes
}

fn index(page: &Page) -> Vec<Draft> {
    let v = page.values("three-for-two");
    let (pair, valid) = paired(&v);
    let guard = |plan: &Plan| nothing_misread(plan, "entries");
    let three = Draft::new(
        "three-for-two",
        &["CA3-7.1-01"],
        "entry_size, entry_count, entries: three are counted and two are there",
    )
    .valid_asked(valid.clone(), pair.asks())
    .invalid_asked(
        valid
            .clone()
            .replace_field(INDEX, "entry_count", &3u32.to_le_bytes()),
        vec![Ask::index().surfaces(surface(&[BadLength]).result(guard(&valid)))],
    );

    let grown = |v: &Values, by: usize| {
        let (pair, plan) = paired(v);
        let size = u32::try_from(by).unwrap_or_default().saturating_add(56);
        let fields = of_each("entries", 2, "seq_last");
        let grown = plan.grow_entries(INDEX, &fields, size, &unknown(v, by));
        (pair, grown.as_valid())
    };
    let v = page.values("entries-of-64");
    let (pair, valid) = grown(&v, 8);
    let wide = Draft::new(
        "entries-of-64",
        &["CA3-7.1-02"],
        "entries of 64 bytes, eight of them unknown; then the last of them a byte short",
    )
    .valid_asked(valid.clone(), pair.asks())
    .invalid_asked(
        valid
            .clone()
            .cut_end(INDEX, 1)
            .what("ChunkIndex: the content is a byte shorter than two entries of 64"),
        vec![Ask::index().surfaces(surface(&[BadLength]).result(guard(&valid)))],
    );
    let v = page.values("entries-of-57");
    let (pair, valid) = grown(&v, 1);
    let odd = Draft::new(
        "entries-of-57",
        &["CA3-7.1-02"],
        "entries of 57 bytes: the stride need not keep any field on a boundary",
    )
    .valid_asked(valid, pair.asks())
    .wrong_answer("the second entry is read a byte early, or the table is refused");

    let v = page.values("entries-of-52");
    let (pair, valid) = paired(&v);
    let fields = of_each("entries", 2, "seq_last");
    let short = Draft::new(
        "entries-of-52",
        &["CA3-7.1-03"],
        "entries of 52 bytes, without seq_last",
    )
    .valid_asked(valid.clone(), pair.asks())
    .invalid_asked(
        valid
            .clone()
            .shrink_entries(INDEX, &fields, 52)
            .what("ChunkIndex: seq_last is left out of both entries, entry_size is 52"),
        vec![Ask::index().surfaces(surface(&[BadEntrySize]).result(guard(&valid)))],
    );
    let v = page.values("entries-of-0");
    let (pair, valid) = paired(&v);
    let none = Draft::new(
        "entries-of-0",
        &["CA3-7.1-03"],
        "an entry_size of 0, which would let any count fit",
    )
    .valid_asked(valid.clone(), pair.asks())
    .invalid_asked(
        valid
            .clone()
            .replace_field(INDEX, "entry_size", &0u32.to_le_bytes()),
        vec![
            Ask::index()
                .surfaces(surface(&[BadEntrySize, BadLength, LimitExceeded]).result(guard(&valid))),
        ],
    );
    let claim = |name: &str, rule: &str, title: &str, field: &str, value: u32| {
        let (pair, valid) = paired(&page.values(name));
        let kinds = [BadLength, LimitExceeded];
        Draft::new(name, &[rule], title)
            .valid_asked(valid.clone(), pair.asks())
            .invalid_asked(
                valid
                    .clone()
                    .replace_field(INDEX, field, &value.to_le_bytes())
                    .what(&format!("ChunkIndex: {field} becomes {value}")),
                vec![Ask::index().surfaces(surface(&kinds).result(guard(&valid)))],
            )
    };
    // 2 (2^31 + 56) is 112 in 32 bits, just what two entries of 56 take.
    let product = claim(
        "a-product-past-32-bits",
        "CA3-7.1-02",
        "an entry_size of 2^31 + 56: twice that is 112 in 32 bits, and fits nowhere else",
        "entry_size",
        (1 << 31) + 56,
    );
    let most = claim(
        "two-to-the-32-less-one",
        "CA3-7.1-01",
        "an entry_count of 2^32 - 1 takes no memory before it is known not to fit",
        "entry_count",
        u32::MAX,
    );
    vec![three, most, wide, odd, product, short, none]
}

/// Streams 1 and 2; the second one's entry names a domain of eight bytes, and
/// stands behind the first one's.
struct Named {
    plan: Plan,
    asks: Vec<Ask>,
}

fn named(v: &Values) -> Named {
    let (pair, plan) = paired(v);
    let (dropped, never) = (
        v.u64("dropped_by_queue", 3, 1..=9),
        v.u64("never_arrived", 50, 10..=99),
    );
    let stamp = v.u64("stamp", 2_500, 1_000..=99_999);
    let payload = super::payload(v, "of stream 2");
    let domain = v.text("domain", "deviceb1");
    let plan = plan
        .stream(stream(2))
        .chunk(Chunk::plain(2, &[(stamp, &payload)]));
    let plan = with_entry(plan, 0, "losses", move |entry| {
        entry.never_arrived = never;
    });
    let plan = with_entry(plan, 1, "losses and a domain", move |entry| {
        entry.dropped_by_queue = dropped;
        entry.sync_quality = 2;
        entry.sync_domain.clone_from(&domain);
    });
    let instant = stamp.saturating_add(5);
    let holds = in_force(2, "exact", stamp, stamp, &payload);
    let before = stamp.saturating_sub(5);
    let asks = vec![
        Ask::index(),
        Ask::state_of(instant, &[2], &[holds]),
        Ask::state_of(before, &[2], &[none_in_force(2, "exact")]),
        pair.window(),
    ];
    Named {
        plan: plan.as_valid(),
        asks,
    }
}

fn directory(page: &Page) -> Vec<Draft> {
    let guard = |plan: &Plan| nothing_misread(plan, "directory");
    let Named { plan: valid, asks } = named(&page.values("entries-that-end-in-a-name"));
    let walked = Draft::new(
        "entries-that-end-in-a-name",
        &["CA3-7.3-01"],
        "entry_size is the prefix of 73 without the string: entries are walked, not strided",
    )
    .valid_asked(valid.clone(), asks)
    .invalid_asked(
        // Read so, the first entry takes 12 bytes of the second, and the
        // second lacks them.
        valid
            .clone()
            .replace_field(DIRECTORY, "entry_size", &85u32.to_le_bytes())
            .what("StreamDirectory: entry_size is 85, with the string of the second entry"),
        vec![Ask::index().surfaces(surface(&[BadLength, BadUtf8]).result(guard(&valid)))],
    );

    let grown = |name: &str, by: usize| {
        let v = page.values(name);
        let Named { plan, asks } = named(&v);
        let size = u32::try_from(by).unwrap_or_default().saturating_add(73);
        let fields = of_each("entries", 2, "sync_quality");
        let grown = plan.grow_entries(DIRECTORY, &fields, size, &unknown(&v, by));
        (grown.as_valid(), asks)
    };
    let (valid, asks) = grown("prefix-of-81", 8);
    let wide = Draft::new(
        "prefix-of-81",
        &["CA3-7.3-02"],
        "a prefix of 81 bytes: eight unknown ones stand between the quality and the string",
    )
    .valid_asked(valid, asks)
    .wrong_answer("the string is read at 73, or the next entry 81 behind this one");
    let (valid, asks) = grown("prefix-of-77", 4);
    let narrow = Draft::new(
        "prefix-of-77",
        &["CA3-7.3-02"],
        "a prefix of 77 bytes: four unknown ones stand where the string's length was",
    )
    .valid_asked(valid, asks)
    .wrong_answer("the unknown bytes are taken for the string's length");

    let Named { plan: valid, asks } = named(&page.values("prefix-of-72"));
    let fields = of_each("entries", 2, "sync_quality");
    let short = Draft::new(
        "prefix-of-72",
        &["CA3-7.3-03"],
        "a prefix of 72 bytes, without sync_quality",
    )
    .valid_asked(valid.clone(), asks)
    .invalid_asked(
        valid
            .clone()
            .shrink_entries(DIRECTORY, &fields, 72)
            .what("StreamDirectory: sync_quality is left out of both entries, entry_size is 72"),
        vec![Ask::index().surfaces(surface(&[BadEntrySize]).result(guard(&valid)))],
    );

    // §14's second mechanism is one for both tables: they grow in one file.
    let v = page.values("both-tables-grown");
    let Named { plan, asks } = named(&v);
    let more = unknown(&v, 24);
    let both = plan
        .grow_entries(INDEX, &of_each("entries", 3, "seq_last"), 80, &more)
        .grow_entries(DIRECTORY, &of_each("entries", 2, "sync_quality"), 97, &more)
        .as_valid();
    let both = Draft::new(
        "both-tables-grown",
        &["CA3-7.1-02", "CA3-7.3-02"],
        "24 unknown bytes in every entry of the index and of the directory",
    )
    .valid_asked(both, asks)
    .wrong_answer("either table is read by the stride of version 1");
    vec![walked, wide, narrow, short, both]
}

fn behind_the_last_entry(page: &Page) -> Vec<Draft> {
    let appended = |name: &str, label: &str, table: &str, title: &str| {
        let v = page.values(name);
        let Named { plan, asks } = named(&v);
        let valid = plan.append(label, &unknown(&v, 8)).as_valid();
        let count: u32 = if label == INDEX { 4 } else { 3 };
        let guard = nothing_misread(&valid, table);
        let kinds = [BadLength, LimitExceeded];
        Draft::new(name, &["CA3-14-06"], title)
            .readings(&["G100"])
            .valid_asked(valid.clone(), asks)
            .invalid_asked(
                valid
                    .replace_field(label, "entry_count", &count.to_le_bytes())
                    .what(&format!("{label}: entry_count becomes {count}")),
                vec![Ask::index().surfaces(surface(&kinds).result(guard))],
            )
    };
    vec![
        appended(
            "bytes-behind-the-index",
            INDEX,
            "entries",
            "eight unknown bytes behind the last index entry are not the next one",
        ),
        appended(
            "bytes-behind-the-directory",
            DIRECTORY,
            "directory",
            "eight unknown bytes behind the last directory entry are not the next one",
        ),
    ]
}

fn summary_offset(page: &Page) -> Vec<Draft> {
    let v = page.values("grown-summary-offsets");
    let (pair, plan) = paired(&v);
    let labels = ["04", "08", "09", "44"].map(|opcode| format!("SummaryOffset {opcode}"));
    let valid = labels
        .iter()
        .fold(plan, |plan, label| plan.append(label, &unknown(&v, 4)))
        .as_valid();
    vec![
        Draft::new(
            "grown-summary-offsets",
            &["CA3-14-07"],
            "four unknown bytes behind each SummaryOffset's length",
        )
        .readings(&["G09", "G100"])
        .valid_asked(valid.clone(), pair.asks_with_groups())
        .invalid_asked(
            valid
                .cut_inside("SummaryOffset 08", "length", 4)
                .what("SummaryOffset 08: the content ends 4 bytes into length"),
            vec![Ask::index().surfaces(surface(&[BadLength]))],
        ),
    ]
}
