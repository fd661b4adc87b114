//! `list`: the cases, for a person or a program.

use std::fmt::Write as _;

use ca3_reports::paragraph::wrap;
use ca3_spec::vector::{Case, Polarity};
use serde_json::{Value, json};

use super::{Failure, print};
use crate::cli::{Color, ListArgs};
use crate::suite::Suite;

pub(super) fn list(arguments: &ListArgs) -> Result<u8, Failure> {
    let suite = Suite::load(&arguments.origin.origin())?;
    let selection = arguments.selection.selection();
    let cases: Vec<&Case> = suite
        .cases
        .iter()
        .filter(|case| selection.takes(case))
        .collect();
    let text = if arguments.json {
        as_json(&cases)
    } else {
        as_text(&cases)
    };
    print(&text, Color::Never)?;
    Ok(if cases.is_empty() { 4 } else { 0 })
}

fn polarities(case: &Case) -> Vec<&'static str> {
    Polarity::BOTH
        .into_iter()
        .filter(|polarity| case.sidecar.side(*polarity).vector().is_some())
        .map(Polarity::as_str)
        .collect()
}

fn as_json(cases: &[&Case]) -> String {
    let cases: Vec<Value> = cases
        .iter()
        .map(|case| {
            let sidecar = &case.sidecar;
            json!({
                "id": sidecar.id,
                "item": sidecar.item,
                "level": sidecar.level,
                "rules": sidecar.rules,
                "readings": sidecar.readings,
                "provisional": sidecar.provisional,
                "polarities": polarities(case),
                "title": sidecar.title,
            })
        })
        .collect();
    format!("{:#}\n", Value::Array(cases))
}

fn as_text(cases: &[&Case]) -> String {
    let mut out = String::new();
    for case in cases {
        let sidecar = &case.sidecar;
        let item = sidecar
            .item
            .map_or_else(String::new, |item| format!("item {item}, "));
        let provisional = if sidecar.provisional {
            ", provisional"
        } else {
            ""
        };
        let _ = writeln!(out, "{}", sidecar.id);
        out.push_str(&wrap(&sidecar.title, "    ", 80));
        let facts = format!(
            "{item}level {}, {}{provisional}; {}",
            sidecar.level,
            polarities(case).join(" and "),
            sidecar.rules.join(" "),
        );
        out.push_str(&wrap(&facts, "    ", 80));
    }
    let count = if cases.len() == 1 {
        "1 case".to_owned()
    } else {
        format!("{} cases", cases.len())
    };
    let _ = writeln!(out, "{count}");
    out
}
