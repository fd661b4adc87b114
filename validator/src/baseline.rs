//! Findings that are known from an earlier report, and do not count.
//!
//! A report shows only some findings of a rule (`shown`) and counts all of them
//! (`total`), so an earlier one knows some by their fingerprint and the rest, its
//! hidden ones, by number alone. For a file, a rule and a severity, be
//!
//! - `then.hidden` = total - shown of the baseline;
//! - `known` = findings shown now whose fingerprint the baseline shows;
//! - `fresh` = findings shown now that it does not show;
//! - `now.hidden` = total - shown of now.
//!
//! A fresh finding may be one of those that the baseline hid: more may be shown
//! now, or what stood ahead of it is gone. A hidden one may be, too. None of both
//! can be one that the baseline showed: a file is judged with at least as many
//! findings shown as in the baseline, so what is still there is shown again. (Where
//! new findings push a known one out of sight, it counts as new: in doubt a
//! finding counts.) So the baseline's hidden ones cover as many of these as they
//! are, and what counts is
//!
//! ```text
//! new = max(0, fresh + now.hidden - then.hidden)
//! ```
//!
//! of which the first fresh ones are shown. Where nothing was hidden, then or now,
//! this is exact. A finding that weighs more than it did in the baseline is fresh.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use ca3_reports::{FileReport, Severity};

use crate::cli::MOST_FINDINGS;
use crate::rules::policy::{Policy, recount, show_at_most};

mod form;

/// The largest baseline that is read, in bytes.
const LARGEST: u64 = 1 << 30;

/// An earlier report.
#[derive(Debug, Default)]
pub(crate) struct Baseline {
    files: BTreeMap<String, Known>,
    /// Whether it was itself made with a baseline, whose findings it lacks.
    pub(crate) is_partial: bool,
}

/// What is known of one file.
#[derive(Debug, Default)]
struct Known {
    /// How many findings of a rule it shows at most.
    cap: u64,
    /// Severity and rule of each finding that it shows, by its fingerprint.
    shown: BTreeMap<String, (Severity, String)>,
    /// How many others there were of a rule and severity.
    hidden: BTreeMap<(String, Severity), u64>,
}

impl Baseline {
    /// Reads an earlier report, JSON or a file a line.
    ///
    /// # Errors
    /// Why it is none.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let kind = std::fs::metadata(path).map_err(|error| error.to_string())?;
        if !kind.is_file() {
            return Err("it is no file".to_owned());
        }
        if kind.len() > LARGEST {
            return Err("it is larger than 1 GiB; make one for each part of the files".to_owned());
        }
        let file = File::open(path).map_err(|error| error.to_string())?;
        let mut baseline = Baseline::default();
        form::read(BufReader::new(file), |document| baseline.take(document))?;
        Ok(baseline)
    }

    fn take(&mut self, document: form::Document) {
        self.is_partial |= document.settings.baseline.is_some();
        for file in document.files.into_iter().flatten().chain(document.file) {
            let mut known = Known {
                cap: file.limits.findings_per_rule,
                ..Known::default()
            };
            for finding in file.findings {
                let entry = (finding.severity.into(), finding.rule);
                known.shown.insert(finding.fingerprint, entry);
            }
            for total in file.totals {
                let hidden = total.total.saturating_sub(total.shown);
                let rule = (total.rule, total.severity.into());
                known.hidden.insert(rule, hidden);
            }
            // The last report of a file is the newest.
            self.files.insert(normal(&file.path), known);
        }
    }

    fn of(&self, path: &str) -> Option<&Known> {
        // A name that no text holds looks like any other such name.
        if path.contains(char::REPLACEMENT_CHARACTER) {
            return None;
        }
        self.files.get(&normal(path))
    }

    /// Whether there are files in it, and none of these: their paths are compared as they
    /// are written.
    pub(crate) fn knows_none_of(&self, files: &[FileReport]) -> bool {
        !self.files.is_empty() && files.iter().all(|file| self.of(&file.path).is_none())
    }

    /// How many findings of a rule are to be looked at in a file, so that each that
    /// the baseline shows is met again.
    pub(crate) fn cap(&self, path: &str) -> u64 {
        self.of(path)
            .map_or(0, |known| known.cap.min(MOST_FINDINGS))
    }

    /// Takes out of a report what is known, and says how many entries of the baseline
    /// are there no more.
    pub(crate) fn apply(&self, file: &mut FileReport, policy: &Policy) -> u64 {
        let Some(known) = self.of(&file.path) else {
            return 0;
        };
        let stale = known.stale(file, policy);
        let mut fresh: BTreeMap<(&'static str, Severity), u64> = BTreeMap::new();
        file.findings.retain(|finding| {
            let entry = known.shown.get(&finding.fingerprint);
            let is_fresh = entry.is_none_or(|(then, _)| *then < finding.severity);
            if is_fresh {
                let number = fresh.entry((finding.rule, finding.severity)).or_default();
                *number = number.saturating_add(1);
            }
            is_fresh
        });
        for total in &mut file.totals {
            let key = (total.rule.to_owned(), total.severity);
            let covered = known.hidden.get(&key).copied().unwrap_or_default();
            let hidden = total.total.saturating_sub(total.shown);
            let fresh = fresh.entry((total.rule, total.severity)).or_default();
            let new = fresh.saturating_add(hidden).saturating_sub(covered);
            let taken = total.total.saturating_sub(new);
            file.suppressed.baseline = file.suppressed.baseline.saturating_add(taken);
            total.total = new;
            total.shown = new.min(*fresh);
        }
        file.totals.retain(|total| total.total > 0);
        let shown = file.totals.iter().map(|it| it.shown).max();
        show_at_most(file, shown.unwrap_or_default());
        recount(file);
        stale
    }
}

impl Known {
    /// How many findings that it shows are surely gone: of rules that count, in a
    /// file that was read to its end, and not among what is hidden now.
    fn stale(&self, file: &FileReport, policy: &Policy) -> u64 {
        if !file.scan_complete {
            return 0;
        }
        let met: BTreeSet<&str> = file
            .findings
            .iter()
            .map(|it| it.fingerprint.as_str())
            .collect();
        let hiding: BTreeSet<&str> = file
            .totals
            .iter()
            .filter(|total| total.total > total.shown)
            .map(|total| total.rule)
            .collect();
        let gone = self.shown.iter().filter(|(fingerprint, (_, rule))| {
            let rule = rule.as_str();
            !met.contains(fingerprint.as_str()) && !hiding.contains(rule) && policy.counts(rule)
        });
        u64::try_from(gone.count()).unwrap_or(u64::MAX)
    }
}

/// A path without what makes no difference: `./` and doubled slashes.
fn normal(path: &str) -> String {
    let root = if path.starts_with('/') { "/" } else { "" };
    let parts: Vec<&str> = path
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    format!("{root}{}", parts.join("/"))
}

#[cfg(test)]
mod tests;
