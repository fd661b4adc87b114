//! What is decided when a file is opened (§3.3, §8.5).

use std::num::NonZeroU32;

use ca3_wire::Codec;

/// How a writer goes about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How chunks are compressed. Chunks of a stream whose payloads are
    /// compressed already, or that promises a boundary, are not (§5.7, reading
    /// G40).
    pub codec: Codec,
    /// A chunk is closed at that many messages; earlier where a message cannot
    /// share it (readings G35, G91), and at one for a stream of rows that
    /// promises a boundary (§5.9).
    pub chunk_messages: NonZeroU32,
    /// A checkpoint follows every so many chunks; `None` for no checkpoint but
    /// those that are asked for.
    pub checkpoint_chunks: Option<NonZeroU32>,
    /// Every so many-th checkpoint restates every live definition.
    pub restate_checkpoints: NonZeroU32,
    /// When the sink is told to flush.
    pub durability: Durability,
}

impl Default for Options {
    /// Uncompressed chunks of up to 1024 messages, a checkpoint every 16 chunks,
    /// every fourth of them restating, flushed at checkpoints.
    fn default() -> Self {
        let number = |n: u32| NonZeroU32::new(n).unwrap_or(NonZeroU32::MIN);
        Options {
            codec: Codec::NONE,
            chunk_messages: number(1024),
            checkpoint_chunks: Some(number(16)),
            restate_checkpoints: number(4),
            durability: Durability::Checkpoint,
        }
    }
}

/// When what was written is handed on (§8.5). The writer calls
/// [`flush`](std::io::Write::flush) of its sink; that this reaches the medium
/// is the sink's part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// After every chunk and checkpoint.
    EveryChunk,
    /// At checkpoints only.
    Checkpoint,
}

impl Durability {
    /// The word for it, in the Header's attributes (reading G30).
    pub const fn as_str(self) -> &'static str {
        match self {
            Durability::EveryChunk => "every-chunk",
            Durability::Checkpoint => "checkpoint",
        }
    }
}

/// How a stream's chunks are laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// Messages back to back (§6.2).
    #[default]
    Rows,
    /// Columns and blocks (§6.5): payloads of one length a chunk.
    Columns,
}
