//! What was checked and what was not.

use maud::{Markup, html};

use super::escape::visible;
use crate::{Checked, FileReport, Report, Scope, Unchecked};

/// The longest text.
const LONGEST: usize = 400;
/// What is left unchecked of a file and told.
const MOST: usize = 100;

/// What was checked in the files of a report, each list of rules once: those of most
/// files are the same.
pub(super) struct Lists<'r> {
    lists: Vec<&'r [Checked]>,
}

impl<'r> Lists<'r> {
    /// None yet.
    pub(super) const fn new() -> Self {
        Lists { lists: Vec::new() }
    }

    /// How many lists the page has.
    pub(super) fn count(&self) -> usize {
        self.lists.len()
    }

    /// Forgets all but so many: what the others are part of is not on the page.
    pub(super) fn forget(&mut self, but: usize) {
        self.lists.truncate(but);
    }

    /// A file's part, folded: its own list where it is the first with it.
    pub(super) fn of(&mut self, file: &'r FileReport) -> Markup {
        let left: Vec<&Unchecked> = file
            .unchecked
            .iter()
            .filter(|it| it.scope != Scope::Version)
            .collect();
        html! {
            @if !file.checked.is_empty() { (self.checked(&file.checked)) }
            @if !left.is_empty() {
                details {
                    summary { "Left unchecked in this file: " (left.len()) }
                    dl {
                        @for it in left.iter().take(MOST) {
                            (entry(&it.what, Some(&it.reason), it.rules.iter().map(|it| &**it)))
                        }
                    }
                    @if left.len() > MOST {
                        p { "and " (left.len() - MOST) " more, in the JSON report." }
                    }
                }
            }
        }
    }

    fn checked(&mut self, checked: &'r [Checked]) -> Markup {
        let rules: usize = checked.iter().map(|it| it.rules.len()).sum();
        let word = if rules == 1 { "rule" } else { "rules" };
        if let Some(place) = self.lists.iter().position(|known| *known == checked) {
            let id = format!("#checked-{}", place + 1);
            return html! {
                p class="about" { "Checked: " a href=(id) { (rules) " " (word) } }
            };
        }
        self.lists.push(checked);
        html! {
            details id={ "checked-" (self.lists.len()) } {
                summary { "Checked: " (rules) " " (word) }
                dl {
                    @for it in checked {
                        (entry(&it.what, None, it.rules.iter().map(|it| &**it)))
                    }
                }
            }
        }
    }
}

/// What this version checks in no file, said once.
pub(super) fn never(report: &Report) -> Markup {
    let mut said: Vec<&Unchecked> = Vec::new();
    let unchecked = report.files.iter().flat_map(|file| &file.unchecked);
    for it in unchecked.filter(|it| it.scope == Scope::Version) {
        if !said.iter().any(|known| known.what == it.what) {
            said.push(it);
        }
    }
    if said.is_empty() {
        return html! {};
    }
    html! {
        footer {
            details {
                summary { "Never checked by this version: " (said.len()) }
                dl {
                    @for it in said.iter().take(MOST) {
                        (entry(&it.what, Some(&it.reason), it.rules.iter().map(|it| &**it)))
                    }
                }
            }
        }
    }
}

/// What was left out or looked at, why, and the rules concerned.
fn entry<'a>(what: &str, reason: Option<&str>, rules: impl Iterator<Item = &'a str>) -> Markup {
    html! {
        dt { (visible(what, LONGEST)) }
        dd {
            @if let Some(reason) = reason { (visible(reason, LONGEST)) ". " }
            @for rule in rules { code class="rule" { (visible(rule, LONGEST)) } " " }
        }
    }
}
