//! A run over the vectors, with its reports.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use ca3_spec::protocol::Decimal;
use ca3_spec::vector::Case;

use super::{Failure, meet, print};
use crate::cli::{Color, ReportFormat, ReportTarget, RunArgs};
use crate::known::KnownFailures;
use crate::report::{Report, RunFacts, render_json, render_junit, render_text};
use crate::run::{Settings, run};
use crate::suite::{Selection, Suite};
use crate::verdict::{self, Terms};

pub(super) fn judge(arguments: &RunArgs) -> Result<u8, Failure> {
    if arguments
        .report
        .iter()
        .filter(|target| target.file.is_none())
        .count()
        > 1
    {
        return Err(Failure::TwoReports);
    }
    let known = match &arguments.known_failures {
        Some(path) => KnownFailures::load(path)?,
        None => KnownFailures::default(),
    };
    let suite = Suite::load(&arguments.origin.origin())?;
    let subject = meet(&arguments.reader, &arguments.origin.format)?;
    let claims = &subject.claims;

    // Operations above the claimed level are never sent.
    let asked = arguments.selection.level.or(claims.level).unwrap_or(1);
    let sent = claims.level.map_or(asked, |claimed| claimed.min(asked));
    let selection = Selection {
        level: Some(sent),
        ..arguments.selection.selection()
    };
    let selected: Vec<&Case> = suite
        .cases
        .iter()
        .filter(|case| selection.takes(case))
        .collect();

    let settings = Settings {
        jobs: arguments.jobs,
        seed: arguments
            .seed
            .unwrap_or_else(|| u64::from(fastrand::u32(..))),
        strict: arguments.reader.strict,
    };
    let progress = Progress::new();
    let mut results = run(
        &selected,
        subject.implementation,
        subject.another.as_ref(),
        claims,
        &settings,
        &|done, total| progress.show(done, total),
    )?;
    progress.clear();
    let stale = known.apply(&suite.cases, &mut results);

    let partial = selection.partial();
    let terms = Terms {
        asked,
        claims,
        source: suite.source.clone(),
        partial: &partial,
        stale: &stale,
    };
    let verdict = verdict::form(&results, &terms);
    let facts = RunFacts {
        level: asked,
        seed: Decimal(settings.seed),
        strict: settings.strict,
        jobs: settings.jobs,
        timeout_s: arguments.reader.timeout.as_secs_f64(),
        start_timeout_s: arguments.reader.start_timeout.as_secs_f64(),
        options: format!(
            "{}{}",
            arguments.origin.repeated(),
            arguments.reader.repeated()
        ),
    };
    let command = arguments
        .reader
        .reader
        .as_ref()
        .map(|command| command.text());
    let report = Report::new(&suite, claims, command, facts, verdict, results);

    let default = [ReportTarget {
        format: ReportFormat::Text,
        file: None,
    }];
    let targets = if arguments.report.iter().any(|target| target.file.is_none()) {
        &[][..]
    } else {
        &default[..]
    };
    for target in arguments.report.iter().chain(targets) {
        write_report(&report, target, arguments.color)?;
    }
    Ok(report.verdict.exit_code)
}

fn write_report(report: &Report, target: &ReportTarget, color: Color) -> Result<(), Failure> {
    let cannot = |what: &str, source: io::Error| Failure::Write {
        target: format!("the {what} report"),
        source,
    };
    let text = match target.format {
        ReportFormat::Text => render_text(report),
        ReportFormat::Json => {
            render_json(report).map_err(|error| cannot("JSON", io::Error::other(error)))?
        }
        ReportFormat::Junit => {
            render_junit(report).map_err(|error| cannot("JUnit", io::Error::other(error)))?
        }
    };
    match &target.file {
        None => print(&text, color),
        Some(path) => {
            let plain = anstream::adapter::strip_str(&text).to_string();
            fs::write(path, plain).map_err(|source| Failure::Write {
                target: path.display().to_string(),
                source,
            })
        }
    }
}

/// A line on standard error for runs that take a while, on a terminal only.
struct Progress {
    begun: Instant,
    shown: Mutex<Option<Instant>>,
    terminal: bool,
}

impl Progress {
    const DELAY: Duration = Duration::from_secs(1);
    const PAUSE: Duration = Duration::from_millis(100);

    fn new() -> Self {
        let terminal = io::stderr().is_terminal();
        Progress {
            begun: Instant::now(),
            shown: Mutex::default(),
            terminal,
        }
    }

    fn show(&self, done: usize, total: usize) {
        if !self.terminal || self.begun.elapsed() < Self::DELAY {
            return;
        }
        // A worker that finds the line in use leaves it to the other.
        if let Ok(mut shown) = self.shown.try_lock()
            && shown.is_none_or(|at| at.elapsed() >= Self::PAUSE)
        {
            *shown = Some(Instant::now());
            let _ = write!(io::stderr(), "\r{done} of {total} vectors");
        }
    }

    fn clear(&self) {
        if let Ok(shown) = self.shown.lock()
            && shown.is_some()
        {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
