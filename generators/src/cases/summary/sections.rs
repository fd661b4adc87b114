//! Item 9: the sections in their order, and the summary's groups, any of which
//! may be absent (§2, §2.2, §2.4, §11, §13.4).

use ca3_spec::kind::Kind::{
    BadCrc, BadLength, BadOrder, IndexMismatch, Other, TruncatedRecord, UnknownOpcode,
};
use ca3_spec::opcode::op;
use ca3_wire::Map;
use ca3_wire::records::{ClockBlock, Session, Stream};
use serde_json::json;

use super::super::{Page, plan};
use super::{Pair, nothing_misread, paired, payload};
use crate::asking::{in_force, none_in_force};
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::{Chunk, EPOCH, HOST, Plan, schema, stream};
use crate::{Ask, Values};

fn session(id: &str) -> Session {
    Session {
        session_id: id.to_owned(),
        study: "study".to_owned(),
        custom: Map::sorted([("k", "v")]),
        ..Session::default()
    }
}

/// A ClockBlock whose reference is the file's own domain, without a mapping.
fn clock() -> ClockBlock {
    ClockBlock {
        reference_host_id: HOST.to_owned(),
        reference_host_clock_epoch: EPOCH.to_owned(),
        ..ClockBlock::default()
    }
}

/// Stream 1 under schema 1, and both chunks of a pair.
fn described(pair: &Pair, plan: Plan) -> Plan {
    plan.schema(schema(1))
        .stream(Stream {
            schema_ref: 1,
            ..stream(1)
        })
        .chunk(pair.one())
        .chunk(pair.two())
}

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = order(page);
    cases.extend(any_absent(page));
    cases.extend(smallest(page));
    cases.extend(required(page));
    cases.extend(located(page));
    cases
}

fn order(page: &Page) -> Vec<Draft> {
    let v = page.values("every-section");
    let pair = Pair::new(&v);
    let all = plan(&v)
        .schema(schema(1))
        .session(session(&v.text("session", "session-a")))
        .stream(Stream {
            schema_ref: 1,
            ..stream(1)
        })
        .chunk(pair.one())
        .checkpoint(true, Vec::new())
        .chunk(pair.two())
        .clock_block(&clock());
    let every = Draft::new(
        "every-section",
        &["CA3-2-01"],
        "data, groups 03 04 06 08 09 0A 44, their offsets, Footer: each in its place",
    )
    .valid_asked(all, pair.asks_with_groups())
    .wrong_answer("a group is missed, or the SummaryOffsets are listed as a group of their own");

    let v = page.values("group-of-three-records");
    let first = v.u64("first", 2_000, 1_000..=9_999);
    let at = |stream_ref: u64| first.saturating_add(stream_ref.saturating_mul(10));
    let names = ["alpha", "beta", "gamma"].map(|name| payload(&v, name));
    let three = (1u32..).zip(&names).fold(plan(&v), |plan, (number, name)| {
        plan.stream(stream(number))
            .chunk(Chunk::plain(number, &[(at(u64::from(number)), name)]))
    });
    let results: Vec<_> = (1u32..)
        .zip(&names)
        .map(|(number, name)| {
            let stamp = at(u64::from(number));
            in_force(number, "exact", stamp, stamp, name)
        })
        .collect();
    let whole = Draft::new(
        "group-of-three-records",
        &["CA3-2.2-03"],
        "three Stream records are one group: one range from start, length bytes long",
    )
    // 35 lies 5 behind the last one: 10, 20 and 30 ns behind `first`.
    .valid_asked(
        three,
        vec![
            Ask::index().with_groups(),
            Ask::state_at(first.saturating_add(35), &results),
        ],
    )
    .wrong_answer("only the first record of a group is read: streams 2 and 3 are not declared");

    let v = page.values("padding-between-groups");
    let (pair, sealed) = paired(&v);
    let offsets = super::offsets::table_of(&sealed, &[0, first_message_bytes(&pair)]);
    let padded = sealed
        .group(op::PADDING, &v.bytes("filler", b"filler"))
        .message_offsets(&offsets)
        .reorder("group 4A", "ChunkIndex")
        .as_valid();
    let padding = Draft::new(
        "padding-between-groups",
        &["CA3-13.4-03"],
        "Padding between the groups 08 and 09, and 49 behind 44: Padding is no group",
    )
    .valid_asked(padded, pair.asks_with_groups())
    .wrong_answer("a group 4A is listed, or the groups behind it are lost or called disordered");

    let v = page.values("session-in-force");
    let both = plan(&v)
        .session(session("planned"))
        .session(session(&v.text("session", "connected")));
    let in_force = Draft::new(
        "session-in-force",
        &["CA3-11-07"],
        "two Sessions in the data section, the second in the summary: that one is in force",
    )
    .valid(Pair::new(&v).on(both))
    .wrong_answer("the Session that the data section begins with");
    vec![every, whole, padding, in_force]
}

/// len, stamp_delta and payload, a byte each in front of the payload.
fn first_message_bytes(pair: &Pair) -> u32 {
    u32::try_from(pair.payload(0).len().saturating_add(2)).unwrap_or_default()
}

/// §2.4: the presence of a group says nothing of another.
fn any_absent(page: &Page) -> Vec<Draft> {
    let case = |name: &str, title: &str, plan_of: &dyn Fn(&Values, &Pair) -> Plan| {
        let v = page.values(name);
        let pair = Pair::new(&v);
        Draft::new(name, &["CA3-2.4-05"], title)
            .valid_asked(plan_of(&v, &pair), pair.asks_with_groups())
            .wrong_answer(
                "refused for a group that is not there, or another group read in its place",
            )
    };
    let neither = case(
        "neither-session-nor-clocks",
        "groups 03 04 08 09 44: no Session and no ClockBlock",
        &|v, pair| described(pair, plan(v)),
    );
    let no_clocks = case(
        "session-without-clocks",
        "groups 04 06 08 09 44: a Session, and neither Schema nor ClockBlock",
        &|v, pair| pair.on(plan(v).session(session("session-1"))),
    );
    let no_session = case(
        "clocks-without-session",
        "groups 03 04 08 09 0A 44: a ClockBlock and no Session",
        &|v, pair| described(pair, plan(v)).clock_block(&clock()),
    );
    let no_schema = case(
        "streams-without-schemas",
        "groups 04 08 09 44: an undescribed stream and nothing else",
        &|v, pair| pair.on(plan(v)),
    );

    let v = page.values("nothing-declared");
    let nothing = Draft::new(
        "nothing-declared",
        &["CA3-2.4-05", "CA3-2.4-02"],
        "groups 08 09 44 alone: no stream, no message, and queries with nothing to answer",
    )
    .valid_asked(
        plan(&v),
        vec![
            Ask::index().with_groups(),
            Ask::state_at(v.u64("t", 2_000, 1..=99_999), &[]),
        ],
    )
    .wrong_answer("refused for a group that is not there, or a result for a stream that is not");

    let v = page.values("a-stream-without-chunks");
    let (pair, plan) = paired(&v);
    let silent = Draft::new(
        "a-stream-without-chunks",
        &["CA3-2.4-05"],
        "a stream that is declared and never written has a result, without a message",
    )
    .valid_asked(
        plan.stream(stream(2)),
        vec![
            Ask::index()
                .with_groups()
                .holds(json!({"directory": [{"stream_ref": 1}, {
                    "stream_ref": 2, "index_count": 0, "message_count": "0", "chunk_count": "0",
                }]})),
            Ask::state_at(pair.behind(3), &[pair.holds(3), none_in_force(2, "exact")]),
        ],
    )
    .wrong_answer("stream 2 is left out, or answers with a message of stream 1");
    vec![neither, no_clocks, no_session, no_schema, nothing, silent]
}

/// The smallest sealed file, whose tables are empty, and then claim an entry.
fn smallest(page: &Page) -> Vec<Draft> {
    let case = |name: &str, label: &str, table: &str| {
        let valid = plan(&page.values(name));
        let guard = surface(&[BadLength]).result(nothing_misread(&valid, table));
        Draft::new(
            name,
            &["CA3-2.4-02"],
            &format!("nothing was recorded: empty tables; then {label} counts an entry"),
        )
        .valid_asked(valid.clone(), vec![Ask::index().with_groups()])
        .invalid_asked(
            // The next record lies directly behind, and would be read as one.
            valid.replace_field(label, "entry_count", &1u32.to_le_bytes()),
            vec![Ask::index().with_groups().surfaces(guard)],
        )
    };
    vec![
        case("smallest-with-an-index-entry", "ChunkIndex", "entries"),
        case(
            "smallest-with-a-directory-entry",
            "StreamDirectory",
            "directory",
        ),
    ]
}

/// Groups that a sealed file must have, left out: what there is, is answered.
fn required(page: &Page) -> Vec<Draft> {
    let may = [Other, BadLength, BadOrder, IndexMismatch, TruncatedRecord];
    [
        ("no-statistics", "Statistics", json!({})),
        (
            "no-chunk-index",
            "ChunkIndex",
            json!({"entries": {"$one_of": [[], [{}, {}]]}}),
        ),
        (
            "no-stream-directory",
            "StreamDirectory",
            json!({"directory": {"$one_of": [[], [{"stream_ref": 1}]]}}),
        ),
    ]
    .into_iter()
    .map(|(name, label, stored)| {
        let (pair, valid) = paired(&page.values(name));
        let queries = [pair.state(1), pair.state(3), pair.window()];
        let queries = queries.map(|ask| ask.may_report(&may).or_refused(&may));
        let index = Ask::index()
            .with_groups()
            .holds(stored)
            .may_report(&may)
            .or_refused(&may);
        Draft::new(
            name,
            &["CA3-2.4-05"],
            &format!("without the group of {label}: the others are answered as they stand"),
        )
        .why(
            "A reader that takes a group for granted reads the next one in its place, or takes \
             a table that is not there for an empty one and finds no data in the recording.",
        )
        .readings(&["G09", "G107"])
        .valid_asked(valid.clone(), pair.asks_with_groups())
        .invalid_asked(
            valid.leave_out(label),
            std::iter::once(index).chain(queries).collect(),
        )
    })
    .collect()
}

/// Groups are found through the Footer and the SummaryOffsets.
fn located(page: &Page) -> Vec<Draft> {
    let v = page.values("offset-without-length");
    let (pair, valid) = paired(&v);
    let no_length = Draft::new(
        "offset-without-length",
        &["CA3-13.4-01"],
        "a SummaryOffset is an opcode, a start and a length: 17 bytes",
    )
    .valid_asked(valid.clone(), pair.asks_with_groups())
    .invalid_asked(
        valid.drop_field("SummaryOffset 08", "length"),
        vec![Ask::index().with_groups().surfaces(surface(&[BadLength]))],
    );

    // A whole sealed file travels as a payload: header, summary, Footer, magic.
    let v = page.values("a-file-in-a-payload");
    let inner = Pair::new(&page.values("a-file-in-a-payload, inside")).on(plan(&v));
    let inner = inner.layout().map_or(Vec::new(), |layout| layout.bytes);
    let stamp = v.u64("stamp", 2_000, 1_000..=99_999);
    let after = stamp.saturating_add(10);
    let last = payload(&v, "after");
    let outer = plan(&v)
        .stream(stream(1))
        .chunk(Chunk::plain(1, &[(stamp, &inner), (after, &last)]));
    let bytes = outer.layout().map_or(Vec::new(), |layout| layout.bytes);
    let found = bytes.windows(inner.len()).position(|at| at == inner);
    // summary_start of the file inside, 36 bytes from its end, from where it lies.
    let tail = inner.len().saturating_sub(36);
    let start = inner.get(tail..tail.saturating_add(8));
    let start = start.and_then(|start| start.try_into().ok());
    let mimic = start
        .map_or(0, u64::from_le_bytes)
        .saturating_add(found.and_then(|at| u64::try_from(at).ok()).unwrap_or(0));
    let pointed = outer
        .clone()
        .replace_field("Footer", "summary_start", &mimic.to_le_bytes())
        .what("the Footer's summary_start is that of the file in the payload");
    let guard = surface(&[BadCrc, BadLength, BadOrder, Other, UnknownOpcode])
        .result(nothing_misread(&outer, "entries"));
    let inside = Draft::new(
        "a-file-in-a-payload",
        &["CA3-16-04"],
        "a payload that is a whole sealed file: the summary is found through the Footer",
    )
    .valid_asked(
        outer,
        vec![
            Ask::index().with_groups(),
            Ask::state_at(
                after.saturating_add(5),
                &[in_force(1, "exact", after, after, &last)],
            ),
        ],
    )
    .invalid_asked(pointed, vec![Ask::index().with_groups().surfaces(guard)]);
    vec![no_length, inside]
}
