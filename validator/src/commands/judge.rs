//! Judging files.

use ca3_reports::text::plain;
use ca3_reports::{Report, Tool};

use super::frames::frames_of;
use super::outputs::Outputs;
use super::plan::Plan;
use super::{Failure, complain};
use crate::cli::JudgeArgs;
use crate::input::{self, Input};
use crate::jobs::Work;

/// What made a report.
pub(super) const TOOL: Tool = Tool {
    name: crate::NAME,
    version: env!("CARGO_PKG_VERSION"),
};

/// The longest path that a line on standard error repeats, in characters.
pub(super) const LONGEST_PATH: usize = 300;

pub(super) fn run(args: &JudgeArgs) -> Result<u8, Failure> {
    let plan = Plan::of(args)?;
    let frames = frames_of(plan.frames.as_deref())?;
    let baseline = plan.read_baseline()?;
    let inputs = input::expand(&plan.named);
    let read = inputs.iter().filter_map(Input::path);
    let told = [&args.config, &plan.frames, &plan.baseline];
    let told = told.into_iter().filter_map(Option::as_deref);
    let outputs = Outputs::of(&plan.output, read.chain(told))?;
    let work = Work {
        limits: plan.limits,
        frames: &frames,
        policy: &plan.policy,
        baseline: &baseline,
        with_digest: args.digest,
        threads: plan.threads,
        quiet: plan.output.quiet,
    };
    let done = work
        .run(&inputs)
        .map_err(|error| Failure::Usage(format!("--jobs {}: {error}", plan.threads)))?;
    let mut report = Report::new(TOOL, plan.fail_on, done.files);
    let named = plan.baseline.map(|path| path.display().to_string());
    if let Some(path) = &named {
        let path = plain(path, LONGEST_PATH);
        if baseline.knows_none_of(&report.files) {
            complain(&format!(
                "--baseline {path}: it has none of the files that were judged; paths are \
                 compared as they are written, so name files as it does"
            ));
        }
        if baseline.is_partial {
            complain(&format!(
                "--baseline {path}: it was made with a baseline itself, and lacks what that one \
                 has; make it without --baseline"
            ));
        }
        if done.stale > 0 {
            complain(&format!(
                "--baseline {path}: findings that are there no more: {}; make it anew, without \
                 --baseline",
                done.stale
            ));
        }
    }
    report.settings = plan.policy.settings(named);
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
