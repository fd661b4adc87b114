//! A run over the vectors, with its reports.

use std::io;
use std::path::Path;

use ca3_reports::target::{Target, write_whole};
use ca3_spec::protocol::Decimal;
use ca3_spec::vector::Case;

use super::copy::{must_be_free, write_cases};
use super::{Failure, meet, print, warn};
use crate::cli::{ReportFormat, RunArgs};
use crate::interrupt;
use crate::invocation::program;
use crate::judging::Outcome;
use crate::known::KnownFailures;
use crate::progress;
use crate::report::{
    Repeat, Report, RunFacts, render_badge, render_json, render_junit, render_text, render_verdict,
};
use crate::results::{CaseResult, FileResult};
use crate::run::{Interruption, Ran, Settings, run};
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
    if let Some(folder) = &arguments.keep {
        must_be_free(folder)?;
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
    let wanted = !arguments.quiet && progress::is_wanted();
    let ran = progress::shown(wanted, |progress| {
        run(
            &selected,
            subject.implementation,
            subject.another.as_ref(),
            claims,
            &settings,
            &|moment| progress.hear(moment),
        )
    });
    // No process and no folder is left that a signal could leave behind.
    interrupt::release();
    let Ran {
        mut results,
        interrupted,
    } = ran?;
    let mut stale = known.apply(&suite.cases, &mut results);
    if interrupted.is_some() {
        // What was not run may still fail as an entry says.
        stale.clear();
    }
    if let Some(folder) = &arguments.keep {
        keep(folder, &suite, &mut results)?;
    }

    let partial = selection.partial();
    let terms = Terms {
        asked,
        claims,
        source: suite.source.clone(),
        partial: &partial,
        stale: &stale,
        interrupted,
    };
    let verdict = verdict::form(&results, &terms);
    let facts = facts(arguments, asked, &settings, interrupted);
    let command = arguments.reader.reader.as_ref();
    let command = command.map(|command| command.text());
    let report = Report::new(&suite, claims, command, facts, verdict, results);
    write_reports(&report, arguments)?;
    Ok(report.verdict.exit_code)
}

fn facts(
    arguments: &RunArgs,
    level: u8,
    settings: &Settings,
    interrupted: Option<Interruption>,
) -> RunFacts {
    RunFacts {
        level,
        seed: Decimal(settings.seed),
        strict: settings.strict,
        jobs: settings.jobs,
        timeout_s: arguments.reader.timeout.as_secs_f64(),
        start_timeout_s: arguments.reader.start_timeout.as_secs_f64(),
        interrupted,
        repeat: Repeat {
            program: program(),
            origin: arguments.origin.repeated(),
            reader: arguments.reader.repeated(),
            corpus: arguments.origin.folder(),
            keep: arguments
                .keep
                .as_ref()
                .map(|folder| folder.display().to_string()),
        },
    }
}

/// Writes the files of the cases that failed, and says of each where it is.
fn keep(folder: &Path, suite: &Suite, results: &mut [CaseResult]) -> Result<(), Failure> {
    let mut cases: Vec<Case> = Vec::new();
    for result in results {
        let failed = |file: &FileResult| match file.outcome() {
            Outcome::Pass | Outcome::Skip => false,
            Outcome::Fail | Outcome::Inconclusive | Outcome::Crash | Outcome::Timeout => true,
        };
        if !result.files().any(|(_, file)| failed(file)) {
            continue;
        }
        for file in [&mut result.valid, &mut result.invalid]
            .into_iter()
            .flatten()
        {
            file.kept = Some(folder.join(&file.file).display().to_string());
        }
        let case = suite.cases.iter().find(|case| case.sidecar.id == result.id);
        cases.extend(case.cloned());
    }
    match cases.as_slice() {
        [] => Ok(()),
        cases => write_cases(folder, cases).map(|_| ()),
    }
}

fn write_reports(report: &Report, arguments: &RunArgs) -> Result<(), Failure> {
    let default = [Target {
        format: ReportFormat::Text,
        file: None,
    }];
    let targets = if arguments.report.iter().any(|target| target.file.is_none()) {
        &[][..]
    } else {
        &default[..]
    };
    for target in arguments.report.iter().chain(targets) {
        write_report(report, target, arguments)?;
    }
    Ok(())
}

fn write_report(
    report: &Report,
    target: &Target<ReportFormat>,
    arguments: &RunArgs,
) -> Result<(), Failure> {
    let cannot = |what: &str, source: io::Error| Failure::Write {
        target: format!("the {what} report"),
        source,
    };
    let text = match target.format {
        ReportFormat::Text if arguments.quiet && target.file.is_none() => render_verdict(report),
        ReportFormat::Text => render_text(report),
        ReportFormat::Json => {
            render_json(report).map_err(|error| cannot("JSON", io::Error::other(error)))?
        }
        ReportFormat::Junit => {
            render_junit(report).map_err(|error| cannot("JUnit", io::Error::other(error)))?
        }
        ReportFormat::Badge => match render_badge(report) {
            Some(rendered) => rendered.map_err(|error| cannot("badge", io::Error::other(error)))?,
            None => {
                warn(
                    "no badge is written: only a run over the whole committed corpus that gets \
                     to its end has one",
                );
                return Ok(());
            }
        },
    };
    match &target.file {
        None => print(&text, arguments.color),
        Some(path) => {
            let plain = anstream::adapter::strip_str(&text).to_string();
            write_whole(path, &plain).map_err(|source| Failure::Write {
                target: path.display().to_string(),
                source,
            })
        }
    }
}
