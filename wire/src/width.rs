//! Lengths in memory as the format counts them.

/// Widens a length that exists in memory.
pub(crate) fn wide(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
