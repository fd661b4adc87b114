//! What was really read of a file, noted where it is read.

use std::io;

use ca3_spec::FRAME_BYTES;
use ca3_wire::records::IndexEntry;

use crate::l1::Source;

/// A source that notes every stretch that is read through it.
pub(super) struct Fetched<'s> {
    source: &'s mut dyn Source,
    /// Start and end of each read, in the order of reading; one that goes on
    /// where the one before it ended makes it longer.
    stretches: Vec<(u64, u64)>,
    /// Chunks of whose content a byte was read to open the file. Its reads are
    /// settled once and forgotten: a walk leaves one for every record.
    opening: Vec<u64>,
}

impl<'s> Fetched<'s> {
    pub(super) fn new(source: &'s mut dyn Source) -> Self {
        Fetched {
            source,
            stretches: Vec::new(),
            opening: Vec::new(),
        }
    }

    /// What was read so far was read to open the file, whose index this is.
    pub(super) fn opened(&mut self, entries: &[IndexEntry]) {
        self.opening = self.chunks(entries);
        self.stretches = Vec::new();
    }

    /// An operation begins: what earlier ones read is forgotten.
    pub(super) fn begin(&mut self) {
        self.stretches.clear();
    }

    /// Offsets of the chunks of whose content a byte was read, ascending.
    pub(super) fn chunks(&self, entries: &[IndexEntry]) -> Vec<u64> {
        let mut stretches = self.stretches.clone();
        stretches.sort_unstable();
        // Those that touch become one, so that ends ascend as starts do.
        stretches.dedup_by(|next, kept| {
            let joined = next.0 <= kept.1;
            if joined {
                kept.1 = kept.1.max(next.1);
            }
            joined
        });
        let met = |entry: &&IndexEntry| {
            let start = entry.chunk_offset.saturating_add(FRAME_BYTES);
            let end = entry.chunk_offset.saturating_add(entry.chunk_length);
            let at = stretches.partition_point(|stretch| stretch.1 <= start);
            stretches.get(at).is_some_and(|stretch| stretch.0 < end)
        };
        let mut offsets: Vec<u64> = entries
            .iter()
            .filter(met)
            .map(|entry| entry.chunk_offset)
            .chain(self.opening.iter().copied())
            .collect();
        offsets.sort_unstable();
        offsets.dedup();
        offsets
    }
}

impl Source for Fetched<'_> {
    fn length(&self) -> u64 {
        self.source.length()
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let length = u64::try_from(buffer.len()).unwrap_or(u64::MAX);
        let end = offset.saturating_add(length);
        match self.stretches.last_mut() {
            Some(last) if last.1 == offset => last.1 = end,
            _ => self.stretches.push((offset, end)),
        }
        self.source.read_at(offset, buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::l1::BytesSource;

    #[test]
    fn a_chunk_counts_once_a_byte_of_its_content_is_read() {
        let bytes = [0; 100];
        let mut source = BytesSource(&bytes);
        let mut fetched = Fetched::new(&mut source);
        let entry = |chunk_offset| IndexEntry {
            chunk_offset,
            chunk_length: 20,
            ..IndexEntry::default()
        };
        let entries = [entry(60), entry(20), entry(40)];
        let mut read = |offset, length| {
            fetched.read_at(offset, &mut vec![0; length]).unwrap();
            fetched.chunks(&entries)
        };
        assert_eq!(read(0, 20), [0; 0]);
        assert_eq!(read(20, 9), [0; 0], "a frame is no content");
        assert_eq!(read(69, 1), [60]);
        assert_eq!(read(38, 3), [20, 60]);
        assert_eq!(read(49, 1), [20, 40, 60]);
    }

    #[test]
    fn an_operation_answers_for_itself_and_for_opening() {
        let bytes = [0; 100];
        let mut source = BytesSource(&bytes);
        let mut fetched = Fetched::new(&mut source);
        let entries = [10, 30, 50].map(|chunk_offset| IndexEntry {
            chunk_offset,
            chunk_length: 20,
            ..IndexEntry::default()
        });
        fetched.read_at(10, &mut [0; 20]).unwrap();
        fetched.opened(&entries);
        for (offset, expected) in [(30, [10, 30]), (50, [10, 50])] {
            fetched.begin();
            fetched.read_at(offset, &mut [0; 20]).unwrap();
            assert_eq!(fetched.chunks(&entries), expected);
        }
    }
}
