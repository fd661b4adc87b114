//! Chunks and records, one after the other (§5.9, §6).

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use ca3_reader::l4::{self, Found, Method};
use ca3_spec::FRAME_BYTES;
use ca3_spec::kind::Kind;
use ca3_spec::opcode::op;
use ca3_wire::Cursor;
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::{Checkpoint, ChunkHead, IndexEntry, Record};

use super::{Facts, Pair, Work, failed};
use crate::carry::{self, Fate};
use crate::piece::{self, Piece};
use crate::statement::{Damaged, Why, Withheld, name};
use crate::{Failure, wide};

/// How often a source's length may be read over to judge chunks inside of
/// other records: an index may name one for every byte.
const ROUNDS: u64 = 8;

/// The next thing of the source.
enum Item {
    Chunk(IndexEntry),
    Record(Found),
}

impl Item {
    fn start(&self) -> u64 {
        match self {
            Item::Chunk(entry) => entry.chunk_offset,
            Item::Record(found) => found.offset,
        }
    }
}

/// By what a chunk was reached.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reached {
    /// An index, or a walk.
    Entry,
    /// No index names it: its own header is all that there is.
    Itself,
}

impl<W: Write> Work<'_, W> {
    /// Chunks and records in the order of the source.
    pub(super) fn copy(&mut self, facts: &Facts) -> Result<(), Failure> {
        let entries = self.recovered.entries.iter().copied().map(Item::Chunk);
        let known: BTreeSet<u64> = self
            .recovered
            .entries
            .iter()
            .map(|entry| entry.chunk_offset)
            .collect();
        let records = self.recovered.records.iter().chain(&facts.unlisted);
        let records = records
            .filter(|found| !known.contains(&found.offset))
            .copied()
            .map(Item::Record);
        let mut items: Vec<Item> = entries.chain(records).collect();
        items.sort_by_key(Item::start);
        let disputed = self.disputed()?;
        let firm = self.firm(&items, facts, &disputed)?;
        // Where the last one carried over ends: an index may lead into the
        // middle of another record, whose bytes are that record's.
        let mut taken = 0;
        for item in items {
            match item {
                Item::Chunk(entry) => match disputed.get(&entry.chunk_offset) {
                    Some(stated) => self.deny(stated),
                    None => self.chunk(&entry, Reached::Entry, &mut taken)?,
                },
                Item::Record(found) => match found.opcode {
                    op::CHUNK | op::COLUMNAR_CHUNK => self.unlisted(&found, &mut taken)?,
                    op::SCHEMA | op::STREAM => {}
                    opcode if found.offset >= facts.summary_start => {
                        match carry::fate(self.source, &found, self.limits)? {
                            Fate::Left(why) => self.tally.leave(opcode, why),
                            // It restates the one that is carried over.
                            Fate::Session(..) => {}
                            _ => self.tally.leave(opcode, Why::OfTheSummary),
                        }
                    }
                    _ => self.record(&found, &firm, &mut taken)?,
                },
            }
        }
        Ok(())
    }

    /// Chunks that a checkpoint describes otherwise than they do themselves, each
    /// as the checkpoint has it: its checksum holds, and none covers a header.
    fn disputed(&mut self) -> Result<BTreeMap<u64, IndexEntry>, Failure> {
        let mut disputed = BTreeMap::new();
        if self.recovered.checkpoints.is_empty() {
            return Ok(disputed);
        }
        let entries = self.recovered.entries.iter();
        let known: BTreeMap<u64, &IndexEntry> =
            entries.map(|entry| (entry.chunk_offset, entry)).collect();
        for link in &self.recovered.checkpoints {
            let frame = piece::bytes(self.source, link.offset, FRAME_BYTES)?;
            let Ok(frame) = RecordFrame::decode(&frame, link.offset) else {
                continue;
            };
            let start = link.offset.saturating_add(FRAME_BYTES);
            let room = self.source.length().saturating_sub(start);
            if frame.content_length > self.limits.memory.min(room) {
                continue;
            }
            let content = piece::bytes(self.source, start, frame.content_length)?;
            let Ok(checkpoint) = Checkpoint::from_content(&content, start) else {
                continue;
            };
            for stated in checkpoint.index_entries {
                let chunk = known.get(&stated.chunk_offset);
                if let Some(chunk) = chunk.filter(|chunk| !same(chunk, &stated)) {
                    // The chunk's own frame says how far it reaches.
                    let stated = IndexEntry {
                        chunk_length: chunk.chunk_length,
                        ..stated
                    };
                    disputed.insert(stated.chunk_offset, stated);
                }
            }
        }
        Ok(disputed)
    }

    /// The chunks that hold though another record reaches over where they begin:
    /// whatever vouches for them, nothing vouches for that record's length.
    fn firm(
        &mut self,
        items: &[Item],
        facts: &Facts,
        disputed: &BTreeMap<u64, IndexEntry>,
    ) -> Result<BTreeSet<u64>, Failure> {
        let mut firm = BTreeSet::new();
        let mut left = facts.length.saturating_mul(ROUNDS);
        let mut reach = 0;
        for item in items {
            match item {
                Item::Record(found) => {
                    let is_carried = found.offset < facts.summary_start
                        && !matches!(
                            found.opcode,
                            op::CHUNK | op::COLUMNAR_CHUNK | op::SCHEMA | op::STREAM
                        );
                    if is_carried {
                        reach = reach.max(found.offset.saturating_add(found.length));
                    }
                }
                Item::Chunk(entry) if entry.chunk_offset < reach => {
                    if entry.chunk_length > left || disputed.contains_key(&entry.chunk_offset) {
                        continue;
                    }
                    left = left.saturating_sub(entry.chunk_length);
                    if self.boundaries.contains_key(&entry.stream_ref)
                        && l4::chunk(self.source, self.recovered, entry, self.limits)
                            .is_ok_and(|chunk| chunk.differs.is_none())
                    {
                        firm.insert(entry.chunk_offset);
                    }
                }
                Item::Chunk(_) => {}
            }
        }
        Ok(firm)
    }

    /// A chunk whose header is not what a checksum vouches for.
    fn deny(&mut self, stated: &IndexEntry) {
        let by = match self.recovered.method {
            Method::Summary => "the index of the summary",
            _ => "the checkpoint",
        };
        let message = format!("its header differs from what {by} states");
        self.withhold(stated, Kind::IndexMismatch, &message);
    }

    /// A chunk: carried over byte for byte where it holds.
    fn chunk(
        &mut self,
        entry: &IndexEntry,
        reached: Reached,
        taken: &mut u64,
    ) -> Result<(), Failure> {
        let IndexEntry {
            chunk_offset: offset,
            chunk_length: length,
            stream_ref,
            ..
        } = *entry;
        if offset < *taken {
            let message = "the index leads into the middle of another record";
            self.withhold(entry, Kind::IndexMismatch, message);
            return Ok(());
        }
        let chunk = match l4::chunk(self.source, self.recovered, entry, self.limits) {
            Ok(chunk) => chunk,
            Err(report) => {
                self.withhold(entry, report.kind, &report.message);
                return Ok(());
            }
        };
        // A header has no checksum of its own (§6.1): what leads to it has one.
        if chunk.differs.is_some() && reached == Reached::Entry {
            self.deny(entry);
            return Ok(());
        }
        let Some(boundary) = self.boundaries.get(&stream_ref).copied() else {
            let message = format!("stream {stream_ref} is not declared");
            self.withhold(entry, Kind::UnresolvedReference, &message);
            return Ok(());
        };
        // §5.9: the same offset modulo the boundary keeps every promise that
        // was kept.
        if let Some(over) = offset.checked_rem(boundary) {
            let place = boundary.saturating_sub(over);
            let place = place.saturating_add(boundary.saturating_sub(FRAME_BYTES % boundary));
            self.writer.align(place, boundary).map_err(failed)?;
        }
        let last = chunk.messages.last();
        let seq_last = last
            .and_then(|message| message.sequence)
            .unwrap_or_default();
        let output = self
            .writer
            .chunk_as_is(chunk.opcode, &chunk.content, seq_last)
            .map_err(failed)?;
        *taken = offset.saturating_add(length);
        self.pairs.push(Pair {
            source: offset,
            output,
            length: FRAME_BYTES.saturating_add(wide(chunk.content.len())),
            boundary,
        });
        self.came(Some(offset), output);
        self.chunks.recovered.0 = self.chunks.recovered.0.saturating_add(1);
        if let Some(part) = self.streams.get_mut(&stream_ref) {
            part.chunks.0 = part.chunks.0.saturating_add(1);
            part.messages.0 = part.messages.0.saturating_add(wide(chunk.messages.len()));
            let stamps = chunk.messages.iter().map(|it| it.monotonic_timestamp_ns);
            let least = stamps.clone().chain(part.first_stamp_ns).min();
            let greatest = stamps.chain(part.last_stamp_ns).max();
            (part.first_stamp_ns, part.last_stamp_ns) = (least, greatest);
        }
        Ok(())
    }

    fn withhold(&mut self, entry: &IndexEntry, kind: Kind, message: &str) {
        self.chunks.withheld.push(Withheld {
            offset: entry.chunk_offset.into(),
            length: entry.chunk_length.into(),
            stream_ref: entry.stream_ref,
            messages_claimed: entry.message_count,
            kind,
            message: message.to_owned(),
        });
    }

    /// A chunk that has no entry: one of no messages (reading G12), or one
    /// that an index left out.
    fn unlisted(&mut self, found: &Found, taken: &mut u64) -> Result<(), Failure> {
        let (start, length) = carry::content_of(found);
        let head = piece::bytes(
            self.source,
            start,
            length.min(ChunkHead::bytes(found.opcode)),
        )?;
        let mut cursor = Cursor::new(&head, start, "Chunk");
        let header = ChunkHead::decode(found.opcode, &mut cursor);
        let place = IndexEntry {
            chunk_offset: found.offset,
            chunk_length: found.length,
            ..IndexEntry::default()
        };
        match header {
            Ok(header) if header.message_count == 0 => {
                self.tally.leave(found.opcode, Why::Empty);
                Ok(())
            }
            Ok(header) => {
                let entry = header.entry(found.offset, found.length);
                self.chunk(&entry, Reached::Itself, taken)
            }
            Err(error) => {
                self.withhold(&place, error.kind(), &error.to_string());
                Ok(())
            }
        }
    }

    /// A record that is no chunk and no definition.
    fn record(
        &mut self,
        found: &Found,
        firm: &BTreeSet<u64>,
        taken: &mut u64,
    ) -> Result<(), Failure> {
        let opcode = found.opcode;
        let end = found.offset.saturating_add(found.length);
        if found.offset < *taken {
            let message = "it lies in the middle of another record".to_owned();
            self.spoilt(found, Kind::IndexMismatch, message);
            return Ok(());
        }
        if let Some(chunk) = firm.range(found.offset..end).next() {
            let message = format!("it reaches over the chunk at {chunk}, which holds");
            self.spoilt(found, Kind::BadLength, message);
            return Ok(());
        }
        match carry::fate(self.source, found, self.limits)? {
            Fate::Carried => {
                let (start, length) = carry::content_of(found);
                let mut content = Piece::new(self.source, start, length);
                let written = self.writer.record_from(opcode, length, &mut content);
                if let Some(failure) = content.failed {
                    return Err(failure);
                }
                self.came(Some(found.offset), written.map_err(failed)?);
                self.tally.carry(opcode);
            }
            Fate::Session(session, content) => {
                let offset = self.writer.record(opcode, &content).map_err(failed)?;
                self.came(Some(found.offset), offset);
                self.session = Some(*session);
                self.tally.carry(opcode);
            }
            Fate::Annotations => self.annotations.push(*found),
            Fate::Left(why) => self.tally.leave(opcode, why),
            Fate::Damaged(kind, message) => {
                self.spoilt(found, kind, message);
                return Ok(());
            }
        }
        *taken = end;
        Ok(())
    }

    fn spoilt(&mut self, found: &Found, kind: Kind, message: String) {
        self.damaged.push(Damaged {
            opcode: found.opcode,
            name: name(found.opcode),
            offset: Some(found.offset.into()),
            kind,
            message,
        });
    }
}

/// Whether two entries say the same of a chunk: the running maximum is of the
/// table, not of the chunk (§7.1).
fn same(one: &IndexEntry, other: &IndexEntry) -> bool {
    let of_chunk = |entry: &IndexEntry| IndexEntry {
        prefix_max_stamp_ns: 0,
        ..*entry
    };
    of_chunk(one) == of_chunk(other)
}
