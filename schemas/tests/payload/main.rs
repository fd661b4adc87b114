//! Payloads against their schema.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::as_conversions,
    reason = "a test may fail"
)]

mod by_hand;
mod hostile;
mod oracle;
mod protos;
mod random;
mod slow;
