//! Which cases a run is over: where they come from, and which were asked for.

use std::path::PathBuf;

use ca3_spec::protocol::operation_level;
use ca3_spec::rule;
use ca3_spec::vector::{Case, Missing, Polarity, Side};
use ca3_vectors::{Corpus, CorpusError};

use crate::invocation::program;
use crate::verdict::Source;

/// Where to take the cases from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// The committed corpus, embedded in this program.
    #[default]
    Committed,
    /// A folder of the same layout.
    Directory(PathBuf),
    /// The same cases with values drawn from a seed.
    Fresh(u64),
}

/// The cases of an origin.
#[derive(Clone, Debug)]
pub struct Suite {
    /// What they can certify.
    pub source: Source,
    /// The seed of fresh values.
    pub fresh_seed: Option<u64>,
    /// Hash over names and bytes; `None` for fresh cases, which the seed names.
    pub sha256: Option<String>,
    /// The cases, by id.
    pub cases: Vec<Case>,
}

/// Why there are no cases.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// The corpus does not hold together.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// The generators could not make fresh cases.
    #[error("no fresh cases from seed {seed}: {why}")]
    Fresh {
        /// The seed.
        seed: u64,
        /// Their reason.
        why: String,
    },
}

impl Suite {
    /// Reads or makes the cases. Those that only a validator can be asked are
    /// left out: they run in its own tests.
    pub fn load(origin: &Origin) -> Result<Suite, SuiteError> {
        let (source, fresh_seed, corpus, mut cases) = match origin {
            Origin::Committed => {
                let corpus = Corpus::embedded();
                let cases = corpus.cases()?;
                (Source::Committed, None, Some(corpus), cases)
            }
            Origin::Directory(path) => {
                let corpus = Corpus::from_dir(path)?;
                let cases = corpus.cases()?;
                let same = corpus.sha256() == ca3_vectors::suite_sha256();
                let source = if same {
                    Source::Committed
                } else {
                    Source::Directory
                };
                (source, None, Some(corpus), cases)
            }
            Origin::Fresh(seed) => (Source::Fresh, Some(*seed), None, fresh_cases(*seed)?),
        };
        cases.iter_mut().for_each(keep_reader_sides);
        cases.retain(|case| {
            Polarity::BOTH
                .iter()
                .any(|polarity| case.sidecar.side(*polarity).vector().is_some())
        });
        Ok(Suite {
            source,
            fresh_seed,
            sha256: corpus.map(|corpus| corpus.sha256()),
            cases,
        })
    }
}

/// All cases of an origin, those of a validator among them.
pub fn all_cases(origin: &Origin) -> Result<Vec<Case>, SuiteError> {
    Ok(match origin {
        Origin::Committed => Corpus::embedded().cases()?,
        Origin::Directory(path) => Corpus::from_dir(path)?.cases()?,
        Origin::Fresh(seed) => fresh_cases(*seed)?,
    })
}

/// Takes away the steps that are no reader's, and a side that has no other.
fn keep_reader_sides(case: &mut Case) {
    for side in [&mut case.sidecar.valid, &mut case.sidecar.invalid] {
        let Side::Vector(vector) = side else { continue };
        let asked = vector.steps.len();
        vector
            .steps
            .retain(|step| operation_level(&step.op).is_some());
        if vector.steps.is_empty() && asked > 0 {
            *side = Side::Missing(Missing {
                none: "other-role".to_owned(),
                reason: "it asks no operation of a reader".to_owned(),
                caught_by: Vec::new(),
            });
        }
    }
}

fn fresh_cases(seed: u64) -> Result<Vec<Case>, SuiteError> {
    ca3_generators::cases(Some(seed)).map_err(|error| SuiteError::Fresh {
        seed,
        why: error.to_string(),
    })
}

/// A rule, or a section with all below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSelector(String);

impl RuleSelector {
    /// Reads `CA3-5.9-03`, `5.9-03`, `5.9` or `5`; only what some rule has.
    pub fn parse(text: &str) -> Result<RuleSelector, String> {
        let name = text.to_uppercase();
        let name = name.strip_prefix(RULE_PREFIX).unwrap_or(&name);
        let selector = RuleSelector(name.trim_start_matches('§').to_owned());
        let mut rules = rule::catalogue().iter();
        match rules.any(|rule| selector.takes(&rule.id)) {
            true => Ok(selector),
            false => Err(
                "there is no such rule or section; rules are named as in CA3-5.9-03 or 5.9-03, \
                 sections as in 5.9"
                    .to_owned(),
            ),
        }
    }

    fn takes(&self, id: &str) -> bool {
        let id = id.strip_prefix(RULE_PREFIX).unwrap_or(id);
        let rest = id
            .strip_prefix(self.0.as_str())
            .filter(|_| !self.0.is_empty());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-']))
    }
}

/// What every rule's name begins with.
const RULE_PREFIX: &str = "CA3-";

/// Which of the cases to run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Only cases up to this level.
    pub level: Option<u8>,
    /// Only cases of these items; all where empty.
    pub items: Vec<u8>,
    /// Only cases of these rules; all where empty.
    pub rules: Vec<RuleSelector>,
    /// Only cases with this in their id, title or rules, upper and lower case alike.
    pub text: Option<String>,
}

impl Selection {
    /// What is asked for besides a level, in words: a run over less than all
    /// cases of its levels is a partial one.
    pub fn partial(&self) -> Vec<String> {
        let mut partial: Vec<String> = self
            .items
            .iter()
            .map(|item| format!("--item {item}"))
            .collect();
        partial.extend(self.rules.iter().map(|rule| format!("--rule {}", rule.0)));
        if let Some(text) = &self.text {
            partial.push(format!("--filter {text}"));
        }
        partial
    }

    /// Whether a case is asked for.
    pub fn takes(&self, case: &Case) -> bool {
        let sidecar = &case.sidecar;
        let text = self.text.as_ref().is_none_or(|text| {
            let text = text.to_lowercase();
            let mut fields = sidecar.rules.iter().chain([&sidecar.id, &sidecar.title]);
            fields.any(|field| field.to_lowercase().contains(&text))
        });
        self.level.is_none_or(|level| sidecar.level <= level)
            && (self.items.is_empty()
                || sidecar.item.is_some_and(|item| self.items.contains(&item)))
            && (self.rules.is_empty()
                || self.rules.iter().any(|wanted| {
                    let mut rules = sidecar.rules.iter();
                    rules.any(|rule| wanted.takes(rule))
                }))
            && text
    }
}

/// The case that a person means by a name: its id, or a part of it that only
/// one case has. Otherwise what to choose from.
pub fn find<'a>(cases: &'a [Case], name: &str) -> Result<&'a Case, String> {
    if let Some(case) = cases.iter().find(|case| case.sidecar.id == name) {
        return Ok(case);
    }
    let ending: Vec<&Case> = cases
        .iter()
        .filter(|case| case.sidecar.name() == name)
        .collect();
    let holding: Vec<&Case> = cases
        .iter()
        .filter(|case| case.sidecar.id.contains(name))
        .collect();
    match (ending.as_slice(), holding.as_slice()) {
        ([case], _) | ([], [case]) => Ok(case),
        ([], []) => Err(format!(
            "there is no case {name}; `{} list` shows all",
            program()
        )),
        (several @ [_, ..], _) | ([], several) => {
            let shown: Vec<String> = several
                .iter()
                .take(10)
                .map(|case| format!("\n  {}", case.sidecar.id))
                .collect();
            let more = several.len().saturating_sub(shown.len());
            let more = if more > 0 {
                format!("\n  and {more} more")
            } else {
                String::new()
            };
            Err(format!("{name} could be one of{}{more}", shown.concat()))
        }
    }
}

#[cfg(test)]
mod tests;
