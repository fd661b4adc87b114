//! What the settings of a run kept from counting, in words: whoever reads that
//! nothing was found must also read what was not counted.

use std::collections::BTreeSet;

use crate::text::{counts, plain};
use crate::{Counts, Report, Scope, Suppressed};

/// The longest path that is repeated, in characters.
const LONGEST_PATH: usize = 300;
/// How many rules or sections are named of a list.
const MOST_NAMED: usize = 12;

/// What was found, and how much of it does not count.
pub(crate) fn found(found: &Counts, suppressed: Suppressed) -> String {
    let parts: Vec<String> = [
        (suppressed.ignored, "ignored"),
        (suppressed.baseline, "known from the baseline"),
    ]
    .into_iter()
    .filter(|(number, _)| *number > 0)
    .map(|(number, why)| format!("{number} {why}"))
    .collect();
    if parts.is_empty() {
        return counts(found);
    }
    let counted = match *found == Counts::default() {
        true => "nothing that counts".to_owned(),
        false => counts(found),
    };
    format!("{counted}, and not counted: {}", parts.join(", "))
}

/// What the settings kept from counting in all files.
pub(crate) fn suppressed(report: &Report) -> Suppressed {
    let mut all = Suppressed::default();
    for file in &report.files {
        all.add(file.suppressed);
    }
    all
}

/// What the run was told and what came of it, a line a setting.
pub(crate) fn account(report: &Report) -> Vec<String> {
    let settings = &report.settings;
    let suppressed = suppressed(report);
    let mut lines = Vec::new();
    let mut told = Vec::new();
    if !settings.only.is_empty() {
        told.push(format!("only: {}", some(&settings.only)));
    }
    if !settings.ignore.is_empty() {
        told.push(format!("ignore: {}", some(&settings.ignore)));
    }
    if !told.is_empty() {
        let left = report.files.iter().flat_map(|file| &file.unchecked);
        let rules: BTreeSet<&str> = left
            .filter(|it| it.scope == Scope::Settings)
            .flat_map(|it| it.rules.iter().map(String::as_str))
            .collect();
        let rules = match rules.len() {
            1 => "1 rule".to_owned(),
            number => format!("{number} rules"),
        };
        lines.push(format!(
            "not counted: {}; {rules} switched off ({})",
            findings(suppressed.ignored),
            told.join("; ")
        ));
    }
    if let Some(path) = &settings.baseline {
        lines.push(format!(
            "not counted: {} known from the baseline {}",
            findings(suppressed.baseline),
            plain(path, LONGEST_PATH)
        ));
    }
    if !settings.severity.is_empty() {
        let changed: Vec<String> = settings
            .severity
            .iter()
            .map(|(rule, severity)| format!("{rule} as {severity}"))
            .collect();
        lines.push(format!("another severity: {}", some(&changed)));
    }
    lines
}

fn findings(number: u64) -> String {
    match number {
        1 => "1 finding".to_owned(),
        number => format!("{number} findings"),
    }
}

/// The first of some names of rules or sections, and how many more there are.
pub fn some<N: AsRef<str>>(names: &[N]) -> String {
    let named: Vec<&str> = names.iter().take(MOST_NAMED).map(AsRef::as_ref).collect();
    let more = match names.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        number => format!(" and {number} more"),
    };
    format!("{}{more}", named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FileReport, Limits, Settings, Severity, Tool, Unchecked};

    fn report(settings: Settings) -> Report {
        let limits = Limits {
            memory: 1,
            findings_per_rule: 1,
        };
        let file = |rules: &[&str], ignored, baseline| FileReport {
            suppressed: Suppressed { ignored, baseline },
            unchecked: vec![Unchecked {
                scope: Scope::Settings,
                what: String::new(),
                rules: rules.iter().map(|rule| (*rule).to_owned()).collect(),
                in_part: false,
                reason: String::new(),
            }],
            ..FileReport::unread(String::new(), limits, "")
        };
        let files = vec![
            file(&["CA3-2-01", "CA3-3-02"], 4, 1),
            file(&["CA3-3-02", "CA3-4-01"], 1, 0),
        ];
        let tool = Tool {
            name: "t",
            version: "1",
        };
        let mut report = Report::new(tool, Severity::Error, files);
        report.settings = settings;
        report
    }

    #[test]
    fn findings_of_all_files_are_added_and_rules_counted_once() {
        let names = |number| (0..number).map(|n| format!("CA3-{n}")).collect();
        let lines = account(&report(Settings {
            only: names(14),
            ignore: names(1),
            severity: [("CA3-7".to_owned(), Severity::Info)].into(),
            baseline: Some("b\u{1b}.json".to_owned()),
        }));
        assert_eq!(
            lines,
            [
                "not counted: 5 findings; 3 rules switched off (only: CA3-0, CA3-1, CA3-2, \
                 CA3-3, CA3-4, CA3-5, CA3-6, CA3-7, CA3-8, CA3-9, CA3-10, CA3-11 and 2 more; \
                 ignore: CA3-0)",
                "not counted: 1 finding known from the baseline b\u{fffd}.json",
                "another severity: CA3-7 as info",
            ]
        );
        assert!(account(&report(Settings::default())).is_empty());
    }

    #[test]
    fn what_does_not_count_stands_beside_what_does() {
        let of = |error, ignored, baseline| {
            let counts = Counts {
                error,
                ..Counts::default()
            };
            found(&counts, Suppressed { ignored, baseline })
        };
        assert_eq!(of(0, 0, 0), "nothing found");
        assert_eq!(of(2, 0, 0), "2 errors");
        assert_eq!(
            of(0, 3, 0),
            "nothing that counts, and not counted: 3 ignored"
        );
        assert_eq!(
            of(1, 3, 4),
            "1 error, and not counted: 3 ignored, 4 known from the baseline"
        );
    }
}
