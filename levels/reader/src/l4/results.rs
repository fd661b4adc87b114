//! What `recover` gives back, as `spec/protocol.md` spells it.

use ca3_spec::kind::Kind;
use ca3_spec::protocol::{
    CalendarTime, Decimal, HeaderView, MessageView, Report, SchemaView, SessionView, StreamView,
};
use ca3_wire::records::{ClockBlock, DirectoryEntry};
use serde::Serialize;

use super::content::{Allowance, decoded};
use super::recovered::{Method, Recovered};
use super::recovery::recover;
use crate::l1::refusal::Failure;
use crate::l1::{Limits, Source, views};
use crate::l2::results::EntryView;
use crate::l3::results::{Reference, StoredDomain};

/// The result of `recover`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RecoverResult {
    /// The trailing magic is there.
    pub sealed: bool,
    /// It is not.
    pub truncated: bool,
    /// What is returned is the whole recording.
    pub complete: bool,
    /// By what the file was recovered.
    pub method: Method,
    /// The checkpoints that were used, newest first.
    pub checkpoints: Vec<CheckpointView>,
    /// Offset behind the last record that the walk took.
    pub stopped_at: Option<Decimal>,
    /// Why it stopped there.
    pub stop_reason: Option<StopReason>,
    /// The Header; null where it does not decode.
    pub header: Option<HeaderView>,
    /// Whether the anchor is there (§4.2).
    pub calendar_time: Option<CalendarTime>,
    /// The last Session that was reached.
    pub session: Option<SessionView>,
    /// Ascending by reference.
    pub schemas: Vec<SchemaView>,
    /// Ascending by reference.
    pub streams: Vec<StreamView>,
    /// The rebuilt index (§8.3, step 5).
    pub entries: Vec<EntryView>,
    /// The rebuilt directory.
    pub directory: Vec<RowView>,
    /// Chunks in file order, messages in stored order.
    pub messages: Vec<MessageView>,
    /// The clock block that is in force, as stored.
    pub clock: Option<ClockView>,
    /// What is wrong with the file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Report>,
}

/// A checkpoint that was used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct CheckpointView {
    pub offset: Decimal,
    pub checkpoint_seq: Decimal,
}

/// Why a walk stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum StopReason {
    /// Something is wrong there.
    Kind(Kind),
    /// `end-of-file`: nothing is.
    Word(&'static str),
}

/// A row of the directory; null for what only the recorder knew, where the row
/// is computed anew (readings G51, G137).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct RowView {
    pub stream_ref: u32,
    pub flags: u32,
    pub first_index: u32,
    pub index_count: u32,
    pub message_count: Decimal,
    pub chunk_count: Decimal,
    pub first_stamp_ns: Decimal,
    pub last_stamp_ns: Decimal,
    pub dropped_by_queue: Option<Decimal>,
    pub never_arrived: Option<Decimal>,
    pub reordered: Option<Decimal>,
    pub sync_quality: Option<u8>,
    pub sync_domain: Option<String>,
}

impl RowView {
    fn of(row: &DirectoryEntry, stored: bool) -> Self {
        RowView {
            stream_ref: row.stream_ref,
            flags: row.flags,
            first_index: row.first_index,
            index_count: row.index_count,
            message_count: Decimal(row.message_count),
            chunk_count: Decimal(row.chunk_count),
            first_stamp_ns: Decimal(row.first_stamp_ns),
            last_stamp_ns: Decimal(row.last_stamp_ns),
            dropped_by_queue: stored.then_some(Decimal(row.dropped_by_queue)),
            never_arrived: stored.then_some(Decimal(row.never_arrived)),
            reordered: stored.then_some(Decimal(row.reordered)),
            sync_quality: stored.then_some(row.sync_quality),
            sync_domain: stored.then(|| row.sync_domain.clone()),
        }
    }
}

/// A ClockBlock's reference and mappings as stored.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)]
pub struct ClockView {
    pub reference: Reference,
    pub domains: Vec<StoredDomain>,
}

impl ClockView {
    fn of(block: &ClockBlock) -> Self {
        ClockView {
            reference: Reference::of(block),
            domains: block.domains.iter().map(StoredDomain::of).collect(),
        }
    }
}

/// Recovers a file and everything that it says.
///
/// # Errors
/// As [`recover`], and [`Kind::LimitExceeded`] where its messages take more memory
/// than the limits allow.
pub fn recover_all(source: &mut dyn Source, limits: &Limits) -> Result<RecoverResult, Box<Report>> {
    let mut recovered = recover(source, limits)?;
    let (messages, withheld) =
        messages(source, &recovered, limits).map_err(Failure::into_report)?;
    recovered.problems.extend(withheld);
    Ok(result(recovered, messages))
}

/// The messages of every chunk that holds, and why those of others are withheld.
fn messages(
    source: &mut dyn Source,
    recovered: &Recovered,
    limits: &Limits,
) -> Result<(Vec<MessageView>, Vec<Report>), Failure> {
    let mut entries: Vec<_> = recovered.entries.iter().collect();
    entries.sort_unstable_by_key(|entry| entry.chunk_offset);
    let (mut messages, mut problems) = (Vec::new(), Vec::new());
    let mut left = limits.memory;
    let mut allowance = Allowance::of(source);
    for entry in entries {
        // An entry that claims more than the file holds is not read at all.
        if entry.chunk_length <= source.length() && !allowance.admits(entry) {
            let message = "chunks lie one within another, and not all of them were read";
            let offset = entry.chunk_offset;
            let failure = Failure::violation(Kind::LimitExceeded, offset, message);
            problems.push(*failure.into_report());
            break;
        }
        let within = Limits { memory: left };
        let mut chunk = decoded(source, &recovered.definitions, entry, &within);
        // What does not fit beside the others is no fault of the file, and there is
        // no whole answer; what does not fit by itself is withheld.
        if let Err(Failure::Violation(report)) = &chunk
            && report.kind == Kind::LimitExceeded
            && left < limits.memory
        {
            let by_itself = decoded(source, &recovered.definitions, entry, limits);
            if by_itself.is_ok() {
                return Err(Failure::Violation(report.clone()));
            }
            chunk = by_itself;
        }
        match chunk {
            Ok(chunk) => {
                let taken = chunk.messages.iter().map(|message| {
                    size_of::<MessageView>().saturating_add(message.payload.0.len())
                });
                let taken = taken.fold(0, usize::saturating_add);
                left = left.saturating_sub(crate::wide(taken));
                messages.extend(chunk.messages);
                problems.extend(chunk.differs);
            }
            Err(Failure::Violation(report)) => problems.push(*report),
            Err(source) => return Err(source),
        }
    }
    Ok((messages, problems))
}

fn result(recovered: Recovered, messages: Vec<MessageView>) -> RecoverResult {
    let by_summary = recovered.method == Method::Summary;
    let checkpoints = recovered.checkpoints.iter().map(|link| CheckpointView {
        offset: Decimal(link.offset),
        checkpoint_seq: Decimal(link.checkpoint_seq),
    });
    let rows = recovered.directory.iter();
    RecoverResult {
        sealed: recovered.sealed,
        truncated: !recovered.sealed,
        complete: by_summary && recovered.problems.is_empty(),
        method: recovered.method,
        checkpoints: checkpoints.collect(),
        stopped_at: recovered.stop.map(|stop| Decimal(stop.at)),
        stop_reason: recovered.stop.map(|stop| match stop.reason {
            Some(kind) => StopReason::Kind(kind),
            None => StopReason::Word("end-of-file"),
        }),
        calendar_time: recovered.header.as_ref().map(views::calendar_time),
        header: recovered.header.map(views::header),
        session: recovered.session.map(views::session),
        schemas: recovered.definitions.schemas().cloned().collect(),
        streams: recovered.streams.into_iter().map(views::stream).collect(),
        entries: recovered.entries.iter().map(EntryView::from).collect(),
        directory: rows.map(|row| RowView::of(row, by_summary)).collect(),
        messages,
        clock: recovered.clock.as_ref().map(ClockView::of),
        problems: recovered.problems,
    }
}
