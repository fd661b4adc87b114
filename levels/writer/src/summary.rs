//! The end of a sealed file: summary, SummaryOffsets, Footer, magic (§2.2, §13.1, §13.4).

use std::io::Write;

use ca3_spec::MAGIC;
use ca3_spec::opcode::op;
use ca3_wire::records::{Footer, Record, SummaryOffset};

use crate::{WriteError, Writer};

impl<W: Write> Writer<W> {
    /// Groups ascending by opcode, each with a SummaryOffset; a group is there
    /// only where it has something to say, the three tables always.
    pub(crate) fn summary(&mut self) -> Result<(), WriteError> {
        for (stream_ref, reordered) in self.reordered() {
            let observed = self.ledger.observed.entry(stream_ref).or_default();
            observed.reordered = observed.reordered.saturating_add(reordered);
        }
        let index = self.ledger.index();
        let directory = self.ledger.directory(&index).content()?;
        let index = index.content()?;
        let statistics = self.ledger.statistics().content()?;
        let ledger = &self.ledger;
        let schemas: Vec<&[u8]> = ledger.schemas.values().map(Vec::as_slice).collect();
        let streams: Vec<&[u8]> = ledger.stream_contents().collect();
        let session: Vec<&[u8]> = ledger.session.iter().map(Vec::as_slice).collect();
        let clock = ledger.clock.iter().map(|(_, content)| content.as_slice());
        let groups: [(u8, Vec<&[u8]>); 7] = [
            (op::SCHEMA, schemas),
            (op::STREAM, streams),
            (op::SESSION, session),
            (op::CHUNK_INDEX, vec![&index]),
            (op::STREAM_DIRECTORY, vec![&directory]),
            (op::CLOCK_BLOCK, clock.collect()),
            (op::STATISTICS, vec![&statistics]),
        ];
        let sink = &mut self.sink;
        let summary_start = sink.offset();
        sink.begin_summary();
        let mut offsets = Vec::new();
        for (opcode, contents) in groups {
            let start = sink.offset();
            for content in contents {
                sink.record(opcode, &[content])?;
            }
            let length = sink.offset().saturating_sub(start);
            if length > 0 {
                offsets.push(SummaryOffset {
                    opcode,
                    start,
                    length,
                });
            }
        }
        let footer = Footer {
            summary_start,
            summary_offset_start: sink.offset(),
            last_checkpoint_offset: self.ledger.last_checkpoint,
            summary_crc: sink.crc(),
        };
        for offset in offsets {
            sink.record(SummaryOffset::OPCODE, &[&offset.content()?])?;
        }
        sink.record(Footer::OPCODE, &[&footer.content()?])?;
        sink.bytes(&MAGIC)
    }
}
