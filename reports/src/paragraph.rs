//! Text in lines of bounded width.

/// Breaks text into lines of at most `width` characters, the first behind
/// `first` and each other behind `indent`. A word longer than a line is broken.
pub(crate) fn wrap(text: &str, first: &str, indent: &str, width: usize) -> String {
    let mut out = first.to_owned();
    let mut column = first.chars().count();
    let margin = indent.chars().count();
    let mut fresh = true;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if !fresh && column.saturating_add(1).saturating_add(length) > width {
            newline(&mut out, indent);
            column = margin;
            fresh = true;
        }
        if !fresh {
            out.push(' ');
            column = column.saturating_add(1);
        }
        for c in word.chars() {
            if column >= width.max(margin.saturating_add(1)) {
                newline(&mut out, indent);
                column = margin;
            }
            out.push(c);
            column = column.saturating_add(1);
        }
        fresh = false;
    }
    out.push('\n');
    out
}

fn newline(out: &mut String, indent: &str) {
    out.push('\n');
    out.push_str(indent);
}

/// A text of the file without what would move a terminal's cursor, at most
/// `longest` characters of it.
pub fn plain(text: &str, longest: usize) -> String {
    let mut shown: String = text
        .chars()
        .take(longest)
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect();
    if text.chars().nth(longest).is_some() {
        shown.push_str("...");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_to_the_width() {
        assert_eq!(
            wrap("one two three", "a: ", "   ", 11),
            "a: one two\n   three\n"
        );
        assert_eq!(wrap("b2345678 c", "", " ", 6), "b23456\n 78 c\n");
        assert_eq!(wrap("", "x", "", 9), "x\n");
        assert_eq!(plain("a\u{1b}b", 9), "a\u{fffd}b");
        assert_eq!(plain("abc", 2), "ab...");
    }
}
