//! Text from files, made harmless.

use crate::paragraph::plain;

/// A text from elsewhere, of bounded length, for what escapes markup by itself: nothing
/// that [`plain`] takes out.
pub(super) fn visible(from: &str, longest: usize) -> String {
    plain(from, longest)
}

/// The same without markup, for what is written as it is: an element's content or a
/// quoted attribute.
pub(super) fn text(from: &str, longest: usize) -> String {
    let mut safe = String::new();
    for c in visible(from, longest).chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_a_file_is_markup() {
        assert_eq!(
            text("<a href=\"x\" b='y'>&amp;", 99),
            "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;"
        );
        assert_eq!(
            text("a\u{202e}b\u{0}c\u{9b}\n", 99),
            "a\u{fffd}b\u{fffd}c\u{fffd}\u{fffd}"
        );
        assert_eq!(
            text("a\u{fffe}b\u{1ffff}c\u{fdd0}", 99),
            "a\u{fffd}b\u{fffd}c\u{fffd}"
        );
        // Cut before it is escaped, so that no entity is cut in two.
        assert_eq!(text("&&&", 2), "&amp;&amp;...");
    }
}
