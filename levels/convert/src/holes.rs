//! What stood in the bytes that belong to no record that was taken.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use ca3_reader::l1::Source;
use ca3_reader::l4::{Method, Recovered};
use ca3_spec::kind::Kind;
use ca3_spec::opcode::{self, Disposition, op};
use ca3_spec::protocol::Report;
use ca3_spec::{FOOTER_FROM_END, FRAME_BYTES};
use ca3_wire::frame::RecordFrame;

use crate::statement::{Hole, HoleKind, name};
use crate::{Failure, piece};

/// Bytes that are looked through at a time.
const STEP: u64 = 64 * 1024;

/// What stood in every hole, in file order.
pub(crate) fn read(source: &mut dyn Source, recovered: &Recovered) -> Result<Vec<Hole>, Failure> {
    let placed = recovered.problems.iter();
    let placed = placed.filter_map(|report| Some((report.offset?.0, report)));
    let walks = recovered.walks.iter();
    let stops = walks.filter(|walk| walk.problem.is_some());
    let known = Known {
        recovered,
        problems: placed.collect(),
        stops: stops.map(|walk| walk.to).collect(),
    };
    let mut holes = Vec::new();
    for range in &recovered.holes {
        known.each(source, range, &mut holes)?;
    }
    Ok(holes)
}

/// A record that a walk met, and that was not taken.
struct Met {
    opcode: u8,
    range: Range<u64>,
}

struct Known<'r> {
    recovered: &'r Recovered,
    problems: BTreeMap<u64, &'r Report>,
    /// Where a walk stopped: what stands there has no length to be believed.
    stops: BTreeSet<u64>,
}

impl Known<'_> {
    fn each(
        &self,
        source: &mut dyn Source,
        range: &Range<u64>,
        holes: &mut Vec<Hole>,
    ) -> Result<(), Failure> {
        let mut at = range.start;
        while at < range.end {
            match self.met(source, at..range.end)? {
                Some(met) => {
                    at = met.range.end;
                    holes.push(self.record(source, &met)?);
                }
                None => {
                    holes.push(self.damage(source, at..range.end)?);
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The record at the start, where a walk met it and went on behind it.
    fn met(&self, source: &mut dyn Source, range: Range<u64>) -> Result<Option<Met>, Failure> {
        if self.stops.contains(&range.start) || range.end - range.start < FRAME_BYTES {
            return Ok(None);
        }
        let bytes = piece::bytes(source, range.start, FRAME_BYTES)?;
        let frame = RecordFrame::decode(&bytes, range.start).ok();
        let defined = frame
            .filter(|frame| matches!(opcode::disposition(frame.opcode), Disposition::Defined(_)));
        Ok(defined.and_then(|frame| {
            let end = frame.end_within(range.end).ok()?;
            Some(Met {
                opcode: frame.opcode,
                range: range.start..end,
            })
        }))
    }

    fn why(&self, at: u64) -> String {
        let problem = self.problems.get(&at);
        problem.map_or_else(
            || "it does not hold".to_owned(),
            |report| format!("{}: {}", report.kind, report.message),
        )
    }

    fn record(&self, source: &mut dyn Source, met: &Met) -> Result<Hole, Failure> {
        let Met { opcode, range } = met;
        let why = self.why(range.start);
        let what = name(*opcode).unwrap_or("record");
        let (kind, lost, text) = match *opcode {
            op::CHECKPOINT => (
                HoleKind::Checkpoint,
                false,
                format!("a Checkpoint that does not hold ({why}); nothing is needed of it"),
            ),
            op::SCHEMA | op::STREAM => {
                let reference = self.declared(source, met)?;
                let text = match reference {
                    Some(reference) => format!(
                        "a {what} that does not hold ({why}); {reference} is declared elsewhere \
                         as well"
                    ),
                    None => format!("a {what} that does not hold ({why})"),
                };
                (HoleKind::Definition, reference.is_none(), text)
            }
            op::CLOCK_BLOCK => (
                HoleKind::Record,
                self.recovered.clock.is_none(),
                format!("a {what} that does not hold ({why})"),
            ),
            op::CHUNK | op::COLUMNAR_CHUNK => (
                HoleKind::Chunk,
                true,
                format!("a {what} whose header does not hold ({why}), with its messages"),
            ),
            _ => (
                HoleKind::Record,
                true,
                format!("a {what} that does not hold ({why})"),
            ),
        };
        Ok(hole(range, kind, lost, text))
    }

    /// The reference of a definition, where another record or a checkpoint
    /// declares the same one.
    fn declared(&self, source: &mut dyn Source, met: &Met) -> Result<Option<u32>, Failure> {
        let Range { start, end } = met.range;
        let twice = self.problems.get(&start);
        let twice = twice.is_some_and(|report| report.kind == Kind::DuplicateReference);
        // It says something else than the one that counts.
        if twice || end - start < FRAME_BYTES.saturating_add(4) {
            return Ok(None);
        }
        let bytes = piece::bytes(source, start.saturating_add(FRAME_BYTES), 4)?;
        let reference = bytes.try_into().map(u32::from_le_bytes).unwrap_or_default();
        let known = match met.opcode {
            // Ascending by reference.
            op::SCHEMA => {
                let schemas = &self.recovered.schemas;
                let at = schemas.binary_search_by_key(&reference, |it| it.schema_ref);
                at.is_ok()
            }
            _ => self.recovered.stream(reference).is_some(),
        };
        Ok(Some(reference).filter(|_| known))
    }

    /// Bytes that are no whole record.
    fn damage(&self, source: &mut dyn Source, range: Range<u64>) -> Result<Hole, Failure> {
        let at_the_end = range.end == source.length() && !self.recovered.sealed;
        if at_the_end && zeros(source, &range)? {
            let text = "zeros up to the end of the file: space that was set aside, or what never \
                        reached the disk";
            return Ok(hole(&range, HoleKind::Zeros, true, text.to_owned()));
        }
        let why = self.why(range.start);
        let footer = source.length().saturating_sub(FOOTER_FROM_END);
        if self.recovered.sealed && range.start == footer {
            let text = format!("the place of the Footer ({why}), which is made anew");
            return Ok(hole(&range, HoleKind::Footer, false, text));
        }
        let kind = self.problems.get(&range.start).map(|report| report.kind);
        if at_the_end && kind == Some(Kind::TruncatedRecord) {
            return self.unfinished(source, &range);
        }
        let listed = self.recovered.method == Method::Summary;
        let text = if listed {
            format!("damage ({why}); no chunk of the index lies there, other records may")
        } else if matches!(kind, Some(Kind::UnknownOpcode | Kind::ReservedOpcode)) && at_the_end {
            format!("what cannot be read on from ({why}); it may hold messages")
        } else {
            format!("damage ({why}); it may have held messages")
        };
        Ok(hole(&range, HoleKind::Damage, true, text))
    }

    /// The record within which the file ends.
    fn unfinished(&self, source: &mut dyn Source, range: &Range<u64>) -> Result<Hole, Failure> {
        let left = range.end - range.start;
        if left < FRAME_BYTES {
            let text = "the beginning of a record, within which the file ends".to_owned();
            return Ok(hole(range, HoleKind::Unfinished, true, text));
        }
        let bytes = piece::bytes(source, range.start, FRAME_BYTES)?;
        let frame = RecordFrame::decode(&bytes, range.start);
        let text = match frame {
            Ok(frame) => {
                let what = name(frame.opcode).unwrap_or("record");
                let length = frame.content_length.saturating_add(FRAME_BYTES);
                format!("a {what} within which the file ends: it claims {length} bytes")
            }
            Err(_) => self.why(range.start),
        };
        Ok(hole(range, HoleKind::Unfinished, true, text))
    }
}

fn hole(range: &Range<u64>, kind: HoleKind, lost: bool, message: String) -> Hole {
    Hole {
        from: range.start.into(),
        to: range.end.into(),
        kind,
        lost,
        message,
    }
}

/// Whether a stretch is of zeros and nothing else.
fn zeros(source: &mut dyn Source, range: &Range<u64>) -> Result<bool, Failure> {
    let mut at = range.start;
    while at < range.end {
        let length = STEP.min(range.end - at);
        let bytes = piece::bytes(source, at, length)?;
        if bytes.iter().any(|byte| *byte != 0) {
            return Ok(false);
        }
        at = at.saturating_add(length);
    }
    Ok(true)
}
