//! Chunks whose messages are judged side by side.
//!
//! The walk goes on by their headers alone; threads read and judge the rest, and what
//! came of each is taken in the order of the file. So the report is the same as where one
//! chunk is judged after another: what a chunk's messages show concerns no other chunk,
//! and whatever needs the chunks before it waits until they are settled.

use std::io;
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::thread;

use ca3_reader::l1::Shared;
use ca3_spec::opcode::op;
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::ChunkHead;

use super::chunk::{Begun, head};
use super::chunk_walk::{Walked, Worker};
use super::time::Carried;
use crate::findings::Findings;
use crate::scan::{Scan, Section};

/// Bytes of content up to which a chunk is judged beside others: each thread holds one.
const LARGEST: u64 = 8 << 20;
/// Bytes that it may come to once decompressed.
const LARGEST_EXPANDED: u64 = 4 << 20;
/// Bytes of content from which on a chunk is worth waiting by itself.
const SMALLEST: u64 = 16 << 10;
/// Bytes of content from which on threads are worth beginning.
const WORTHWHILE: u64 = 2 << 20;
/// What a thread's calls may take, in bytes: as much as those of the main thread.
pub(crate) const STACK: usize = 8 << 20;
/// Bytes of content and chunks after which a batch is judged.
const BATCH_BYTES: u64 = 128 << 20;
const BATCH_CHUNKS: usize = 4096;

/// Chunks that wait, and what judges them.
#[derive(Debug)]
pub(crate) struct Batch {
    threads: NonZeroUsize,
    /// A thread's, kept from batch to batch.
    workers: Vec<(Worker, Vec<u8>)>,
    waiting: Vec<Waiting>,
    bytes: u64,
    /// Whether the record at hand is judged with the batch.
    takes: bool,
    /// The header of that chunk.
    header: Vec<u8>,
}

/// A chunk that waits.
#[derive(Debug)]
struct Waiting {
    begun: Begun,
    /// What was found at it so far.
    findings: Findings,
    content_length: u64,
}

impl Batch {
    /// Of that many threads; of one, nothing ever waits.
    pub(crate) const fn new(threads: NonZeroUsize) -> Self {
        Batch {
            threads,
            workers: Vec::new(),
            waiting: Vec::new(),
            bytes: 0,
            takes: false,
            header: Vec::new(),
        }
    }

    /// Whether the record at hand is judged with the batch.
    pub(crate) const fn takes(&self) -> bool {
        self.takes
    }
}

impl Scan<'_> {
    /// Does what a record takes. Where it is a chunk that can wait, what is found stays
    /// with it; where it is none, those that wait are settled before.
    pub(crate) fn in_order<T>(
        &mut self,
        frame: &RecordFrame,
        end: u64,
        step: impl FnOnce(&mut Self) -> io::Result<T>,
    ) -> io::Result<T> {
        self.batch.takes = self.may_wait(frame, end)?;
        if !self.batch.takes {
            self.settle()?;
            return step(self);
        }
        let beside = self.findings.beside();
        let before = std::mem::replace(&mut self.findings, beside);
        let count = self.batch.waiting.len();
        let result = step(self);
        let found = std::mem::replace(&mut self.findings, before);
        self.batch.takes = false;
        match self.batch.waiting.get_mut(count) {
            Some(waiting) => waiting.findings = found,
            None => {
                self.settle()?;
                self.findings.absorb(found);
            }
        }
        if self.batch.bytes >= BATCH_BYTES || self.batch.waiting.len() >= BATCH_CHUNKS {
            self.settle()?;
        }
        result
    }

    /// Whether a record is a chunk that nothing of the file needs at once, and small
    /// enough for each thread to hold one.
    fn may_wait(&mut self, frame: &RecordFrame, end: u64) -> io::Result<bool> {
        let is_chunk = matches!(frame.opcode, op::CHUNK | op::COLUMNAR_CHUNK);
        if self.batch.threads.get() == 1
            || !is_chunk
            || self.section != Section::Data
            || self.outline.summary == Some(frame.offset)
            || frame.content_length > LARGEST
            || (frame.content_length < SMALLEST && self.batch.waiting.is_empty())
            || frame.content_length < ChunkHead::bytes(frame.opcode)
            || frame.end_within(end).is_err()
            || self.source.shared().is_none()
        {
            return Ok(false);
        }
        let base = frame.offset.saturating_add(RecordFrame::BYTES);
        let mut content = std::mem::take(&mut self.batch.header);
        let length = usize::try_from(ChunkHead::bytes(frame.opcode)).unwrap_or_default();
        content.resize(length, 0);
        self.source.read_at(base, &mut content)?;
        let waits = head(frame, &content, base).is_some_and(|head| {
            let expanded = head.expanded_bytes(&content);
            expanded <= LARGEST_EXPANDED && self.facts.carried(head.stream_ref) == Carried::Other
        });
        self.batch.header = content;
        Ok(waits)
    }

    /// Lets the chunk at hand wait.
    pub(crate) fn chunk_later(&mut self, frame: &RecordFrame) {
        let base = frame.offset.saturating_add(RecordFrame::BYTES);
        if !self.pay_content(frame.content_length, 0, base) {
            return;
        }
        let content = std::mem::take(&mut self.batch.header);
        if let Some(begun) = self.begin_chunk(frame, &content, base) {
            self.batch.bytes = self.batch.bytes.saturating_add(frame.content_length);
            self.batch.waiting.push(Waiting {
                begun,
                findings: self.findings.beside(),
                content_length: frame.content_length,
            });
        }
        self.batch.header = content;
    }

    /// Judges the chunks that wait, and takes what came of them.
    pub(crate) fn settle(&mut self) -> io::Result<()> {
        if self.batch.waiting.is_empty() {
            return Ok(());
        }
        let bytes = std::mem::take(&mut self.batch.bytes);
        let waiting = std::mem::take(&mut self.batch.waiting);
        let threads = if bytes < WORTHWHILE {
            1
        } else {
            self.batch.threads.get().min(waiting.len())
        };
        let workers = &mut self.batch.workers;
        if workers.len() < threads {
            workers.resize_with(threads, Default::default);
        }
        let Some(source) = self.source.shared() else {
            return Ok(());
        };
        let mut judged = Vec::with_capacity(waiting.len());
        let queue = Mutex::new(waiting.into_iter().enumerate());
        let work = |(worker, content): &mut (Worker, Vec<u8>)| {
            let mut done = Vec::new();
            loop {
                // Nothing that holds the lock can panic.
                let next = queue.lock().ok().and_then(|mut queue| queue.next());
                let Some((place, mut waiting)) = next else {
                    return done;
                };
                let walked = waiting.judge(source, worker, content);
                done.push((place, waiting, walked));
            }
        };
        thread::scope(|scope| {
            let work = &work;
            let mut workers = workers.iter_mut().take(threads);
            let here = workers.next();
            // A thread that cannot be had leaves its part to the others.
            let others: Vec<_> = workers
                .map_while(|worker| {
                    let thread = thread::Builder::new().stack_size(STACK);
                    thread.spawn_scoped(scope, move || work(worker)).ok()
                })
                .collect();
            judged.extend(here.map(work).into_iter().flatten());
            for other in others {
                match other.join() {
                    Ok(done) => judged.extend(done),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
        });
        judged.sort_unstable_by_key(|(place, ..)| *place);
        let record = self.findings.within(None);
        let settled = judged.into_iter().try_for_each(|(_, waiting, walked)| {
            let walked = walked?;
            self.findings.within(Some(waiting.begun.job.head.offset));
            self.findings.absorb(waiting.findings);
            self.end_chunk(&waiting.begun, &walked, None);
            Ok(())
        });
        self.findings.within(record);
        settled
    }
}

impl Waiting {
    fn judge(
        &mut self,
        source: &dyn Shared,
        worker: &mut Worker,
        content: &mut Vec<u8>,
    ) -> io::Result<Walked> {
        let length = usize::try_from(self.content_length).unwrap_or_default();
        content.resize(length, 0);
        source.read_at(self.begun.job.head.base, content)?;
        Ok(worker.judge(&self.begun.job, content, &mut self.findings))
    }
}
