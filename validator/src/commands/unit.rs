//! `unit CODE...`.

use std::io::{self, Read as _};

use ca3_reports::Severity;
use ca3_reports::json::pretty;
use ca3_reports::paragraph::{fold, wrap_behind};
use ca3_reports::text::{WIDTH, plain, style};
use ca3_schema::unit::{Refused, Scale, Special, Unit};
use serde_json::{Value, json};

use super::Failure;

/// The most that is read of standard input, in bytes.
const LARGEST: u64 = 16 << 20;
/// How much of a code is shown, in characters.
const LONGEST: usize = 300;
/// Columns for a code, where what is said of it stands beside it.
const COLUMN: usize = 12;

/// Exit code 1 where a code is not UCUM.
pub(super) fn run(codes: &[String], as_json: bool) -> Result<(String, u8), Failure> {
    let mut all = Vec::new();
    for code in codes {
        match code.as_str() {
            "-" => all.extend(lines()?),
            code => all.push(code.to_owned()),
        }
    }
    if all.is_empty() {
        return Err(Failure::Usage("standard input has no code".to_owned()));
    }
    let mut refused = false;
    let mut out = String::new();
    let mut rows = Vec::new();
    for code in &all {
        let parsed = Unit::parse(code);
        refused |= parsed.is_err();
        match as_json {
            true => rows.push(row(code, &parsed)),
            false => show(&mut out, code, &parsed),
        }
    }
    if as_json {
        out = pretty(&rows).map_err(|error| Failure::Usage(error.to_string()))?;
    }
    Ok((out, u8::from(refused)))
}

/// The codes of standard input, one a line. Empty lines are none.
fn lines() -> Result<Vec<String>, Failure> {
    let mut bytes = Vec::new();
    io::stdin()
        .take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::Unreadable(format!("-: {error}")))?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > LARGEST) {
        let reason = format!("-: up to {LARGEST} bytes of codes are read");
        return Err(Failure::Unreadable(reason));
    }
    let text = String::from_utf8_lossy(&bytes);
    let lines = text.lines().filter(|line| !line.is_empty());
    Ok(lines.map(str::to_owned).collect())
}

fn row(code: &str, parsed: &Result<Unit, Refused>) -> Value {
    match parsed {
        Ok(unit) => {
            let doubt = unit.doubt();
            let special = unit.special();
            json!({
                "code": code,
                "ucum": true,
                "quantity": unit.quantity(),
                "dimension": unit.dimension(),
                "factor": special.is_none().then_some(unit.factor()),
                "base": unit.base(),
                "special": special.map(|special| json!({
                    "code": special.code,
                    "scale": special.scale,
                    "kind": special.kind.name(),
                })),
                "warning": doubt.as_ref().map(|doubt| doubt.reason.clone()),
                "reason": null,
                "suggestion": doubt.and_then(|doubt| doubt.suggestion),
            })
        }
        Err(refused) => json!({
            "code": code,
            "ucum": false,
            "quantity": null,
            "dimension": null,
            "factor": null,
            "base": null,
            "special": null,
            "warning": null,
            "reason": refused.reason,
            "suggestion": refused.suggestion,
        }),
    }
}

fn show(out: &mut String, code: &str, parsed: &Result<Unit, Refused>) {
    let indent = " ".repeat(COLUMN);
    let code = match code {
        "" => "\"\"".to_owned(),
        _ => plain(code, LONGEST),
    };
    // A code that leaves no room has lines of its own.
    let mut first = format!("{code:<COLUMN$}");
    if !first.ends_with(' ') {
        out.push_str(&fold(&code, "", "", WIDTH));
        first = indent.clone();
    }
    let mut line =
        |first: &str, text: &str| out.push_str(&wrap_behind(text, first, &indent, WIDTH));
    match parsed {
        Ok(unit) => {
            line(&first, &meaning(unit));
            if let Some(doubt) = unit.doubt() {
                let style = style(Severity::Warning);
                let text = format!("{style}warning:{style:#} {}", advice(&doubt));
                line(&indent, &text);
            }
        }
        Err(refused) => {
            let style = style(Severity::Error);
            line(
                &first,
                &format!("{style}not UCUM:{style:#} {}", advice(refused)),
            );
        }
    }
}

fn advice(refused: &Refused) -> String {
    let reason = plain(&refused.reason, LONGEST);
    match &refused.suggestion {
        Some(meant) => format!("{reason}; write {meant}"),
        None => reason,
    }
}

/// What a unit measures, its dimension, and how many base units it is.
fn meaning(unit: &Unit) -> String {
    let quantity = match unit.quantity() {
        Some(quantity) => format!("{quantity}, "),
        None => String::new(),
    };
    let start = format!("UCUM: {quantity}dimension {}", unit.dimension());
    let base = unit.base();
    let of = match base.as_str() {
        "1" => number(unit.factor()),
        base => format!("{} {base}", number(unit.factor())),
    };
    match unit.special() {
        Some(Special { code, scale, kind }) => {
            let times = match scale == 1.0 {
                true => String::new(),
                false => format!("{} {code}, ", number(scale)),
            };
            let kind = match kind {
                Scale::Interval => "a scale with a zero of its own, in steps of",
                Scale::Logarithm => "a logarithm, relative to",
                Scale::Tangent => "a hundred times a tangent, of an angle relative to",
                Scale::Root => "a square root, relative to",
            };
            format!("{start}; {times}{kind} {of}; in no product, quotient or power")
        }
        None if unit.is_arbitrary() => {
            format!("{start}; {of}, an amount that a procedure defines and no other unit measures")
        }
        None => format!("{start}; {of}"),
    }
}

/// With an exponent where it would be all zeros.
fn number(value: f64) -> String {
    match (1e-6..1e12).contains(&value) {
        true => value.to_string(),
        false => format!("{value:e}"),
    }
}
