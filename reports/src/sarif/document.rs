//! The parts of SARIF that are written, in its own words.

use serde::Serialize;

use crate::{Counts, RuleTotal, Settings, Severity, Suppressed};

/// Where editors find the schema.
pub(super) const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

#[derive(Serialize)]
pub(super) struct Document<'a> {
    #[serde(rename = "$schema")]
    pub(super) schema: &'static str,
    pub(super) version: &'static str,
    pub(super) runs: [SarifRun<'a>; 1],
}

#[derive(Serialize)]
pub(super) struct SarifRun<'a> {
    pub(super) tool: ToolObject,
    pub(super) invocations: [Invocation; 1],
    pub(super) artifacts: Vec<Artifact>,
    pub(super) results: Vec<SarifResult<'a>>,
    pub(super) properties: RunFacts<'a>,
}

#[derive(Serialize)]
pub(super) struct ToolObject {
    pub(super) driver: Driver,
}

#[derive(Serialize)]
pub(super) struct Driver {
    pub(super) name: &'static str,
    pub(super) version: &'static str,
    pub(super) rules: Vec<RuleObject>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RuleObject {
    pub(super) id: &'static str,
    pub(super) short_description: Text,
    pub(super) full_description: Text,
    pub(super) help: Text,
    pub(super) properties: RuleFacts,
}

#[derive(Serialize)]
pub(super) struct RuleFacts {
    pub(super) section: &'static str,
    pub(super) keyword: &'static str,
    pub(super) tags: [&'static str; 1],
}

/// A message. What would be a link in it is none: consumers show the text of one and
/// hide where it leads.
#[derive(Serialize)]
pub(super) struct Text {
    text: String,
}

impl Text {
    pub(super) fn new(text: impl AsRef<str>) -> Self {
        Text {
            text: text.as_ref().replace("](", "] ("),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Invocation {
    pub(super) execution_successful: bool,
    pub(super) exit_code: u8,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
pub(super) struct Notification {
    pub(super) level: &'static str,
    pub(super) message: Text,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) locations: Vec<Location>,
}

#[derive(Serialize)]
pub(super) struct Artifact {
    pub(super) location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) length: Option<u64>,
    pub(super) roles: [&'static str; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hashes: Option<Hashes>,
    pub(super) properties: Facts,
}

#[derive(Serialize)]
pub(super) struct Hashes {
    #[serde(rename = "sha-256")]
    pub(super) sha256: String,
}

#[derive(Serialize)]
pub(super) struct Facts {
    pub(super) scan_complete: bool,
    pub(super) sealed: Option<bool>,
    pub(super) account: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifResult<'a> {
    pub(super) rule_id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rule_index: Option<usize>,
    pub(super) level: &'static str,
    pub(super) message: Text,
    pub(super) locations: [Location; 1],
    pub(super) partial_fingerprints: Fingerprints,
    pub(super) properties: Place<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Location {
    pub(super) physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) logical_locations: Vec<LogicalLocation>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PhysicalLocation {
    pub(super) artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) region: Option<Region>,
}

#[derive(Serialize)]
pub(super) struct ArtifactLocation {
    pub(super) uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) index: Option<usize>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    pub(super) start_line: u8,
    pub(super) byte_offset: u64,
    pub(super) byte_length: u8,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LogicalLocation {
    pub(super) fully_qualified_name: String,
    pub(super) kind: &'static str,
}

#[derive(Serialize)]
pub(super) struct Fingerprints {
    #[serde(rename = "ca3Finding/v1")]
    pub(super) finding: String,
}

/// The rest of a finding, in the words of the JSON report.
#[derive(Serialize)]
pub(super) struct Place<'a> {
    pub(super) section: &'static str,
    pub(super) offset: u64,
    pub(super) field_offset: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stream_ref: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) topic: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) schema_ref: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) chunk_offset: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message_index: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) evidence: Option<Shown>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub(super) readings: &'a [String],
}

#[derive(Serialize)]
pub(super) struct Shown {
    pub(super) expected: String,
    pub(super) found: String,
}

#[derive(Serialize)]
pub(super) struct RunFacts<'a> {
    pub(super) fail_on: Severity,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) settings: Option<&'a Settings>,
    pub(super) counts: Counts,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) suppressed: Option<Suppressed>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) capped: Vec<Capped<'a>>,
}

/// A rule that was broken more often than is shown, in the artifact of that index.
#[derive(Serialize)]
pub(super) struct Capped<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<usize>,
    #[serde(flatten)]
    pub(super) total: &'a RuleTotal,
}
