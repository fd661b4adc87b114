//! The register of readings: where the document is silent, and what we chose.
//!
//! The source is the table in `spec/readings.md`, whose rows are
//! `| G01 | certifying | question | reading |`.

use std::sync::LazyLock;

/// One reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Its number, such as `G01`.
    pub id: &'static str,
    /// Whether a vector that depends on it certifies: true only where any
    /// reader needs the reading to decode the file at all.
    pub certifying: bool,
    /// What the document leaves open.
    pub question: &'static str,
    /// What we read.
    pub answer: &'static str,
}

const TEXT: &str = include_str!("../readings.md");

static REGISTER: LazyLock<Vec<Reading>> = LazyLock::new(|| TEXT.lines().filter_map(row).collect());

fn row(line: &'static str) -> Option<Reading> {
    let mut cells = line
        .strip_prefix("| G")?
        .strip_suffix(" |")?
        .splitn(4, " | ");
    let number = cells.next()?;
    let standing = cells.next()?;
    let question = cells.next()?;
    let answer = cells.next()?;
    let id = line.get(2..3 + number.len())?;
    let certifying = match standing {
        "certifying" => true,
        "provisional" => false,
        _ => return None,
    };
    Some(Reading {
        id,
        certifying,
        question,
        answer,
    })
}

/// Every reading, in the register's order.
pub fn register() -> &'static [Reading] {
    &REGISTER
}

/// The reading of a number such as `G07`.
pub fn find(id: &str) -> Option<&'static Reading> {
    register().iter().find(|reading| reading.id == id)
}

/// Whether a vector that depends on these readings is provisional.
pub fn provisional<'a>(readings: impl IntoIterator<Item = &'a str>) -> bool {
    readings
        .into_iter()
        .any(|id| find(id).is_none_or(|reading| !reading.certifying))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_parses_and_numbers_run_on() {
        let rows = TEXT.lines().filter(|line| line.starts_with("| G")).count();
        assert_eq!(register().len(), rows);
        for (index, reading) in register().iter().enumerate() {
            assert_eq!(reading.id, format!("G{:02}", index + 1));
            assert!(!reading.question.contains('|') && !reading.answer.contains('|'));
        }
    }

    #[test]
    fn certifying_readings_are_those_that_decoding_needs() {
        let certifying: Vec<&str> = register()
            .iter()
            .filter(|reading| reading.certifying)
            .map(|reading| reading.id)
            .collect();
        let expected = [
            "G01", "G03", "G09", "G13", "G16", "G20", "G25", "G31", "G34", "G92", "G100", "G136",
        ];
        assert_eq!(certifying, expected);
        assert!(provisional(["G20", "G21"]));
        assert!(!provisional(["G20"]));
    }
}
