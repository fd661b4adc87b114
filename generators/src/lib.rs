//! The CA3 conformance cases, and the corpus made of them.
//!
//! A case is a function of named [`Values`]: their defaults make the committed
//! corpus, a seed draws others. It builds a whole file as a [`Plan`], states
//! what a reader must answer in the same values, and makes the invalid twin by
//! one named edit of the plan; the layout makes every checksum, length and
//! offset that the edit does not concern right again.
//!
//! Nothing here can ask a reader, a validator or a writer: expectations are
//! the plan's own bookkeeping and hand-written arithmetic.

pub mod asking;
pub mod cases;
pub mod corpus;
pub mod coverage;
pub mod describing;
mod draft;
mod finding;
pub mod plan;
pub mod recovering;
mod surfacing;
pub mod timing;
mod values;
mod verifying;
pub mod zstd_frame;

pub use asking::Ask;
pub use describing::Described;
pub use draft::{Draft, surface};
pub use finding::Finding;
pub use plan::{Plan, PlanError};
pub use values::Values;

use ca3_spec::vector::Case;

/// Every case, in corpus order: the committed ones, or others drawn by a seed.
///
/// # Errors
/// [`PlanError`] where a case's plan cannot be laid out, which is a bug of the case.
pub fn cases(seed: Option<u64>) -> Result<Vec<Case>, PlanError> {
    let mut cases = cases::all(seed)?;
    cases.sort_by(|a, b| a.sidecar.id.cmp(&b.sidecar.id));
    Ok(cases)
}
