//! What was measured, and how it is printed: ratios of deterministic counts,
//! some with a bound, and times, which are information only.

use std::time::Duration;

use serde::Serialize;

/// Thousandths that make a whole.
pub(crate) const WHOLE: u64 = 1000;
/// The bound of everything that should be fetched once and with nothing beside
/// it, in thousandths: what is over 1 is left for frames and headers.
pub(crate) const CLOSE: u64 = 1050;

/// A count against the least that would do.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Ratio {
    pub(crate) what: String,
    pub(crate) fetched: u64,
    pub(crate) least: u64,
    /// The greatest ratio that passes, in thousandths; none where the row only
    /// informs.
    pub(crate) bound_thousandths: Option<u64>,
    /// How many reads fetched it, where that is not what the row counts.
    pub(crate) reads: Option<u64>,
}

impl Ratio {
    pub(crate) fn new(what: impl Into<String>, fetched: u64, least: u64) -> Self {
        Ratio {
            what: what.into(),
            fetched,
            least,
            bound_thousandths: None,
            reads: None,
        }
    }

    pub(crate) fn bounded(self, thousandths: u64) -> Self {
        Ratio {
            bound_thousandths: Some(thousandths),
            ..self
        }
    }

    pub(crate) fn in_reads(self, reads: u64) -> Self {
        Ratio {
            reads: Some(reads),
            ..self
        }
    }

    /// Whether the ratio is above its bound.
    pub(crate) fn exceeds(&self) -> bool {
        let Some(bound) = self.bound_thousandths else {
            return false;
        };
        u128::from(self.fetched) * u128::from(WHOLE) > u128::from(self.least) * u128::from(bound)
    }

    fn thousandths(&self) -> Option<u64> {
        self.fetched.checked_mul(WHOLE)?.checked_div(self.least)
    }
}

/// A figure that is only for information.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Figure {
    pub(crate) what: String,
    pub(crate) value: u64,
    pub(crate) unit: &'static str,
}

impl Figure {
    pub(crate) fn new(what: impl Into<String>, value: u64, unit: &'static str) -> Self {
        Figure {
            what: what.into(),
            value,
            unit,
        }
    }

    /// A time, in the largest of the units that leaves three digits of it.
    pub(crate) fn time(what: impl Into<String>, time: Duration) -> Self {
        let whole = |value: u128| u64::try_from(value).unwrap_or(u64::MAX);
        match time.as_micros() {
            micros if micros < 100_000 => Figure::new(what, whole(micros), "us"),
            _ => Figure::new(what, whole(time.as_millis()), "ms"),
        }
    }
}

/// One part of the benchmark.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Part {
    pub(crate) title: &'static str,
    pub(crate) ratios: Vec<Ratio>,
    pub(crate) figures: Vec<Figure>,
}

impl Part {
    pub(crate) fn new(title: &'static str) -> Self {
        Part {
            title,
            ..Part::default()
        }
    }
}

/// The table, lines of at most 80 columns.
pub(crate) fn text(parts: &[Part]) -> String {
    let mut lines = Vec::new();
    for part in parts {
        lines.push(part.title.to_owned());
        if !part.ratios.is_empty() {
            lines.push(columns(
                "what", "fetched", "least", "ratio", "bound", "reads",
            ));
        }
        lines.extend(part.ratios.iter().map(row));
        for figure in &part.figures {
            let Figure { what, value, unit } = figure;
            let value = grouped(*value);
            lines.push(format!("  {what:<50} {value:>17} {unit}"));
        }
        lines.push(String::new());
    }
    let exceeding = parts.iter().flat_map(|part| &part.ratios);
    let exceeding: Vec<&Ratio> = exceeding.filter(|ratio| ratio.exceeds()).collect();
    lines.push(match exceeding.len() {
        0 => "Every ratio is within its bound.".to_owned(),
        1 => "1 ratio is above its bound:".to_owned(),
        count => format!("{count} ratios are above their bounds:"),
    });
    lines.extend(exceeding.into_iter().map(row));
    lines.push(String::new());
    lines.join("\n")
}

fn row(ratio: &Ratio) -> String {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    columns(
        &ratio.what,
        &grouped(ratio.fetched),
        &grouped(ratio.least),
        &or_dash(ratio.thousandths().map(decimal)),
        &or_dash(ratio.bound_thousandths.map(decimal)),
        &or_dash(ratio.reads.map(grouped)),
    )
}

fn columns(
    what: &str,
    fetched: &str,
    least: &str,
    ratio: &str,
    bound: &str,
    reads: &str,
) -> String {
    format!("  {what:<31} {fetched:>11} {least:>11} {ratio:>7} {bound:>6} {reads:>7}")
}

/// Thousandths as a decimal fraction.
fn decimal(thousandths: u64) -> String {
    let whole = thousandths.checked_div(WHOLE).unwrap_or_default();
    let rest = thousandths.checked_rem(WHOLE).unwrap_or_default();
    format!("{whole}.{rest:03}")
}

/// A number with a comma in front of every three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && digits.len().saturating_sub(place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_met_exactly_and_not_by_a_byte_more() {
        let ratio = |fetched, least| Ratio::new("", fetched, least).bounded(CLOSE);
        assert!(!ratio(1050, 1000).exceeds());
        assert!(ratio(1051, 1000).exceeds());
        assert!(ratio(u64::MAX, 1).exceeds());
        assert!(!ratio(0, 0).exceeds());
        assert!(ratio(1, 0).exceeds(), "something where nothing was needed");
        assert!(!Ratio::new("", 2000, 1000).exceeds(), "no bound");
    }

    #[test]
    fn lines_keep_to_eighty_columns_and_what_is_above_its_bound_is_said_again() {
        let mut part = Part::new("A part");
        part.ratios = vec![
            Ratio::new("near", 99_999_999, 99_999_998)
                .bounded(CLOSE)
                .in_reads(100_000),
            Ratio::new("far", 1234, 1000).bounded(CLOSE),
            Ratio::new("nothing", 0, 0),
        ];
        part.figures = vec![
            Figure::time("quick", Duration::from_micros(99_999)),
            Figure::time("slow", Duration::from_millis(1234)),
        ];
        let text = text(&[part]);
        let expected = "\
A part
  what                                fetched       least   ratio  bound   reads
  near                             99,999,999  99,999,998   1.000  1.050 100,000
  far                                   1,234       1,000   1.234  1.050       -
  nothing                                   0           0       -      -       -
  quick                                                         99,999 us
  slow                                                           1,234 ms

1 ratio is above its bound:
  far                                   1,234       1,000   1.234  1.050       -
";
        assert_eq!(text, expected);
        assert!(text.lines().all(|line| line.len() <= 80));
    }
}
