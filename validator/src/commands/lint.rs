//! `schema-lint FILE...`.

use ca3_reports::json;
use ca3_reports::lint::{LintReport, text};
use ca3_reports::text::plain;
use ca3_schema::lint::{Options, lint};

use super::frames::frames_of;
use super::judge::{LONGEST_PATH, TOOL};
use super::{Failure, complain};
use crate::cli::LintArgs;

pub(super) fn run(args: &LintArgs) -> Result<(String, u8), Failure> {
    let frames = frames_of(args.frames.as_deref())?;
    let options = Options {
        includes: &args.include,
        messages: &args.message,
        frames: &frames,
    };
    for folder in &args.include {
        if !folder.is_dir() {
            let reason = format!("-I {}: is no folder", folder.display());
            return Err(Failure::Usage(reason));
        }
    }
    let linted =
        lint(&args.files, options).map_err(|unknown| Failure::Usage(unknown.to_string()))?;
    for unread in &linted.unread {
        let path = plain(&unread.file, LONGEST_PATH);
        complain(&format!("{path}: {}", unread.reason));
    }
    let report = LintReport::new(TOOL, args.fail_on.into(), linted);
    let rendered = if args.json {
        json::pretty(&report).map_err(|error| Failure::Usage(error.to_string()))?
    } else {
        text(&report)
    };
    Ok((rendered, report.exit_code()))
}
