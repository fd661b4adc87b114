//! The fields that a cursor reads, kept for those who show them.

use std::cell::RefCell;

use crate::Span;

/// Collects the spans of every field that a traced cursor reads.
#[derive(Debug)]
pub struct Trace {
    spans: RefCell<Vec<Span>>,
    limit: usize,
}

impl Default for Trace {
    fn default() -> Self {
        Trace::with_limit(usize::MAX)
    }
}

impl Trace {
    /// A trace that keeps the first `limit` spans.
    pub fn with_limit(limit: usize) -> Self {
        Trace {
            spans: RefCell::default(),
            limit,
        }
    }

    /// The spans read so far, in reading order.
    pub fn into_spans(self) -> Vec<Span> {
        self.spans.into_inner()
    }

    /// Whether the limit is reached.
    pub fn is_full(&self) -> bool {
        self.spans.borrow().len() >= self.limit
    }

    pub(crate) fn note(&self, field: String, offset: u64, length: u64, value: String) {
        self.spans.borrow_mut().push(Span {
            field,
            offset,
            length,
            value,
        });
    }
}
