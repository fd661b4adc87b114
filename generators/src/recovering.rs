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
    Ask::recover()
        .holds(saved(kept))
        .holds(json!({
            "sealed": false,
            "truncated": true,
            "complete": false,
            "method": method,
        }))
        // Reading G93.
        .may_report(&[Kind::TruncatedRecord])
}

/// `recover` of a sealed file whose summary does not verify: by this method
/// what `kept` holds comes back. Whether it is complete is reading G57's.
pub fn repaired(method: &str, kept: &Plan) -> Ask {
    Ask::recover()
        .holds(saved(kept))
        .holds(json!({"sealed": true, "method": method}))
        .may_report(&[Kind::BadCrc])
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

/// What recovery returns of a plan's records.
pub fn saved(kept: &Plan) -> Value {
    let kept = kept.clone().unsealed();
    let Ok(layout) = kept.layout() else {
        return Value::Null;
    };
    let mut result: Map<String, Value> = Map::new();
    if let Value::Object(read) = kept.expected(&layout) {
        let members = ["session", "schemas", "streams", "messages"];
        let of_read = read.into_iter();
        result.extend(of_read.filter(|(name, _)| members.contains(&name.as_str())));
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
    COUNTED
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), row.get(*name)?.clone())))
        .collect::<Map<String, Value>>()
        .into()
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

/// The Header that comes back.
pub fn header(kept: &Plan) -> Value {
    let read = kept.layout().map(|layout| kept.expected(&layout));
    json!({"header": read.ok().and_then(|read| read.get("header").cloned())})
}

/// A checkpoint passes the four checks and its content does not decode: a
/// problem names that, or it lends nothing and the records are walked (reading
/// G141). Either way every whole chunk comes back (§8.4).
pub fn without_its_content(kept: &Plan, kinds: &[Kind]) -> Ask {
    let with = |method: Value| {
        let mut result = saved(kept);
        if let (Value::Object(result), Value::Object(more)) = (&mut result, method) {
            result.extend(more);
        }
        result
    };
    let state = json!({"sealed": false, "truncated": true, "complete": false});
    Ask::recover().surfaces(Surface {
        kinds: kinds.to_vec(),
        result: with(state),
        or_result: with(json!({"truncated": true, "complete": false, "method": SPINE})),
        ..Surface::default()
    })
}
