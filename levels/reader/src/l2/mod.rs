//! Level 2: the indexed reader (§16, items 9 to 16).
//!
//! A sealed file is opened from its two ends: 25 bytes for the features, the
//! Header, the Footer by arithmetic from the end, and the summary in one pass
//! through its checksum. Unless told otherwise the frames of the data section
//! are walked as well, nine bytes a record (item 16). From then on a query
//! fetches the chunks that it needs and no other, and memory holds one entry a
//! chunk and one row a stream.
//!
//! A file without a usable summary is refused (readings G58, G77): recovering
//! one is level 4. An index that a query finds at odds with itself or with the
//! chunks that it leads to refuses that query; what a query does not need is
//! not looked at. MessageOffsets tables are checked and not used: they state
//! what the chunks state themselves (§7.5).

mod chunk;
pub mod clock;
mod fetched;
mod file;
mod loss;
pub mod mapping;
pub mod results;
mod section;
mod sequences;
mod state;
mod stored;
pub(crate) mod summary;
mod tables;
mod window;

pub use file::IndexedFile;

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether the frames of the data section are walked, from one to the
    /// next: a read of nine bytes for every record. Results say which it was.
    pub walk_spine: bool,
}

impl Default for Options {
    /// The spine is walked.
    fn default() -> Self {
        Options { walk_spine: true }
    }
}

#[cfg(test)]
pub(crate) mod tests;
