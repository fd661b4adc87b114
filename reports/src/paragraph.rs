//! Text in lines of bounded width. Styles (escape sequences) take no room.

/// Breaks text at its blanks into lines of at most `width` characters, each
/// behind `indent`. A word stays whole but for one that no line has room for.
pub fn wrap(text: &str, indent: &str, width: usize) -> String {
    if text.trim().is_empty() {
        return "\n".to_owned();
    }
    wrap_behind(text, indent, indent, width)
}

/// The same with the first line behind `first`, which may be of another length.
pub fn wrap_behind(text: &str, first: &str, indent: &str, width: usize) -> String {
    let mut lines = Lines::new(first, indent, width);
    let mut fresh = true;
    for word in text.split_whitespace() {
        if !fresh && lines.column.saturating_add(1 + visible(word)) > lines.width {
            lines.end();
        } else if !fresh {
            lines.push(" ");
        }
        lines.push(word);
        fresh = false;
    }
    lines.out.push('\n');
    lines.out
}

/// Breaks text into lines of at most `width` characters and keeps every one of
/// its blanks: for values, which are shown as they are. Breaks behind a blank
/// where there is one in the second half of a line, or where the next line then
/// has room for the rest.
pub fn fold(text: &str, first: &str, indent: &str, width: usize) -> String {
    let mut lines = Lines::new(first, indent, width);
    let mut rest: Vec<char> = text.chars().collect();
    loop {
        let room = lines.width.saturating_sub(lines.column).max(1);
        if rest.len() <= room {
            lines.out.extend(rest);
            lines.out.push('\n');
            return lines.out;
        }
        let blank = rest.iter().take(room).rposition(|c| *c == ' ');
        let cut = blank.map_or(room, |at| at + 1);
        let next = lines.width.saturating_sub(visible(indent));
        let enough = cut > room / 2 || rest.len().saturating_sub(cut) <= next;
        let cut = if enough { cut } else { room };
        let behind = rest.split_off(cut.min(rest.len()));
        lines.out.extend(rest);
        lines.end();
        rest = behind;
    }
}

/// Lines that are being filled.
struct Lines<'a> {
    out: String,
    indent: &'a str,
    width: usize,
    column: usize,
}

impl<'a> Lines<'a> {
    fn new(first: &str, indent: &'a str, width: usize) -> Self {
        Lines {
            out: first.to_owned(),
            indent,
            // One character fits on every line, or there would be no end.
            width: width.max(visible(indent).saturating_add(1)),
            column: visible(first),
        }
    }

    fn end(&mut self) {
        self.out.push('\n');
        self.out.push_str(self.indent);
        self.column = visible(self.indent);
    }

    /// Adds a word, broken where the line is full.
    fn push(&mut self, word: &str) {
        let mut in_style = false;
        for c in word.chars() {
            in_style |= c == '\u{1b}';
            if !in_style {
                if self.column >= self.width {
                    self.end();
                }
                self.column = self.column.saturating_add(1);
            }
            self.out.push(c);
            in_style &= c != 'm';
        }
    }
}

/// How many characters of a text a terminal shows.
fn visible(text: &str) -> usize {
    let mut count = 0;
    let mut in_style = false;
    for c in text.chars() {
        match c {
            '\u{1b}' => in_style = true,
            'm' if in_style => in_style = false,
            _ => count += usize::from(!in_style),
        }
    }
    count
}

/// A text of at most `longest` characters, marked where something is cut off.
pub fn clip(text: &str, longest: usize) -> String {
    if text.chars().nth(longest).is_none() {
        return text.to_owned();
    }
    let head: String = text.chars().take(longest.saturating_sub(3)).collect();
    format!("{head}...")
}

/// A text from elsewhere without what would move a terminal's cursor, break a line
/// or turn the direction of writing, at most `longest` characters of it.
pub fn plain(text: &str, longest: usize) -> String {
    let mut shown: String = text.chars().take(longest).map(harmless).collect();
    if text.chars().nth(longest).is_some() {
        shown.push_str("...");
    }
    shown
}

/// A character from elsewhere, or what is shown in its place.
pub(crate) fn harmless(c: char) -> char {
    match c {
        c if c.is_control() => '\u{fffd}',
        '\u{2028}' | '\u{2029}' => '\u{fffd}',
        // These turn the direction, which could make one name look like another.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            '\u{fffd}'
        }
        // Neither HTML nor XML has these (U+FDD0 and on, and the last two of a plane).
        c if matches!(c, '\u{fdd0}'..='\u{fdef}') || u32::from(c) & 0xFFFE == 0xFFFE => '\u{fffd}',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_to_the_width() {
        assert_eq!(
            wrap_behind("one two three", "a: ", "   ", 11),
            "a: one two\n   three\n"
        );
        assert_eq!(wrap_behind("b2345678 c", "", " ", 6), "b23456\n 78 c\n");
        assert_eq!(wrap_behind("", "x", "", 9), "x\n");
        assert_eq!(wrap("one two three", "  ", 9), "  one two\n  three\n");
        assert_eq!(wrap("a b2345678 c", " ", 6), " a\n b2345\n 678 c\n");
        assert_eq!(wrap("", "  ", 9), "\n");
        assert_eq!(wrap("ab", "    ", 2), "    a\n    b\n");
    }

    #[test]
    fn styles_take_no_room() {
        assert_eq!(
            wrap("\u{1b}[31mone\u{1b}[0m two", "", 7),
            "\u{1b}[31mone\u{1b}[0m two\n"
        );
    }

    #[test]
    fn folding_keeps_every_blank() {
        assert_eq!(fold("a  b", "> ", "  ", 9), "> a  b\n");
        assert_eq!(fold("abcd  efgh", "", " ", 7), "abcd  \n efgh\n");
        assert_eq!(fold("a bcdefg", "", "  ", 8), "a bcdefg\n");
        assert_eq!(fold("a bcdefgh", "", " ", 8), "a \n bcdefgh\n");
        assert_eq!(fold("abcdefgh", "", "  ", 4), "abcd\n  ef\n  gh\n");
        assert_eq!(fold("", "x", "  ", 4), "x\n");
    }

    #[test]
    fn texts_from_elsewhere_are_short_and_harmless() {
        assert_eq!(plain("a\u{1b}b", 9), "a\u{fffd}b");
        assert_eq!(plain("abc", 2), "ab...");
        assert_eq!(plain("a\u{202e}b\u{2028}c", 9), "a\u{fffd}b\u{fffd}c");
        assert_eq!(plain("a\u{fffe}b\u{1ffff}", 9), "a\u{fffd}b\u{fffd}");
        assert_eq!(clip("abcdef", 6), "abcdef");
        assert_eq!(clip("abcdefg", 6), "abc...");
    }
}
