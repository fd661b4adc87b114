//! What counts: which rules, and how much each weighs.
//!
//! A finished report is looked at once more. What does not count is taken out of
//! findings, totals and counts, and counted by itself; rules that do not count
//! are no longer among those that were checked.

use std::collections::{BTreeMap, BTreeSet};

use ca3_reports::settings::some;
use ca3_reports::{Counts, FileReport, RuleTotal, Scope, Settings, Severity, Unchecked};

use super::CHECKED;
use super::selector::Selector;

/// What shows that a file is none of this format, so that nothing else of it is judged:
/// that counts whatever is asked for.
const OF_THE_FORMAT: [&str; 3] = ["CA3-2.1-01", "CA3-2.1-02", "CA3-2.1-03"];

/// What counts. Of a rule that `only` and `ignore` both mean, nothing counts.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// What alone counts; everything where this is empty.
    pub only: Vec<Selector>,
    /// What does not count.
    pub ignore: Vec<Selector>,
    /// What weighs otherwise; of several that mean a rule, the closest holds.
    pub severity: BTreeMap<Selector, Severity>,
}

/// Why a rule does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    Unasked,
    Ignored,
}

impl Policy {
    /// Whether a rule counts.
    pub fn counts(&self, rule: &str) -> bool {
        self.left(rule).is_none()
    }

    fn left(&self, rule: &str) -> Option<Left> {
        if OF_THE_FORMAT.contains(&rule) {
            None
        } else if !self.only.is_empty() && !self.only.iter().any(|it| it.covers(rule)) {
            Some(Left::Unasked)
        } else if self.ignore.iter().any(|it| it.covers(rule)) {
            Some(Left::Ignored)
        } else {
            None
        }
    }

    /// Whether nothing counts, so that whatever is judged would pass.
    pub fn is_void(&self) -> bool {
        !CHECKED
            .iter()
            .flat_map(|group| group.rules)
            .any(|rule| self.counts(rule) && !OF_THE_FORMAT.contains(rule))
    }

    /// What a finding of a rule weighs. Whatever means a rule begins it, so the
    /// longest is the closest.
    fn weigh(&self, rule: &str, severity: Severity) -> Severity {
        self.severity
            .iter()
            .filter(|(it, _)| it.covers(rule))
            .max_by_key(|(it, _)| it.as_str().len())
            .map_or(severity, |(_, told)| *told)
    }

    /// What the report says it was told.
    pub fn settings(&self, baseline: Option<String>) -> Settings {
        let names = |list: &[Selector]| list.iter().map(Selector::to_string).collect();
        Settings {
            only: names(&self.only),
            ignore: names(&self.ignore),
            severity: self
                .severity
                .iter()
                .map(|(it, severity)| (it.to_string(), *severity))
                .collect(),
            baseline,
        }
    }

    /// Takes out of a report what does not count, and weighs the rest.
    pub fn apply(&self, file: &mut FileReport) {
        file.findings.retain(|finding| self.counts(finding.rule));
        for finding in &mut file.findings {
            finding.severity = self.weigh(finding.rule, finding.severity);
        }
        let mut totals: BTreeMap<(&'static str, Severity), (u64, u64)> = BTreeMap::new();
        for total in &file.totals {
            if self.counts(total.rule) {
                let severity = self.weigh(total.rule, total.severity);
                let (all, shown) = totals.entry((total.rule, severity)).or_default();
                *all = all.saturating_add(total.total);
                *shown = shown.saturating_add(total.shown);
            } else {
                file.suppressed.ignored = file.suppressed.ignored.saturating_add(total.total);
            }
        }
        file.totals = totals
            .into_iter()
            .map(|((rule, severity), (total, shown))| RuleTotal {
                rule,
                severity,
                total,
                shown,
            })
            .collect();
        recount(file);
        self.leave(file);
    }

    /// Moves the rules that do not count from what was checked to what was not.
    fn leave(&self, file: &mut FileReport) {
        let mut unasked = BTreeSet::new();
        let mut ignored = BTreeSet::new();
        for checked in &mut file.checked {
            checked.rules.retain(|rule| {
                match self.left(rule) {
                    Some(Left::Unasked) => unasked.insert(*rule),
                    Some(Left::Ignored) => ignored.insert(*rule),
                    None => return true,
                };
                false
            });
        }
        file.checked.retain(|checked| !checked.rules.is_empty());
        // What is left open of rules that are judged otherwise is no matter where
        // they do not count at all.
        for unchecked in file.unchecked.iter_mut().filter(|it| it.in_part) {
            unchecked.rules.retain(|rule| self.counts(rule));
        }
        file.unchecked
            .retain(|it| !it.in_part || !it.rules.is_empty());
        let mut say = |rules: BTreeSet<&str>, reason: String| {
            let what = match rules.len() {
                0 => return,
                1 => "1 rule that is switched off".to_owned(),
                number => format!("{number} rules that are switched off"),
            };
            file.unchecked.push(Unchecked {
                in_part: false,
                scope: Scope::Settings,
                what,
                rules: rules.into_iter().map(str::to_owned).collect(),
                reason,
            });
        };
        say(unasked, format!("only: {}", some(&self.only)));
        say(ignored, format!("ignore: {}", some(&self.ignore)));
    }
}

/// Makes a report's counts those of its totals.
pub(crate) fn recount(file: &mut FileReport) {
    file.counts = Counts::default();
    for total in &file.totals {
        file.counts.add(total.severity, total.total);
    }
}

/// Shows no more than that many findings of a rule and severity: the first ones.
pub(crate) fn show_at_most(file: &mut FileReport, most: u64) {
    for total in &mut file.totals {
        total.shown = total.shown.min(most);
    }
    let mut room: BTreeMap<(&str, Severity), u64> = file
        .totals
        .iter()
        .map(|total| ((total.rule, total.severity), total.shown))
        .collect();
    file.findings.retain(|finding| {
        let room = room.entry((finding.rule, finding.severity)).or_default();
        let fits = *room > 0;
        *room = room.saturating_sub(1);
        fits
    });
}

#[cfg(test)]
mod tests {
    use ca3_reports::{Checked, Finding};

    use super::*;
    use crate::DEFAULT_LIMITS;

    /// Three errors of CA3-7.1-09, two of them shown, a warning of the same rule,
    /// and an error of CA3-2-01.
    fn report() -> FileReport {
        let total = |rule, severity, total, shown| RuleTotal {
            rule,
            severity,
            total,
            shown,
        };
        let finding = |rule, severity, offset| Finding::new(rule, severity, offset, "f", "m");
        FileReport {
            findings: vec![
                finding("CA3-2-01", Severity::Error, 0),
                finding("CA3-7.1-09", Severity::Error, 10),
                finding("CA3-7.1-09", Severity::Warning, 15),
                finding("CA3-7.1-09", Severity::Error, 20),
            ],
            totals: vec![
                total("CA3-2-01", Severity::Error, 1, 1),
                total("CA3-7.1-09", Severity::Warning, 1, 1),
                total("CA3-7.1-09", Severity::Error, 3, 2),
            ],
            counts: Counts {
                error: 4,
                warning: 1,
                info: 0,
            },
            checked: vec![
                Checked {
                    what: "magic".into(),
                    rules: vec!["CA3-2-01"],
                },
                Checked {
                    what: "index".into(),
                    rules: vec!["CA3-7.1-09", "CA3-7.1-10"],
                },
            ],
            unchecked: vec![Unchecked {
                in_part: true,
                scope: Scope::File,
                what: "some entries".to_owned(),
                rules: vec!["CA3-7.1-09".to_owned()],
                reason: "why".to_owned(),
            }],
            ..FileReport::unread("x".to_owned(), DEFAULT_LIMITS, "")
        }
    }

    fn selectors(names: &[&str]) -> Vec<Selector> {
        names.iter().map(|name| name.parse().unwrap()).collect()
    }

    #[test]
    fn what_is_ignored_is_counted_by_itself_and_no_longer_checked() {
        let policy = Policy {
            ignore: selectors(&["CA3-7.1-09"]),
            ..Policy::default()
        };
        let mut file = report();
        policy.apply(&mut file);
        assert_eq!((file.counts.error, file.counts.warning), (1, 0));
        assert_eq!(file.suppressed.ignored, 4);
        assert_eq!((file.findings.len(), file.totals.len()), (1, 1));
        assert_eq!(file.checked[1].rules, ["CA3-7.1-10"]);
        let [left] = file.unchecked.as_slice() else {
            panic!("{:?}", file.unchecked)
        };
        assert_eq!(left.scope, Scope::Settings);
        assert_eq!(left.rules, ["CA3-7.1-09"]);
        assert_eq!(left.reason, "ignore: CA3-7.1-09");
    }

    #[test]
    fn only_and_ignore_both_bind() {
        let policy = Policy {
            only: selectors(&["CA3-7.1"]),
            ignore: selectors(&["CA3-7.1-10"]),
            ..Policy::default()
        };
        let mut file = report();
        policy.apply(&mut file);
        assert_eq!((file.counts.error, file.counts.warning), (3, 1));
        assert_eq!(file.suppressed.ignored, 1);
        let reasons: Vec<_> = file
            .unchecked
            .iter()
            .map(|it| (it.rules.join(" "), it.reason.as_str()))
            .collect();
        assert_eq!(
            reasons,
            [
                ("CA3-7.1-09".to_owned(), "why"),
                ("CA3-2-01".to_owned(), "only: CA3-7.1"),
                ("CA3-7.1-10".to_owned(), "ignore: CA3-7.1-10"),
            ]
        );
        assert!(!policy.is_void());
        let void = Policy {
            only: selectors(&["CA3-7.1"]),
            ignore: selectors(&["CA3-7"]),
            ..Policy::default()
        };
        assert!(void.is_void());
    }

    #[test]
    fn the_closest_severity_holds_and_totals_of_one_become_one() {
        let mut policy = Policy::default();
        let told = [("CA3-7", Severity::Info), ("CA3-7.1-09", Severity::Warning)];
        for (name, severity) in told {
            policy.severity.insert(name.parse().unwrap(), severity);
        }
        let mut file = report();
        policy.apply(&mut file);
        let counts = file.counts;
        assert_eq!((counts.error, counts.warning, counts.info), (1, 4, 0));
        let total = &file.totals[1];
        assert_eq!((total.total, total.shown), (4, 3));
        assert_eq!(file.suppressed.ignored, 0);
        show_at_most(&mut file, 1);
        let offsets: Vec<u64> = file.findings.iter().map(|it| it.offset).collect();
        assert_eq!(offsets, [0, 10]);
        assert_eq!((file.totals[1].total, file.totals[1].shown), (4, 1));
    }
}
