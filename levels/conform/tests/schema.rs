//! The JSON Schemas hold what is sent, answered, committed and reported, and
//! their members are those of the types.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

#[path = "schemas/samples.rs"]
mod samples;

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use ca3_conform::conversation;
use ca3_conform::implementation::{Implementation, InTree, Reply, hello_request};
use ca3_conform::schema::Schema;
use ca3_spec::kind::Kind;
use ca3_spec::protocol::OPERATIONS;
use ca3_spec::vector::{MATCHERS, Polarity};
use jsonschema::Validator;
use serde_json::{Value, json};

fn schema(schema: Schema) -> Value {
    serde_json::from_str(schema.text()).unwrap()
}

fn whole(name: Schema) -> Validator {
    jsonschema::validator_for(&schema(name)).unwrap()
}

/// What one operation's anchor asks.
fn of_operation(name: Schema, op: &str) -> Validator {
    let schema = schema(name);
    let id = schema["$id"].as_str().unwrap();
    let entry = json!({
        "$schema": schema["$schema"], "$ref": format!("{id}#{op}"), "$defs": {"of": schema},
    });
    jsonschema::validator_for(&entry).unwrap()
}

#[track_caller]
fn assert_valid(validator: &Validator, value: &Value, what: &str) {
    let errors: Vec<String> = validator
        .iter_errors(value)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{what}: {errors:#?}\n{value}");
}

#[test]
fn each_is_a_schema_of_draft_2020_12() {
    for name in Schema::ALL {
        let schema = schema(name);
        assert_eq!(
            schema["$schema"],
            "https://json-schema.org/draft/2020-12/schema"
        );
        jsonschema::meta::validate(&schema).unwrap();
        let out = Command::new(env!("CARGO_BIN_EXE_ca3-conform"))
            .args(["schema", name.name()])
            .output()
            .unwrap();
        assert_eq!(String::from_utf8(out.stdout).unwrap(), name.text());
    }
}

#[test]
fn every_committed_sidecar_holds() {
    let validator = whole(Schema::Sidecar);
    let corpus = ca3_vectors::Corpus::embedded();
    let mut count = 0;
    for (name, bytes) in corpus.files() {
        if name.ends_with(".json") && !name.ends_with("manifest.json") {
            assert_valid(&validator, &serde_json::from_slice(bytes).unwrap(), name);
            count += 1;
        }
    }
    assert_eq!(count, corpus.cases().unwrap().len());
}

#[test]
fn every_request_and_every_answer_of_the_reference_reader_holds() {
    let hello = serde_json::to_value(hello_request()).unwrap();
    assert_valid(&of_operation(Schema::Request, "hello"), &hello, "hello");
    let answer = InTree.hello(&hello_request()).unwrap();
    assert_valid(
        &of_operation(Schema::Answer, "hello"),
        &Value::Object(answer),
        "hello",
    );

    let (requests, answers) = (whole(Schema::Request), of_operation(Schema::Answer, "read"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vector.ca3");
    let mut count = 0;
    for case in ca3_vectors::cases().unwrap() {
        for polarity in Polarity::BOTH {
            let Some(vector) = case.sidecar.side(polarity).vector() else {
                continue;
            };
            std::fs::write(&path, case.bytes(polarity).unwrap()).unwrap();
            for step in vector.steps.iter().filter(|step| step.op == "read") {
                let request = conversation::request(step, &path, 7);
                let id = &case.sidecar.id;
                assert_valid(&requests, &serde_json::to_value(&request).unwrap(), id);
                let Reply::Answer { answer, .. } = InTree.ask(&request) else {
                    panic!("{id} was not answered")
                };
                assert_valid(&answers, &Value::Object(answer), id);
                count += 1;
            }
        }
    }
    assert!(count > 500);
}

#[test]
fn reports_of_all_sorts_hold() {
    let validator = whole(Schema::Report);
    let wrong = "python3 -c \"\nimport json, sys\nfor line in sys.stdin:\n    ask = json.loads(line)\n    \
                 if ask['op'] == 'hello': result = {'name': 'n', 'level': 1, 'features': [0]}\n    \
                 elif ask['id'] % 3 == 0: sys.exit(1)\n    else: result = {'messages': [{'payload': 1}]}\n    \
                 print(json.dumps({'id': ask['id'], 'status': 'ok', 'result': result}), flush=True)\n\"";
    for arguments in [
        &["--report", "json"][..],
        &["--report", "json", "--item", "5", "--fresh", "3"],
        &["--report", "json", "--item", "4", "--reader", wrong],
    ] {
        let out = Command::new(env!("CARGO_BIN_EXE_ca3-conform"))
            .args(arguments)
            .output()
            .unwrap();
        assert_valid(
            &validator,
            &serde_json::from_slice(&out.stdout).unwrap(),
            "a report",
        );
    }
}

#[test]
fn members_of_types_and_schemas_are_the_same() {
    let mut problems = Vec::new();
    for (name, def, samples) in samples::all() {
        let root = schema(name);
        let at = if def.is_empty() {
            root.clone()
        } else {
            root["$defs"][def].clone()
        };
        let samples: Vec<&Value> = samples.iter().collect();
        compare(
            &root,
            &at,
            &samples,
            &format!("{}: {def}", name.name()),
            &mut problems,
        );
    }
    assert!(problems.is_empty(), "{problems:#?}");
}

/// The schemas of objects that a schema comes to, its alternatives included.
fn objects<'a>(root: &'a Value, schema: &'a Value, found: &mut Vec<&'a Value>) {
    if let Some(reference) = schema["$ref"].as_str() {
        let pointer = reference.strip_prefix('#').unwrap();
        return objects(root, root.pointer(pointer).unwrap(), found);
    }
    for word in ["anyOf", "allOf", "oneOf"] {
        for branch in schema[word].as_array().into_iter().flatten() {
            objects(root, branch, found);
        }
    }
    if schema["properties"].is_object() || schema["items"].is_object() {
        found.push(schema);
    }
}

/// Every member of the samples is a property, every property is in some sample,
/// and so on inside.
fn compare(
    root: &Value,
    schema: &Value,
    samples: &[&Value],
    path: &str,
    problems: &mut Vec<String>,
) {
    let mut found = Vec::new();
    objects(root, schema, &mut found);
    let mut properties: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for schema in &found {
        for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
            properties.entry(name).or_default().push(inner);
        }
        if schema["items"].is_object() {
            let elements: Vec<&Value> = samples
                .iter()
                .filter_map(|sample| sample.as_array())
                .flatten()
                .collect();
            compare(
                root,
                &schema["items"],
                &elements,
                &format!("{path}[]"),
                problems,
            );
        }
    }
    if properties.is_empty() {
        return;
    }
    let members: BTreeSet<&str> = samples
        .iter()
        .filter_map(|sample| sample.as_object())
        .flat_map(|object| object.keys().map(String::as_str))
        .collect();
    for name in &members {
        if !properties.contains_key(name) {
            problems.push(format!(
                "{path}.{name} is in the type and not in the schema"
            ));
        }
    }
    for (name, schemas) in &properties {
        if !members.contains(name) {
            problems.push(format!(
                "{path}.{name} is in the schema and not in the type"
            ));
        }
        let inner: Vec<&Value> = samples
            .iter()
            .filter_map(|sample| sample.get(name))
            .collect();
        for schema in schemas {
            compare(root, schema, &inner, &format!("{path}.{name}"), problems);
        }
    }
}

#[test]
fn the_samples_hold_too() {
    for (name, def, samples) in samples::all() {
        let schema = schema(name);
        let pointer = if def.is_empty() {
            String::new()
        } else {
            format!("/$defs/{def}")
        };
        let id = schema["$id"].as_str().unwrap();
        let entry = json!({"$schema": schema["$schema"], "$ref": format!("{id}#{pointer}"),
            "$defs": {"of": schema}});
        let validator = jsonschema::validator_for(&entry).unwrap();
        for sample in &samples {
            assert_valid(&validator, sample, def);
        }
    }
}

#[test]
fn lists_of_words_are_the_same() {
    let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
    let matchers: Vec<&str> = MATCHERS.iter().map(|(name, _)| *name).collect();
    let (request, answer, sidecar) = (
        schema(Schema::Request),
        schema(Schema::Answer),
        schema(Schema::Sidecar),
    );
    assert_eq!(answer["$defs"]["kind"]["enum"], json!(kinds));
    assert_eq!(sidecar["$defs"]["kind"]["enum"], json!(kinds));
    let names = &sidecar["$defs"]["expectation"]["then"]["propertyNames"]["then"]["enum"];
    assert_eq!(*names, json!(matchers));
    for (op, _) in OPERATIONS {
        assert_eq!(request["$defs"][op]["$anchor"], **op);
        assert_eq!(answer["$defs"][op]["$anchor"], **op);
    }
}

#[test]
fn what_is_wrong_does_not_hold() {
    let refused = |error: Value| json!({"id": 1, "status": "refused", "error": error});
    let answer = whole(Schema::Answer);
    for wrong in [
        json!([]),
        json!({"status": "ok", "result": {}}),
        json!({"id": 1, "status": "fine", "result": {}}),
        json!({"id": 1, "status": "ok"}),
        json!({"id": 1, "status": "ok", "result": []}),
        json!({"id": 1, "status": "ok", "result": {"problems": [{"message": "no kind"}]}}),
        json!({"id": -1, "status": "unsupported", "reason": "r"}),
        json!({"id": 1, "status": "unsupported"}),
        refused(json!({"kind": "bad-checksum"})),
        refused(json!({"kind": "bad-crc", "offset": "007"})),
        refused(json!({"kind": "bad-crc", "bits": 7})),
    ] {
        assert!(!answer.is_valid(&wrong), "{wrong}");
    }
    let read = of_operation(Schema::Answer, "read");
    let right = json!({"id": 1, "status": "ok", "result": samples::read_result()});
    assert_valid(&read, &right, "a whole answer");
    for (pointer, value) in [
        ("/result/sealed", json!("true")),
        ("/result/header/host_id", json!(7)),
        ("/result/header/attributes", json!([["k", "v"]])),
        ("/result/messages/0/payload", json!("0AFF")),
        ("/result/messages/0/sequence", json!(4_294_967_296_u64)),
        ("/result/messages/0/wall_clock_ns", json!(1.5)),
        ("/result/streams", json!({})),
        ("/result/schemas/0/descriptor_sha256", json!("00")),
        ("/result/calendar_time", json!("maybe")),
    ] {
        let mut wrong = right.clone();
        *wrong.pointer_mut(pointer).unwrap() = value;
        assert!(!read.is_valid(&wrong), "{pointer}");
    }
    let hello = of_operation(Schema::Answer, "hello");
    for level in [json!(0), json!(5), json!("1"), json!(null)] {
        let wrong = json!({"id": 1, "status": "ok", "result": {"name": "n", "level": level}});
        assert!(!hello.is_valid(&wrong), "{wrong}");
    }
    let request = whole(Schema::Request);
    assert!(request.is_valid(&json!({"id": 1, "op": "unheard-of"})));
    for wrong in [
        json!({"op": "hello", "protocol": 1, "kit": "0"}),
        json!({"id": 1, "op": "hello", "protocol": 2, "kit": "0"}),
        json!({"id": 1, "op": "read"}),
        json!({"id": 1, "op": "state_at", "path": "/x", "t": "-1"}),
        json!({"id": 1, "op": "window", "path": "/x", "t1": "1", "t2": "2"}),
    ] {
        assert!(!request.is_valid(&wrong), "{wrong}");
    }
    let sidecar = whole(Schema::Sidecar);
    let right = samples::sidecar();
    for (pointer, value) in [
        ("/id", json!("omni/1/a")),
        ("/level", json!(5)),
        ("/rules", json!([])),
        (
            "/valid/steps/0/expect",
            json!({"answer": {"result": {"a": {"$ont_of": []}}}}),
        ),
        (
            "/valid/steps/0/expect",
            json!({"surface": {"kinds": ["no-kind"]}}),
        ),
        ("/invalid", json!({"none": "because", "reason": "r"})),
    ] {
        let mut wrong = right.clone();
        *wrong.pointer_mut(pointer).unwrap() = value;
        assert!(!sidecar.is_valid(&wrong), "{pointer}");
    }
    let mut more = right;
    more["more"] = json!(1);
    assert!(!sidecar.is_valid(&more));
}
