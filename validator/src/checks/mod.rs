//! What is judged, one page a subject; each page extends the scan.

mod alignment;
mod annotations;
mod checkpoint;
mod chunk;
mod clock;
mod definitions;
mod directory;
mod free_form;
mod header;
mod index;
mod message_offsets;
mod messages;
mod session;
mod statistics;
mod summary;
