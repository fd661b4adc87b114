//! The report in the formats of code hosts, build servers and programs.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "functions beside the tests, which may fail"
)]

mod hostile;
mod lines;
mod sarif;
mod shown;
#[path = "../support/mod.rs"]
mod support;
