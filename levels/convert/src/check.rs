//! The output, looked at again before it gets its name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::Path;
use std::time::SystemTime;

use ca3_reader::l1::{Limits, Source};
use ca3_reports::Severity;
use ca3_spec::opcode::op;
use ca3_spec::{FOOTER_FROM_END, FRAME_BYTES, MAGIC};
use ca3_wire::frame::RecordFrame;

use crate::rewrite::Pair;
use crate::statement::{Cause, Remaining};
use crate::{Failure, piece, wide};

/// Findings of one rule that are looked at one by one.
const FINDINGS: u64 = 10_000;

/// A source that somebody may change meanwhile.
pub(crate) struct Watched {
    file: Option<File>,
    before: Option<(u64, Option<SystemTime>)>,
}

impl Watched {
    /// Notes how the source is now; what cannot be opened is told elsewhere.
    pub(crate) fn open(input: &Path) -> Self {
        // Opening a pipe would wait for whoever writes to it.
        let is_file = fs::metadata(input).is_ok_and(|it| it.is_file());
        let file = is_file.then(|| File::open(input).ok()).flatten();
        let before = file.as_ref().and_then(looks);
        Watched { file, before }
    }

    /// What was made, unless the source is another one by now. That a file grew
    /// is no change of what was read of it, unless something else speaks for one.
    pub(crate) fn unless_changed<T>(
        &self,
        made: Result<T, Failure>,
        input: &Path,
    ) -> Result<T, Failure> {
        let now = self.file.as_ref().and_then(looks);
        let grew = match (self.before, now) {
            (Some((before, _)), Some((now, _))) => now > before,
            _ => false,
        };
        let is_at_odds = matches!(made, Err(Failure::Bug(_)));
        let is_reported = matches!(made, Err(Failure::Usage(_) | Failure::Output(_)));
        if now == self.before || is_reported || (grew && !is_at_odds) {
            return made;
        }
        Err(Failure::Source(format!(
            "{}: the source was changed while it was read: run it again, and nothing was put \
             in place",
            input.display()
        )))
    }
}

fn looks(file: &File) -> Option<(u64, Option<SystemTime>)> {
    let metadata = file.metadata().ok()?;
    Some((metadata.len(), metadata.modified().ok()))
}

/// Compares every chunk with the source.
pub(crate) fn compare(
    source: &mut dyn Source,
    output: &mut dyn Source,
    pairs: &[Pair],
) -> Result<(), Failure> {
    let records = records(output)?;
    let chunks = records
        .iter()
        .filter(|(_, opcode)| matches!(**opcode, op::CHUNK | op::COLUMNAR_CHUNK));
    if !chunks
        .map(|(offset, _)| *offset)
        .eq(pairs.iter().map(|pair| pair.output))
    {
        return Err(bug("the chunks do not stand where they were written"));
    }
    for pair in pairs {
        if !piece::equal(source, pair.source, output, pair.output, pair.length)? {
            let text = format!("the chunk at {} is not the source's", pair.output);
            return Err(bug(&text));
        }
        let rest = |offset: u64| offset.checked_rem(pair.boundary);
        if rest(pair.source) != rest(pair.output) {
            let text = format!("the chunk at {} lost its boundary", pair.output);
            return Err(bug(&text));
        }
    }
    Ok(())
}

#[cold]
fn bug(what: &str) -> Failure {
    Failure::Bug(what.to_owned())
}

/// Where every record of the output begins, and its opcode.
fn records(output: &mut dyn Source) -> Result<BTreeMap<u64, u8>, Failure> {
    let magic = wide(MAGIC.len());
    let end = output.length().saturating_sub(magic);
    let mut records = BTreeMap::new();
    let mut offset = magic;
    while offset < end {
        let broken = || bug(&format!("no record stands at {offset}"));
        if end.saturating_sub(offset) < FRAME_BYTES {
            return Err(broken());
        }
        let bytes = piece::bytes(output, offset, FRAME_BYTES)?;
        let frame = RecordFrame::decode(&bytes, offset).map_err(|_| broken())?;
        records.insert(offset, frame.opcode);
        offset = frame.end_within(end).map_err(|_| broken())?;
    }
    let footer = output.length().saturating_sub(FOOTER_FROM_END);
    if records.get(&footer) != Some(&op::FOOTER) {
        return Err(bug("no Footer stands at its place"));
    }
    Ok(records)
}

/// Has the validator judge the output. Gives the errors of what was carried
/// over, each as the source's, with the field concerned.
pub(crate) fn judge(
    output: &mut dyn Source,
    provenance: &[u64],
    limits: &Limits,
) -> Result<Vec<(Remaining, String)>, Failure> {
    let records = records(output)?;
    let report = ca3_validate::validate(output, "the output", findings(limits));
    if let Some(reason) = report.incomplete.filter(|_| !report.scan_complete) {
        return Err(Failure::Output(format!(
            "what was written could not be judged to its end: {reason}; allow more with \
             --limit memory=BYTES"
        )));
    }
    let mut remaining = Vec::new();
    for finding in report.findings {
        if finding.severity < Severity::Error {
            continue;
        }
        let is_carried = match records.get(&finding.offset) {
            None => false,
            Some(opcode) => is_carried(*opcode) && !provenance.contains(&finding.offset),
        };
        if !is_carried {
            return Err(bug(&format!(
                "the output breaks {} at {}: {}",
                finding.rule, finding.offset, finding.message
            )));
        }
        let error = Remaining {
            rule: finding.rule,
            offset: finding.offset.into(),
            message: finding.message,
            cause: Cause::Source,
        };
        remaining.push((error, finding.field));
    }
    Ok(remaining)
}

const fn findings(limits: &Limits) -> ca3_reports::Limits {
    ca3_reports::Limits {
        memory: limits.memory,
        findings_per_rule: FINDINGS,
    }
}

/// Tells apart what the source had and what follows from what was lost. An
/// error is the source's where the validator finds the same rule broken there:
/// by the record that was carried over, or, of one that has no place in the
/// source, in the same field. Where the validator cannot look at all of the
/// source, a record that was carried over is as wrong as it was.
pub(crate) fn attributed(
    source: &mut dyn Source,
    origins: &BTreeMap<u64, u64>,
    remaining: Vec<(Remaining, String)>,
    limits: &Limits,
) -> Vec<Remaining> {
    if remaining.is_empty() {
        return Vec::new();
    }
    let report = ca3_validate::validate(source, "the source", findings(limits));
    let errors = report.findings.iter();
    let errors = errors.filter(|it| it.severity >= Severity::Error);
    let placed: BTreeSet<_> = errors.clone().map(|it| (it.rule, it.offset)).collect();
    let named: BTreeSet<_> = errors.map(|it| (it.rule, it.field.as_str())).collect();
    let is_sources = |error: &Remaining, field: &str| match origins.get(&error.offset.0) {
        Some(at) => placed.contains(&(error.rule, *at)) || !report.scan_complete,
        None => named.contains(&(error.rule, field)),
    };
    let attributed = remaining.into_iter().map(|(error, field)| {
        let cause = if is_sources(&error, &field) {
            Cause::Source
        } else {
            Cause::Loss
        };
        Remaining { cause, ..error }
    });
    attributed.collect()
}

/// Whether records of an opcode say what the source said; the others are made
/// from what was carried over, and may not be wrong.
const fn is_carried(opcode: u8) -> bool {
    !matches!(
        opcode,
        op::CHUNK_INDEX
            | op::STREAM_DIRECTORY
            | op::STATISTICS
            | op::SUMMARY_OFFSET
            | op::FOOTER
            | op::PADDING
            | op::CHECKPOINT
            | op::MESSAGE_OFFSETS
    )
}

#[cfg(test)]
mod tests;
