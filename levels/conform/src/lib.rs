//! The conformance harness: any implementation of CA3, behind a protocol of one
//! JSON object a line, against vectors whose answers were written by hand.
//!
//! Data runs one way: [`suite`] gives the cases, [`run`] puts each file where
//! the [`implementation`] can open it and holds the [`conversation`],
//! [`judging`] compares by [`matching`], [`verdict`] sums up, [`report`] renders.

pub mod cli;
pub mod commands;
pub mod conversation;
pub mod implementation;
pub mod judging;
pub mod matching;
pub mod report;
pub mod results;
pub mod run;
pub mod suite;
pub mod verdict;
