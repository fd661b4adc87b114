//! The reference writer of the CA3 format.
//!
//! - [`Writer`] takes definitions and messages, and does the rest: chunks,
//!   checkpoints, index, directory, summary. It appends to any
//!   [`Write`](std::io::Write) and never goes back (§2.3).
//! - Its raw operations, [`Writer::record`], [`Writer::record_from`] and
//!   [`Writer::chunk_as_is`], append what stands in another file byte for byte;
//!   the tables of the summary cover both alike.
//! - [`Options`] say what is decided at open (§3.3, §8.5).
//! - [`WriteError`] says why something was not written.
//!
//! The writer reads no clock and makes nothing up: the same calls give the same
//! bytes. What it is asked to write and no conforming writer may, it refuses
//! before a byte of it is written.

mod error;
mod intake;
mod ledger;
mod options;
mod raw;
mod sink;
mod summary;
mod writer;

pub use error::WriteError;
pub use ledger::Observed;
pub use options::{Durability, Layout, Options};
pub use writer::{Finished, Writer};

/// A length as the format counts it.
fn wide(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// A count as the tables hold it.
fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
