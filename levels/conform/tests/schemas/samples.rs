//! One value of every type with all its members: a member that is added to a type
//! must be added here, and then to the schema.

use std::collections::BTreeMap;

use ca3_conform::interrupt::Signal;
use ca3_conform::judging::{Judged, JudgedStep, Note, Outcome};
use ca3_conform::matching::Mismatch;
use ca3_conform::place::Place;
use ca3_conform::report::{
    Kit, ReadingFacts, Repeat, Report, RuleFacts, RunFacts, Subject, SuiteFacts,
};
use ca3_conform::results::{CaseResult, EditResult, Excerpt, FileResult};
use ca3_conform::run::Interruption;
use ca3_conform::schema::Schema;
use ca3_conform::verdict::{ItemSummary, LevelVerdict, Source, Spine, Standing, Tally, Verdict};
use ca3_spec::kind::Kind;
use ca3_spec::protocol::{
    CalendarTime, Decimal, DeviceView, HeaderView, Hello, Hex, MessageView, ReadResult,
    Report as Problem, SchemaView, SessionView, SkippedView, StreamView,
};
use ca3_spec::vector::{
    Edit, Expect, Missing, OverHttp, Side, Sidecar, Step, Stretch, Surface, Vector,
};
use serde_json::{Map, Value, json};

/// Every schema's part that a type stands behind, with samples of the type.
pub(crate) fn all() -> Vec<(Schema, &'static str, Vec<Value>)> {
    let to_value = |report: &Report| serde_json::to_value(report).unwrap();
    let mut reports: Vec<Value> = Vec::new();
    for standing in [
        Standing::Certified,
        Standing::Passed,
        Standing::KnownFailures,
        Standing::NotConformant,
        Standing::NotClaimed,
        Standing::NotJudged,
        Standing::Interrupted,
    ] {
        reports.push(to_value(&report(standing, Source::Directory)));
    }
    for source in [Source::Committed, Source::Fresh] {
        reports.push(to_value(&report(Standing::Passed, source)));
    }
    vec![
        (
            Schema::Answer,
            "hello-result",
            vec![serde_json::to_value(hello()).unwrap()],
        ),
        (Schema::Answer, "read-result", vec![read_result()]),
        (
            Schema::Answer,
            "report",
            vec![serde_json::to_value(problem()).unwrap()],
        ),
        (Schema::Sidecar, "", vec![sidecar(), sides_exchanged()]),
        (Schema::Report, "", reports),
    ]
}

fn hello() -> Hello {
    Hello {
        name: "n".into(),
        version: "1".into(),
        language: "l".into(),
        level: 1,
        features: vec![0, 2],
        formats: vec!["ca3".into()],
        ops: vec!["read".into()],
        io: vec!["file".into(), "http".into()],
    }
}

fn problem() -> Problem {
    Problem {
        kind: Kind::Other,
        message: "m".into(),
        bits: Some(vec![1, 40]),
        names: Some(vec![Some("StreamCrypto".into()), None]),
        opcode: Some(0x0B),
        name: Some("ErasedChunk".into()),
        value: Some(9),
        offset: Some(Decimal(8)),
        stream_ref: Some(1),
        domain: Some("d".into()),
    }
}

fn texts() -> BTreeMap<String, String> {
    BTreeMap::from([("k".into(), "v".into())])
}

pub(crate) fn read_result() -> Value {
    let result = ReadResult {
        sealed: false,
        complete: false,
        stopped_at: Some(Decimal(u64::MAX)),
        header: HeaderView {
            required_features: Decimal(0),
            profile: String::new(),
            library: String::new(),
            host_id: String::new(),
            host_clock_epoch: String::new(),
            monotonic_source: String::new(),
            anchor_monotonic_ns: Decimal(0),
            anchor_wall_unix_ns: Decimal(0),
            anchor_wall_source: String::new(),
            attributes: texts(),
        },
        calendar_time: CalendarTime::None,
        session: Some(SessionView {
            session_id: String::new(),
            study: String::new(),
            participant_code: String::new(),
            operator: String::new(),
            operator_asserted_by: 0,
            profile_name: String::new(),
            profile_version: 0,
            security_tier: 0,
            app_name: String::new(),
            app_version: String::new(),
            created_unix_ns: Decimal(0),
            devices: vec![DeviceView {
                device_ref: 1,
                kind: String::new(),
                serial: String::new(),
                firmware: String::new(),
                clock_domain: String::new(),
            }],
            custom: texts(),
        }),
        schemas: vec![SchemaView {
            schema_ref: 1,
            schema_id: String::new(),
            encoding: String::new(),
            descriptor_sha256: Hex(vec![0; 32]),
        }],
        streams: vec![StreamView {
            stream_ref: 1,
            schema_ref: 1,
            topic: String::new(),
            node: String::new(),
            origin: 1,
            source_clock_domain: String::new(),
            host_id: String::new(),
            host_clock_epoch: String::new(),
            operator_reference: String::new(),
            operator_asserted_by: 0,
            authorisation_reference: String::new(),
            authorisation_from_unix_ns: Decimal(0),
            authorisation_until_unix_ns: Decimal(0),
            nominal_rate_millihz: Decimal(0),
            schema_conformance: 0,
            flags: 0,
            metadata: texts(),
            block_alignment: 0,
            block_offset: 0,
        }],
        messages: vec![MessageView {
            stream_ref: 1,
            monotonic_timestamp_ns: Decimal(1),
            record_ts_ns: Some(Decimal(1)),
            wall_clock_ns: Some(Decimal(1)),
            source_timestamp_ns: Some(Decimal(1)),
            sequence: Some(u32::MAX),
            payload: Hex(vec![0xFF]),
        }],
        skipped: vec![SkippedView {
            opcode: 0x41,
            offset: Decimal(8),
            name: Some("MetadataIndex".into()),
        }],
        problems: vec![problem()],
    };
    serde_json::to_value(result).unwrap()
}

fn object(name: &str) -> Map<String, Value> {
    Map::from_iter([(name.to_owned(), json!({"$one_of": [1, [{"a": null}]]}))])
}

pub(crate) fn sidecar() -> Value {
    let vector = Vector {
        file: "a.valid.ca3".into(),
        required_features: Decimal(4),
        refusal_names: vec!["StreamCrypto".into()],
        edit: Some(Edit {
            what: "w".into(),
            offset: Decimal(8),
            length: Decimal(0),
        }),
        steps: vec![
            Step {
                op: "read".into(),
                arguments: object("t"),
                fresh: true,
                over_http: Some(OverHttp {
                    unfetched: vec![Stretch {
                        what: "w".into(),
                        offset: Decimal(8),
                        length: Decimal(1),
                    }],
                }),
                expect: Expect::Answer {
                    result: Value::Object(object("messages")),
                    may_report: vec![Kind::BadCrc],
                    may_report_any: true,
                    may_refuse: vec![Kind::BadCrc],
                },
            },
            Step {
                op: "read".into(),
                arguments: Map::new(),
                fresh: false,
                over_http: None,
                expect: Expect::Surface(Surface {
                    kinds: vec![Kind::BadCrc],
                    naming: object("opcode"),
                    refuse: true,
                    truncated: true,
                    forbidden: vec![Hex(vec![1])],
                    result: Value::Object(object("messages")),
                    or_result: Value::Object(object("spine")),
                }),
            },
        ],
    };
    let sidecar = Sidecar {
        id: "ca3/5-strings/a".into(),
        item: Some(5),
        level: 1,
        rules: vec!["CA3-1.2-07".into()],
        readings: vec!["G21".into()],
        provisional: true,
        title: "t".into(),
        why: "w".into(),
        valid: Side::Vector(vector),
        invalid: Side::Missing(Missing {
            none: "wrong-answer".into(),
            reason: "r".into(),
            caught_by: vec!["f".into()],
        }),
    };
    serde_json::to_value(sidecar).unwrap()
}

fn sides_exchanged() -> Value {
    let mut exchanged = sidecar();
    (exchanged["valid"], exchanged["invalid"]) =
        (sidecar()["invalid"].clone(), sidecar()["valid"].clone());
    exchanged
}

fn report(standing: Standing, source: Source) -> Report {
    let excerpt = || Excerpt {
        offset: Decimal(0),
        bytes: Hex(vec![1]),
        before: 0,
        marked: 1,
    };
    let tally = Tally {
        passed: 0,
        total: 1,
    };
    let file = |outcome| FileResult {
        judged: Judged {
            outcome,
            reason: Some("r".into()),
            refused_for: vec![0],
            steps: vec![JudgedStep {
                op: "read".into(),
                arguments: object("t"),
                outcome,
                reason: Some("r".into()),
                mismatches: vec![Mismatch {
                    path: "p".into(),
                    expected: json!(1),
                    got: Some(json!(2)),
                    hint: Some("h".into()),
                    elements: false,
                    missing: None,
                    surplus: None,
                }],
                mismatches_total: 1,
                notes: vec![Note {
                    text: "n".into(),
                    strict: true,
                }],
                answer: Some(json!({})),
                stderr: "e".into(),
                accepted: false,
                spine: None,
            }],
        },
        edit: Some(EditResult {
            what: "w".into(),
            field: Some("Header.host_id".into()),
            offset: Decimal(0),
            length: Decimal(1),
            excerpt: excerpt(),
        }),
        place: Some(Place {
            field: "Header.host_id".into(),
            offset: Decimal(0),
            length: Decimal(1),
            value: "v".into(),
            excerpt: excerpt(),
        }),
        known: Some("k".into()),
        file: "f".into(),
        kept: Some("k/f".into()),
    };
    let cases = [
        Outcome::Pass,
        Outcome::Skip,
        Outcome::Inconclusive,
        Outcome::Fail,
        Outcome::Timeout,
        Outcome::Crash,
    ];
    let cases = cases.map(|outcome| CaseResult {
        id: "ca3/5-strings/a".into(),
        item: Some(5),
        level: 1,
        rules: vec!["CA3-1.2-07".into()],
        readings: vec!["G21".into()],
        provisional: false,
        title: "t".into(),
        why: "w".into(),
        valid: Some(file(outcome)),
        invalid: Some(file(outcome)),
    });
    Report {
        schema_version: 1,
        kit: Kit {
            name: "n",
            version: "v",
        },
        format: "ca3".into(),
        suite: SuiteFacts {
            source,
            fresh_seed: Some(Decimal(7)),
            sha256: Some("00".into()),
            cases: 1,
            run: 1,
        },
        implementation: Subject {
            name: "n".into(),
            version: "v".into(),
            language: "l".into(),
            level: Some(1),
            features: vec![0],
            command: Some("c".into()),
            http: true,
            hello_faults: vec!["f".into()],
        },
        run: RunFacts {
            level: 1,
            seed: Decimal(1),
            strict: false,
            jobs: 1,
            timeout_s: 10.0,
            start_timeout_s: 60.0,
            interrupted: Some(Interruption {
                signal: Signal::Interrupt,
                judged: 1,
                of: 2,
            }),
            repeat: Repeat::default(),
        },
        verdict: Verdict {
            asked: 1,
            claimed: Some(1),
            standing,
            partial: vec!["--item 5".into()],
            levels: vec![LevelVerdict {
                level: 1,
                standing,
                reasons: vec!["r".into()],
            }],
            not_exercised: vec![0],
            spine: Some(Spine {
                walked: 1,
                not_walked: 0,
            }),
            provisional_items: vec![5],
            known_failures: 1,
            stale_entries: vec!["s".into()],
            exit_code: 1,
        },
        items: vec![ItemSummary {
            item: None,
            section: Some("3".into()),
            name: "n".into(),
            level: 1,
            valid: tally,
            invalid: tally,
            skips: 0,
            provisional: tally,
        }],
        cases: cases.to_vec(),
        rules: BTreeMap::from([(
            "CA3-1.2-07".into(),
            RuleFacts {
                summary: "s".into(),
                why: "w".into(),
            },
        )]),
        readings: BTreeMap::from([(
            "G21".into(),
            ReadingFacts {
                question: "q".into(),
                answer: "a".into(),
            },
        )]),
    }
}
