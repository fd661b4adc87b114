//! How a reader must surface a violation, in a case's own words.

use ca3_spec::kind::Kind;
use ca3_spec::protocol::Hex;
use ca3_spec::vector::Surface;
use serde_json::Value;

/// A violation that any of these kinds names rightly.
pub fn surface(kinds: &[Kind]) -> Surface {
    Surface {
        kinds: kinds.to_vec(),
        ..Surface::default()
    }
}

/// Shorthands for surfaced violations.
pub(crate) trait Surfacing {
    /// Only a refusal will do.
    fn refused(self) -> Self;
    /// `sealed: false` with `complete: false` will do as well.
    fn or_truncated(self) -> Self;
    /// The error or problem names this field rightly.
    fn naming(self, field: &str, value: Value) -> Self;
    /// These payloads may not come back.
    fn forbid(self, payloads: &[&[u8]]) -> Self;
    /// A result, where there is one, holds this.
    fn result(self, result: Value) -> Self;
}

impl Surfacing for Surface {
    fn refused(self) -> Self {
        Surface {
            refuse: true,
            ..self
        }
    }

    fn or_truncated(self) -> Self {
        Surface {
            truncated: true,
            ..self
        }
    }

    fn naming(mut self, field: &str, value: Value) -> Self {
        self.naming.insert(field.to_owned(), value);
        self
    }

    fn forbid(mut self, payloads: &[&[u8]]) -> Self {
        self.forbidden
            .extend(payloads.iter().map(|payload| Hex(payload.to_vec())));
        self
    }

    fn result(self, result: Value) -> Self {
        Surface { result, ..self }
    }
}
