//! Verdicts over hand-made results.

use serde_json::{Map, Value, json};

use super::*;
use crate::judging::Judged;
use crate::results::FileResult;

fn claims(level: u64) -> Claims {
    let Value::Object(answer) = json!({"status": "ok", "result": {"name": "r", "level": level}})
    else {
        return Claims::read(Map::new()).unwrap();
    };
    Claims::read(answer).unwrap()
}

fn file(outcome: Outcome) -> Option<FileResult> {
    let judged = Judged {
        outcome,
        reason: None,
        refused_for: Vec::new(),
        steps: Vec::new(),
    };
    Some(FileResult {
        judged,
        edit: None,
        place: None,
        known: None,
        file: String::new(),
        kept: None,
    })
}

fn case(item: u8, level: u8, valid: Outcome, invalid: Outcome) -> CaseResult {
    CaseResult {
        id: format!("ca3/{item}-slug/case"),
        item: Some(item),
        level,
        rules: Vec::new(),
        readings: Vec::new(),
        provisional: false,
        title: String::new(),
        why: String::new(),
        valid: file(valid),
        invalid: file(invalid),
    }
}

fn provisional(item: u8, valid: Outcome) -> CaseResult {
    CaseResult {
        provisional: true,
        invalid: None,
        ..case(item, 1, valid, Outcome::Pass)
    }
}

fn over(cases: &[CaseResult], asked: u8, claimed: u64) -> Verdict {
    let claims = claims(claimed);
    form(
        cases,
        &Terms {
            asked,
            claims: &claims,
            source: Source::Committed,
            partial: &[],
            stale: &[],
            interrupted: None,
        },
    )
}

use Outcome::{Crash, Fail, Inconclusive, Pass, Skip, Timeout};

#[test]
fn a_level_is_certified_when_everything_passed() {
    let verdict = over(&[case(1, 1, Pass, Pass), case(2, 1, Pass, Pass)], 1, 1);
    assert_eq!(
        (verdict.standing, verdict.exit_code),
        (Standing::Certified, 0)
    );
    assert!(verdict.levels[0].reasons.is_empty());
}

#[test]
fn whatever_is_no_pass_prevents_it() {
    for outcome in [Fail, Inconclusive, Skip, Crash, Timeout] {
        let verdict = over(&[case(1, 1, Pass, Pass), case(2, 1, Pass, outcome)], 1, 1);
        assert_eq!(
            (verdict.standing, verdict.exit_code),
            (Standing::NotConformant, 1)
        );
        assert_eq!(verdict.levels[0].reasons.len(), 1);
        assert!(
            verdict.levels[0].reasons[0].contains("item 2"),
            "{:?}",
            verdict.levels
        );
    }
}

#[test]
fn known_failures_alone_certify_nothing_and_fail_nothing() {
    let known = |mut case: CaseResult| {
        for file in [&mut case.valid, &mut case.invalid].into_iter().flatten() {
            file.known = Some("later".to_owned());
        }
        case
    };
    let cases = [case(1, 1, Pass, Pass), known(case(2, 1, Fail, Crash))];
    let verdict = over(&cases, 1, 1);
    assert_eq!(
        (verdict.standing, verdict.exit_code, verdict.known_failures),
        (Standing::KnownFailures, 0, 2)
    );
    assert_eq!(over(&cases, 2, 2).exit_code, 4, "level 2 has no vectors");
    let another = [&cases[..], &[case(3, 1, Fail, Pass)]].concat();
    assert_eq!(over(&another, 1, 1).exit_code, 1);

    let claims = claims(1);
    let terms = Terms {
        asked: 1,
        claims: &claims,
        source: Source::Committed,
        partial: &[],
        stale: &["known.toml:3: ca3/x passes now".to_owned()],
        interrupted: None,
    };
    assert_eq!(form(&cases, &terms).exit_code, 1);
}

#[test]
fn a_provisional_disagreement_fails_nobody_and_a_crash_does() {
    for (outcome, standing) in [
        (Fail, Standing::Certified),
        (Inconclusive, Standing::Certified),
        (Skip, Standing::Certified),
        (Crash, Standing::NotConformant),
        (Timeout, Standing::NotConformant),
    ] {
        let verdict = over(&[case(1, 1, Pass, Pass), provisional(3, outcome)], 1, 1);
        assert_eq!(verdict.standing, standing, "{outcome:?}");
        assert_eq!(verdict.provisional_items, [3]);
    }
}

#[test]
fn a_level_above_the_claim_is_not_claimed() {
    let verdict = over(&[case(1, 1, Pass, Pass)], 2, 1);
    assert_eq!(
        (verdict.standing, verdict.exit_code),
        (Standing::NotClaimed, 1)
    );
    assert_eq!(verdict.levels[0].standing, Standing::Certified);
    assert!(verdict.levels[1].reasons[0].contains("claims level 1"));
}

#[test]
fn a_level_without_vectors_is_not_judged() {
    let verdict = over(&[case(1, 1, Pass, Pass)], 2, 3);
    assert_eq!(
        (verdict.standing, verdict.exit_code),
        (Standing::NotJudged, 4)
    );
    assert_eq!(
        verdict.levels[1].reasons,
        ["this kit holds no vectors of level 2 yet; ask for a lower --level"]
    );
    let verdict = over(&[case(1, 1, Fail, Pass)], 2, 3);
    assert_eq!(
        (verdict.standing, verdict.exit_code),
        (Standing::NotConformant, 1)
    );
    let only_provisional = over(&[provisional(1, Pass)], 1, 1);
    assert_eq!(
        (only_provisional.standing, only_provisional.exit_code),
        (Standing::NotJudged, 4)
    );
    let nothing = over(&[], 1, 1);
    assert_eq!(
        (nothing.standing, nothing.exit_code),
        (Standing::NotJudged, 4)
    );
}

#[test]
fn a_higher_level_s_failure_leaves_the_lower_one() {
    let verdict = over(&[case(1, 1, Pass, Pass), case(9, 2, Fail, Pass)], 2, 2);
    assert_eq!(verdict.levels[0].standing, Standing::Certified);
    assert_eq!(verdict.levels[1].standing, Standing::NotConformant);
    assert_eq!(verdict.exit_code, 1);
}

#[test]
fn a_partial_run_and_another_corpus_certify_nothing() {
    let cases = [case(1, 1, Pass, Pass)];
    let claims = claims(1);
    let partial = ["--item 1".to_owned()];
    let terms = Terms {
        asked: 1,
        claims: &claims,
        source: Source::Committed,
        partial: &partial,
        stale: &[],
        interrupted: None,
    };
    let verdict = form(&cases, &terms);
    assert_eq!((verdict.standing, verdict.exit_code), (Standing::Passed, 0));
    assert!(verdict.levels[0].reasons[0].contains("partial run (--item 1)"));
    let failed = form(&[case(1, 1, Pass, Fail)], &terms);
    assert_eq!(
        (failed.standing, failed.exit_code),
        (Standing::NotConformant, 1)
    );
    assert_eq!(form(&[], &terms).exit_code, 4);
    for source in [Source::Fresh, Source::Directory] {
        let verdict = form(
            &cases,
            &Terms {
                asked: 1,
                claims: &claims,
                source,
                partial: &[],
                stale: &[],
                interrupted: None,
            },
        );
        assert_eq!((verdict.standing, verdict.exit_code), (Standing::Passed, 0));
    }
}

#[test]
fn claims_that_the_protocol_rules_out_prevent_it() {
    let verdict = over(&[case(1, 1, Pass, Pass)], 1, 7);
    assert_eq!(
        (verdict.standing, verdict.exit_code),
        (Standing::NotConformant, 1)
    );
    assert!(verdict.levels[0].reasons[0].contains("no level from 1 to 4"));
}

#[test]
fn features_that_were_refused_are_named() {
    let mut one = case(1, 1, Pass, Pass);
    one.valid.as_mut().unwrap().judged.refused_for = vec![2];
    let verdict = over(&[one], 1, 1);
    assert_eq!(verdict.not_exercised, [2]);
    assert_eq!(verdict.standing, Standing::Certified);
}

#[test]
fn the_summary_has_a_line_an_item_and_a_section() {
    let section = CaseResult {
        id: "ca3/13.4-summary-offsets/case".to_owned(),
        item: None,
        ..case(0, 1, Skip, Pass)
    };
    let early = CaseResult {
        id: "ca3/2.1-magic/case".to_owned(),
        ..section.clone()
    };
    let cases = [
        section,
        case(2, 1, Pass, Fail),
        early,
        provisional(2, Fail),
        case(1, 1, Pass, Pass),
    ];
    let lines = summarise(&cases);
    let names: Vec<&str> = lines.iter().map(|line| line.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "magic and major version",
            "required features",
            "magic",
            "summary offsets"
        ]
    );
    assert_eq!(
        lines[1].valid,
        Tally {
            passed: 1,
            total: 1
        }
    );
    assert_eq!(
        lines[1].invalid,
        Tally {
            passed: 0,
            total: 1
        }
    );
    assert_eq!(
        lines[1].provisional,
        Tally {
            passed: 0,
            total: 1
        }
    );
    assert_eq!(lines[3].skips, 1);
    assert_eq!(lines[3].section.as_deref(), Some("13.4"));
}
