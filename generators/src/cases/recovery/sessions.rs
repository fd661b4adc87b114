//! Item 29: of several Sessions recovery takes the last that it reached (§11).

use ca3_wire::Map;
use ca3_wire::records::Session;

use super::super::session::session;
use super::super::{Page, one_stream};
use super::broken::whole_chain;
use super::numbered::{CUT, chained, checkpointed, numbered};
use crate::Values;
use crate::draft::Draft;
use crate::plan::{At, Plan};
use crate::recovering::{CHAIN, SPINE, recovered, stopped};

const RULE: &[&str] = &["CA3-11-09"];

/// What was planned, every field filled.
fn planned(v: &Values) -> Session {
    Session {
        study: v.text("planned", "planned"),
        ..session()
    }
}

/// What it was in the end: other values, and fields that nobody restates.
fn corrected(v: &Values) -> Session {
    Session {
        session_id: "session-1".to_owned(),
        study: format!("{} indeed", v.text("corrected", "corrected")),
        custom: Map::sorted([("paused", "yes")]),
        ..Session::default()
    }
}

/// A case of a file that holds both, and of one that ends at `at`, in or at the
/// second: then `kept` comes back, with the first.
fn cut([name, title]: [&str; 2], (method, kept): (&str, Plan), v: &Values, into: u64) -> Draft {
    let valid = kept
        .clone()
        .session(corrected(v))
        .chunk(numbered(v, 1, 9))
        .unsealed();
    let owed = recovered(method, &kept);
    // A file that ends between two records is not about where it ends.
    let owed = if into == 0 {
        owed
    } else {
        owed.holds(stopped("Session 2", CUT))
    };
    Draft::new(name, RULE, title)
        .valid_asked(valid.clone(), vec![recovered(method, &valid)])
        .invalid_asked(valid.truncate(At::record("Session 2", into)), vec![owed])
}

pub(in super::super) fn sessions(page: &Page) -> Vec<Draft> {
    let mut cases = Vec::new();
    for (name, into, title) in [
        (
            "cut-between",
            0,
            "both Sessions behind the last checkpoint, and the file cut between them",
        ),
        (
            "cut-within",
            40,
            "both Sessions behind the last checkpoint, and the file cut within the second",
        ),
    ] {
        let v = page.values(name);
        let kept = checkpointed(&v)
            .session(planned(&v))
            .chunk(numbered(&v, 1, 2));
        cases.push(cut([name, title], (CHAIN, kept), &v, into));
    }
    for (name, into, title) in [
        (
            "cut-between-in-a-walk",
            0,
            "both Sessions in a file without checkpoints, which is cut between them",
        ),
        (
            "cut-within-in-a-walk",
            9,
            "both Sessions in a file without checkpoints, which is cut within the second",
        ),
    ] {
        let v = page.values(name);
        let kept = one_stream(&v)
            .session(planned(&v))
            .chunk(numbered(&v, 1, 1));
        cases.push(cut([name, title], (SPINE, kept), &v, into));
    }

    let v = page.values("first-ahead-of-a-checkpoint");
    let kept = one_stream(&v)
        .session(planned(&v))
        .chunk(numbered(&v, 1, 1))
        .checkpoint(false, Vec::new())
        .chunk(numbered(&v, 1, 2));
    let title = "the first Session is ahead of the last checkpoint, the second behind it and cut";
    let name = "first-ahead-of-a-checkpoint";
    cases.push(cut([name, title], (CHAIN, kept), &v, 25).readings(&["G54"]));

    let v = page.values("behind-the-last-checkpoint");
    let kept = chained(&v, 2);
    let valid = kept.clone().session(corrected(&v)).unsealed();
    cases.push(
        Draft::new(
            "behind-the-last-checkpoint",
            &["CA3-11-09", "CA3-8.3-11"],
            "the only Session is the last record: it is there, and cut it is not",
        )
        .valid_asked(
            valid.clone(),
            vec![recovered(CHAIN, &valid).holds(whole_chain(2))],
        )
        .invalid_asked(
            valid.truncate(At::End(1)),
            vec![
                recovered(CHAIN, &kept)
                    .holds(whole_chain(2))
                    .holds(stopped("Session 1", CUT)),
            ],
        ),
    );
    cases
}
