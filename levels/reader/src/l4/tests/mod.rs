mod cuts;
mod damage;
mod fetched;
mod hostile;
mod steps;

use ca3_wire::records::{Checkpoint, ClockBlock, Record};

use super::results::{RecoverResult, recover_all};
use crate::l1::{BytesSource, Limits};
use crate::l2::tests::build::{Maker, stream};

/// A file with checkpoints in the making.
pub(crate) struct Kept {
    pub(crate) maker: Maker,
    /// Entries that a checkpoint has already.
    inlined: usize,
    restated: bool,
    pub(crate) checkpoints: Vec<u64>,
}

impl Kept {
    /// Two streams.
    fn new() -> Self {
        Kept {
            maker: Maker::new(vec![stream(1), stream(2)]),
            inlined: 0,
            restated: false,
            checkpoints: Vec::new(),
        }
    }

    fn chunk(&mut self, stream_ref: u32, stamps: &[(u64, &str)]) -> u64 {
        self.maker.chunk(stream_ref, stamps)
    }

    fn checkpoint(&mut self) -> u64 {
        self.checkpoint_with(None)
    }

    /// A checkpoint with this clock block.
    fn checkpoint_with(&mut self, clock: Option<&ClockBlock>) -> u64 {
        let offset = self.maker.length();
        let streams = self.maker.streams.iter();
        let checkpoint = Checkpoint {
            checkpoint_seq: u64::try_from(self.checkpoints.len()).unwrap() + 1,
            streams: if self.restated {
                Vec::new()
            } else {
                streams.map(|stream| stream.content().unwrap()).collect()
            },
            index_entries: self.maker.entries[self.inlined..].to_vec(),
            clock_block: clock.map_or(Vec::new(), |block| block.content().unwrap()),
            self_offset: offset,
            prev_offset: self.checkpoints.last().copied().unwrap_or(0),
            ..Checkpoint::default()
        };
        self.inlined = self.maker.entries.len();
        self.restated = true;
        self.checkpoints.push(offset);
        let content = checkpoint.content().unwrap();
        self.maker.raw(Checkpoint::OPCODE, &content)
    }

    fn bytes(&self) -> Vec<u8> {
        self.maker.bytes.clone()
    }
}

/// Chunk, checkpoint, chunk, checkpoint, chunk.
fn ordinary() -> Kept {
    let mut file = Kept::new();
    file.chunk(1, &[(10, "a"), (12, "b")]);
    file.checkpoint();
    file.chunk(2, &[(20, "c"), (21, "d")]);
    file.chunk(1, &[(5, "e"), (30, "f")]);
    file.checkpoint();
    file.chunk(1, &[(40, "g")]);
    file
}

fn recovered(bytes: &[u8]) -> RecoverResult {
    recover_all(&mut BytesSource(bytes), &Limits::default()).unwrap()
}

/// The payloads that come back, as text.
fn payloads(result: &RecoverResult) -> Vec<String> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let messages = result.messages.iter();
    messages.map(|message| text(&message.payload.0)).collect()
}

fn all(letters: &str) -> Vec<String> {
    letters.chars().map(String::from).collect()
}

fn at(offset: u64) -> usize {
    usize::try_from(offset).unwrap()
}
