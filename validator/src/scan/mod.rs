//! One pass over a file, and what is compared at its end.

mod facts;
mod lookahead;
mod outline;
mod places;
mod reading;
mod walk;

use std::io;
use std::num::NonZeroUsize;

use ca3_reader::l1::Source;
use ca3_reports::clocks::Clocks;
use ca3_reports::{
    FileReport, Finding, Limits, Scope, Severity, StreamCounts, Suppressed, Unchecked,
};
use ca3_schema::frames::Catalogue;
use ca3_spec::opcode::op;
use ca3_spec::{FOOTER_FROM_END, MAGIC};
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::Record;
use ca3_wire::{Budget, Cursor, Trace, WireError};

pub(crate) use facts::{
    AnnotationFact, CheckpointState, ChunkFact, ClockFact, Copies, Facts, Group, Pending, Runs,
    SchemaFact, SessionFact, StatisticsFact, StreamFact, Table, Target,
};
pub(crate) use outline::Outline;
pub(crate) use reading::sha256;
pub(crate) use reading::{crc_of, u32_at, u64_at};

use crate::checks::{Batch, Worker};
use crate::findings::Findings;
use crate::{contents, rules, wire_rules};

/// Bytes of a magic.
pub(crate) const MAGIC_BYTES: u64 = 8;

/// Where in a file a record stands (§2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Section {
    /// In front of the first record.
    Start,
    /// Between the Header and the summary.
    Data,
    /// The summary.
    Summary,
    /// The offsets behind it.
    Offsets,
    /// Behind the Footer.
    Ended,
}

/// How a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Every record was met.
    Whole,
    /// The walk stopped at that offset: what follows cannot be told apart.
    Stopped(u64),
}

/// A scan under way.
pub(crate) struct Scan<'s> {
    pub(crate) source: &'s mut dyn Source,
    /// The frames that schemas may name.
    pub(crate) frames: &'s Catalogue,
    pub(crate) findings: Findings,
    pub(crate) facts: Facts,
    pub(crate) budget: Budget,
    pub(crate) length: u64,
    pub(crate) sealed: bool,
    pub(crate) section: Section,
    /// Where the sections lie, as far as that shows ahead of the walk.
    pub(crate) outline: Outline,
    /// Whether the summary began where the outline has it.
    pub(crate) boundary_known: bool,
    /// Whether a Header was met.
    header_met: bool,
    /// Whether a record begins where the Footer has the last checkpoint.
    pub(crate) checkpoint_on_record: bool,
    /// The frame behind the record at hand, and its offset.
    ahead: Option<(u64, [u8; 9])>,
    /// Offset of the first SummaryOffset.
    pub(crate) offsets_start: Option<u64>,
    /// What was left out, and why.
    pub(crate) unchecked: Vec<Unchecked>,
    /// What no file shows of rules that are judged all the same.
    open: Vec<Unchecked>,
    /// What kept the scan from being complete.
    incomplete: Option<String>,
    /// The content of the record at hand.
    content: Vec<u8>,
    /// Bytes of content that were paid for: those of the longest record so far.
    content_paid: u64,
    /// What judges the messages of a chunk.
    pub(crate) worker: Worker,
    /// Chunks that are judged side by side.
    pub(crate) batch: Batch,
    /// The content of a chunk that is read again.
    pub(crate) spare: Vec<u8>,
    /// The mappings of the summary's ClockBlock, beside what they rest on.
    clocks: Option<Clocks>,
}

/// Judges one file.
pub(crate) fn scan(
    source: &mut dyn Source,
    path: &str,
    limits: Limits,
    frames: &Catalogue,
    threads: NonZeroUsize,
) -> FileReport {
    let length = source.length();
    let mut scan = Scan {
        source,
        frames,
        findings: Findings::new(limits.findings_per_rule),
        facts: Facts::default(),
        budget: Budget::new(limits.memory),
        length,
        sealed: false,
        section: Section::Start,
        outline: Outline::default(),
        boundary_known: false,
        header_met: false,
        checkpoint_on_record: false,
        ahead: None,
        offsets_start: None,
        unchecked: Vec::new(),
        open: Vec::new(),
        incomplete: None,
        content: Vec::new(),
        content_paid: 0,
        worker: Worker::default(),
        batch: Batch::new(threads),
        spare: Vec::new(),
        clocks: None,
    };
    if let Err(error) = scan.run() {
        scan.incomplete = Some(match error.kind() {
            io::ErrorKind::UnexpectedEof => "reading failed: the file ended before its length; \
                 judge it again once nothing writes to it"
                .to_owned(),
            _ => format!("reading failed: {error}; copy it where it can be read, and judge that"),
        });
    }
    scan.into_report(path, limits)
}

impl Scan<'_> {
    fn run(&mut self) -> io::Result<()> {
        if !self.leading_magic()? {
            return Ok(());
        }
        self.sealed = self.trailing_magic()?;
        if self.sealed {
            self.outline = self.outline()?;
        }
        let ending = self.walk()?;
        self.findings.within(None);
        if self.sealed && ending == Ending::Whole {
            self.pair_index();
            self.settle_chunks();
        }
        self.definitions_at_end();
        self.schemas_at_end();
        self.annotations_at_end()?;
        match (self.sealed, ending) {
            (true, Ending::Whole) => self.sealed_at_end()?,
            (true, Ending::Stopped(offset)) => self.leave(
                format!("everything behind offset {offset}, and the tables compared with it"),
                &rules::of_the_whole(),
                "no record can be told apart there",
            ),
            (false, _) => self.leave(
                "summary, index, directory and Footer".to_owned(),
                &rules::of_the_whole(),
                "the file is not sealed",
            ),
        }
        self.clock_at_end();
        self.clocks = self.time_at_end(ending);
        Ok(())
    }

    /// §2.1.
    fn leading_magic(&mut self) -> io::Result<bool> {
        let mut found = [0; MAGIC.len()];
        let count = usize::try_from(self.length).unwrap_or(usize::MAX);
        let count = count.min(found.len());
        let Some(bytes) = found.get_mut(..count) else {
            return Ok(false);
        };
        self.source.read_at(0, bytes)?;
        if found == MAGIC {
            return Ok(true);
        }
        let [a, b, c, d, major, ..] = found;
        let [e, f, g, h, ..] = MAGIC;
        let (rule, message) = if count < MAGIC.len() {
            ("CA3-2.1-03", "the file is shorter than a magic")
        } else if [a, b, c, d] == [e, f, g, h] && major != MAGIC[4] {
            ("CA3-2.1-02", "the file is of another major version")
        } else {
            ("CA3-2.1-01", "the file does not begin with the CA3 magic")
        };
        let shown = found.get(..count).unwrap_or_default();
        self.findings.add(
            Finding::new(rule, Severity::Error, 0, "magic", message)
                .showing(format_args!("{MAGIC:02x?}"), format_args!("{shown:02x?}")),
        );
        self.leave(
            "everything behind the magic".to_owned(),
            &rules::behind_the_magic(),
            "the file is no CA3 file of version 1",
        );
        Ok(false)
    }

    /// Reading G48.
    fn trailing_magic(&mut self) -> io::Result<bool> {
        if self.length < FOOTER_FROM_END.saturating_add(MAGIC_BYTES) {
            return Ok(false);
        }
        let mut found = [0; MAGIC.len()];
        let offset = self.length.saturating_sub(MAGIC_BYTES);
        self.source.read_at(offset, &mut found)?;
        Ok(found == MAGIC)
    }

    /// The comparisons that need the whole of a sealed file.
    fn sealed_at_end(&mut self) -> io::Result<()> {
        self.footer_at_end()?;
        if self.is_incomplete() {
            return Ok(());
        }
        self.groups_at_end();
        self.index_at_end();
        self.directory_at_end();
        self.statistics_at_end();
        self.sessions_at_end();
        Ok(())
    }

    /// Where records end: at the trailing magic, or with the file.
    pub(crate) fn end(&self) -> u64 {
        if self.sealed {
            self.length.saturating_sub(MAGIC_BYTES)
        } else {
            self.length
        }
    }

    /// States that something is left unchecked.
    pub(crate) fn leave(&mut self, what: String, rules: &[&str], reason: &str) {
        self.unchecked.push(Unchecked {
            in_part: false,
            scope: Scope::File,
            what,
            rules: rules.iter().map(|rule| (*rule).to_owned()).collect(),
            reason: reason.to_owned(),
        });
    }

    /// States what no file shows of rules that are judged otherwise.
    pub(crate) fn leave_open(&mut self, what: String, rules: &[&str], reason: String) {
        self.open.push(Unchecked {
            in_part: true,
            scope: Scope::File,
            what,
            rules: rules.iter().map(|rule| (*rule).to_owned()).collect(),
            reason,
        });
    }

    /// Pays for something that is kept; without it the scan is incomplete.
    pub(crate) fn pay(&mut self, bytes: usize, offset: u64, what: &str) -> bool {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        match self.budget.spend(bytes, offset, what) {
            Ok(()) => true,
            Err(error) => {
                self.beyond_limit(&error);
                false
            }
        }
    }

    /// States that the memory limit kept something from being read.
    pub(crate) fn beyond_limit(&mut self, error: &WireError) {
        let reason = format!("memory limit: {error}; --limit memory=BYTES raises it");
        if self.incomplete.is_none() {
            self.incomplete = Some(reason.clone());
            self.leave(format!("the record at or around offset {}, and others that the limit leaves no room for", error.offset), &rules::of_the_whole(), &reason);
        }
    }

    /// Whether the scan met the memory limit.
    pub(crate) fn is_incomplete(&self) -> bool {
        self.incomplete.is_some()
    }

    /// Reads a record's content and hands it to `judge`, together with its
    /// offset. Decoding may take `factor` times the content besides.
    pub(crate) fn with_content(
        &mut self,
        frame: &RecordFrame,
        factor: u64,
        judge: impl FnOnce(&mut Self, &[u8], u64) -> io::Result<()>,
    ) -> io::Result<()> {
        let base = frame.offset.saturating_add(RecordFrame::BYTES);
        let extra = frame.content_length.saturating_mul(factor);
        if !self.pay_content(frame.content_length, extra, base) {
            return Ok(());
        }
        let mut content = std::mem::take(&mut self.content);
        let length = usize::try_from(frame.content_length).unwrap_or_default();
        content.reserve_exact(length.saturating_sub(content.len()));
        content.resize(length, 0);
        let result = self
            .source
            .read_at(base, &mut content)
            .and_then(|()| judge(self, &content, base));
        self.content = content;
        self.budget.release(extra);
        result
    }

    /// Pays for a record's content, as far as no longer one was paid for, and for what
    /// decoding it takes besides.
    pub(crate) fn pay_content(&mut self, length: u64, extra: u64, base: u64) -> bool {
        let growth = length.saturating_sub(self.content_paid);
        let wanted = extra.saturating_add(growth);
        if let Err(error) = self.budget.spend(wanted, base, "content") {
            self.beyond_limit(&error);
            return false;
        }
        self.content_paid = self.content_paid.max(length);
        true
    }

    /// A record's known fields; a fault is a finding.
    pub(crate) fn decode<R: Record>(&mut self, content: &[u8], base: u64) -> Option<R> {
        match R::from_content(content, base) {
            Ok(record) => Some(record),
            Err(error) => {
                self.fault(R::OPCODE, &error);
                None
            }
        }
    }

    /// Takes a fault of decoding, which is a finding or the memory limit.
    pub(crate) fn fault(&mut self, opcode: u8, error: &WireError) {
        if matches!(error.fault, ca3_wire::Fault::Budget { .. }) {
            self.beyond_limit(error);
        } else {
            self.findings.add(wire_rules::finding(opcode, error));
        }
    }

    fn into_report(mut self, path: &str, limits: Limits) -> FileReport {
        let mut streams = StreamCounts::default();
        for fact in self.facts.streams.values() {
            streams.total = streams.total.saturating_add(1);
            let count = if fact.claims() {
                &mut streams.well_formed
            } else {
                &mut streams.undeclared
            };
            *count = count.saturating_add(1);
        }
        streams.unmet = self.facts.unmet_claims;
        let contents = contents::of(&self.facts);
        let checked = rules::checked_but(&self.unchecked);
        self.unchecked.append(&mut self.open);
        self.unchecked.extend(rules::unchecked());
        let mut sorted = self.findings.sorted();
        for finding in &mut sorted.findings {
            finding.topic = finding.stream_ref.and_then(|reference| {
                let fact = self.facts.streams.get(&reference)?;
                Some(fact.stream.topic.clone())
            });
        }
        FileReport {
            path: path.to_owned(),
            size: Some(self.length),
            sha256: None,
            limits,
            scan_complete: self.incomplete.is_none(),
            incomplete: self.incomplete,
            sealed: Some(self.sealed),
            account: account(&streams, &self.facts),
            streams,
            counts: sorted.counts,
            suppressed: Suppressed::default(),
            findings: sorted.findings,
            totals: sorted.totals,
            checked,
            unchecked: self.unchecked,
            clocks: self.clocks,
            contents: Some(contents),
        }
    }
}

/// The account of a file's streams, those that do not decode apart.
fn account(streams: &StreamCounts, facts: &Facts) -> String {
    let lost = facts.lost.keys().filter(|(opcode, reference)| {
        *opcode == op::STREAM && !facts.streams.contains_key(reference)
    });
    let lost = match lost.count() {
        0 => return streams.account(),
        1 => "one Stream that does not decode".to_owned(),
        number => format!("{number} Streams that do not decode"),
    };
    match streams.total {
        0 => lost,
        _ => format!("{}; {lost}", streams.account()),
    }
}

/// Absolute offset of a field of a record, or of the content where the record
/// ends before it.
pub(crate) fn field_offset<R: Record>(content: &[u8], base: u64, field: &str) -> u64 {
    let trace = Trace::default();
    let mut cursor = Cursor::traced(content, base, "", &trace);
    drop(R::decode(&mut cursor));
    trace
        .into_spans()
        .iter()
        .find(|span| span.field == field)
        .map_or(base, |span| span.offset)
}
