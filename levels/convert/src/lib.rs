//! Makes one CA3 file from another.
//!
//! - [`recover`] makes a sealed file from a truncated or damaged one, with a
//!   [`Statement`](statement::Statement) of what was lost.
//! - [`cli`] and [`commands`] are the program `ca3-convert`.
//!
//! A source is never written to and never held in memory: what is carried over
//! goes through a buffer, chunk by chunk, byte for byte. Memory grows with the
//! number of chunks and records. The result is judged by `ca3-validate`'s own
//! code and compared with the source before it gets its name.
//!
//! # What a recovered file holds
//!
//! The source's Header; its definitions, right behind it; then, in the order of
//! the source, its chunks, Session records, Metadata, Attachments, and the
//! records that version 1 does not define and that may be stepped over, each as
//! it was; its Annotations behind them, with the new places of the chunks that
//! they name. Index, directory and Statistics are made anew. Of a stream that
//! promises a boundary, every chunk keeps its place modulo that boundary
//! (§5.9). Two Metadata records at the end of the data section say where it
//! all comes from:
//!
//! - `ca3.derived_from` (reading G43): `name`, `length`, `crc32c`;
//! - `ca3.recovered`: `method`, `source_sealed` (the trailing magic is there),
//!   `end_missing` (it is truncated), `stopped_at` and `stop_reason` (`none`
//!   where the walk did not stop), `chunks`, `chunks_withheld`, `messages`,
//!   `bytes_lost`, `records_damaged`, and `recorder_counters`: `kept`, or
//!   `unknown` where the zeros of the directory and the Statistics stand for
//!   numbers that only the recorder knew.
//!
//! A source that has such records is itself a recovery: they come over too, and
//! a recorder's number that is unknown stays so.

mod carry;
mod check;
pub mod cli;
pub mod commands;
mod counters;
mod earlier;
mod ending;
mod failure;
mod holes;
mod piece;
mod place;
pub mod recover;
mod rewrite;
pub mod signals;
pub mod statement;
mod text;
mod wall;

pub use failure::Failure;

/// A length as the format counts it.
fn wide(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
