//! `rules`.

use std::fmt::Write as _;

use ca3_spec::rule;
use serde_json::json;

use ca3_reports::json::pretty;
use ca3_reports::paragraph::wrap_behind;
use ca3_reports::text::WIDTH;

use super::Failure;
use crate::rules::{self, Standing};

pub(super) fn run(as_json: bool) -> Result<(String, u8), Failure> {
    if as_json {
        let rows: Vec<_> = rule::catalogue()
            .iter()
            .map(|rule| {
                let (checked, note) = match rules::standing(&rule.id) {
                    Standing::Checked(what) => (true, what),
                    Standing::Unchecked(reason) => (false, reason),
                };
                json!({
                    "rule": rule.id, "section": rule.section, "summary": rule.summary,
                    "level": rule.level, "checked": checked, "note": note,
                })
            })
            .collect();
        let text = pretty(&rows).map_err(|error| Failure::Usage(error.to_string()))?;
        return Ok((text, 0));
    }
    let mut out = String::new();
    for checked in rules::CHECKED {
        let _ = writeln!(out, "{}", checked.what);
        for rule in checked.rules.iter().filter_map(|id| rule::find(id)) {
            let first = format!("  {:<13} ", rule.id);
            out.push_str(&wrap_behind(&rule.summary, &first, &" ".repeat(16), WIDTH));
        }
        out.push('\n');
    }
    out.push_str("Not judged\n");
    for unchecked in rules::unchecked() {
        let line = format!("{}: {}", unchecked.what, unchecked.reason);
        out.push_str(&wrap_behind(&line, "  ", "    ", WIDTH));
        for line in unchecked.rules.chunks(5) {
            let _ = writeln!(out, "    {}", line.join(" "));
        }
    }
    Ok((out, 0))
}
