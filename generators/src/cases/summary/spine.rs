//! Item 16: an unknown must-understand record in the data section, behind a
//! summary that is in order (§3.1, §16).
//!
//! A reader that goes from the Footer to the chunks never meets it. It refuses
//! the file, having walked the frames, or it says `not-walked` beside an answer
//! that is otherwise right.

use ca3_spec::kind::Kind::{self, InvalidOpcode, ReservedOpcode, UnknownOpcode};
use ca3_spec::vector::Surface;
use serde_json::{Value, json};

use super::super::{Page, plan};
use super::Pair;
use crate::asking::index_of;
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::{Plan, stream};
use crate::{Ask, Values};

const RECORD: &str = "record 1";

/// Where the record stands in the data section.
#[derive(Clone, Copy)]
enum Place {
    /// Directly behind the Header.
    First,
    /// Between the two chunks.
    Between,
    /// Directly in front of the summary.
    Last,
}

/// A record that version 1 does not define, and how it is rejected.
#[derive(Clone, Copy)]
struct Unknown {
    opcode: u8,
    /// A skippable one, for the valid twin.
    twin: u8,
    kind: Kind,
    /// Its name, where version 1 reserves it.
    name: Option<&'static str>,
}

impl Unknown {
    const fn new(opcode: u8, twin: u8) -> Self {
        Unknown {
            opcode,
            twin,
            kind: UnknownOpcode,
            name: None,
        }
    }

    fn surface(self) -> Surface {
        let surface = surface(&[self.kind]).refused();
        match self.name {
            // As `read` rejects them: a reserved one by name (§3.4), one of the
            // format's own by number (§3.1).
            Some(name) => surface.naming("name", json!(name)),
            None if (0x01..=0x3F).contains(&self.opcode) => {
                surface.naming("opcode", json!(self.opcode))
            }
            None => surface,
        }
    }
}

const UNKNOWN: Unknown = Unknown::new(0x2A, 0x4B);
const ZERO: Unknown = Unknown {
    kind: InvalidOpcode,
    ..Unknown::new(0x00, 0x4A)
};
const RESERVED: Unknown = Unknown {
    kind: ReservedOpcode,
    name: Some("ErasedChunk"),
    ..Unknown::new(0x0B, 0x4C)
};
const PRIVATE: Unknown = Unknown::new(0x80, 0xC0);
/// The ends of both must-understand ranges.
const LAST: Unknown = Unknown::new(0x3F, 0x7F);
const LAST_PRIVATE: Unknown = Unknown::new(0xBF, 0xFF);

fn file(v: &Values, pair: &Pair, place: Place, opcode: u8) -> Plan {
    let content = v.bytes("content", b"of a later version");
    let put = |plan: Plan, here: bool| {
        if here {
            plan.record(opcode, &content)
        } else {
            plan
        }
    };
    let first = put(plan(v), matches!(place, Place::First));
    let one = first.stream(stream(1)).chunk(pair.one());
    let two = put(one, matches!(place, Place::Between)).chunk(pair.two());
    put(two, matches!(place, Place::Last))
}

/// The three indexed operations, each with what it owes on the spoilt file:
/// a refusal, or `not-walked` beside this right answer.
fn questions(pair: &Pair, invalid: &Plan) -> Vec<(Ask, Value)> {
    vec![
        (Ask::index(), index_of(invalid)),
        (pair.state(1), json!({"results": [pair.holds(1)]})),
        (pair.state(3), json!({"results": [pair.holds(3)]})),
        (pair.window(), json!({"messages": pair.emitted()})),
    ]
}

fn or_not_walked(ask: Ask, unknown: Unknown, mut right: Value) -> Ask {
    if let Value::Object(members) = &mut right {
        members.insert("spine".to_owned(), json!("not-walked"));
    }
    ask.surfaces(Surface {
        or_result: right,
        ..unknown.surface()
    })
}

fn hidden(page: &Page, name: &str, title: &str, place: Place, unknown: Unknown) -> Draft {
    let v = page.values(name);
    let pair = Pair::new(&v);
    let valid = file(&v, &pair, place, unknown.twin);
    let invalid = valid.clone().opcode(RECORD, unknown.opcode);
    let surfaced = questions(&pair, &invalid).into_iter();
    let surfaced = surfaced.map(|(ask, right)| or_not_walked(ask, unknown, right));
    Draft::new(name, &["CA3-16-02"], title)
        .valid_asked(valid, pair.asks())
        .invalid_asked(invalid, surfaced.collect())
}

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    use Place::{Between, First, Last};
    let mut cases: Vec<Draft> = [
        (
            "unknown-first",
            First,
            UNKNOWN,
            "2A directly behind the Header",
        ),
        (
            "unknown-between-chunks",
            Between,
            UNKNOWN,
            "2A between two chunks of the index",
        ),
        (
            "unknown-last",
            Last,
            LAST,
            "3F behind the last chunk, in front of the summary",
        ),
        ("zero-first", First, ZERO, "00 directly behind the Header"),
        (
            "zero-between-chunks",
            Between,
            ZERO,
            "00 between two chunks of the index",
        ),
        ("zero-last", Last, ZERO, "00 in front of the summary"),
        (
            "reserved-first",
            First,
            RESERVED,
            "the reserved 0B directly behind the Header",
        ),
        (
            "reserved-between-chunks",
            Between,
            RESERVED,
            "the reserved 0B between two chunks",
        ),
        (
            "reserved-last",
            Last,
            RESERVED,
            "the reserved 0B in front of the summary",
        ),
        (
            "private-first",
            First,
            PRIVATE,
            "the private 80 directly behind the Header",
        ),
        (
            "private-between-chunks",
            Between,
            PRIVATE,
            "the private 80 between two chunks",
        ),
        (
            "private-last",
            Last,
            LAST_PRIVATE,
            "the private BF in front of the summary",
        ),
    ]
    .into_iter()
    .map(|(name, place, unknown, where_it_is)| {
        let title = format!("{where_it_is}: refused, or the spine is said not to be walked");
        hidden(page, name, &title, place, unknown)
    })
    .collect();
    cases.extend(claims(page));
    cases
}

/// What is said of the spine does not depend on what was asked before.
fn claims(page: &Page) -> Vec<Draft> {
    let v = page.values("each-asked-afresh");
    let pair = Pair::new(&v);
    let valid = file(&v, &pair, Place::Between, UNKNOWN.twin);
    let invalid = valid.clone().opcode(RECORD, UNKNOWN.opcode);
    let surfaced = questions(&pair, &invalid).into_iter().rev();
    let afresh = Draft::new(
        "each-asked-afresh",
        &["CA3-16-03"],
        "window, state_at and index, each of a new process: none claims a walk that was not made",
    )
    .valid_asked(
        valid,
        pair.asks().into_iter().rev().map(Ask::afresh).collect(),
    )
    .invalid_asked(
        invalid,
        surfaced
            .map(|(ask, right)| or_not_walked(ask, UNKNOWN, right).afresh())
            .collect(),
    );

    let v = page.values("after-a-read");
    let pair = Pair::new(&v);
    let valid = file(&v, &pair, Place::Last, UNKNOWN.twin);
    let invalid = valid.clone().opcode(RECORD, UNKNOWN.opcode);
    let mut asked = vec![Ask::read()];
    asked.extend(pair.asks());
    let mut surfaced = vec![Ask::read().surfaces(UNKNOWN.surface())];
    surfaced.extend(
        questions(&pair, &invalid)
            .into_iter()
            .map(|(ask, right)| or_not_walked(ask, UNKNOWN, right)),
    );
    let after = Draft::new(
        "after-a-read",
        &["CA3-16-03"],
        "read has walked and refused the file: no later answer claims the walk and an `ok`",
    )
    .valid_asked(valid, asked)
    .invalid_asked(invalid, surfaced);
    vec![afresh, after]
}
