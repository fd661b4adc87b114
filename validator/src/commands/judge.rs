//! Judging files.

use ca3_reports::text::{Detail, plain};
use ca3_reports::{Report, Tool, html, json, text};

use super::frames::frames_of;
use super::plan::Plan;
use super::{Failure, complain};
use crate::cli::{Format, JudgeArgs};
use crate::input;
use crate::jobs::Work;

/// What made a report.
pub(super) const TOOL: Tool = Tool {
    name: crate::NAME,
    version: env!("CARGO_PKG_VERSION"),
};

/// The longest path that a line on standard error repeats, in characters.
pub(super) const LONGEST_PATH: usize = 300;

pub(super) fn run(args: &JudgeArgs) -> Result<(String, u8), Failure> {
    let plan = Plan::of(args)?;
    let frames = frames_of(plan.frames.as_deref())?;
    let baseline = plan.read_baseline()?;
    let work = Work {
        limits: plan.limits,
        frames: &frames,
        policy: &plan.policy,
        baseline: &baseline,
        with_digest: args.digest,
        threads: plan.threads,
        quiet: args.quiet,
    };
    let done = work
        .run(&input::expand(&plan.named))
        .map_err(|error| Failure::Usage(format!("--jobs {}: {error}", plan.threads)))?;
    let mut report = Report::new(TOOL, plan.fail_on, done.files);
    let named = plan.baseline.map(|path| path.display().to_string());
    if let Some(path) = &named {
        let path = plain(path, LONGEST_PATH);
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
