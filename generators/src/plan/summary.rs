//! The summary of a sealed file: groups, SummaryOffsets, Footer (§2.2, §13.1).

use ca3_spec::MAGIC;
use ca3_spec::opcode::op;
use ca3_wire::Span;
use ca3_wire::records::{ChunkIndex, Footer, SummaryOffset};

use super::chunk::crc32c;
use super::layout::{Tables, Writer, narrow, wide};
use super::ledger::{Ledger, Stored};
use super::{Content, End, Meaning, Part, Plan, PlanError};

/// A run of summary records of one opcode.
struct Group {
    opcode: u8,
    start: u64,
    end: u64,
}

impl Plan {
    /// Summary groups ascending by opcode, their offsets, Footer, magic.
    pub(crate) fn lay_summary(&self, out: &mut Writer, ledger: &Ledger) -> Result<(), PlanError> {
        let summary_start = out.offset();
        if self.end == End::WithoutSummary {
            return self.lay_footer(
                out,
                Footer {
                    summary_start: 0,
                    summary_offset_start: 0,
                    last_checkpoint_offset: ledger.last_checkpoint,
                    summary_crc: 0,
                },
            );
        }
        let mut parts = self.made(ledger, &mut out.tables)?;
        parts.extend(self.groups.iter().cloned());
        // Stable: an edit of a given group's opcode moves the group with it.
        parts.sort_by_key(|part| part.opcode);
        let mut groups: Vec<Group> = Vec::new();
        for slot in self.arranged(parts)? {
            let start = out.offset();
            let Some(opcode) = slot.place(out)? else {
                continue;
            };
            let end = out.offset();
            match groups.last_mut() {
                Some(group) if group.opcode == opcode && group.end == start => group.end = end,
                // Padding between groups is no group (reading G45).
                _ if opcode == op::PADDING => {}
                _ => groups.push(Group { opcode, start, end }),
            }
        }
        let summary_end = out.offset();
        if self.end == End::BehindSummary {
            return Ok(());
        }
        let mut offsets = Vec::new();
        if self.end == End::WithoutOffsets {
            groups.clear();
        }
        for group in groups {
            let record = SummaryOffset {
                opcode: group.opcode,
                start: group.start,
                length: group.end.saturating_sub(group.start),
            };
            out.tables.groups.push(record);
            let label = format!("SummaryOffset {:02X}", group.opcode);
            offsets.push(Part::of(label, &record, Meaning::Content)?);
        }
        for slot in self.arranged(offsets)? {
            slot.place(out)?;
        }
        for part in &self.tail {
            out.place_bytes(part)?;
        }
        self.lay_footer(
            out,
            Footer {
                summary_start,
                summary_offset_start: match self.end {
                    End::WithoutOffsets => 0,
                    _ => summary_end,
                },
                last_checkpoint_offset: ledger.last_checkpoint,
                summary_crc: 0,
            },
        )
    }

    fn lay_footer(&self, out: &mut Writer, mut footer: Footer) -> Result<(), PlanError> {
        let checksum = |footer: &Footer| {
            let end = match (footer.summary_start, footer.summary_offset_start) {
                // No summary: a checksum over nothing.
                (0, _) => 0,
                // No offset section: up to the Footer's opcode byte.
                (_, 0) => out.bytes.len(),
                (_, end) => narrow(end),
            };
            let section = narrow(footer.summary_start)..end;
            crc32c(out.bytes.get(section).unwrap_or_default())
        };
        footer.summary_crc = checksum(&footer);
        let planned = footer;
        self.tweak_footer(&mut footer);
        if footer.summary_crc == planned.summary_crc {
            footer.summary_crc = checksum(&footer);
        }
        let part = Part::of("Footer".to_owned(), &footer, Meaning::Content)?;
        for slot in self.arranged(vec![part])? {
            slot.place(out)?;
        }
        out.bytes.extend_from_slice(&MAGIC);
        Ok(())
    }

    /// The records of the summary that follow from the data section.
    fn made(&self, ledger: &Ledger, tables: &mut Tables) -> Result<Vec<Part>, PlanError> {
        let mut parts = Vec::new();
        for (opcode, name) in [
            (op::SCHEMA, "summary Schema"),
            (op::STREAM, "summary Stream"),
        ] {
            let of_opcode = |stored: &&Stored| stored.opcode == opcode;
            let definitions = ledger.definitions.iter().filter(of_opcode);
            for (stored, number) in definitions.zip(1u32..) {
                parts.push(copy_of(stored, format!("{name} {number}")));
            }
        }
        if let Some(session) = &ledger.session {
            parts.push(copy_of(session, "summary Session".to_owned()));
        }
        let chunks = ledger.sorted_index();
        let mut entries = chunks.clone();
        self.tweak_index(&mut entries);
        let mut directory = ledger.directory(&chunks, &entries);
        self.tweak_directory(&mut directory.entries);
        tables.entries.clone_from(&entries);
        tables.directory.clone_from(&directory.entries);
        let index = ChunkIndex { entries };
        parts.push(Part::of("ChunkIndex".to_owned(), &index, Meaning::Content)?);
        let label = "StreamDirectory".to_owned();
        parts.push(Part::of(label, &directory, Meaning::Content)?);
        let label = "Statistics".to_owned();
        parts.push(match &self.statistics {
            Some(content) => {
                let stored = Stored {
                    opcode: op::STATISTICS,
                    bytes: content.clone(),
                    spans: vec![Span {
                        field: "content".to_owned(),
                        offset: 0,
                        length: wide(content.len()),
                        value: String::new(),
                    }],
                };
                copy_of(&stored, label)
            }
            None => {
                let header = self.parts.iter().find_map(|part| match &part.meaning {
                    Meaning::Header(header) => Some(header.as_ref()),
                    _ => None,
                });
                let mut statistics = ledger.statistics(header);
                self.tweak_statistics(&mut statistics);
                Part::of(label, &statistics, Meaning::Content)?
            }
        });
        Ok(parts)
    }
}

/// A part of a content as it was stored.
fn copy_of(stored: &Stored, label: String) -> Part {
    let content = Content::Bytes {
        bytes: stored.bytes.clone(),
        spans: stored.spans.clone(),
    };
    Part::new(label, stored.opcode, content, Meaning::Content)
}
