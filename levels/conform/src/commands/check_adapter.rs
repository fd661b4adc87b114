//! `check-adapter`: whether a reader's adapter keeps to the protocol.

use std::fmt::{self, Write as _};

use ca3_reports::paragraph::{clip, plain, wrap};

use super::{Failure, print};
use crate::adapter::{Check, Inspection, Outcome, Trouble, inspect};
use crate::cli::CheckAdapterArgs;
use crate::implementation::Limits;
use crate::interrupt;
use crate::invocation::{program, quoted};
use crate::report::style::{BAD, DIM, GOOD, WIDTH};

const INDENT: &str = "      ";
/// How many lines of standard error are shown.
const STDERR_LINES: usize = 6;

pub(super) fn check_adapter(arguments: &CheckAdapterArgs) -> Result<u8, Failure> {
    let limits = Limits {
        start: arguments.start_timeout,
        request: arguments.timeout,
    };
    let inspection = inspect(&arguments.command, limits)?;
    let interrupted = interrupt::caught();
    interrupt::release();
    let mut out = String::new();
    // Writing to a string cannot fail.
    if let Some(signal) = interrupted {
        let _ = write_checks(&mut out, &inspection);
        let _ = writeln!(
            out,
            "\nInterrupted by {signal}: the other checks were not made."
        );
        print(&out, arguments.color)?;
        return Ok(signal.exit_code());
    }
    let _ = write_inspection(&mut out, &inspection, arguments.command.text());
    print(&out, arguments.color)?;
    Ok(match (inspection.met, inspection.failed()) {
        (false, _) => 3,
        (true, 0) => 0,
        (true, _) => 1,
    })
}

fn write_checks(out: &mut String, inspection: &Inspection) -> fmt::Result {
    for Check { name, outcome } in &inspection.checks {
        match outcome {
            Outcome::Holds(note) => {
                let note = match note.as_str() {
                    "" => String::new(),
                    note => format!(" {DIM}({}){DIM:#}", clip(note, WIDTH)),
                };
                let text = wrap(&format!("{name}{note}"), INDENT, WIDTH);
                writeln!(out, "{GOOD}ok{GOOD:#}    {}", text.trim())?;
            }
            Outcome::Fails(trouble) => {
                writeln!(out, "{BAD}FAIL{BAD:#}  {name}")?;
                write_trouble(out, trouble)?;
            }
        }
    }
    Ok(())
}

fn write_inspection(out: &mut String, inspection: &Inspection, command: &str) -> fmt::Result {
    write_checks(out, inspection)?;
    let verdict = match (inspection.met, inspection.failed()) {
        (false, _) => "The rest needs an answer to hello.".to_owned(),
        (true, 0) => {
            let level = inspection.level.unwrap_or(1);
            // On one line even where it is long, so that it can be copied.
            format!(
                "The adapter keeps to the protocol. Next:\n  {} --level {level} --reader {}",
                program(),
                quoted(command)
            )
        }
        (true, 1) => "1 check failed.".to_owned(),
        (true, failed) => format!("{failed} of {} checks failed.", inspection.checks.len()),
    };
    writeln!(out, "\n{verdict}")
}

fn write_trouble(out: &mut String, trouble: &Trouble) -> fmt::Result {
    write!(out, "{}", wrap(&trouble.seen, INDENT, WIDTH))?;
    if let Some(request) = &trouble.request {
        write!(
            out,
            "{DIM}{}{DIM:#}",
            wrap(&format!("asked {request}"), INDENT, WIDTH)
        )?;
    }
    let lines: Vec<&str> = trouble.stderr.lines().collect();
    for line in lines.iter().skip(lines.len().saturating_sub(STDERR_LINES)) {
        writeln!(
            out,
            "{DIM}{INDENT}| {}{DIM:#}",
            clip(&plain(line, WIDTH), WIDTH - INDENT.len() - 2)
        )?;
    }
    if !trouble.advice.is_empty() {
        write!(
            out,
            "{}",
            wrap(&format!("-> {}", trouble.advice), INDENT, WIDTH)
        )?;
    }
    Ok(())
}
