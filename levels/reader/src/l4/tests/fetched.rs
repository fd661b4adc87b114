//! What recovery reads of a file.

use std::io;

use super::Kept;
use crate::l1::{BytesSource, Limits, Source};
use crate::l4::recover;

/// Counts the bytes that are read.
struct Counting<'a> {
    inner: BytesSource<'a>,
    read: u64,
}

impl Source for Counting<'_> {
    fn length(&self) -> u64 {
        self.inner.length()
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.read += u64::try_from(buffer.len()).unwrap();
        self.inner.read_at(offset, buffer)
    }
}

#[test]
fn messages_are_not_read() {
    let mut file = Kept::new();
    let payload = "p".repeat(50_000);
    for round in 0..20 {
        file.chunk(1, &[(round, &payload)]);
        if round % 5 == 4 {
            file.checkpoint();
        }
    }
    file.chunk(1, &[(30, &payload)]);
    let bytes = file.bytes();
    // Cut one byte into a last frame: a payload is not looked through.
    let cut = [bytes.as_slice(), &[5]].concat();
    for bytes in [bytes, cut] {
        let mut source = Counting {
            inner: BytesSource(&bytes),
            read: 0,
        };
        let found = recover(&mut source, &Limits::default()).unwrap();
        assert_eq!(found.entries.len(), 21);
        // 27 frames and 21 chunk headers, checkpoints and definitions: far below
        // one payload.
        assert!(source.read < 10_000, "{}", source.read);
    }
}
