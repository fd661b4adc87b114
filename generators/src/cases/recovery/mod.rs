//! Item 24 and on: what `recover` brings back (§8).

mod chained;
mod layout;
mod merged;
mod rebuilt;
mod rows;
mod shapes;
mod summary;

pub(super) use layout::cases as layout;
pub(super) use merged::cases as merged;
pub(super) use rebuilt::cases as rebuilt;
pub(super) use summary::cases as summary;
