//! Tensor forms (§5.8): what a validator must check, and what it can.

mod block;
mod identifier;
mod labels;
mod projection;
mod rows;

pub(super) use block::blocks;

use super::super::Page;
use crate::Draft;

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = projection::cases(page);
    cases.extend(block::cases(page));
    cases.extend(labels::cases(page));
    cases.extend(rows::cases(page));
    cases.extend(identifier::cases(page));
    cases
}
