//! `explain RULE`.

use std::fmt::Write as _;

use ca3_spec::rule::Level;
use ca3_spec::{reading, rule};

use super::Failure;
use crate::rules::{self, Standing};

pub(super) fn run(id: &str) -> Result<(String, u8), Failure> {
    let Some(rule) = rule::find(id) else {
        let near: Vec<&str> = rule::catalogue()
            .iter()
            .filter(|rule| rule.id.starts_with(id))
            .map(|rule| rule.id.as_str())
            .take(12)
            .collect();
        let hint = if near.is_empty() {
            "`ca3-validate rules` lists them".to_owned()
        } else {
            format!("there are {}", near.join(", "))
        };
        return Err(Failure::Usage(format!("no rule is named {id}; {hint}")));
    };
    let mut out = String::new();
    // Profiles come from decisions on the format, not from its document.
    let source = match rule.level {
        Level::Profile => "decision",
        _ => "section",
    };
    let _ = writeln!(
        out,
        "{} ({source} {}, {})",
        rule.id, rule.section, rule.keyword
    );
    let _ = writeln!(out, "\n{}", rule.summary);
    let _ = writeln!(out, "\nWhy: {}", rule.why);
    let _ = writeln!(out, "\nKept:   {}", rule.valid);
    let _ = writeln!(out, "Broken: {}", rule.invalid);
    match rules::standing(&rule.id) {
        Standing::Checked(what) => {
            let _ = writeln!(out, "\nThis validator judges it ({what}).");
        }
        Standing::Unchecked(reason) => {
            let _ = writeln!(out, "\nThis validator does not judge it: {reason}.");
        }
    }
    for id in &rule.readings {
        if let Some(reading) = reading::find(id) {
            let _ = writeln!(
                out,
                "\nReading {id}: {} {}",
                reading.question, reading.answer
            );
        }
    }
    Ok((out, 0))
}
