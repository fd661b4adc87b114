//! What a run was told, by its command line and its configuration together.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use ca3_reports::text::plain;
use ca3_reports::{Limits, Severity};

use super::Failure;
use super::judge::LONGEST_PATH;
use crate::DEFAULT_LIMITS;
use crate::baseline::Baseline;
use crate::cli::{FailOn, JudgeArgs, Limit, OutputArgs};
use crate::config::Config;
use crate::input::Named;
use crate::rules::policy::Policy;
use crate::rules::selector::Selector;

/// What a run was told.
pub(super) struct Plan {
    pub(super) named: Vec<Named>,
    pub(super) fail_on: Severity,
    pub(super) limits: Limits,
    pub(super) policy: Policy,
    pub(super) frames: Option<PathBuf>,
    pub(super) baseline: Option<PathBuf>,
    pub(super) threads: NonZeroUsize,
    pub(super) output: OutputArgs,
}

impl Plan {
    /// Brings both together: single values of the command line go before those of the
    /// configuration, lists are added, and paths replace its own.
    pub(super) fn of(args: &JudgeArgs) -> Result<Self, Failure> {
        let config = match &args.config {
            Some(path) => Config::read(path).map_err(|error| wrong("--config", path, &error))?,
            None => Config::default(),
        };
        let mut limits = DEFAULT_LIMITS;
        if let Some(most) = args.max_findings.or(config.max_findings) {
            limits.findings_per_rule = most;
        }
        let memory = args.limit.last().map(|Limit::Memory(bytes)| *bytes);
        if let Some(bytes) = memory.or(config.memory()) {
            limits.memory = bytes;
        }
        let policy = policy(args, &config)?;
        let mut output = args.output.clone();
        if output.format.is_empty() && !output.json {
            output.format = config.format();
        }
        let named = named(args, &config)?;
        Ok(Plan {
            output,
            named,
            fail_on: args
                .fail_on
                .or(config.fail_on)
                .unwrap_or(FailOn::Error)
                .into(),
            limits,
            policy,
            frames: args.frames.clone().or_else(|| config.frames()),
            baseline: args.baseline.clone().or_else(|| config.baseline()),
            threads: match args.jobs.or(config.jobs) {
                Some(jobs) => NonZeroUsize::new(jobs.into()).unwrap_or(NonZeroUsize::MIN),
                None => std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            },
        })
    }

    /// The earlier report whose findings do not count; without one, nothing is known.
    pub(super) fn read_baseline(&self) -> Result<Baseline, Failure> {
        match &self.baseline {
            Some(path) => Baseline::read(path).map_err(|error| wrong("--baseline", path, &error)),
            None => Ok(Baseline::default()),
        }
    }
}

fn policy(args: &JudgeArgs, config: &Config) -> Result<Policy, Failure> {
    let both = |theirs: &[Selector], ours: &[Selector]| {
        let mut all = Vec::new();
        for selector in theirs.iter().chain(ours) {
            if !all.contains(selector) {
                all.push(selector.clone());
            }
        }
        all
    };
    let told = args.severity.iter().cloned();
    let severity = config.severity.clone().into_iter().chain(told);
    let policy = Policy {
        only: both(&config.only, &args.only),
        ignore: both(&config.ignore, &args.ignore),
        severity: severity.map(|(rule, told)| (rule, told.into())).collect(),
    };
    if policy.is_void() {
        return Err(Failure::Usage(
            "--only and --ignore leave no rule that counts, so every file would pass; \
             take a name out of --ignore"
                .to_owned(),
        ));
    }
    Ok(policy)
}

fn named(args: &JudgeArgs, config: &Config) -> Result<Vec<Named>, Failure> {
    let here = |path: &Path, folder: &Path| Named {
        folder: folder.to_owned(),
        path: path.to_owned(),
    };
    let named: Vec<Named> = if args.paths.is_empty() {
        config
            .paths()
            .map(|path| here(path, &config.folder))
            .collect()
    } else {
        let paths = args.paths.iter();
        paths.map(|path| here(path, Path::new(""))).collect()
    };
    if named.is_empty() {
        return Err(Failure::Usage(
            "no file is named; name one here, or in paths of the configuration".to_owned(),
        ));
    }
    Ok(named)
}

fn wrong(option: &str, path: &Path, error: &str) -> Failure {
    let path = plain(&path.display().to_string(), LONGEST_PATH);
    Failure::Usage(format!("{option} {path}: {error}"))
}
