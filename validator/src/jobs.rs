//! Files, judged side by side: the reports come in the order of the inputs and are
//! the same for any number of threads.

use std::fs;
use std::num::NonZeroUsize;

use ca3_reader::l1::Source as _;
use ca3_reports::{FileReport, Limits};
use ca3_schema::frames::Catalogue;
use rayon::prelude::*;
use rayon::{ThreadPoolBuildError, ThreadPoolBuilder};

use crate::baseline::Baseline;
use crate::checks::STACK;
use crate::input::{self, Input};
use crate::progress::{Progress, Watched};
use crate::rules::policy::{Policy, show_at_most};
use crate::{digest, validate_in};

/// Files up to this size, in bytes, are judged side by side. Larger ones follow one
/// after another, the chunks of each side by side, so that memory is not taken for many
/// of them at once.
const SMALL: u64 = 64 << 20;

/// How files are judged.
pub(crate) struct Work<'w> {
    pub(crate) limits: Limits,
    pub(crate) frames: &'w Catalogue,
    pub(crate) policy: &'w Policy,
    pub(crate) baseline: &'w Baseline,
    pub(crate) with_digest: bool,
    pub(crate) threads: NonZeroUsize,
    pub(crate) quiet: bool,
}

/// What came of it.
pub(crate) struct Done {
    /// A report an input.
    pub(crate) files: Vec<FileReport>,
    /// How many entries of the baseline are there no more.
    pub(crate) stale: u64,
}

impl Work<'_> {
    /// Judges every input.
    ///
    /// # Errors
    /// Where threads cannot be had.
    pub(crate) fn run(&self, inputs: &[Input]) -> Result<Done, ThreadPoolBuildError> {
        let pool = ThreadPoolBuilder::new()
            .num_threads(self.threads.get())
            .stack_size(STACK)
            .build()?;
        let sizes: Vec<Option<u64>> = inputs.iter().map(size).collect();
        let bytes = sizes.iter().flatten().sum();
        let progress = Progress::new(inputs.len(), bytes);
        let all = || inputs.iter().zip(&sizes).enumerate();
        // Of standard input nobody knows how much will come.
        let is_small = |size: &Option<u64>| size.is_some_and(|size| size <= SMALL);
        let small: Vec<(usize, &Input)> = all()
            .filter(|(_, (_, size))| is_small(size))
            .map(|(index, (input, _))| (index, input))
            .collect();
        let judge = |index, input, threads| (index, self.one(index, input, threads, &progress));
        let mut judged: Vec<(usize, (FileReport, u64))> = progress.shown(self.quiet, || {
            let mut judged: Vec<_> = pool.install(|| {
                small
                    .into_par_iter()
                    .map(|(index, input)| judge(index, input, NonZeroUsize::MIN))
                    .collect()
            });
            for (index, (input, _)) in all().filter(|(_, (_, size))| !is_small(size)) {
                judged.push(judge(index, input, self.threads));
            }
            judged
        });
        judged.sort_by_key(|(index, _)| *index);
        let mut done = Done {
            files: Vec::with_capacity(judged.len()),
            stale: 0,
        };
        for (_, (file, stale)) in judged {
            done.files.push(file);
            done.stale = done.stale.saturating_add(stale);
        }
        Ok(done)
    }

    /// A file's report, and how many entries of the baseline are there no more.
    fn one(
        &self,
        index: usize,
        input: &Input,
        threads: NonZeroUsize,
        progress: &Progress,
    ) -> (FileReport, u64) {
        let name = input.name();
        progress.begin(index, &name);
        let mut opened = match input::open(input) {
            Ok(opened) => opened,
            Err(error) => {
                progress.end(index, 0);
                let report = FileReport::unread(name, self.limits, &error.to_string());
                return (report, 0);
            }
        };
        // What the baseline shows must be met again to be known.
        let most = self.limits.findings_per_rule;
        let limits = Limits {
            findings_per_rule: most.max(self.baseline.cap(&name)),
            ..self.limits
        };
        let mut watched = Watched::new(&mut opened.source, progress);
        let mut report = validate_in(&mut watched, &name, limits, self.frames, threads);
        let unread = watched.unread();
        if self.with_digest {
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
        report.limits = self.limits;
        self.policy.apply(&mut report);
        let stale = self.baseline.apply(&mut report, self.policy);
        show_at_most(&mut report, most);
        progress.end(index, unread);
        (report, stale)
    }
}

/// How large an input is, where it is a file that can be looked at.
fn size(input: &Input) -> Option<u64> {
    match input {
        Input::File(path) => fs::metadata(path).ok().map(|metadata| metadata.len()),
        Input::Stdin | Input::Unreadable { .. } => None,
    }
}
