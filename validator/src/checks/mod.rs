//! What is judged, one page a subject; each page extends the scan.

mod alignment;
mod annotations;
mod checkpoint;
mod chunk;
mod chunk_header;
mod clock;
mod definitions;
mod directory;
mod events;
mod free_form;
mod header;
mod index;
mod intervals;
mod message_offsets;
mod messages;
mod references;
mod session;
mod statistics;
mod stream;
mod summary;
