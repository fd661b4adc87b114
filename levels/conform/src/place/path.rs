//! The path of a mismatch, taken apart: `messages[2].wall_clock_ns`.

use std::fmt::Write as _;

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// A member of an object.
    Member(&'a str),
    /// An element of an array.
    Index(usize),
}

/// A path's parts; a member whose name needed quoting stands as it is quoted.
pub(super) fn parse(path: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    for piece in path.split(['.', '[']) {
        let piece = piece.strip_suffix(']').unwrap_or(piece);
        match piece.parse() {
            Ok(index) => parts.push(Part::Index(index)),
            Err(_) if piece.is_empty() => {}
            Err(_) => parts.push(Part::Member(piece)),
        }
    }
    parts
}

/// Parts as the annotated walk spells them.
pub(super) fn join(parts: &[Part<'_>]) -> String {
    let mut text = String::new();
    for part in parts {
        // Writing to a string cannot fail.
        let _ = match part {
            Part::Index(index) => write!(text, "[{index}]"),
            Part::Member(name) if text.is_empty() => write!(text, "{name}"),
            Part::Member(name) => write!(text, ".{name}"),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_members_and_numbers() {
        let parts = parse("session.devices[1].kind");
        assert_eq!(
            parts,
            [
                Part::Member("session"),
                Part::Member("devices"),
                Part::Index(1),
                Part::Member("kind")
            ]
        );
        assert_eq!(join(&parts[1..]), "devices[1].kind");
        assert_eq!(parse(""), []);
    }
}
