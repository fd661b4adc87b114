//! A section of a file read once, from its start to its end (§2.2, §3).

use ca3_wire::frame::RecordFrame;
use ca3_wire::{Budget, crc};

use crate::l1::Source;
use crate::l1::refusal::Failure;
use crate::l1::spine::{Step, understand};

/// Bytes that are asked for at a time.
const BLOCK: u64 = 1 << 20;

/// The records between two offsets, and the checksum over all of it.
pub(super) struct Section<'s> {
    source: &'s mut dyn Source,
    /// Offset of the next byte to be given out.
    at: u64,
    /// Where the record before ends: its content need not have been asked for.
    next: u64,
    end: u64,
    /// What was read of the file and not yet given out.
    block: Vec<u8>,
    /// How much of the block was given out.
    used: usize,
    /// Offset behind the block.
    block_end: u64,
    crc: u32,
}

impl<'s> Section<'s> {
    pub(super) fn new(source: &'s mut dyn Source, start: u64, end: u64) -> Self {
        Section {
            source,
            at: start,
            next: start,
            end,
            block: Vec::new(),
            used: 0,
            block_end: start,
            crc: 0,
        }
    }

    /// The next record, or `None` at the end of the section.
    pub(super) fn step(&mut self) -> Result<Option<Step>, Failure> {
        self.pass(self.next)?;
        if self.at == self.end {
            return Ok(None);
        }
        let offset = self.at;
        let wire = |error| Failure::wire(&error, offset);
        let mut bytes = [0; 9];
        let left = self.end.saturating_sub(offset);
        let known = left.min(RecordFrame::BYTES);
        let known = bytes.get_mut(..usize::try_from(known).unwrap_or(0));
        let known = known.unwrap_or_default();
        let length = known.len();
        self.fill(known)?;
        let frame =
            RecordFrame::decode(bytes.get(..length).unwrap_or_default(), offset).map_err(wire)?;
        let step = understand(frame)?;
        self.next = frame.end_within(self.end).map_err(wire)?;
        Ok(Some(step))
    }

    /// The content of the record that was stepped to last, into the buffer,
    /// whose growth is paid for; gives its offset.
    pub(super) fn content(
        &mut self,
        frame: &RecordFrame,
        budget: &mut Budget,
        buffer: &mut Vec<u8>,
    ) -> Result<u64, Failure> {
        let held = u64::try_from(buffer.capacity()).unwrap_or(u64::MAX);
        let growth = frame.content_length.saturating_sub(held);
        let offset = self.at;
        budget
            .spend(growth, offset, "content")
            .map_err(|error| Failure::wire(&error, frame.offset))?;
        // The budget is below what a usize counts, or nothing was to be had.
        let length = usize::try_from(frame.content_length).unwrap_or(usize::MAX);
        buffer.clear();
        buffer.reserve_exact(length);
        buffer.resize(length, 0);
        self.fill(buffer)?;
        Ok(offset)
    }

    /// Reads what is left, and gives the checksum over the whole section.
    pub(super) fn finish(mut self) -> Result<u32, Failure> {
        self.pass(self.end)?;
        Ok(self.crc)
    }

    /// Steps over the bytes in front of `offset`.
    fn pass(&mut self, offset: u64) -> Result<(), Failure> {
        while self.at < offset {
            let wanted = offset.saturating_sub(self.at);
            let had = self.load()?.len();
            let step = usize::try_from(wanted).map_or(had, |wanted| wanted.min(had));
            self.take(step);
        }
        Ok(())
    }

    fn fill(&mut self, mut buffer: &mut [u8]) -> Result<(), Failure> {
        while !buffer.is_empty() {
            let had = self.load()?;
            let step = buffer.len().min(had.len());
            let (now, later) = buffer.split_at_mut(step);
            now.copy_from_slice(had.get(..step).unwrap_or_default());
            self.take(step);
            buffer = later;
        }
        Ok(())
    }

    fn take(&mut self, count: usize) {
        self.used = self.used.saturating_add(count);
        self.at = self
            .at
            .saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
    }

    /// What is at hand, at least a byte: the next block where nothing is.
    fn load(&mut self) -> Result<&[u8], Failure> {
        if self.used >= self.block.len() {
            let length = self.end.saturating_sub(self.block_end).min(BLOCK);
            if length == 0 {
                let error = std::io::Error::from(std::io::ErrorKind::UnexpectedEof);
                return Err(Failure::from(error));
            }
            self.block
                .resize(usize::try_from(length).unwrap_or_default(), 0);
            self.source.read_at(self.block_end, &mut self.block)?;
            self.crc = crc::append(self.crc, &self.block);
            self.block_end = self.block_end.saturating_add(length);
            self.used = 0;
        }
        Ok(self.block.get(self.used..).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::l1::BytesSource;
    use ca3_spec::kind::Kind;
    use ca3_wire::frame::framed;

    fn records() -> Vec<u8> {
        [
            framed(0x4A, &[1; 3]),
            framed(0x08, &vec![2; 3 << 19]),
            framed(0xC0, b""),
        ]
        .concat()
    }

    #[test]
    fn records_come_in_order_and_the_checksum_is_over_all() {
        let bytes = [vec![9; 5], records(), vec![9; 5]].concat();
        let mut source = BytesSource(&bytes);
        let end = u64::try_from(bytes.len()).unwrap() - 5;
        let mut section = Section::new(&mut source, 5, end);
        let mut budget = Budget::new(1 << 21);
        let mut content = Vec::new();
        let Step::Record(padding) = section.step().unwrap().unwrap() else {
            panic!("padding is a record");
        };
        assert_eq!((padding.opcode, padding.offset), (0x4A, 5));
        // Its content is not asked for.
        let Step::Record(index) = section.step().unwrap().unwrap() else {
            panic!("an index is a record");
        };
        assert_eq!((index.opcode, index.offset), (0x08, 17));
        let offset = section.content(&index, &mut budget, &mut content).unwrap();
        assert_eq!((offset, content.len()), (26, 3 << 19));
        assert!(content.iter().all(|byte| *byte == 2));
        assert!(matches!(
            section.step().unwrap(),
            Some(Step::Skipped(frame, None)) if frame.opcode == 0xC0
        ));
        assert!(section.step().unwrap().is_none());
        assert_eq!(section.finish().unwrap(), crc::crc32c(&records()));
    }

    #[test]
    fn a_record_ends_inside_the_section() {
        let bytes = records();
        let length = u64::try_from(bytes.len()).unwrap();
        for end in [1, 8, 9, 11, 20, length - 1] {
            let mut source = BytesSource(&bytes);
            let mut section = Section::new(&mut source, 0, end);
            let failure = loop {
                match section.step() {
                    Ok(step) => assert!(step.is_some(), "cut at {end}"),
                    Err(failure) => break failure,
                }
            };
            assert_eq!(failure.into_report().kind, Kind::BadLength);
            let stretch = bytes.get(..usize::try_from(end).unwrap()).unwrap();
            assert_eq!(section.finish().unwrap(), crc::crc32c(stretch));
        }
    }
}
