//! What recovery gives back.

use std::ops::Range;

use ca3_spec::kind::Kind;
use ca3_spec::protocol::Report;
use ca3_wire::records::{ClockBlock, DirectoryEntry, Header, IndexEntry, Schema, Session, Stream};
use serde::{Deserialize, Serialize};

use super::saved::Found;
use super::walk::BrokenLink;
use crate::l1::definitions::Definitions;

/// By what a file was recovered (§8.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Step 1: its summary, which verifies.
    Summary,
    /// Steps 2 to 4: the whole chain of its checkpoints, and a walk behind it.
    CheckpointChain,
    /// Step 6: a walk over every record.
    SpineWalk,
}

/// A checkpoint that was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainLink {
    /// Offset of its opcode byte.
    pub offset: u64,
    /// Its number.
    pub checkpoint_seq: u64,
}

/// Where the walk stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Offset behind the last record that it took.
    pub at: u64,
    /// What is wrong there; `None` where the file ends between two records.
    pub reason: Option<Kind>,
}

/// A stretch that was walked over from record to record.
#[derive(Clone, Debug, PartialEq)]
pub struct Walk {
    /// Offset of its first record.
    pub from: u64,
    /// Offset behind its last.
    pub to: u64,
    /// What stopped it there; `None` where the data section ends, or the file
    /// between two records.
    pub problem: Option<Report>,
}

/// What was saved of a file; of its messages, where they are.
#[derive(Debug)]
pub struct Recovered {
    /// The trailing magic is there (§2.1).
    pub sealed: bool,
    /// By what it was recovered.
    pub method: Method,
    /// The chain, newest first; by a spine walk, every checkpoint that was used.
    pub checkpoints: Vec<ChainLink>,
    /// The link for which the chain was not believed; `None` where all of them
    /// hold, or there is no chain.
    pub broken_link: Option<BrokenLink>,
    /// Where the walk stopped; `None` where a sealed file was walked to its end.
    pub stop: Option<Stop>,
    /// Every walk, in the order in which they were made: the first from the
    /// Header on, each other one from a checkpoint behind damage.
    pub walks: Vec<Walk>,
    /// The Header (§4), where it decodes (reading G140).
    pub header: Option<Header>,
    /// The last Session that was reached (§11).
    pub session: Option<Session>,
    /// Ascending by reference.
    pub schemas: Vec<Schema>,
    /// Ascending by reference.
    pub streams: Vec<Stream>,
    /// The newest clock block (step 3).
    pub clock: Option<ClockBlock>,
    /// The index: as stored in a summary that verifies, else computed anew.
    pub entries: Vec<IndexEntry>,
    /// One row a declared stream, likewise; computed anew, it has 0 in the
    /// place of what only the recorder knew.
    pub directory: Vec<DirectoryEntry>,
    /// Every other whole record that was met and holds, in file order.
    pub records: Vec<Found>,
    /// Bytes of the file that belong to no record that was taken, ascending.
    pub holes: Vec<Range<u64>>,
    /// What is wrong with the file.
    pub problems: Vec<Report>,
    pub(super) definitions: Definitions,
}

impl Recovered {
    /// The stream of that reference, where it is declared.
    pub fn stream(&self, stream_ref: u32) -> Option<&Stream> {
        self.definitions.get(stream_ref)
    }
}
