//! Judging by hand-made vectors and answers.

use std::time::Duration;

use serde_json::json;

use super::*;

fn claims(features: &[u8]) -> Claims {
    let Value::Object(answer) = json!({"id": 1, "status": "ok", "result": {
        "name": "r", "level": 1, "features": features,
    }}) else {
        panic!("an object is no object");
    };
    Claims::read(answer).unwrap()
}

fn vector(value: Value) -> Vector {
    let mut vector = json!({"file": "x.valid.ca3", "required_features": "0"});
    for (name, member) in value.as_object().unwrap() {
        vector[name] = member.clone();
    }
    serde_json::from_value(vector).unwrap()
}

fn expecting(expect: Value) -> Vector {
    vector(json!({"steps": [{"op": "read", "expect": expect}]}))
}

fn reply(answer: Value) -> Reply {
    let Value::Object(answer) = answer else {
        panic!("{answer} is no object")
    };
    Reply::Answer {
        answer,
        stderr: "log".to_owned(),
        died_before: None,
    }
}

fn judged(expect: Value, answer: Value) -> JudgedStep {
    judge(
        &expecting(expect),
        vec![reply(answer)],
        &claims(&[0, 2]),
        false,
    )
    .steps
    .remove(0)
}

#[track_caller]
fn check(expect: &Value, answer: Value, outcome: Outcome, path: &str) {
    let step = judged(expect.clone(), answer.clone());
    assert_eq!(step.outcome, outcome, "{expect} against {answer}: {step:?}");
    let first = step
        .mismatches
        .first()
        .map_or("", |mismatch| mismatch.path.as_str());
    assert_eq!(first, path, "{expect} against {answer}");
}

#[test]
fn a_valid_file_wants_its_data_and_no_problem() {
    let expect = json!({"answer": {"result": {"sealed": true}, "may_report": ["bad-order"]}});
    let ok = |result: Value| json!({"status": "ok", "result": result});
    check(&expect, ok(json!({"sealed": true})), Outcome::Pass, "");
    check(
        &expect,
        ok(json!({"sealed": true, "problems": []})),
        Outcome::Pass,
        "",
    );
    check(
        &expect,
        ok(json!({"sealed": true, "problems": null})),
        Outcome::Pass,
        "",
    );
    check(
        &expect,
        ok(json!({"sealed": true, "problems": [{"kind": "bad-order"}]})),
        Outcome::Pass,
        "",
    );
    check(
        &expect,
        ok(json!({"sealed": false})),
        Outcome::Fail,
        "sealed",
    );
    check(
        &expect,
        ok(json!({"sealed": true, "problems": [{"kind": "bad-order"}, {"kind": "bad-crc"}]})),
        Outcome::Fail,
        "problems[1]",
    );
    check(
        &expect,
        ok(json!({"sealed": true, "problems": ["?"]})),
        Outcome::Fail,
        "problems[0]",
    );
    check(
        &expect,
        json!({"status": "ok", "result": {"sealed": true}, "problems": [{"kind": "other"}]}),
        Outcome::Fail,
        "problems[0]",
    );
    check(
        &expect,
        json!({"status": "refused", "error": {"kind": "bad-crc"}}),
        Outcome::Fail,
        "status",
    );
    check(&expect, json!({"status": "ok"}), Outcome::Fail, "");
    check(&expect, json!({"status": "fine"}), Outcome::Fail, "status");
    check(&expect, json!({}), Outcome::Fail, "status");
}

#[test]
fn any_report_may_be_allowed() {
    let expect = json!({"answer": {"result": {}, "may_report_any": true}});
    let answer = json!({"status": "ok", "result": {"problems": [{"kind": "other"}]}});
    check(&expect, answer, Outcome::Pass, "");
}

#[test]
fn a_violation_is_surfaced_by_a_refusal_or_a_problem() {
    let expect = json!({"surface": {"kinds": ["bad-crc"]}});
    let refused = json!({"status": "refused", "error": {"kind": "bad-crc"}});
    let reported = json!({"status": "ok", "result": {"problems": [{"kind": "bad-crc"}]}});
    let silent = json!({"status": "ok", "result": {"problems": []}});
    check(&expect, refused.clone(), Outcome::Pass, "");
    check(&expect, reported.clone(), Outcome::Pass, "");
    check(&expect, silent.clone(), Outcome::Fail, "problems");
    check(
        &expect,
        json!({"status": "ok", "result": {"sealed": false, "complete": false}}),
        Outcome::Fail,
        "problems",
    );

    let refusing = json!({"surface": {"kinds": ["bad-crc"], "refuse": true}});
    check(&refusing, refused, Outcome::Pass, "");
    check(&refusing, reported, Outcome::Fail, "status");
    check(&refusing, silent, Outcome::Fail, "status");
}

#[test]
fn truncation_may_be_stated_by_the_result() {
    let expect = json!({"surface": {"kinds": ["truncated-record"], "truncated": true}});
    let stated = |sealed: bool, complete: bool| json!({"status": "ok", "result": {"sealed": sealed, "complete": complete}});
    check(&expect, stated(false, false), Outcome::Pass, "");
    check(&expect, stated(false, true), Outcome::Fail, "problems");
    check(&expect, stated(true, false), Outcome::Fail, "problems");
    check(
        &expect,
        json!({"status": "ok", "result": {}}),
        Outcome::Fail,
        "problems",
    );
}

#[test]
fn a_wrong_kind_is_a_note_and_a_failure_only_when_strict() {
    let vector = expecting(json!({"surface": {"kinds": ["bad-crc", "bad-length"]}}));
    for kind in [json!("other"), json!("my-kind"), json!(null)] {
        let answer = json!({"status": "refused", "error": {"kind": kind}});
        let lenient = judge(&vector, vec![reply(answer.clone())], &claims(&[]), false);
        assert_eq!(lenient.outcome, Outcome::Pass);
        assert!(
            lenient.steps[0].notes[0]
                .text
                .contains("bad-crc or bad-length")
        );
        assert!(lenient.accepted());
        let strict = judge(&vector, vec![reply(answer)], &claims(&[]), true);
        assert_eq!(strict.outcome, Outcome::Fail);
        assert!(
            strict.accepted(),
            "strictness is no reason to doubt the twin"
        );
    }
    let right = json!({"status": "refused", "error": {"kind": "bad-length"}});
    assert!(
        judge(&vector, vec![reply(right)], &claims(&[]), true).steps[0]
            .notes
            .is_empty()
    );
}

#[test]
fn what_the_format_wants_named_is_named_rightly() {
    let expect = json!({"surface": {
        "kinds": ["reserved-opcode"], "naming": {"opcode": 11, "name": "Erasure"},
    }});
    let refused = |opcode: u64, name: &str| {
        json!({"status": "refused", "error":
            {"kind": "reserved-opcode", "opcode": opcode, "name": name}})
    };
    check(&expect, refused(11, "Erasure"), Outcome::Pass, "");
    check(
        &expect,
        refused(12, "Erasure"),
        Outcome::Fail,
        "error.opcode",
    );
    check(&expect, refused(11, ""), Outcome::Fail, "error.name");
    let problem = json!({"kind": "reserved-opcode", "opcode": "11", "name": "Erasure"});
    check(
        &expect,
        json!({"status": "ok", "result": {"problems": [{"kind": "other"}, problem]}}),
        Outcome::Pass,
        "",
    );
    check(
        &expect,
        json!({"status": "ok", "result": {"problems": [{"kind": "other", "opcode": 11}]}}),
        Outcome::Fail,
        "problems.name",
    );
}

#[test]
fn spoilt_data_stands_nowhere_and_the_rest_is_right() {
    let expect = json!({"surface": {
        "kinds": ["bad-crc"], "forbidden": ["0a0b"], "result": {"sealed": true},
    }});
    let answer = |payload: &str, sealed: bool| {
        json!({"status": "ok", "result": {
            "sealed": sealed,
            "messages": [{"payload": "00"}, {"payload": payload}],
            "problems": [{"kind": "bad-crc"}],
        }})
    };
    check(&expect, answer("ff", true), Outcome::Pass, "");
    check(
        &expect,
        answer("0a0b", true),
        Outcome::Fail,
        "messages[1].payload",
    );
    check(
        &expect,
        answer("0A0B", true),
        Outcome::Fail,
        "messages[1].payload",
    );
    check(&expect, answer("ff", false), Outcome::Fail, "sealed");
    let refused = json!({"status": "refused", "error": {"kind": "bad-crc"}});
    check(&expect, refused, Outcome::Pass, "");
    let deep = json!({"status": "ok", "result": {"sealed": true, "problems": [{"kind": "bad-crc"}],
        "results": [{"message": {"payload": "0a0b"}}]}});
    check(&expect, deep, Outcome::Fail, "results[0].message.payload");
}

#[test]
fn an_unlisted_feature_makes_a_refusal_the_right_answer() {
    let vector = vector(json!({
        "required_features": "7", "refusal_names": ["StreamCrypto"],
        "steps": [{"op": "read", "expect": {"answer": {"result": {}}}}],
    }));
    let judge = |features: &[u8], answer: Value| {
        judge(&vector, vec![reply(answer)], &claims(features), false)
    };
    let refused = |bits: Value, names: Value| {
        json!({"status": "refused", "error":
            {"kind": "unsupported-feature", "bits": bits, "names": names}})
    };
    let names = json!([null, "StreamCrypto"]);
    let right = judge(&[0], refused(json!([2, 1]), names.clone()));
    assert_eq!(
        (right.outcome, right.refused_for.as_slice()),
        (Outcome::Pass, &[2_u8][..])
    );
    assert_eq!(
        judge(&[0], refused(json!(["1", 2.0]), names.clone())).outcome,
        Outcome::Pass
    );
    let paths = |judged: &Judged| judged.steps[0].mismatches[0].path.clone();
    assert_eq!(
        paths(&judge(&[0], refused(json!([2]), names.clone()))),
        "error.bits"
    );
    assert_eq!(
        paths(&judge(&[0], refused(json!([0, 1, 2]), names.clone()))),
        "error.bits"
    );
    assert_eq!(
        paths(&judge(&[], refused(json!([1, 2]), names.clone()))),
        "error.bits"
    );
    assert_eq!(
        paths(&judge(&[0], refused(json!([1, 2]), json!([])))),
        "error.names"
    );
    assert_eq!(
        paths(&judge(&[0], json!({"status": "ok", "result": {}}))),
        "status"
    );
    // Bit 1 alone is a case's own matter: version 1 defines nothing behind it.
    assert_eq!(
        judge(&[0, 2], json!({"status": "ok", "result": {}})).refused_for,
        Vec::<u8>::new()
    );
}

#[test]
fn a_step_hello_is_judged_whatever_the_file_needs() {
    let vector = vector(json!({
        "required_features": "1",
        "steps": [{"op": "hello", "expect": {"answer": {"result": {"level": {"$one_of": [1, 2]}}}}}],
    }));
    let answer = reply(json!({"status": "ok", "result": {"level": 3}}));
    assert_eq!(
        judge(&vector, vec![answer], &claims(&[]), false).outcome,
        Outcome::Fail
    );
}

#[test]
fn the_worst_step_decides() {
    let step = json!({"op": "read", "expect": {"answer": {"result": {}}}});
    let vector = vector(json!({"steps": [step, step]}));
    let crash = Reply::Crash {
        why: "it exited".to_owned(),
        stderr: String::new(),
    };
    let timeout = Reply::Timeout {
        after: Duration::from_secs(10),
        start: Duration::ZERO,
        stderr: String::new(),
    };
    let ok = reply(json!({"status": "ok", "result": {}}));
    let refused = reply(json!({"status": "refused", "error": {}}));
    let unsupported = reply(json!({"status": "unsupported", "reason": "later"}));
    let outcome = |first: &Reply, second: &Reply| {
        judge(
            &vector,
            vec![first.clone(), second.clone()],
            &claims(&[]),
            false,
        )
        .outcome
    };
    assert_eq!(outcome(&ok, &ok), Outcome::Pass);
    assert_eq!(outcome(&unsupported, &ok), Outcome::Skip);
    assert_eq!(outcome(&unsupported, &refused), Outcome::Fail);
    assert_eq!(outcome(&timeout, &refused), Outcome::Timeout);
    assert_eq!(outcome(&timeout, &crash), Outcome::Crash);
    let skipped = judge(&vector, vec![ok, unsupported], &claims(&[]), false);
    assert_eq!(
        skipped.reason.as_deref(),
        Some("`read` is unsupported: later")
    );
    assert!(!skipped.accepted());
}

#[test]
fn rejecting_proves_nothing_where_the_twin_was_rejected() {
    let surface = expecting(json!({"surface": {"kinds": []}}));
    let answer = expecting(json!({"answer": {"result": {"sealed": true}}}));
    let refused = reply(json!({"status": "refused", "error": {"kind": "other"}}));
    let accepted = reply(json!({"status": "ok", "result": {"sealed": false}}));
    let of = |vector: &Vector, reply: &Reply| {
        judge(vector, vec![reply.clone()], &claims(&[0, 2]), false)
    };
    let after = |valid: Option<&Judged>| {
        let mut invalid = of(&surface, &refused);
        apply_twin_rule(valid, &mut invalid);
        invalid.outcome
    };
    assert_eq!(after(Some(&of(&answer, &refused))), Outcome::Inconclusive);
    let wrong_data = of(&answer, &accepted);
    assert_eq!(wrong_data.outcome, Outcome::Fail);
    assert_eq!(
        after(Some(&wrong_data)),
        Outcome::Pass,
        "the file itself was accepted"
    );
    assert_eq!(after(None), Outcome::Pass);

    let mut featured = answer.clone();
    featured.required_features = 1.into();
    let refusal = reply(json!({"status": "refused", "error": {"bits": [0]}}));
    let for_a_feature = judge(&featured, vec![refusal], &claims(&[]), false);
    assert_eq!(for_a_feature.outcome, Outcome::Pass);
    assert_eq!(after(Some(&for_a_feature)), Outcome::Pass);
}

#[test]
fn reports_repeat_answers_that_are_wrong_and_not_endless() {
    let expect = json!({"answer": {"result": {"sealed": true, "messages": []}}});
    let wrong = judged(
        expect.clone(),
        json!({"status": "ok", "result": {"sealed": false}}),
    );
    assert_eq!(wrong.stderr, "log");
    assert_eq!(wrong.answer.unwrap()["result"]["sealed"], json!(false));
    let right = judged(
        expect.clone(),
        json!({"status": "ok", "result": {"sealed": true, "messages": []}}),
    );
    assert_eq!((right.answer, right.stderr.as_str()), (None, ""));
    let long = "x".repeat(100_000);
    let wrong = judged(
        expect,
        json!({"status": "ok", "result": {"sealed": long, "messages": []}}),
    );
    assert!(serde_json::to_string(&wrong).unwrap().len() < 2_000);

    let many: Vec<u64> = (0..100).collect();
    let none: Vec<u64> = vec![1000; 100];
    let wrong = judged(
        json!({"answer": {"result": {"m": many}}}),
        json!({"status": "ok", "result": {"m": none}}),
    );
    assert_eq!(
        (wrong.mismatches.len(), wrong.mismatches_total),
        (MISMATCHES, 100)
    );
}

#[test]
fn that_a_file_is_unsealed_brings_no_other_violation_to_light() {
    let expect = json!({"surface": {"kinds": ["varint-not-canonical"]}});
    let answer = |sealed: bool, kinds: &[&str]| {
        let problems: Vec<Value> = kinds.iter().map(|kind| json!({"kind": kind})).collect();
        json!({"status": "ok", "result": {"sealed": sealed, "problems": problems}})
    };
    let cut = "truncated-record";
    check(&expect, answer(false, &[cut]), Outcome::Fail, "problems");
    check(&expect, answer(false, &[cut, "other"]), Outcome::Pass, "");
    check(
        &expect,
        answer(false, &["varint-not-canonical"]),
        Outcome::Pass,
        "",
    );
    check(&expect, answer(true, &[cut]), Outcome::Pass, "");
}
