//! Descriptor sets and payloads, any bytes of both.
//!
//! The input is a payload, behind its length in a byte, and the files of a set besides
//! those of the options, which are added. Nothing panics, also not the library that
//! builds pools; faults name rules of the catalogue, and are the same twice; a payload
//! that has none is one to `prost-reflect` as well.

#![no_main]

use std::sync::LazyLock;

use ca3_schema::frames::Catalogue;
use ca3_schema::payload::{Plan, Walk};
use ca3_schema::{Judgement, descriptor, judge};
use ca3_spec::rule;
use ca3_vectors::Corpus;
use ca3_wire::protobuf::fields;
use libfuzzer_sys::fuzz_target;
use prost_reflect::DynamicMessage;

const NAME: &str = "ca3.conformance.v1.Sample";
/// A case whose set has what every set imports.
const FROM: &str = "ca3/5.2-declared-judged/no-unit";

/// The files of a set that are google's or the options', framed as they stand there.
static SHARED: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let cases = Corpus::embedded().cases().expect("the corpus is embedded");
    let case = cases.into_iter().find(|case| case.sidecar.id == FROM);
    let file = case.and_then(|case| case.valid).expect("the case is there");
    let set = schema(&file).expect("it has a schema");
    let mut shared = Vec::new();
    for (_, file) in fields(set).map_while(Result::ok) {
        let file = file.bytes().expect("a file");
        let name = fields(file).next().and_then(Result::ok);
        let name = name.and_then(|(_, name)| name.string()).unwrap_or_default();
        if name.starts_with("google/") || name.starts_with("ca3/options/") {
            shared.push(1 << 3 | 2);
            let mut left = file.len();
            while left > 0x7F {
                shared.push((left & 0x7F) as u8 | 0x80);
                left >>= 7;
            }
            shared.push(left as u8);
            shared.extend_from_slice(file);
        }
    }
    shared
});

/// The descriptor of the first Schema record of a file.
fn schema(file: &[u8]) -> Option<&[u8]> {
    let mut at = 8;
    loop {
        let length = u64::from_le_bytes(*file.get(at + 1..)?.first_chunk()?) as usize;
        let content = file.get(at + 9..at + 9 + length)?;
        if file[at] == ca3_spec::opcode::op::SCHEMA {
            let mut within = 4;
            for _ in 0..2 {
                within += 4 + u32::from_le_bytes(*content.get(within..)?.first_chunk()?) as usize;
            }
            return content.get(within + 8..);
        }
        at += 9 + length;
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&length, rest)) = bytes.split_first() else {
        return;
    };
    let Some((payload, own)) = rest.split_at_checked(usize::from(length)) else {
        return;
    };
    let set = [&SHARED[..], own].concat();
    let judged = || {
        let (described, mut judgement) = descriptor::open(&set, NAME);
        if let Some(described) = &described {
            judge(described, Catalogue::bundled(), &mut judgement);
        }
        (described, judgement)
    };
    let (described, judgement) = judged();
    let Judgement { faults, totals, .. } = &judgement;
    for fault in faults {
        assert!(rule::find(fault.rule).is_some(), "no such rule: {fault:?}");
        assert!(totals.contains_key(&(fault.rule, fault.severity)));
    }
    assert_eq!(judgement, judged().1, "two judgements of one set");
    let Some(described) = described else { return };
    let plan = Plan::new(&described);
    let mut walk = Walk::default();
    let flaws = plan.check(payload, Some(3), &mut walk).to_vec();
    for flaw in &flaws {
        assert_eq!(plan.describe(flaw).rule, flaw.rule());
    }
    if !flaws.iter().any(|flaw| flaw.rule() == "CA3-5.1-15") {
        let decoded = DynamicMessage::decode(described.message.clone(), payload);
        assert!(decoded.is_ok(), "{decoded:?}");
    }
});
