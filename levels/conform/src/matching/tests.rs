//! The matcher language, one rule a test.

use serde_json::json;

use super::*;

#[track_caller]
fn check(expected: Value, got: Value, paths: &[&str]) {
    let found = mismatches(&expected, Some(&got));
    let found: Vec<&str> = found
        .iter()
        .map(|mismatch| mismatch.path.as_str())
        .collect();
    assert_eq!(found, paths, "{expected} against {got}");
}

#[test]
fn objects_match_by_subset() {
    check(json!({"a": 1}), json!({"a": 1, "b": 2}), &[]);
    check(json!({"a": 1, "b": 2}), json!({"a": 1}), &["b"]);
    check(json!({}), json!({"a": 1}), &[]);
    check(json!({}), json!([]), &[""]);
    check(json!({"a": {"b": 1}}), json!({"a": "text"}), &["a"]);
}

#[test]
fn arrays_match_in_length_and_order() {
    check(json!([1, 2]), json!([1, 2]), &[]);
    check(json!([1, 2]), json!([2, 3]), &["[0]", "[1]"]);
    check(json!([1, 2]), json!([1]), &[""]);
    check(json!([]), json!([1]), &[""]);
    check(
        json!({"m": [{"x": 1}]}),
        json!({"m": [{"x": 1}, {"x": 2}]}),
        &["m"],
    );
}

#[test]
fn another_order_is_one_mismatch_and_says_so() {
    let expected = json!({"m": [{"x": 1}, {"x": 2}, {"x": 3}]});
    let got = json!({"m": [{"x": 1}, {"x": 3, "y": 0}, {"x": 2}]});
    let found = mismatches(&expected, Some(&got));
    let [mismatch] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!(mismatch.path, "m[1]");
    assert_eq!(mismatch.expected, json!({"x": 2}));
    assert!(mismatch.hint.as_deref().unwrap().contains("another order"));
    // One that fits nowhere is a value that is wrong.
    check(json!([1, 2, 3]), json!([1, 3, 4]), &["[1]", "[2]"]);
}

#[test]
fn missing_equals_null() {
    check(json!({"a": null}), json!({}), &[]);
    check(json!({"a": null}), json!({"a": null}), &[]);
    check(json!({"a": null}), json!({"a": 0}), &["a"]);
    check(json!({"a": 0}), json!({"a": null}), &["a"]);
    check(json!({"a": []}), json!({}), &["a"]);
    assert!(matches(&Value::Null, None));
}

#[test]
fn integers_compare_by_value_in_any_form() {
    check(
        json!("18446744073709551615"),
        json!(18_446_744_073_709_551_615_u64),
        &[],
    );
    check(json!(5), json!("5"), &[]);
    check(json!("5"), json!(5.0), &[]);
    check(json!("-7"), json!(-7), &[]);
    check(json!(0), json!(-0.0), &[]);
    check(
        json!("9007199254740993"),
        json!(9_007_199_254_740_992.0),
        &[""],
    );
    check(
        json!("18446744073709551615"),
        json!(18_446_744_073_709_551_615.0),
        &[""],
    );
    check(json!(5), json!("05"), &[""]);
    check(json!(5), json!("+5"), &[""]);
    check(json!(5), json!(5.5), &[""]);
    check(json!(1), json!(true), &[""]);
    check(json!("0a"), json!("0A"), &[""]);
    check(json!(""), json!(0), &[""]);
}

#[test]
fn paths_name_the_place() {
    let expected = json!({"messages": [{}, {}, {"wall_clock_ns": "7"}]});
    let got = json!({"messages": [{}, {}, {"wall_clock_ns": null}]});
    let found = mismatches(&expected, Some(&got));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].path, "messages[2].wall_clock_ns");
    assert_eq!(found[0].expected, json!("7"));
    assert_eq!(found[0].got, None);
    check(
        json!({"attributes": {"a b": "c"}}),
        json!({}),
        &["attributes"],
    );
    check(
        json!({"attributes": {"a b": "c"}}),
        json!({"attributes": {}}),
        &["attributes[\"a b\"]"],
    );
}

#[test]
fn alternatives_and_negation() {
    check(json!({"$one_of": [1, null]}), json!("1"), &[]);
    check(json!({"a": {"$one_of": [1, null]}}), json!({}), &[]);
    check(json!({"a": {"$one_of": [1, 2]}}), json!({"a": 3}), &["a"]);
    check(json!({"a": {"$not": 0}}), json!({"a": 1}), &[]);
    check(json!({"a": {"$not": 0}}), json!({"a": "0"}), &["a"]);
    check(json!({"a": {"$not": null}}), json!({}), &["a"]);
}

#[test]
fn bounds_want_integers() {
    check(json!({"$at_least": 5}), json!("5"), &[]);
    check(json!({"$at_least": "5"}), json!(4), &[""]);
    check(json!({"$at_most": 5}), json!(5), &[]);
    check(json!({"$at_most": 5}), json!(6), &[""]);
    check(json!({"$at_most": 5}), json!("unbounded"), &[""]);
    check(json!({"a": {"$at_most": 5}}), json!({}), &["a"]);
}

#[test]
fn absence() {
    check(json!({"a": {"$absent": true}}), json!({}), &[]);
    check(json!({"a": {"$absent": true}}), json!({"a": null}), &[]);
    check(json!({"a": {"$absent": true}}), json!({"a": ""}), &["a"]);
}

#[test]
fn containing_and_permuting() {
    check(
        json!({"$contains": [{"x": 2}]}),
        json!([{"x": 1}, {"x": 2, "y": 3}]),
        &[],
    );
    check(json!({"$contains": [4]}), json!([1, 2]), &[""]);
    check(json!({"$contains": []}), json!(7), &[""]);
    check(json!({"$set": [2, 1]}), json!([1, 2]), &[]);
    check(json!({"$set": [1, 1]}), json!([1, 2]), &[""]);
    check(json!({"$set": [1]}), json!([1, 1]), &[""]);
    // The first expectation takes either element: a greedy choice would fail.
    check(json!({"$set": [{"$at_least": 1}, 1]}), json!([1, 2]), &[]);
    check(
        json!({"$set": [{"$at_least": 1}, {"$at_least": 2}, 1]}),
        json!([3, 1, 1]),
        &[],
    );
}

#[test]
fn exact_objects() {
    check(
        json!({"$exactly": {"a": 1}}),
        json!({"a": 1, "b": null}),
        &[],
    );
    check(
        json!({"$exactly": {"a": 1}}),
        json!({"a": 1, "b": 0}),
        &["b"],
    );
    check(json!({"$exactly": {}}), json!({}), &[]);
    check(json!({"$exactly": {"a": 1}}), json!(1), &[""]);
}

#[test]
fn what_must_stand_and_what_may() {
    let expected = json!({"$must_may": {"must": [1, 2], "may": [7, 8]}});
    for right in [json!([1, 2]), json!([7, 1, 2]), json!([1, 8, 2, 7])] {
        check(expected.clone(), right, &[]);
    }
    for wrong in [
        json!([1]),
        json!([2, 1]),
        json!([1, 7, 7, 2]),
        json!([1, 2, 3]),
        json!(null),
    ] {
        check(expected.clone(), wrong, &[""]);
    }
    check(json!({"$must_may": {"must": []}}), json!([]), &[""]);
}

#[test]
fn an_object_that_only_looks_like_a_matcher_is_none() {
    check(json!({"$unknown": 1}), json!({"$unknown": 1}), &[]);
    check(json!({"$not": 1, "b": 2}), json!({"$not": 1, "b": 2}), &[]);
}

#[test]
fn hints_name_the_likely_slip() {
    let hint = |expected: Value, got: Value| mismatches(&expected, Some(&got))[0].hint.clone();
    assert!(hint(json!("0a"), json!("0A")).unwrap().contains("case"));
    assert!(
        hint(json!("7"), json!("07"))
            .unwrap()
            .contains("decimal string")
    );
    let rounded = hint(json!("9007199254740993"), json!(9_007_199_254_740_992_u64));
    assert!(rounded.unwrap().contains("double"));
    assert!(
        hint(json!([{"x": 1}]), json!({"x": 1}))
            .unwrap()
            .contains("array")
    );
    assert!(
        hint(json!({"$at_least": 5}), json!(4))
            .unwrap()
            .starts_with("$at_least")
    );
    assert_eq!(hint(json!("a"), json!("b")), None);
}
