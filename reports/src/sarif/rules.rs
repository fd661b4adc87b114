//! The rules that were broken.

use std::collections::BTreeMap;

use ca3_spec::rule::{self, Rule};

use super::document::{RuleFacts, RuleObject, Text};
use crate::{Report, fix};

/// The rules that findings of a report name, in the catalogue's order, each with
/// what puts it right where that is the same for all of them.
pub(super) struct Rules {
    broken: Vec<(&'static Rule, Option<&'static str>)>,
}

impl Rules {
    pub(super) fn of(report: &Report) -> Self {
        let mut fixes: BTreeMap<&str, Option<&'static str>> = BTreeMap::new();
        for finding in report.files.iter().flat_map(|file| &file.findings) {
            let fix = fix::of(finding);
            fixes
                .entry(finding.rule)
                .and_modify(|known| *known = known.filter(|_| *known == fix))
                .or_insert(fix);
        }
        let broken = rule::catalogue().iter().filter_map(|rule| {
            let fix = fixes.get(rule.id.as_str())?;
            Some((rule, *fix))
        });
        Rules {
            broken: broken.collect(),
        }
    }

    pub(super) fn index(&self, id: &str) -> Option<usize> {
        self.broken.iter().position(|(rule, _)| rule.id == id)
    }

    pub(super) fn described(&self) -> Vec<RuleObject> {
        let one = |(rule, fix): &(&'static Rule, Option<&'static str>)| {
            let mut help = format!("{}\n\nWhy: {}", rule.summary, rule.why);
            if let Some(fix) = fix {
                help.push_str(&format!("\n\nFix: {fix}"));
            }
            help.push_str(&format!("\n\nMore: ca3-validate explain {}", rule.id));
            RuleObject {
                id: &rule.id,
                short_description: Text::new(&rule.summary),
                full_description: Text::new(&rule.why),
                help: Text::new(help),
                properties: RuleFacts {
                    section: &rule.section,
                    keyword: &rule.keyword,
                    tags: ["ca3"],
                },
            }
        };
        self.broken.iter().map(one).collect()
    }
}
