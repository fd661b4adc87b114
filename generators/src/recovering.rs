//! What `recover` owes, in a case's own words.
//!
//! What is saved is stated as a plan: the records that come back, and no other.
//! Its index is sorted and its columns computed anew (§8.3, step 5), and of its
//! directory only what follows from chunks is judged (readings G51, G137).

use ca3_spec::kind::Kind;
use ca3_spec::protocol::Decimal;
use ca3_spec::vector::Surface;
use ca3_wire::records::ClockBlock;
use serde_json::{Map, Value, json};

use crate::asking::{Ask, offset_of, size_of_file};
use crate::draft::{Surfacing, surface};
use crate::plan::Plan;
use crate::timing;

/// By its summary.
pub const SUMMARY: &str = "summary";
/// By the chain of its checkpoints.
pub const CHAIN: &str = "checkpoint-chain";
/// By a walk over every record.
pub const SPINE: &str = "spine-walk";

/// Members of a directory row that follow from the chunks.
const COUNTED: [&str; 8] = [
    "stream_ref",
    "flags",
    "first_index",
    "index_count",
    "message_count",
    "chunk_count",
    "first_stamp_ns",
    "last_stamp_ns",
];

/// `recover` of a file that is not sealed: by this method what `kept` holds
/// comes back, and the file is truncated (§8.4).
pub fn recovered(method: &str, kept: &Plan) -> Ask {
    cut_off(saved(kept)).holds(json!({"method": method}))
}

/// `recover` of a file that is not sealed, its answer holding these members.
fn cut_off(members: Value) -> Ask {
    Ask::recover()
        .holds(members)
        .holds(not_whole())
        // Reading G93.
        .may_report(&[Kind::TruncatedRecord])
}

/// As [`recovered`], of what `kept` holds judged by these members alone.
pub fn recovered_only(method: &str, kept: &Plan, names: &[&str]) -> Ask {
    cut_off(only(kept, names)).holds(json!({"method": method}))
}

/// What is said of every file that is not sealed (§8.4).
fn not_whole() -> Value {
    json!({"sealed": false, "truncated": true, "complete": false})
}

/// `recover` of a sealed file whose summary does not verify: by this method
/// what `kept` holds comes back. Whether it is complete is reading G57's; what
/// is said of the damage is not judged.
pub fn repaired(method: &str, kept: &Plan) -> Ask {
    Ask::recover()
        .holds(saved(kept))
        .holds(json!({"sealed": true, "method": method}))
        .may_report_anything()
}

/// `recover` of a sealed file that verifies (§8.3, step 1).
pub fn intact(whole: &Plan) -> Ask {
    Ask::recover().holds(saved(whole)).holds(json!({
        "sealed": true,
        "truncated": false,
        "complete": true,
        "method": SUMMARY,
    }))
}

/// Members of a stream that tell it from every other; level 1 judges the rest.
const DECLARED: [&str; 3] = ["stream_ref", "schema_ref", "topic"];

/// What recovery returns of a plan's records. What a message lacks is left out:
/// a missing member and null are the same, and the sidecars stay small.
pub fn saved(kept: &Plan) -> Value {
    let kept = kept.clone().unsealed();
    let layout = match kept.layout() {
        Ok(layout) => layout,
        // No record is called so: the case is not built, and says this.
        Err(error) => return json!({"messages": offset_of(&format!("of what is kept: {error}"))}),
    };
    let mut result: Map<String, Value> = Map::new();
    if let Value::Object(read) = kept.expected(&layout) {
        let members = ["session", "schemas"];
        for (name, value) in read {
            match (name.as_str(), value) {
                ("streams", Value::Array(streams)) => {
                    let streams = streams.iter().map(|stream| only_of(stream, &DECLARED));
                    result.insert(name, streams.collect());
                }
                ("messages", Value::Array(messages)) => {
                    result.insert(name, messages.into_iter().map(without_nulls).collect());
                }
                (_, value) if members.contains(&name.as_str()) => {
                    result.insert(name, value);
                }
                _ => {}
            }
        }
    }
    if let Value::Object(index) = crate::asking::index_of(&kept) {
        result.extend(index);
    }
    if let Some(Value::Array(rows)) = result.remove("directory") {
        let (idle, busy): (Vec<Value>, Vec<Value>) = rows
            .iter()
            .map(counted)
            .partition(|row| row.get("index_count") == Some(&json!(0)));
        let directory = if idle.is_empty() {
            json!(busy)
        } else {
            // Reading G137: whether a stream without chunks has a row.
            let by_stream = |row: &Value| json!({"stream_ref": row.get("stream_ref")});
            let may: Vec<Value> = idle.iter().map(by_stream).collect();
            json!({"$must_may": {"must": busy, "may": may}})
        };
        result.insert("directory".to_owned(), directory);
    }
    Value::Object(result)
}

/// A rebuilt directory's rows in full, streams without chunks among them.
pub fn rebuilt_directory(kept: &Plan) -> Value {
    let index = crate::asking::index_of(&kept.clone().unsealed());
    let rows = index.get("directory").and_then(Value::as_array);
    rows.into_iter().flatten().map(counted).collect()
}

fn counted(row: &Value) -> Value {
    only_of(row, &COUNTED)
}

/// These members of an object.
fn only_of(object: &Value, members: &[&str]) -> Value {
    members
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), object.get(*name)?.clone())))
        .collect::<Map<String, Value>>()
        .into()
}

fn without_nulls(object: Value) -> Value {
    match object {
        Value::Object(members) => members
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .collect::<Map<String, Value>>()
            .into(),
        other => other,
    }
}

/// The chain: labels of checkpoints and their numbers, newest first.
pub fn chain(checkpoints: &[(&str, u64)]) -> Value {
    let listed = checkpoints
        .iter()
        .map(|(label, seq)| json!({"offset": offset_of(label), "checkpoint_seq": Decimal(*seq)}));
    json!({"checkpoints": listed.collect::<Vec<Value>>()})
}

/// None of these records stands among the checkpoints.
pub fn never_listed(labels: &[&str]) -> Value {
    let listed = labels
        .iter()
        .map(|label| json!({"$not": {"$contains": [{"offset": offset_of(label)}]}}));
    match listed.collect::<Vec<Value>>().as_slice() {
        [one] => json!({"checkpoints": one}),
        several => json!({"checkpoints": {"$not": {"$one_of": several
            .iter()
            .filter_map(|one| one.get("$not"))
            .collect::<Vec<&Value>>()}}}),
    }
}

/// The walk stops in front of this record, for one of these reasons.
pub fn stopped(label: &str, reasons: &[Kind]) -> Value {
    json!({"stopped_at": offset_of(label), "stop_reason": {"$one_of": reasons}})
}

/// The walk reaches the end of a file that ends between two records.
pub fn to_the_end() -> Value {
    json!({"stopped_at": size_of_file(), "stop_reason": "end-of-file"})
}

/// The clock that comes back: the stored values of this block.
pub fn clock(block: &ClockBlock) -> Value {
    let domains = block.domains.iter().map(|domain| {
        let mut view = timing::domain_view(domain, Value::Null);
        if let Value::Object(members) = &mut view {
            members.remove("verification");
        }
        view
    });
    json!({"clock": {
        "reference": timing::reference(
            &block.reference_host_id,
            &block.reference_host_clock_epoch,
        ),
        "domains": domains.collect::<Vec<Value>>(),
    }})
}

/// The walk stops behind the last record of `kept`, for one of these reasons.
pub fn stopped_behind(kept: &Plan, reasons: &[Kind]) -> Value {
    let size = kept.clone().unsealed().layout();
    let size = size.map_or(0, |layout| crate::plan::wide(layout.bytes.len()));
    json!({"stopped_at": Decimal(size), "stop_reason": {"$one_of": reasons}})
}

/// Of what recovery returns of a plan's records, these members.
pub fn only(kept: &Plan, names: &[&str]) -> Value {
    only_of(&saved(kept), names)
}

/// A chunk of a file that is not sealed is withheld: a problem of one of these
/// kinds names it, these payloads do not come back, and the answer, which is no
/// refusal (item 29), holds these members.
pub fn withheld(kinds: &[Kind], payloads: &[Vec<u8>], held: &[Value]) -> Vec<Ask> {
    withheld_of(&not_whole(), kinds, payloads, held)
}

/// As [`withheld`], of a sealed file whose summary verifies (reading G143).
pub fn withheld_of_a_sealed_file(kinds: &[Kind], payloads: &[Vec<u8>], held: &[Value]) -> Vec<Ask> {
    let sealed = json!({
        "sealed": true,
        "truncated": false,
        "complete": false,
        "method": SUMMARY,
    });
    withheld_of(&sealed, kinds, payloads, held)
}

/// A problem of one of these kinds is named in an answer that holds these
/// members, of a file that is not sealed.
pub fn named_in_an_answer(kinds: &[Kind], held: &[Value]) -> Vec<Ask> {
    withheld(kinds, &[], held)
}

fn withheld_of(said: &Value, kinds: &[Kind], payloads: &[Vec<u8>], held: &[Value]) -> Vec<Ask> {
    let result: Map<String, Value> = held
        .iter()
        .chain([said])
        .filter_map(Value::as_object)
        .flat_map(Map::clone)
        .collect();
    let payloads: Vec<&[u8]> = payloads.iter().map(Vec::as_slice).collect();
    let named = surface(kinds).forbid(&payloads).result(result.into());
    surfaced_in_an_answer(named, said)
}

/// What surfaces a violation may refuse; that no file is refused is asked apart.
fn surfaced_in_an_answer(surface: Surface, said: &Value) -> Vec<Ask> {
    let answered = Ask::recover().holds(said.clone()).may_report_anything();
    vec![Ask::recover().surfaces(surface), answered]
}

/// By another method than the chain: the checkpoints that lent something, of
/// these two or fewer, newest first; none of them need be listed.
pub fn lent(newer: (&str, u64), older: (&str, u64)) -> Value {
    let listed = [&[][..], &[older], &[newer], &[newer, older]].map(chain);
    let lists = listed.iter().filter_map(|one| one.get("checkpoints"));
    json!({"checkpoints": {"$one_of": lists.collect::<Vec<&Value>>()}})
}

/// As [`recovered`], for cases about how a checkpoint is found: streams,
/// messages and entries are judged by what tells one from another.
pub fn found(method: &str, kept: &Plan) -> Ask {
    let saved = saved(kept);
    let told = [
        ("streams", &["stream_ref"][..]),
        ("messages", &["monotonic_timestamp_ns", "payload"]),
        ("entries", &["chunk_offset", "chunk_length"]),
    ];
    let members = told.iter().map(|(table, names)| {
        let rows = saved.get(*table).and_then(Value::as_array);
        let rows = rows.into_iter().flatten();
        let told: Value = rows.map(|row| only_of(row, names)).collect();
        ((*table).to_owned(), told)
    });
    cut_off(Value::Object(members.collect())).holds(json!({"method": method}))
}

/// The Header that comes back.
pub fn header(kept: &Plan) -> Value {
    let read = kept.layout().map(|layout| kept.expected(&layout));
    json!({"header": read.ok().and_then(|read| read.get("header").cloned())})
}

/// A checkpoint passes the four checks and its content does not decode: a
/// problem names that, or it lends nothing and the records are walked (reading
/// G141). Either way every whole chunk comes back (§8.4).
pub fn without_its_content(kept: &Plan, kinds: &[Kind]) -> Vec<Ask> {
    let with = |more: Value| {
        let members = [saved(kept), not_whole(), more];
        let members = members.iter().filter_map(Value::as_object);
        members.flat_map(Map::clone).collect::<Map<String, Value>>()
    };
    let named = Surface {
        kinds: kinds.to_vec(),
        result: with(json!({})).into(),
        or_result: with(json!({"method": SPINE})).into(),
        ..Surface::default()
    };
    surfaced_in_an_answer(named, &not_whole())
}
