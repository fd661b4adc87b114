//! Failures that are known: a file names each with its reason, so that a run
//! fails on what is new, and on an entry that no longer holds.
//!
//! ```toml
//! [[known]]
//! case = "ca3/5-strings-and-maps/ff-in-header-host-id"
//! polarity = "invalid"          # both files of the case without it
//! rule = "CA3-1.2-07"
//! reason = "names are repaired until the next release"
//! ```

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use ca3_spec::vector::{Case, Polarity};
use serde::Deserialize;
use toml::Spanned;

use crate::invocation::program;
use crate::judging::Outcome;
use crate::results::CaseResult;

/// Failures that are known, as a file lists them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownFailures {
    name: String,
    entries: Vec<Entry>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    line: usize,
    case: String,
    polarity: Option<Polarity>,
    rule: String,
    reason: String,
}

/// Why a file of known failures cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KnownError {
    /// It cannot be read.
    #[error("cannot read the known failures {name}: {source}")]
    Read {
        /// The file.
        name: String,
        /// The system's reason.
        source: std::io::Error,
    },
    /// It is no such list.
    #[error(
        "{name}:{line}: {why}\nAn entry is [[known]] with case, rule and reason, and perhaps \
         polarity = \"valid\" or \"invalid\"."
    )]
    Malformed {
        /// The file.
        name: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong there.
        why: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    #[serde(default)]
    known: Vec<Spanned<RawEntry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawEntry {
    case: Option<Spanned<String>>,
    polarity: Option<Polarity>,
    rule: Option<String>,
    reason: Option<String>,
}

impl KnownFailures {
    /// Reads a list from a file.
    pub fn load(path: &Path) -> Result<KnownFailures, KnownError> {
        let name = path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => KnownFailures::parse(name, &text),
            Err(source) => Err(KnownError::Read { name, source }),
        }
    }

    /// Reads a list from its text; `name` stands in messages.
    pub fn parse(name: String, text: &str) -> Result<KnownFailures, KnownError> {
        let malformed = |span: Option<Range<usize>>, why: String| KnownError::Malformed {
            name: name.clone(),
            line: line_of(text, span.map_or(0, |span| span.start)),
            why,
        };
        let raw: RawFile = toml::from_str(text)
            .map_err(|error| malformed(error.span(), error.message().to_owned()))?;
        let mut entries: Vec<Entry> = Vec::new();
        for spanned in raw.known {
            let span = spanned.span();
            let raw = spanned.into_inner();
            let Some(case) = raw.case.filter(|case| !case.get_ref().trim().is_empty()) else {
                return Err(malformed(Some(span), "an entry names no case".to_owned()));
            };
            let at = case.span();
            let case = case.into_inner();
            let wanted = |what: &str, text: Option<String>| {
                text.filter(|text| !text.trim().is_empty())
                    .ok_or_else(|| malformed(Some(at.clone()), format!("{case} has no {what}")))
            };
            let rule = wanted("rule", raw.rule)?;
            let reason = wanted("reason", raw.reason)?;
            let line = line_of(text, at.start);
            let overlaps = entries.iter().find(|entry| {
                let apart = entry.polarity.is_some() && raw.polarity.is_some();
                entry.case == case && (!apart || entry.polarity == raw.polarity)
            });
            if let Some(entry) = overlaps {
                let why = format!("{case} stands in line {} already", entry.line);
                return Err(malformed(Some(at), why));
            }
            entries.push(Entry {
                line,
                case,
                polarity: raw.polarity,
                rule,
                reason,
            });
        }
        Ok(KnownFailures { name, entries })
    }

    /// Sets the failures apart that an entry names, and gives the entries that
    /// hold no more. `all` are the cases there are, selected or not: an entry
    /// whose case was not run says nothing.
    pub fn apply(&self, all: &[Case], results: &mut [CaseResult]) -> Vec<String> {
        let mut by_id: BTreeMap<String, &mut CaseResult> = results
            .iter_mut()
            .map(|result| (result.id.clone(), result))
            .collect();
        let mut stale = Vec::new();
        for entry in &self.entries {
            let result = by_id.get_mut(&entry.case);
            if let Some(why) = entry.apply(all, result.map(|result| &mut **result)) {
                stale.push(format!(
                    "{}:{}: {} {why}",
                    self.name, entry.line, entry.case
                ));
            }
        }
        stale
    }
}

impl Entry {
    fn covers(&self, polarity: Polarity) -> bool {
        self.polarity.is_none_or(|own| own == polarity)
    }

    /// Marks what it accounts for; why it is stale where it accounts for nothing.
    fn apply(&self, all: &[Case], result: Option<&mut CaseResult>) -> Option<String> {
        let Some(case) = all.iter().find(|case| case.sidecar.id == self.case) else {
            return Some(format!("is no case; `{} list` shows all", program()));
        };
        if !case.sidecar.rules.contains(&self.rule) {
            let rules = case.sidecar.rules.join(", ");
            return Some(format!("is not about {} but about {rules}", self.rule));
        }
        if let Some(polarity) = self.polarity
            && case.sidecar.side(polarity).vector().is_none()
        {
            return Some(format!("has no {} file", polarity.as_str()));
        }
        let result = result?;
        let provisional = result.provisional;
        let mut accounted = false;
        let mut disagrees = false;
        for polarity in Polarity::BOTH {
            let file = match polarity {
                Polarity::Valid => result.valid.as_mut(),
                Polarity::Invalid => result.invalid.as_mut(),
            };
            if let Some(file) = file
                && self.covers(polarity)
                && file.outcome() != Outcome::Pass
            {
                let ended_badly = matches!(file.outcome(), Outcome::Crash | Outcome::Timeout);
                if provisional && !ended_badly {
                    disagrees = true;
                    continue;
                }
                file.known = Some(self.reason.clone());
                accounted = true;
            }
        }
        match (accounted, disagrees) {
            (true, _) => None,
            (false, true) => Some("is provisional and fails nobody; take the entry out".to_owned()),
            (false, false) => Some("passes now; take the entry out".to_owned()),
        }
    }
}

fn line_of(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().iter().take(offset);
    1 + before.filter(|byte| **byte == b'\n').count()
}

#[cfg(test)]
mod tests;
