//! The reference reader of the CA3 format.
//!
//! - [`l1`]: the minimal reader: a whole file, record by record, in order.
//! - [`l2`]: the indexed reader: a sealed file's tables, and queries that fetch
//!   the chunks they need.
//! - [`l3`]: the time-aware reader: mappings recomputed from their observations,
//!   delays, and every time with its uncertainty.
//! - [`l4`]: the recovering reader: what can be saved of a file that was cut off or
//!   damaged, its index computed anew.
//! - `http`: where a file is reached by an `http://` address (feature `http`).
//! - [`answer`]: what it answers to a request of the reader protocol; the
//!   program `ca3-reader` is a loop around [`answer::answer`].
//!
//! A sealed file with a violation is refused. An unsealed one is read up to
//! its first oddity: what came before is kept, what is wrong is named, and the
//! result never claims to be whole (readings G20, G55).

pub mod answer;
mod arguments;
#[cfg(feature = "http")]
pub mod http;
pub mod l1;
pub mod l2;
pub mod l3;
pub mod l4;

/// A length in memory as one of a file.
pub(crate) fn wide(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
