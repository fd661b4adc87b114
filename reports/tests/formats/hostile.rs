//! Files that would have a report say something else.

use ca3_reports::{
    Counts, FileReport, Finding, Limits, Report, RuleTotal, Severity, Tool, github, junit, ndjson,
    sarif,
};

/// Of everything that may come from a file.
const TEXT: &str = "x\n::error::mine\r##[error]%0A\u{1b}[2J\u{0}\u{9b}]]></failure><b a=\"'\">\
                    \u{202e}\u{2028}\u{fffe}[see](https://example.org),a:b";

/// A report of such a file.
pub(crate) fn report() -> Report {
    let limits = Limits {
        memory: 1,
        findings_per_rule: 1,
    };
    let long = "n".repeat(1_000_000);
    let finding = Finding::new("CA3-3.1-04", Severity::Error, 9, TEXT, TEXT)
        .of_topic(TEXT)
        .path(TEXT)
        .showing(TEXT, long);
    let total = RuleTotal {
        rule: "CA3-3.1-04",
        severity: Severity::Error,
        total: 2,
        shown: 1,
    };
    let file = FileReport {
        size: Some(9),
        account: TEXT.to_owned(),
        counts: Counts {
            error: 2,
            ..Counts::default()
        },
        findings: vec![finding],
        totals: vec![total],
        ..FileReport::unread(TEXT.to_owned(), limits, TEXT)
    };
    let tool = Tool {
        name: "t",
        version: "1",
    };
    Report::new(tool, Severity::Error, vec![file])
}

#[test]
fn no_text_is_a_command_of_its_own() {
    let text = github::render(&report());
    let lines: Vec<&str> = text.split(['\n', '\r']).collect();
    let [unread, finding, verdict, ""] = lines.as_slice() else {
        panic!("{lines:#?}")
    };
    let path = "file=x%0A%3A%3Aerror%3A%3Amine%0D##[error]%250A\u{fffd}[2J\u{fffd}\u{fffd}]]>\
                </failure><b a=\"'\">\u{fffd}\u{fffd}\u{fffd}[see](https%3A//example.org)%2Ca%3Ab";
    assert!(
        unread.starts_with(&format!("::error {path},line=1,title=scan incomplete::")),
        "{unread}"
    );
    assert!(
        finding.starts_with(&format!(
            "::error {path},line=1,title=CA3-3.1-04 at offset 9 of x"
        )),
        "{finding}"
    );
    let last =
        "%0A2 of this rule in the file; this is the first.%0AWhy: ca3-validate explain CA3-3.1-04";
    assert!(finding.ends_with(last), "{finding}");
    assert_eq!(*verdict, "1 file: 2 errors; fails, 1 not read to the end");
    assert!(!text.contains('\u{1b}') && text.len() < 5_000);
}

#[test]
fn no_text_is_markup_of_junit() {
    let text = junit::render(&report()).unwrap();
    let allowed = |c: char| matches!(c, '\n' | '\t' | ' '..='\u{7e}' | '\u{a0}'..='\u{fffd}');
    assert!(text.chars().all(allowed), "{text}");
    assert!(!text.contains("<b") && !text.contains("\u{202e}"), "{text}");
    assert_eq!(text.matches("<testcase").count(), 2, "{text}");
    assert_eq!(text.matches("</failure>").count(), 1, "{text}");
    assert!(text.len() < 10_000);
}

#[test]
fn no_text_is_a_link_of_sarif() {
    let text = sarif::render(&report()).unwrap();
    // Messages alone are looked through for links.
    let messages: Vec<&str> = text
        .lines()
        .filter(|it| it.contains("\"text\": "))
        .collect();
    assert!(messages.iter().any(|it| it.contains("[see] (")), "{text}");
    assert!(!messages.iter().any(|it| it.contains("](")), "{text}");
    assert!(!text.contains('\u{202e}') && text.len() < 20_000);
    assert!(text.contains("\"uri\": \"x%0A%3A%3Aerror"), "{text}");
}

#[test]
fn a_line_is_one_to_every_reader_of_lines() {
    let text = ndjson::render(&report()).unwrap();
    let breaks = [
        '\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}',
    ];
    assert_eq!(text.find(breaks), Some(text.len() - 1));
}
