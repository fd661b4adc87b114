//! Judging files.

use std::num::NonZeroUsize;

use ca3_reader::l1::Source as _;
use ca3_reports::text::{Detail, plain};
use ca3_reports::{FileReport, Limits, Report, Tool, html, json, text};
use ca3_schema::frames::Catalogue;

use super::frames::frames_of;
use super::{Failure, complain};
use crate::cli::{Format, JudgeArgs, Limit};
use crate::input::{self, Input};
use crate::{DEFAULT_LIMITS, digest, validate_in};

/// What made a report.
pub(super) const TOOL: Tool = Tool {
    name: "ca3-validate",
    version: env!("CARGO_PKG_VERSION"),
};

/// The longest path that a line on standard error repeats, in characters.
pub(super) const LONGEST_PATH: usize = 300;

pub(super) fn run(args: &JudgeArgs) -> Result<(String, u8), Failure> {
    let mut limits = DEFAULT_LIMITS;
    limits.findings_per_rule = args.max_findings;
    for limit in &args.limit {
        match limit {
            Limit::Memory(bytes) => limits.memory = *bytes,
        }
    }
    let frames = frames_of(args.frames.as_deref())?;
    let files = input::expand(&args.paths)
        .iter()
        .map(|input| one(input, limits, &frames, args.digest))
        .collect();
    let report = Report::new(TOOL, args.fail_on.into(), files);
    for file in &report.files {
        if file.counts.error > 0 && file.path.ends_with(".proto") {
            let path = plain(&file.path, LONGEST_PATH);
            complain(&format!(
                "{path} looks like the source of a schema: ca3-validate schema-lint {path}"
            ));
        }
        if let Some(reason) = &file.incomplete {
            complain(&format!("{}: {reason}", plain(&file.path, LONGEST_PATH)));
        }
    }
    let rendered = match (args.json, args.format) {
        (true, _) | (_, Format::Json) => {
            json::render(&report).map_err(|error| Failure::Usage(error.to_string()))?
        }
        (false, Format::Html) => html::render(&report),
        (false, Format::Text) => {
            let detail = if args.quiet {
                Detail::Quiet
            } else {
                Detail::Full
            };
            text::render(&report, detail)
        }
    };
    Ok((rendered, report.exit_code()))
}

fn one(input: &Input, limits: Limits, frames: &Catalogue, with_digest: bool) -> FileReport {
    let mut opened = match input::open(input) {
        Ok(opened) => opened,
        Err(error) => return FileReport::unread(input.name(), limits, &error.to_string()),
    };
    let mut report = validate_in(&mut opened.source, &input.name(), limits, frames, NonZeroUsize::MIN);
    if with_digest {
        match digest(&mut opened.source) {
            Ok(digest) => report.sha256 = Some(digest),
            Err(error) => {
                report.scan_complete = false;
                report
                    .incomplete
                    .get_or_insert(format!("the digest was not taken: {error}"));
            }
        }
    }
    report.size = Some(opened.source.length());
    report
}
