//! The result model.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use ca3_spec::rule;
use serde::{Deserialize, Serialize};

use crate::catalogued::{self, Catalogued};
use crate::clocks::Clocks;
use crate::contents::Contents;

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// The format says SHOULD, or the file is well-formed and surely not meant so.
    Warning,
    /// The format says MUST.
    Error,
}

impl Severity {
    /// The word used in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a rule asks for, and what the file has instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// What would be right.
    pub expected: String,
    /// What stands there.
    pub found: String,
}

/// One violation, or one thing worth knowing, at one place of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// Identifier in the rule catalogue.
    #[serde(deserialize_with = "catalogued::rule")]
    pub rule: Catalogued,
    /// How much it weighs.
    pub severity: Severity,
    /// Section of the format document.
    #[serde(deserialize_with = "catalogued::section")]
    pub section: Catalogued,
    /// What is the case, in a sentence.
    pub message: String,
    /// Absolute offset of the record concerned, that is of its opcode byte; of
    /// the first byte concerned where there is no record.
    pub offset: u64,
    /// Absolute offset of the first byte concerned.
    pub field_offset: u64,
    /// The record and field concerned, such as `Chunk.max_stamp_ns`.
    pub field: String,
    /// The stream concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream_ref: Option<u32>,
    /// Its topic, where the file defines it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// The schema concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema_ref: Option<u32>,
    /// Absolute offset of the chunk concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk_offset: Option<u64>,
    /// The message concerned, by its place in its chunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_index: Option<u32>,
    /// The declaration of a schema that is concerned, such as
    /// `EyeSample.direction.x`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Expected and found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// The readings that the rule or this judgement rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<String>,
    /// The same for the same violation in every run.
    pub fingerprint: String,
}

impl Finding {
    /// A finding of a rule in a field such as `Chunk.flags`, which begins at
    /// that offset.
    pub fn new(
        rule: &'static str,
        severity: Severity,
        field_offset: u64,
        field: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        let known = rule::find(rule);
        Finding {
            rule,
            severity,
            section: known.map_or("", |rule| rule.section.as_str()),
            message: message.into(),
            offset: field_offset,
            field_offset,
            field: field.into(),
            stream_ref: None,
            topic: None,
            schema_ref: None,
            chunk_offset: None,
            message_index: None,
            path: None,
            evidence: None,
            readings: known.map_or_else(Vec::new, |rule| rule.readings.clone()),
            fingerprint: String::new(),
        }
    }

    /// With the record that it concerns, by the offset of its opcode byte.
    #[must_use]
    pub fn in_record(mut self, offset: u64) -> Self {
        self.offset = offset;
        self
    }

    /// With the stream that it concerns.
    #[must_use]
    pub fn of_stream(mut self, stream_ref: u32) -> Self {
        self.stream_ref = Some(stream_ref);
        self
    }

    /// With the topic of that stream.
    #[must_use]
    pub fn of_topic(mut self, topic: impl Into<String>) -> Self {
        self.topic = Some(topic.into());
        self
    }

    /// With the schema that it concerns.
    #[must_use]
    pub fn of_schema(mut self, schema_ref: u32) -> Self {
        self.schema_ref = Some(schema_ref);
        self
    }

    /// With the chunk that it concerns.
    #[must_use]
    pub fn in_chunk(mut self, offset: u64) -> Self {
        self.chunk_offset = Some(offset);
        self
    }

    /// With the message that it concerns.
    #[must_use]
    pub fn at_message(mut self, index: u32) -> Self {
        self.message_index = Some(index);
        self
    }

    /// With the declaration of a schema that it concerns.
    #[must_use]
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// With what is expected and what was found.
    #[must_use]
    pub fn showing(mut self, expected: impl fmt::Display, found: impl fmt::Display) -> Self {
        self.evidence = Some(Evidence {
            expected: expected.to_string(),
            found: found.to_string(),
        });
        self
    }

    /// With another reading that the judgement rests on.
    #[must_use]
    pub fn reading(mut self, id: &str) -> Self {
        if !self.readings.iter().any(|known| known == id) {
            self.readings.push(id.to_owned());
        }
        self
    }
}

/// How often a rule was broken; only the first few are findings of their own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleTotal {
    /// The rule.
    #[serde(deserialize_with = "catalogued::rule")]
    pub rule: Catalogued,
    /// Its severity.
    pub severity: Severity,
    /// How often it was broken in the file.
    pub total: u64,
    /// How many of these are findings in the report.
    pub shown: u64,
}

/// How many findings of each severity a file or a report has, all counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Errors.
    pub error: u64,
    /// Warnings.
    pub warning: u64,
    /// The rest.
    pub info: u64,
}

impl Counts {
    /// Adds a number of findings of a severity.
    pub fn add(&mut self, severity: Severity, number: u64) {
        let count = match severity {
            Severity::Error => &mut self.error,
            Severity::Warning => &mut self.warning,
            Severity::Info => &mut self.info,
        };
        *count = count.saturating_add(number);
    }

    /// How many stand at a severity or above it.
    pub const fn at_least(&self, severity: Severity) -> u64 {
        match severity {
            Severity::Error => self.error,
            Severity::Warning => self.error.saturating_add(self.warning),
            Severity::Info => self
                .error
                .saturating_add(self.warning)
                .saturating_add(self.info),
        }
    }
}

/// A group of rules that were checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checked {
    /// What was looked at.
    pub what: Cow<'static, str>,
    /// Which rules are judged there.
    #[serde(deserialize_with = "catalogued::rules")]
    pub rules: Vec<Catalogued>,
}

/// Where something is left unchecked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// In this file.
    File,
    /// In every file, by this version of the tool.
    Version,
    /// In every file of this run, since it was told so.
    Settings,
}

/// Something that was left unchecked, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unchecked {
    /// Whether this file, the tool or the settings are the reason.
    pub scope: Scope,
    /// What was not looked at.
    pub what: String,
    /// Which rules are not judged for it.
    pub rules: Vec<String>,
    /// Whether these rules are judged of the rest of the file all the same.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_part: bool,
    /// Why not.
    pub reason: String,
}

/// How many streams a file has, by what they claim of their schema (§5.7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StreamCounts {
    /// All of them.
    pub total: u64,
    /// Those that claim a well-formed schema (1, and 2, which is read as 1).
    pub well_formed: u64,
    /// Those among them whose schema does not clear the floor (§5.2).
    pub unmet: u64,
    /// Those that claim nothing.
    pub undeclared: u64,
}

impl StreamCounts {
    /// The one-line account that a file gives of itself.
    pub fn account(&self) -> String {
        let streams = match self.total {
            0 => return "no streams".to_owned(),
            1 => "stream",
            _ => "streams",
        };
        let unmet = match self.unmet {
            0 => String::new(),
            all if all == self.well_formed => " by claim only".to_owned(),
            some => format!(" ({} by claim only)", in_words(some)),
        };
        let claims: Vec<String> = [
            (self.well_formed, "well-formed", unmet.as_str()),
            (self.undeclared, "undeclared", ""),
        ]
        .into_iter()
        .filter(|(number, ..)| *number > 0)
        .map(|(number, claim, unmet)| format!("{} {claim}{unmet}", in_words(number)))
        .collect();
        format!("{} {streams}: {}", in_words(self.total), claims.join(", "))
    }
}

fn in_words(number: u64) -> String {
    const WORDS: [&str; 13] = [
        "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve",
    ];
    usize::try_from(number)
        .ok()
        .and_then(|index| WORDS.get(index))
        .map_or_else(|| number.to_string(), |word| (*word).to_owned())
}

/// Limits that were in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Bytes of memory for what is kept of one file.
    pub memory: u64,
    /// Findings of one rule that are shown for one file.
    pub findings_per_rule: u64,
}

/// What a run was told that changes what its report says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The rules that alone count, as given: identifiers, or what they begin with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    /// The rules that do not count, likewise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignore: Vec<String>,
    /// Rules that weigh otherwise than they would, likewise.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub severity: BTreeMap<String, Severity>,
    /// The earlier report whose findings do not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
}

impl Settings {
    /// Whether nothing was told.
    pub fn is_default(&self) -> bool {
        *self == Settings::default()
    }
}

/// Findings of a file that the settings keep from counting. They stand in no
/// other number of the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suppressed {
    /// Of rules that do not count.
    pub ignored: u64,
    /// Known from the baseline.
    pub baseline: u64,
}

impl Suppressed {
    /// Adds those of another file.
    pub fn add(&mut self, other: Suppressed) {
        self.ignored = self.ignored.saturating_add(other.ignored);
        self.baseline = self.baseline.saturating_add(other.baseline);
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        *self == Suppressed::default()
    }
}

/// One file's result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileReport {
    /// The path as it was given.
    pub path: String,
    /// Its size in bytes, where it could be opened.
    pub size: Option<u64>,
    /// SHA-256 of its bytes, where asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The limits in force.
    pub limits: Limits,
    /// Whether every byte that the scan had to see was seen.
    pub scan_complete: bool,
    /// What kept the scan from being complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<String>,
    /// Whether the file was finished (§2.1).
    pub sealed: Option<bool>,
    /// What the file says of its own streams, in a line.
    pub account: String,
    /// The same in numbers.
    pub streams: StreamCounts,
    /// How many findings there are.
    pub counts: Counts,
    /// How many the settings keep from counting.
    #[serde(default, skip_serializing_if = "Suppressed::is_empty")]
    pub suppressed: Suppressed,
    /// Sorted by offset, then by rule.
    pub findings: Vec<Finding>,
    /// Every rule that was broken, with its true total.
    pub totals: Vec<RuleTotal>,
    /// What was checked.
    pub checked: Vec<Checked>,
    /// What was not, and why.
    pub unchecked: Vec<Unchecked>,
    /// The clock mappings of the ClockBlock in force, where the file has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clocks: Option<Clocks>,
    /// What the file holds, where it could be opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contents: Option<Contents>,
}

impl FileReport {
    /// Of a file that is missing or cannot be opened, and has no findings.
    pub fn unread(path: String, limits: Limits, reason: &str) -> Self {
        FileReport {
            path,
            size: None,
            sha256: None,
            limits,
            scan_complete: false,
            incomplete: Some(reason.to_owned()),
            sealed: None,
            account: StreamCounts::default().account(),
            streams: StreamCounts::default(),
            counts: Counts::default(),
            suppressed: Suppressed::default(),
            findings: Vec::new(),
            totals: Vec::new(),
            checked: Vec::new(),
            unchecked: Vec::new(),
            clocks: None,
            contents: None,
        }
    }
}

impl FileReport {
    /// Whether findings, totals and counts say the same.
    pub fn adds_up(&self) -> bool {
        let mut shown: BTreeMap<(&str, Severity), u64> = BTreeMap::new();
        for finding in &self.findings {
            let number = shown.entry((finding.rule, finding.severity)).or_default();
            *number = number.saturating_add(1);
        }
        let mut counts = Counts::default();
        for total in &self.totals {
            counts.add(total.severity, total.total);
            let is_so = shown
                .remove(&(total.rule, total.severity))
                .unwrap_or_default();
            if total.shown != is_so || total.total < total.shown || total.total == 0 {
                return false;
            }
        }
        shown.is_empty() && counts == self.counts
    }
}

/// What made the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
}

/// The results of one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Version of this form of report.
    pub schema_version: u32,
    /// What made it.
    pub tool: Tool,
    /// The severity from which on a finding fails the run.
    pub fail_on: Severity,
    /// What else it was told, where anything.
    #[serde(skip_serializing_if = "Settings::is_default")]
    pub settings: Settings,
    /// How many findings there are over all files.
    pub counts: Counts,
    /// One an input, in the order given.
    pub files: Vec<FileReport>,
}

impl Report {
    /// This form of report.
    pub const SCHEMA_VERSION: u32 = 1;

    /// The report of some files.
    pub fn new(tool: Tool, fail_on: Severity, files: Vec<FileReport>) -> Self {
        let mut counts = Counts::default();
        for file in &files {
            counts.add(Severity::Error, file.counts.error);
            counts.add(Severity::Warning, file.counts.warning);
            counts.add(Severity::Info, file.counts.info);
        }
        Report {
            schema_version: Self::SCHEMA_VERSION,
            tool,
            fail_on,
            settings: Settings::default(),
            counts,
            files,
        }
    }

    /// The exit code: 3 where an input was not read to its end, else 1 where a
    /// finding fails the run, else 0.
    pub fn exit_code(&self) -> u8 {
        if self.files.iter().any(|file| !file.scan_complete) {
            3
        } else {
            u8::from(self.counts.at_least(self.fail_on) > 0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_accounts_for_its_streams_in_words() {
        let counts = |total, well_formed, undeclared| StreamCounts {
            total,
            well_formed,
            unmet: 0,
            undeclared,
        };
        assert_eq!(counts(0, 0, 0).account(), "no streams");
        assert_eq!(counts(1, 1, 0).account(), "one stream: one well-formed");
        assert_eq!(
            counts(5, 3, 2).account(),
            "five streams: three well-formed, two undeclared"
        );
        let unmet = |unmet| StreamCounts {
            unmet,
            ..counts(5, 3, 2)
        };
        assert_eq!(
            unmet(1).account(),
            "five streams: three well-formed (one by claim only), two undeclared"
        );
        assert_eq!(
            unmet(3).account(),
            "five streams: three well-formed by claim only, two undeclared"
        );
        assert_eq!(
            counts(20, 1, 19).account(),
            "20 streams: one well-formed, 19 undeclared"
        );
    }

    #[test]
    fn the_worst_input_decides() {
        let tool = Tool {
            name: "t",
            version: "0",
        };
        let limits = Limits {
            memory: 0,
            findings_per_rule: 0,
        };
        let file = |scan_complete, error, warning| FileReport {
            scan_complete,
            counts: Counts {
                error,
                warning,
                info: 0,
            },
            ..FileReport::unread(String::new(), limits, "")
        };
        let code = |fail_on, files| Report::new(tool.clone(), fail_on, files).exit_code();
        assert_eq!(code(Severity::Error, vec![]), 0);
        assert_eq!(code(Severity::Error, vec![file(true, 0, 3)]), 0);
        assert_eq!(code(Severity::Warning, vec![file(true, 0, 3)]), 1);
        assert_eq!(code(Severity::Error, vec![file(true, 1, 0)]), 1);
        assert_eq!(
            code(Severity::Error, vec![file(true, 1, 0), file(false, 0, 0)]),
            3
        );
    }
}
