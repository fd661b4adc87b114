//! Implementations that know nothing of the format must not be certified.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use ca3_conform::implementation::{Implementation, InTree, Reply};
use ca3_conform::judging::Outcome;
use ca3_conform::suite::{Origin, Suite};
use ca3_conform::verdict::Standing;
use ca3_spec::protocol::Request;
use ca3_spec::vector::Polarity;
use serde_json::{Map, Value, json};
use support::{Fake, committed, judge, outcomes};

fn fake<F>(answer: F) -> impl Fn() -> Box<dyn Implementation> + Sync
where
    F: FnMut(&Request) -> Value + Clone + Send + Sync + 'static,
{
    move || {
        Box::new(Fake {
            level: ca3_reader::answer::LEVEL,
            features: vec![0, 2],
            answer: answer.clone(),
        })
    }
}

/// The reference reader's answer.
fn right(request: &Request) -> Value {
    match InTree.ask(request) {
        Reply::Answer { answer, .. } => Value::Object(answer),
        other => panic!("the reference reader did not answer: {other:?}"),
    }
}

#[test]
fn whoever_accepts_everything_passes_nothing_that_asks_for_data_or_a_violation() {
    let empty = fake(|_| json!({"status": "ok", "result": {}}));
    let (results, verdict) = judge(&committed(), &empty);
    assert_eq!(verdict.standing, Standing::NotConformant);
    let passed: Vec<&str> = results
        .iter()
        .flat_map(|case| case.files().map(move |(_, file)| (case, file)))
        .filter(|(_, file)| file.outcome() == Outcome::Pass)
        .map(|(case, _)| case.id.as_str())
        .filter(|id| !id.contains("hello"))
        .collect();
    assert!(passed.is_empty(), "{passed:?}");

    let plausible = fake(|_| {
        json!({"status": "ok", "result": {
            "sealed": false, "complete": false, "stopped_at": null, "header": {}, "session": null,
            "schemas": [], "streams": [], "messages": [], "skipped": [],
        }})
    });
    assert_eq!(
        judge(&committed(), &plausible).1.standing,
        Standing::NotConformant
    );
}

#[test]
fn whoever_refuses_everything_proves_nothing() {
    let refuse = fake(|_| json!({"status": "refused", "error": {"kind": "other"}}));
    let (results, verdict) = judge(&committed(), &refuse);
    assert_eq!(verdict.standing, Standing::NotConformant);
    for case in results.iter().filter(|case| case.valid.is_some()) {
        if let Some(invalid) = &case.invalid {
            let outcome = invalid.outcome();
            assert!(
                matches!(outcome, Outcome::Inconclusive | Outcome::Fail),
                "{}: {outcome:?}",
                case.id
            );
        }
    }
}

#[test]
fn whoever_refuses_for_features_it_does_not_list_must_still_read_the_rest() {
    // The bits are read off the file, as even a dishonest program can.
    let refuse = |request: &Request| {
        let bytes = fs::read(request.path.as_ref().unwrap()).unwrap_or_default();
        let bitmap = bytes
            .get(17..25)
            .map_or(0, |at| u64::from_le_bytes(at.try_into().unwrap()));
        let bits = ca3_spec::feature::bits(bitmap);
        let names: Vec<_> = bits
            .iter()
            .map(|bit| ca3_spec::feature::name(*bit))
            .collect();
        json!({"status": "refused", "error":
            {"kind": "unsupported-feature", "bits": bits, "names": names}})
    };
    let make: &(dyn Fn() -> Box<dyn Implementation> + Sync) = &move || {
        Box::new(Fake {
            level: ca3_reader::answer::LEVEL,
            features: Vec::new(),
            answer: refuse,
        })
    };
    assert_eq!(
        judge(&committed(), make).1.standing,
        Standing::NotConformant
    );
}

#[test]
fn whoever_always_adds_a_problem_passes_no_valid_file() {
    let complain = fake(|request: &Request| {
        let mut answer = right(request);
        if let Some(result) = answer.get_mut("result") {
            let problems = result
                .as_object_mut()
                .unwrap()
                .entry("problems")
                .or_insert(json!([]));
            problems
                .as_array_mut()
                .unwrap()
                .push(json!({"kind": "other", "message": "perhaps"}));
        }
        answer
    });
    let (results, verdict) = judge(&committed(), &complain);
    assert_eq!(verdict.standing, Standing::NotConformant);
    let honest = outcomes(&judge(&committed(), &|| Box::new(InTree)).0);
    assert!(
        outcomes(&results)["pass"] < honest["pass"] / 2,
        "{:?}",
        outcomes(&results)
    );
}

#[test]
fn a_table_of_the_committed_answers_fails_on_fresh_vectors() {
    let suite = committed();
    let mut table: BTreeMap<(Vec<u8>, String), Value> = BTreeMap::new();
    let folder = tempfile::tempdir().unwrap();
    let question = |op: &str, arguments: &Map<String, Value>| format!("{op} {}", json!(arguments));
    for case in &suite.cases {
        for polarity in Polarity::BOTH {
            let vector = case.sidecar.side(polarity).vector();
            let (Some(vector), Some(bytes)) = (vector, case.bytes(polarity)) else {
                continue;
            };
            let path = folder.path().join("vector.ca3");
            fs::write(&path, bytes).unwrap();
            for step in vector.steps.iter().filter(|step| step.op != "hello") {
                let request = Request {
                    id: 1,
                    op: step.op.clone(),
                    path: Some(path.to_str().unwrap().to_owned()),
                    arguments: step.arguments.clone(),
                };
                let key = (bytes.to_vec(), question(&step.op, &step.arguments));
                table.insert(key, right(&request));
            }
        }
    }
    let table = Arc::new(table);
    let look_up = fake(move |request: &Request| {
        let bytes = fs::read(request.path.as_ref().unwrap()).unwrap();
        let refused = json!({"status": "refused", "error": {"kind": "other"}});
        let key = (bytes, question(&request.op, &request.arguments));
        table.get(&key).cloned().unwrap_or(refused)
    });
    assert_eq!(
        judge(&suite, &look_up).1.standing,
        Standing::Certified,
        "the table is complete"
    );
    let fresh = Suite::load(&Origin::Fresh(20)).unwrap();
    let (results, verdict) = judge(&fresh, &look_up);
    assert_eq!(verdict.standing, Standing::NotConformant);
    let missed = outcomes(&results);
    assert!(missed["fail"] > suite.cases.len() / 4, "{missed:?}");
}

#[test]
fn the_reference_reader_reads_fresh_vectors_too() {
    let fresh = Suite::load(&Origin::Fresh(20)).unwrap();
    let (results, verdict) = judge(&fresh, &|| Box::new(InTree));
    assert_eq!(
        verdict.standing,
        Standing::Passed,
        "{:?} {:?}",
        verdict,
        outcomes(&results)
    );
}
