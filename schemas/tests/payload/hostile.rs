//! Schemas and payloads that are made to take long.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use ca3_schema::payload::Walk;

use crate::protos::{plan, proto3};

/// Generous: a tenth of it is enough on a slow machine.
const LONG: Duration = Duration::from_secs(20);

#[test]
fn a_message_of_very_many_fields_takes_no_table_of_numbers() {
    let mut text = String::from("message M {\n");
    for field in 1..=20_000 {
        writeln!(text, "  uint32 f{field} = {};", 20_000 + field * 7).unwrap();
    }
    text.push('}');
    let pool = proto3(&text);
    let started = Instant::now();
    let plan = plan(&pool, "M");
    let mut payload = Vec::new();
    for field in (1..=20_000_u64).rev() {
        let number = 20_000 + field * 7;
        if !(19_000..19_999).contains(&number) {
            ca3_wire::varint::encode(number << 3, &mut payload);
            payload.push(1);
        }
    }
    let mut walk = Walk::default();
    assert!(plan.check(&payload, None, &mut walk).is_empty());
    payload.extend_from_slice(&[0x85, 0xA8, 0x0D, 0, 0]);
    assert_eq!(plan.check(&payload, None, &mut walk).len(), 1);
    assert!(started.elapsed() < LONG, "{:?}", started.elapsed());
}

#[test]
fn very_many_types_that_hold_one_another_are_laid_out_once_each() {
    let mut text = String::from(
        "message Leaf { repeated uint32 n = 1 [(ca3.options.v1.cardinality) = 1]; }\n",
    );
    let types = 4000;
    for index in 0..types {
        let next = (index + 1) % types;
        writeln!(
            text,
            "message M{index} {{ M{next} next = 1; repeated M0 first = 2; Leaf leaf = 3; }}"
        )
        .unwrap();
    }
    let pool = proto3(&text);
    let started = Instant::now();
    let plan = plan(&pool, "M0");
    let mut walk = Walk::default();
    // M0.next.next.leaf, which has no element.
    let payload = [0x0A, 4, 0x0A, 2, 0x1A, 0];
    let flaws = plan.check(&payload, None, &mut walk);
    assert_eq!(flaws.len(), 1);
    assert_eq!(plan.describe(&flaws[0].clone()).path, "Leaf.n");
    assert!(started.elapsed() < LONG, "{:?}", started.elapsed());
}

#[test]
fn empty_messages_with_very_many_counts_are_judged_up_to_a_bound() {
    let mut text = String::from("message M { repeated N n = 1; }\nmessage N {\n");
    for field in 1..=3000 {
        writeln!(
            text,
            "  repeated uint32 f{field} = {} [(ca3.options.v1.cardinality) = 1];
             bool c{field} = {} [(ca3.options.v1.validity_for) = \"f{field}\"];",
            2 * field,
            2 * field + 1
        )
        .unwrap();
    }
    text.push('}');
    let pool = proto3(&text);
    let plan = plan(&pool, "M");
    let mut walk = Walk::default();
    let started = Instant::now();
    let payload = [0x0A, 0].repeat(1_000_000);
    assert!(plan.check(&payload, None, &mut walk).is_empty());
    assert!(walk.is_cut());
    assert!(started.elapsed() < LONG, "{:?}", started.elapsed());
    // Few of them are judged whole.
    assert!(plan.check(&payload[..100], None, &mut walk).is_empty());
    assert!(!walk.is_cut());
}

#[test]
fn flaws_without_end_are_told_up_to_a_bound() {
    let pool = proto3("enum E { Z = 0; } message M { repeated E e = 1; }");
    let plan = plan(&pool, "M");
    let mut walk = Walk::default();
    let payload = [8, 1].repeat(100_000);
    assert_eq!(plan.check(&payload, None, &mut walk).len(), 256);
    assert!(walk.is_cut());
    assert_eq!(plan.check(&payload[..512], None, &mut walk).len(), 256);
    assert!(!walk.is_cut());
}
