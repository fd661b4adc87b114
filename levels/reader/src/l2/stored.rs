//! The messages of whole streams, for what is built on the index (§7.1).

use std::collections::BTreeMap;

use ca3_spec::protocol::Report;
use ca3_wire::records::IndexEntry;
use ca3_wire::{Budget, Message};

use super::chunk::Fetch;
use super::file::IndexedFile;
use crate::l1::refusal::Failure;

impl IndexedFile<'_> {
    /// Calls `visit` with every message of these streams, chunks in file order,
    /// messages as stored. What cannot be read of a stream is reported by its
    /// reference, and the others are read on.
    ///
    /// # Errors
    /// Bytes that could not be had.
    pub(crate) fn each_stored(
        &mut self,
        streams: &[u32],
        budget: &mut Budget,
        mut visit: impl FnMut(u32, &Message<'_>, &mut Budget) -> Result<(), Failure>,
    ) -> Result<BTreeMap<u32, Box<Report>>, Failure> {
        let mut unread = BTreeMap::new();
        let mut entries: Vec<IndexEntry> = Vec::new();
        for stream_ref in streams {
            match self.tables.run(*stream_ref) {
                Ok(run) => entries.extend_from_slice(run.entries),
                Err(Failure::Violation(report)) => drop(unread.insert(*stream_ref, report)),
                Err(source) => return Err(source),
            }
        }
        entries.sort_by_key(|entry| entry.chunk_offset);
        let mut fetch = Fetch::new(&mut self.source, &self.tables, budget);
        for entry in &entries {
            let (stream_ref, offset) = (entry.stream_ref, entry.chunk_offset);
            let read = fetch.each(std::slice::from_ref(entry), |_, chunk, budget| {
                // Of a chunk that does not decode to its end, nothing is taken.
                chunk.each(|_| Ok(()), offset)?;
                chunk.each(|message| visit(stream_ref, &message, budget), offset)
            });
            match read {
                Ok(()) => {}
                Err(Failure::Violation(mut report)) => {
                    report.stream_ref = Some(stream_ref);
                    unread.entry(stream_ref).or_insert(report);
                }
                Err(source) => return Err(source),
            }
        }
        Ok(unread)
    }

    /// Calls `visit` with every message of a stream, chunks in table order,
    /// messages as stored.
    ///
    /// # Errors
    /// A stream that is not declared; an index that is at odds with itself or
    /// with a chunk; a chunk that does not decode; what `visit` fails with.
    pub(crate) fn each_in_table_order(
        &mut self,
        stream_ref: u32,
        budget: &mut Budget,
        mut visit: impl FnMut(&Message<'_>, u64, &mut Budget) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        self.declared(stream_ref)?;
        let run = self.tables.run(stream_ref)?;
        let mut fetch = Fetch::new(&mut self.source, &self.tables, budget);
        fetch.each(run.entries, |entry, chunk, budget| {
            let offset = entry.chunk_offset;
            chunk.each(|message| visit(&message, offset, budget), offset)
        })
    }
}
