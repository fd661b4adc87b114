//! Level 4: what is saved of a file whose writer was killed (§8).

mod candidates;
mod carried;
mod decoys;
mod forged;
mod killed;
mod trailer;

pub(super) use candidates::cases as candidates;
pub(super) use carried::cases as carried;
pub(super) use decoys::cases as decoys;
pub(super) use trailer::cases as trailer;
