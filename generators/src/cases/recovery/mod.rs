//! Level 4: what is saved of a file that is damaged or has no end (§8).

mod behind;
mod broken;
mod candidates;
mod carried;
mod complete;
mod decoys;
mod forged;
mod growing;
mod header_cut;
mod killed;
mod links;
mod numbered;
mod past_the_end;
mod sessions;
mod stops;
mod tails;
mod trailer;
mod truncated;
mod withheld;

pub(super) use behind::behind;
pub(super) use broken::spine;
pub(super) use candidates::cases as candidates;
pub(super) use carried::cases as carried;
pub(super) use decoys::cases as decoys;
pub(super) use growing::growing;
pub(super) use header_cut::header;
pub(super) use links::links;
pub(super) use past_the_end::past_the_end;
pub(super) use sessions::sessions;
pub(super) use stops::stops;
pub(super) use tails::tails;
pub(super) use trailer::cases as trailer;
pub(super) use truncated::truncated;
pub(super) use withheld::withheld_chunks as withheld;
