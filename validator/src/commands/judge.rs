//! Judging files.

use ca3_reader::l1::Source as _;
use ca3_reports::text::plain;
use ca3_reports::{FileReport, Limits, Report, Tool};
use ca3_schema::frames::Catalogue;

use super::frames::frames_of;
use super::outputs::Outputs;
use super::{Failure, complain};
use crate::cli::{JudgeArgs, Limit};
use crate::input::{self, Input};
use crate::{DEFAULT_LIMITS, digest, validate_in};

/// What made a report.
pub(super) const TOOL: Tool = Tool {
    name: "ca3-validate",
    version: env!("CARGO_PKG_VERSION"),
};

/// The longest path that a line on standard error repeats, in characters.
pub(super) const LONGEST_PATH: usize = 300;

pub(super) fn run(args: &JudgeArgs) -> Result<u8, Failure> {
    let mut limits = DEFAULT_LIMITS;
    limits.findings_per_rule = args.max_findings;
    for limit in &args.limit {
        match limit {
            Limit::Memory(bytes) => limits.memory = *bytes,
        }
    }
    let frames = frames_of(args.frames.as_deref())?;
    let inputs = input::expand(&args.paths);
    let read = inputs.iter().filter_map(Input::path);
    let outputs = Outputs::of(&args.output, read.chain(args.frames.as_deref()))?;
    let files = inputs
        .iter()
        .map(|input| one(input, limits, &frames, args.digest))
        .collect();
    let report = Report::new(TOOL, args.fail_on.into(), files);
    tell(&report);
    outputs.write(&report)?;
    Ok(report.exit_code())
}

/// What standard error says of files, a line each.
pub(super) fn tell(report: &Report) {
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
}

fn one(input: &Input, limits: Limits, frames: &Catalogue, with_digest: bool) -> FileReport {
    let mut opened = match input::open(input) {
        Ok(opened) => opened,
        Err(error) => return FileReport::unread(input.name(), limits, &error.to_string()),
    };
    let mut report = validate_in(&mut opened.source, &input.name(), limits, frames);
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
