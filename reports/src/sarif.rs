//! The report as SARIF 2.1.0, for code hosts and editors.
//!
//! - `document`: the parts of SARIF that are written.
//! - `rules`: the rules that were broken, and what each is for.
//! - `uri`: paths as SARIF wants them.
//!
//! A finding stands at a byte; consumers that know lines alone are given line 1.

mod document;
mod rules;
mod uri;

use std::collections::{BTreeMap, BTreeSet};

use crate::sentence::{self, LONGEST_PATH};
use crate::text::{LONGEST_MESSAGE, LONGEST_VALUE, plain};
use crate::{FileReport, Finding, Report, Severity, Suppressed, fix};
use document::{
    Artifact, ArtifactLocation, Capped, Document, Driver, Facts, Fingerprints, Hashes, Invocation,
    Location, LogicalLocation, Notification, PhysicalLocation, Place, Region, RunFacts,
    SarifResult, SarifRun, Shown, Text, ToolObject,
};

/// What GitHub takes of one run.
pub const MOST_RESULTS: usize = 25_000;

/// The report as JSON, with a line end.
///
/// # Errors
/// Where a value cannot be written, which no report holds.
pub fn render(report: &Report) -> Result<String, serde_json::Error> {
    crate::json::pretty(&document(report, MOST_RESULTS))
}

fn document(report: &Report, most: usize) -> Document<'_> {
    let rules = rules::Rules::of(report);
    let kept = Kept::of(report, most);
    let artifacts = Artifacts::of(report);
    let mut results = Vec::new();
    for (file, index) in report.files.iter().zip(0..) {
        for (finding, number) in file.findings.iter().zip(0..) {
            if kept.has(finding.severity, index, number) {
                results.push(result(file, artifacts.index(file), finding, &rules));
            }
        }
    }
    let unread = report.files.iter().filter(|file| !file.scan_complete);
    let mut notifications: Vec<_> = unread.map(|file| incomplete(file, &artifacts)).collect();
    if kept.left_out > 0 {
        notifications.push(Notification {
            level: "warning",
            message: Text::new(format!(
                "{} of {} findings are left out: SARIF consumers take {most} of one run; \
                 the worst stand here, and all of them in the JSON report",
                kept.left_out,
                kept.left_out.saturating_add(results.len())
            )),
            locations: Vec::new(),
        });
    }
    let run = SarifRun {
        tool: ToolObject {
            driver: Driver {
                name: report.tool.name,
                version: report.tool.version,
                rules: rules.described(),
            },
        },
        invocations: [Invocation {
            execution_successful: report.files.iter().all(|file| file.scan_complete),
            exit_code: report.exit_code(),
            tool_execution_notifications: notifications,
        }],
        artifacts: artifacts.described(),
        results,
        properties: facts(report, &artifacts),
    };
    Document {
        schema: document::SCHEMA,
        version: "2.1.0",
        runs: [run],
    }
}

/// Which findings there is room for: the worst first and, of one severity, the first.
struct Kept {
    /// The severity of which there is room for some, and the places of these.
    cut: Option<(Severity, BTreeSet<(usize, usize)>)>,
    left_out: usize,
}

impl Kept {
    fn of(report: &Report, most: usize) -> Self {
        let mut room = most;
        let mut kept = Kept {
            cut: None,
            left_out: 0,
        };
        for severity in [Severity::Error, Severity::Warning, Severity::Info] {
            let files = report.files.iter().zip(0..);
            let places: Vec<(usize, usize)> = files
                .flat_map(|(file, index)| {
                    let findings = file.findings.iter().zip(0..);
                    findings
                        .filter(|(finding, _)| finding.severity == severity)
                        .map(move |(_, number)| (index, number))
                })
                .collect();
            let taken = places.len().min(room);
            room = room.saturating_sub(taken);
            kept.left_out = kept.left_out.saturating_add(places.len() - taken);
            if taken < places.len() && kept.cut.is_none() {
                kept.cut = Some((severity, places.into_iter().take(taken).collect()));
            }
        }
        kept
    }

    fn has(&self, severity: Severity, file: usize, number: usize) -> bool {
        match &self.cut {
            Some((cut, places)) if severity == *cut => places.contains(&(file, number)),
            Some((cut, _)) => severity > *cut,
            None => true,
        }
    }
}

fn result<'a>(
    file: &FileReport,
    index: Option<usize>,
    finding: &'a Finding,
    rules: &rules::Rules,
) -> SarifResult<'a> {
    let path = finding.path.as_ref().filter(|path| **path != finding.field);
    let logical_locations = [Some(&finding.field), path]
        .into_iter()
        .flatten()
        .map(|name| LogicalLocation {
            fully_qualified_name: plain(name, LONGEST_VALUE),
            kind: "member",
        });
    let at_the_end = file.size.is_some_and(|size| finding.field_offset >= size);
    let evidence = finding.evidence.as_ref();
    SarifResult {
        rule_id: finding.rule,
        rule_index: rules.index(finding.rule),
        level: level(finding.severity),
        message: Text::new(match fix::of(finding) {
            Some(fix) => format!("{}. Fix: {fix}", sentence::of(finding)),
            None => sentence::of(finding),
        }),
        locations: [Location {
            physical_location: PhysicalLocation {
                artifact_location: location(file, index),
                region: Some(Region {
                    start_line: 1,
                    byte_offset: finding.field_offset,
                    byte_length: u8::from(!at_the_end),
                }),
            },
            logical_locations: logical_locations.collect(),
        }],
        partial_fingerprints: Fingerprints {
            finding: plain(&finding.fingerprint, LONGEST_VALUE),
        },
        properties: Place {
            section: finding.section,
            offset: finding.offset,
            field_offset: finding.field_offset,
            stream_ref: finding.stream_ref,
            topic: finding.topic.as_ref().map(|it| plain(it, LONGEST_VALUE)),
            schema_ref: finding.schema_ref,
            chunk_offset: finding.chunk_offset,
            message_index: finding.message_index,
            evidence: evidence.map(|it| Shown {
                expected: plain(&it.expected, LONGEST_VALUE),
                found: plain(&it.found, LONGEST_VALUE),
            }),
            readings: &finding.readings,
        },
    }
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn location(file: &FileReport, index: Option<usize>) -> ArtifactLocation {
    ArtifactLocation {
        uri: uri::of(&file.path),
        index,
    }
}

/// The files by path: one that was named twice is one artifact.
struct Artifacts<'a> {
    indices: BTreeMap<&'a str, usize>,
    files: Vec<&'a FileReport>,
}

impl<'a> Artifacts<'a> {
    fn of(report: &'a Report) -> Self {
        let mut artifacts = Artifacts {
            indices: BTreeMap::new(),
            files: Vec::new(),
        };
        for file in &report.files {
            let next = artifacts.files.len();
            let index = artifacts.indices.entry(&file.path).or_insert(next);
            if *index == next {
                artifacts.files.push(file);
            }
        }
        artifacts
    }

    fn index(&self, file: &FileReport) -> Option<usize> {
        self.indices.get(file.path.as_str()).copied()
    }

    fn described(&self) -> Vec<Artifact> {
        self.files.iter().map(|file| artifact(file)).collect()
    }
}

fn artifact(file: &FileReport) -> Artifact {
    Artifact {
        location: ArtifactLocation {
            uri: uri::of(&file.path),
            index: None,
        },
        length: file.size,
        roles: ["analysisTarget"],
        hashes: file.sha256.as_ref().map(|digest| Hashes {
            sha256: plain(digest, LONGEST_VALUE),
        }),
        properties: Facts {
            scan_complete: file.scan_complete,
            sealed: file.sealed,
            account: plain(&file.account, LONGEST_MESSAGE),
        },
    }
}

/// What is said of a file that was not read to its end.
fn incomplete(file: &FileReport, artifacts: &Artifacts<'_>) -> Notification {
    let reason = file.incomplete.as_deref().unwrap_or_default();
    Notification {
        level: "error",
        message: Text::new(format!(
            "{}: not read to the end: {}",
            plain(&file.path, LONGEST_PATH),
            plain(reason, LONGEST_MESSAGE)
        )),
        locations: vec![Location {
            physical_location: PhysicalLocation {
                artifact_location: location(file, artifacts.index(file)),
                region: None,
            },
            logical_locations: Vec::new(),
        }],
    }
}

fn facts<'a>(report: &'a Report, artifacts: &Artifacts<'_>) -> RunFacts<'a> {
    let mut suppressed = Suppressed::default();
    let mut capped = Vec::new();
    for file in &report.files {
        let more = file.suppressed;
        suppressed.ignored = suppressed.ignored.saturating_add(more.ignored);
        suppressed.baseline = suppressed.baseline.saturating_add(more.baseline);
        let totals = file.totals.iter().filter(|it| it.total > it.shown);
        let file = artifacts.index(file);
        capped.extend(totals.map(|total| Capped { file, total }));
    }
    RunFacts {
        fail_on: report.fail_on,
        settings: (!report.settings.is_default()).then_some(&report.settings),
        counts: report.counts,
        suppressed: (!suppressed.is_empty()).then_some(suppressed),
        capped,
    }
}

#[cfg(test)]
mod tests;
