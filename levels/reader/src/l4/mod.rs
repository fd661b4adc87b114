//! Level 4: the recovering reader (§8; §16, items 24 to 29).
//!
//! [`recover`] says what of a file can be saved without decoding a message: it
//! reads frames, chunk headers and checkpoints. A sealed file whose summary
//! verifies is taken at its word. Every other one is walked from its Header on,
//! and where the walk meets damage, it goes on from the next checkpoint that
//! passes the four checks of §8.2; whether the chain of checkpoints is whole
//! decides by which method the file is said to have been recovered. Index and
//! directory are then computed anew (step 5).
//!
//! Nothing behind the features refuses a file: what is wrong is a problem, and
//! bytes that belong to nothing that was taken are holes.

mod candidate;
mod content;
mod rebuilt;
mod recovered;
mod recovery;
mod remains;
pub mod results;
mod saved;
mod walk;

pub use content::{ChunkContent, chunk};
pub use recovered::{ChainLink, Method, Recovered, Stop, Walk};
pub use recovery::recover;
pub use saved::Found;
pub use walk::{BrokenLink, Namer};

#[cfg(test)]
mod tests;
