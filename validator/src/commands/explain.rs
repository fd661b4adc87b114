//! `explain RULE`.

use std::fmt::Write as _;

use ca3_reports::paragraph::wrap_behind;
use ca3_reports::text::WIDTH;
use ca3_spec::rule::Level;
use ca3_spec::{reading, rule};

use super::Failure;
use crate::rules::selector::meant;
use crate::rules::{self, Standing};

/// What a rule asks; of a section, which rules it has; and what a reading says.
pub(super) fn run(id: &str) -> Result<(String, u8), Failure> {
    let id = id.to_ascii_uppercase();
    let id = id.as_str();
    if let Some(reading) = reading::find(id) {
        let text = format!("{} {}", reading.question, reading.answer);
        let first = format!("Reading {id}: ");
        return Ok((wrap_behind(&text, &first, "  ", WIDTH), 0));
    }
    let Some(rule) = rule::find(id) else {
        if let Some(rules) = of_section(id) {
            return Ok((rules, 0));
        }
        let near: Vec<&str> = rule::catalogue()
            .iter()
            .filter(|rule| rule.id.starts_with(id))
            .map(|rule| rule.id.as_str())
            .take(12)
            .collect();
        let hint = match (near.is_empty(), meant(id)) {
            (false, _) => format!("there are {}", near.join(", ")),
            (true, Some(near)) => format!("did you mean {near}?"),
            (true, None) => "`ca3-validate rules` lists them".to_owned(),
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
    let mut say = |text: &str, first: &str, indent: &str| {
        out.push_str(&wrap_behind(text, first, indent, WIDTH));
    };
    say(&rule.summary, "\n", "");
    say(&rule.why, "\nWhy: ", "     ");
    say(&rule.valid, "\nKept:   ", "        ");
    say(&rule.invalid, "Broken: ", "        ");
    match rules::standing(&rule.id) {
        Standing::Checked(what) => {
            say(&format!("This validator judges it ({what})."), "\n", "");
        }
        Standing::Unchecked(reason) => {
            say(
                &format!("This validator does not judge it: {reason}."),
                "\n",
                "",
            );
        }
    }
    for id in &rule.readings {
        if let Some(reading) = reading::find(id) {
            let text = format!("{} {}", reading.question, reading.answer);
            say(&text, &format!("\nReading {id}: "), "  ");
        }
    }
    Ok((out, 0))
}

/// The rules of a section, as `--only` takes it, a line each.
fn of_section(id: &str) -> Option<String> {
    let section = id.strip_prefix("CA3-")?;
    let rules = rule::catalogue().iter();
    let rules = rules.filter(|rule| rule.section == section);
    let lines: String = rules
        .map(|rule| wrap_behind(&rule.summary, &format!("{}  ", rule.id), "    ", WIDTH))
        .collect();
    (!lines.is_empty()).then_some(lines)
}
