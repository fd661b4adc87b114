//! What is read of a file, counted where it is read.

use std::cell::Cell;
use std::io;
use std::rc::Rc;

use ca3_reader::l1::Source;

/// Reads and bytes so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) reads: u64,
    pub(crate) bytes: u64,
}

/// A source that counts what passes through it. A byte that is read twice
/// counts twice.
pub(crate) struct Counting<S> {
    source: S,
    count: Rc<Cell<Count>>,
}

impl<S: Source> Counting<S> {
    /// The source, and its count, which can be looked at and set back while
    /// the source is lent out.
    pub(crate) fn new(source: S) -> (Self, Rc<Cell<Count>>) {
        let count = Rc::new(Cell::new(Count::default()));
        let counting = Counting {
            source,
            count: Rc::clone(&count),
        };
        (counting, count)
    }
}

impl<S: Source> Source for Counting<S> {
    fn length(&self) -> u64 {
        self.source.length()
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let Count { reads, bytes } = self.count.get();
        let length = u64::try_from(buffer.len()).unwrap_or(u64::MAX);
        self.count.set(Count {
            reads: reads.saturating_add(1),
            bytes: bytes.saturating_add(length),
        });
        self.source.read_at(offset, buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ca3_reader::l1::BytesSource;

    #[test]
    fn each_read_counts_with_its_bytes() {
        let bytes = [7; 40];
        let (mut source, count) = Counting::new(BytesSource(&bytes));
        source.read_at(0, &mut [0; 9]).unwrap();
        source.read_at(0, &mut [0; 9]).unwrap();
        source.read_at(30, &mut [0; 10]).unwrap();
        assert_eq!(
            count.get(),
            Count {
                reads: 3,
                bytes: 28
            }
        );
        count.set(Count::default());
        source.read_at(39, &mut [0; 1]).unwrap();
        assert_eq!(count.get(), Count { reads: 1, bytes: 1 });
        assert_eq!(source.length(), 40);
    }
}
