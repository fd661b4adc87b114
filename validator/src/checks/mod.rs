//! What is judged, one page a subject; each page extends the scan.

mod alignment;
mod annotations;
mod checkpoint;
mod chunk;
mod chunk_batch;
mod chunk_header;
mod chunk_walk;
mod clock;
mod clock_places;
mod definitions;
mod directory;
mod events;
mod footer;
mod free_form;
mod header;
mod index;
mod intervals;
mod lengths;
mod message_offsets;
mod messages;
mod pairing;
mod payload;
mod references;
mod restated;
mod schema;
mod session;
mod statistics;
mod stream;
mod summary;
mod time;

pub(crate) use chunk_batch::{Batch, STACK};
pub(crate) use chunk_walk::Worker;
pub(crate) use definitions::Copy;
pub(crate) use payload::Payloads;
pub(crate) use schema::Declared;
pub(crate) use time::Observed;
