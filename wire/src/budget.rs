//! How much memory a file may make its reader take.

use crate::error::{Fault, WireError};

/// Bytes that may still be taken for a file's content.
///
/// Spent before every allocation whose size comes from the file, so that a
/// claimed length alone never costs memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    left: u64,
}

impl Budget {
    /// A budget of that many bytes.
    pub const fn new(bytes: u64) -> Self {
        Budget { left: bytes }
    }

    /// Bytes not yet spent.
    pub const fn left(&self) -> u64 {
        self.left
    }

    /// Takes `bytes` out of the budget.
    ///
    /// # Errors
    /// [`Fault::Budget`] at `offset`, naming `field`, where less is left; the
    /// budget stays as it was.
    pub fn spend(&mut self, bytes: u64, offset: u64, field: &str) -> Result<(), WireError> {
        self.charge(bytes)
            .map_err(|fault| WireError::new(offset, field, fault))
    }

    /// As [`Budget::spend`], without a place.
    pub(crate) const fn charge(&mut self, bytes: u64) -> Result<(), Fault> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(Fault::Budget {
                wanted: bytes,
                left: self.left,
            }),
        }
    }

    /// Gives back what is no longer held.
    pub const fn release(&mut self, bytes: u64) {
        self.left = self.left.saturating_add(bytes);
    }
}
