//! Lines, read again.

use ca3_reports::ndjson::{Line, LineError, render};
use ca3_reports::{Report, Tool};

use crate::hostile;
use crate::support::sample;

const TOOL: Tool = Tool {
    name: "t",
    version: "1",
};

fn read(text: &str) -> Line {
    Line::read(text, &TOOL).unwrap()
}

#[test]
fn what_is_written_is_read_as_it_was() {
    for report in [sample(), hostile::report()] {
        let text = render(&report).unwrap();
        let lines: Vec<Line> = text.lines().map(read).collect();
        assert!(lines.iter().all(|line| line.settings == report.settings));
        assert!(lines.iter().all(|line| line.fail_on == report.fail_on));
        let files = lines.into_iter().map(|line| line.file).collect();
        let mut again = Report::new(TOOL, report.fail_on, files);
        again.settings = report.settings.clone();
        assert_eq!(again, report);
    }
}

/// The reason why a line is garbled, once a part of it is another.
fn reason(part: &str, other: &str) -> String {
    let text = render(&sample()).unwrap();
    let line = text.lines().next().unwrap();
    assert!(line.contains(part), "{part}");
    match Line::read(&line.replacen(part, other, 1), &TOOL) {
        Err(LineError::Garbled(_)) => {}
        other => panic!("{other:?}"),
    }
    let error = Line::read(&line.replacen(part, other, 1), &TOOL).unwrap_err();
    error.to_string()
}

#[test]
fn what_is_not_known_is_named() {
    let why = reason("\"rule\":\"CA3-7.1-09\"", "\"rule\":\"CA3-99-01\"");
    assert!(
        why.starts_with("there is no rule CA3-99-01 at column "),
        "{why}"
    );
    let why = reason("\"rules\":[\"CA3-7.1-09\"]", "\"rules\":[\"CA3-99-02\"]");
    assert!(why.starts_with("there is no rule CA3-99-02"), "{why}");
    let why = reason("\"section\":\"7.1\"", "\"section\":\"77\"");
    assert!(why.starts_with("there is no section 77"), "{why}");
    let why = reason("\"path\":\"a.ca3\"", "\"path\":\"a.ca3\",\"more\":1");
    assert!(why.contains("unknown field `more`"), "{why}");
    let why = reason("\"total\":\"18446744073709551615\"", "\"total\":\"much\"");
    assert!(why.contains("invalid digit"), "{why}");
    let why = reason("\"bias_low_ns\":\"unbounded\"", "\"bias_low_ns\":\"-1\"");
    assert!(why.contains("invalid digit"), "{why}");
}

#[test]
fn a_line_that_is_cut_anywhere_is_no_line() {
    let text = render(&sample()).unwrap();
    let line = text.lines().next().unwrap();
    for (end, _) in line.char_indices() {
        let cut = Line::read(line.get(..end).unwrap(), &TOOL);
        assert!(matches!(cut, Err(LineError::Garbled(_))), "{end}");
    }
}

#[test]
fn lines_of_other_versions_are_told_apart_from_garbled_ones() {
    let text = render(&sample()).unwrap();
    let line = text.lines().next().unwrap();
    let foreign = |line: &str, tool: &Tool| match Line::read(line, tool) {
        Err(LineError::Foreign { by, form }) => (by.name, by.version, form),
        other => panic!("{other:?}"),
    };
    let newer = Tool {
        version: "2",
        ..TOOL
    };
    let ours = ("t".to_owned(), "1".to_owned(), 1);
    assert_eq!(foreign(line, &newer), ours);
    // Also where it has members that this version does not know.
    let other = line
        .replacen("\"schema_version\":1", "\"schema_version\":2", 1)
        .replacen("\"file\":{", "\"file\":{\"new\":0,", 1);
    assert_eq!(foreign(&other, &TOOL), ("t".to_owned(), "1".to_owned(), 2));
}
