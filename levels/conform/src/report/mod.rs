//! One result model and its renderings.

mod badge;
mod failure;
mod groups;
mod hex;
mod json;
mod junit;
mod provisional;
mod sayings;
pub(crate) mod style;
mod symptom;
mod text;
mod wording;

use std::collections::BTreeMap;
use std::path::Path;

use ca3_spec::protocol::Decimal;
use ca3_spec::{reading, rule};
use serde::Serialize;

use crate::implementation::Claims;
use crate::invocation::quoted;
use crate::judging::Outcome;
use crate::results::{CaseResult, FileResult};
use crate::run::Interruption;
use crate::suite::Suite;
use crate::verdict::{ItemSummary, Source, Verdict};

pub use badge::render as render_badge;
pub use failure::{conversation_line, describe_expectation, other_places};
pub use json::render as render_json;
pub use junit::render as render_junit;
pub use text::{render as render_text, render_case, render_hello_faults, render_verdict};

/// The version of the JSON report's form; raised when a field changes meaning.
pub const SCHEMA_VERSION: u32 = 1;

/// Everything that a run found out.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// What judged.
    pub kit: Kit,
    /// The format that was judged.
    pub format: String,
    /// What it was judged by.
    pub suite: SuiteFacts,
    /// What was judged.
    pub implementation: Subject,
    /// How.
    pub run: RunFacts,
    /// What came of it.
    pub verdict: Verdict,
    /// The same, item by item.
    pub items: Vec<ItemSummary>,
    /// The same, case by case.
    pub cases: Vec<CaseResult>,
    /// The rules of the cases that did not pass.
    pub rules: BTreeMap<String, RuleFacts>,
    /// The readings of the cases that did not pass.
    pub readings: BTreeMap<String, ReadingFacts>,
}

/// The kit.
#[derive(Clone, Debug, Serialize)]
pub struct Kit {
    /// Its program.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
}

/// The vectors.
#[derive(Clone, Debug, Serialize)]
pub struct SuiteFacts {
    /// Where they came from.
    pub source: Source,
    /// The seed of fresh values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fresh_seed: Option<Decimal>,
    /// Hash over names and bytes of the whole corpus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// How many cases there are.
    pub cases: usize,
    /// How many of them were run.
    pub run: usize,
}

/// The implementation.
#[derive(Clone, Debug, Serialize)]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The language it is written in.
    pub language: String,
    /// The level it claims.
    pub level: Option<u8>,
    /// The features it implements.
    pub features: Vec<u8>,
    /// The command; null for the reader in this program.
    pub command: Option<String>,
    /// Whether it reaches files over HTTP.
    pub http: bool,
    /// What the protocol rules out in its hello; nothing is certified then.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hello_faults: Vec<String>,
}

/// How the run was made.
#[derive(Clone, Debug, Serialize)]
pub struct RunFacts {
    /// The level that was asked for.
    pub level: u8,
    /// What the order was drawn from.
    pub seed: Decimal,
    /// Whether a wrong kind was a failure.
    pub strict: bool,
    /// How many implementations worked side by side.
    pub jobs: usize,
    /// Seconds a request was given.
    pub timeout_s: f64,
    /// Seconds the start was given.
    pub start_timeout_s: f64,
    /// How it was cut short, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interrupted: Option<Interruption>,
    /// What to type to have it again.
    #[serde(skip)]
    pub repeat: Repeat,
}

/// What the commands of a report are made of: they are for whoever reads it
/// where the run was made.
#[derive(Clone, Debug, Default)]
pub struct Repeat {
    /// This program as it was called.
    pub program: String,
    /// The options that say where the vectors come from.
    pub origin: String,
    /// The options of the reader, its command aside.
    pub reader: String,
    /// The folder that holds the vectors, where they come from one.
    pub corpus: Option<String>,
    /// The folder that takes the files of cases that fail.
    pub keep: Option<String>,
}

/// A rule, as a report repeats it.
#[derive(Clone, Debug, Serialize)]
pub struct RuleFacts {
    /// What must hold.
    pub summary: String,
    /// What goes wrong for the user of a recording where it does not.
    pub why: String,
}

/// A reading, as a report repeats it.
#[derive(Clone, Debug, Serialize)]
pub struct ReadingFacts {
    /// What the document leaves open.
    pub question: String,
    /// What is read.
    pub answer: String,
}

impl Report {
    /// Puts a report together.
    pub fn new(
        suite: &Suite,
        claims: &Claims,
        command: Option<&str>,
        run: RunFacts,
        verdict: Verdict,
        cases: Vec<CaseResult>,
    ) -> Report {
        let off = |case: &&CaseResult| {
            case.files()
                .any(|(_, file)| file.outcome() != Outcome::Pass)
        };
        let rules = cases
            .iter()
            .filter(off)
            .flat_map(|case| &case.rules)
            .filter_map(|id| {
                let rule = rule::find(id)?;
                let facts = RuleFacts {
                    summary: rule.summary.clone(),
                    why: rule.why.clone(),
                };
                Some((id.clone(), facts))
            })
            .collect();
        let readings = cases
            .iter()
            .filter(off)
            .flat_map(|case| &case.readings)
            .filter_map(|id| {
                let reading = reading::find(id)?;
                let facts = ReadingFacts {
                    question: reading.question.to_owned(),
                    answer: reading.answer.to_owned(),
                };
                Some((id.clone(), facts))
            })
            .collect();
        Report {
            schema_version: SCHEMA_VERSION,
            kit: Kit {
                name: env!("CARGO_PKG_NAME"),
                version: env!("CARGO_PKG_VERSION"),
            },
            format: "ca3".to_owned(),
            suite: SuiteFacts {
                source: suite.source.clone(),
                fresh_seed: suite.fresh_seed.map(Decimal),
                sha256: suite.sha256.clone(),
                cases: suite.cases.len(),
                run: cases.len(),
            },
            implementation: Subject {
                name: claims.name.clone(),
                version: claims.version.clone(),
                language: claims.language.clone(),
                level: claims.level,
                features: claims.features.iter().copied().collect(),
                command: command.map(str::to_owned),
                http: claims.http,
                hello_faults: claims.faults.clone(),
            },
            run,
            items: crate::verdict::summarise(&cases),
            verdict,
            cases,
            rules,
            readings,
        }
    }

    /// The command that runs one case again and shows the conversation.
    pub fn replay_command(&self, id: &str) -> String {
        let Repeat {
            program,
            origin,
            reader,
            ..
        } = &self.run.repeat;
        let mut command = format!("{program} replay {id}{origin}{reader}");
        if let Some(reader) = &self.implementation.command {
            command.push_str(&format!(" --reader {}", quoted(reader)));
        }
        command
    }

    /// Where the vector of a file is; where it is in no folder, its path below
    /// one and the command that writes it there.
    pub fn vector_file(&self, case: &CaseResult, file: &FileResult) -> (String, Option<String>) {
        let repeat = &self.run.repeat;
        match (&file.kept, &repeat.corpus) {
            (Some(kept), _) => (kept.clone(), None),
            (None, Some(corpus)) => {
                let path = Path::new(corpus).join(&file.file);
                (path.display().to_string(), None)
            }
            (None, None) => {
                let Repeat {
                    program, origin, ..
                } = repeat;
                let copy = format!("{program} copy DIR {}{origin}", case.id);
                (file.file.clone(), Some(copy))
            }
        }
    }
}
