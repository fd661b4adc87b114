//! The conformance harness: any implementation of CA3, behind a protocol of one
//! JSON object a line, against vectors whose answers were written by hand.
//!
//! Data runs one way: [`suite`] gives the cases, [`run`] puts each file where
//! the [`implementation`] can open it and holds the [`conversation`],
//! [`judging`] compares by [`matching`] and [`place`] says which bytes are meant,
//! [`known`] sets failures apart that are known, [`verdict`] sums up, [`report`]
//! renders. [`adapter`] looks at the conversation alone, before any vector;
//! [`progress`] shows how far a run is, and [`interrupt`] ends one early.

pub mod adapter;
pub mod cli;
pub mod commands;
pub mod conversation;
pub mod implementation;
pub mod interrupt;
pub mod invocation;
pub mod judging;
pub mod known;
pub mod matching;
pub mod place;
pub mod progress;
mod range_server;
pub mod report;
pub mod results;
pub mod run;
pub mod schema;
pub mod suite;
pub mod verdict;
