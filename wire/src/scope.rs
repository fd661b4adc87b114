//! The path in front of a field's name, kept cheap until somebody asks for it.

use std::fmt::{Display, Write as _};
use std::sync::Arc;

/// A path such as `Session.devices[1]`.
///
/// Entering an element of a table or a message of a chunk costs nothing: the
/// name and the index are only joined when a path is asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    outer: Option<Arc<str>>,
    element: Option<(&'static str, u64)>,
}

impl Scope {
    pub(crate) fn new(text: &str) -> Self {
        let outer = if text.is_empty() {
            None
        } else {
            Some(Arc::from(text))
        };
        Scope {
            outer,
            element: None,
        }
    }

    /// The path of a field in this scope; an empty name is the scope itself.
    pub(crate) fn path(&self, field: impl Display) -> String {
        let mut path = self.outer.as_deref().unwrap_or_default().to_owned();
        if let Some((name, index)) = self.element {
            let dot = if path.is_empty() { "" } else { "." };
            let _ = write!(path, "{dot}{name}[{index}]");
        }
        let scope_length = path.len();
        let _ = write!(path, "{field}");
        if scope_length > 0 && path.len() > scope_length {
            path.insert(scope_length, '.');
        }
        path
    }

    /// This scope with a field's name added.
    pub(crate) fn enter(&self, field: impl Display) -> Self {
        Scope::new(&self.path(field))
    }

    /// This scope with an element of a table added.
    pub(crate) fn element(&self, name: &'static str, index: u64) -> Self {
        let outer = match self.element {
            Some(_) => Some(Arc::from(self.path(""))),
            None => self.outer.clone(),
        };
        Scope {
            outer,
            element: Some((name, index)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_join_scopes_elements_and_fields() {
        let root = Scope::new("Session");
        assert_eq!(root.path("study"), "Session.study");
        assert_eq!(root.path(""), "Session");
        assert_eq!(Scope::default().path("study"), "study");
        let device = root.element("devices", 1);
        assert_eq!(device.path("serial"), "Session.devices[1].serial");
        assert_eq!(device.path(""), "Session.devices[1]");
        assert_eq!(
            device.element("parts", 2).path("a"),
            "Session.devices[1].parts[2].a"
        );
        assert_eq!(device.enter("map").path("b"), "Session.devices[1].map.b");
        assert_eq!(Scope::default().element("x", 0).path("y"), "x[0].y");
    }
}
