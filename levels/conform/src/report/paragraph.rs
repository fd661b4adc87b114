//! Text in lines of bounded width.

/// Breaks text into lines of at most `width` characters, each behind `indent`.
/// Words stay whole but for one that no line has room for.
pub fn wrap(text: &str, indent: &str, width: usize) -> String {
    let room = width.saturating_sub(indent.chars().count()).max(1);
    let mut out = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let length = visible(word);
        if column > 0 && column + 1 + length > room {
            out.push('\n');
            column = 0;
        }
        if column == 0 {
            out.push_str(indent);
        } else {
            out.push(' ');
            column += 1;
        }
        column = push_word(&mut out, word, indent, column, room);
    }
    out.push('\n');
    out
}

/// Adds a word, broken where the line is full; gives the column behind it.
fn push_word(out: &mut String, word: &str, indent: &str, column: usize, room: usize) -> usize {
    let mut column = column;
    let mut in_style = false;
    for c in word.chars() {
        in_style |= c == '\u{1b}';
        if !in_style {
            if column == room {
                out.push('\n');
                out.push_str(indent);
                column = 0;
            }
            column += 1;
        }
        out.push(c);
        in_style &= c != 'm';
    }
    column
}

/// How many characters of a word a terminal shows: styles take no room.
fn visible(word: &str) -> usize {
    let mut count = 0;
    let mut in_style = false;
    for c in word.chars() {
        match c {
            '\u{1b}' => in_style = true,
            'm' if in_style => in_style = false,
            _ => count += usize::from(!in_style),
        }
    }
    count
}

/// The first `longest` characters of a text, marked where something is cut off.
pub fn clip(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.to_owned();
    }
    let head: String = text.chars().take(longest.saturating_sub(3)).collect();
    format!("{head}...")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_to_the_width() {
        assert_eq!(wrap("one two three", "  ", 9), "  one two\n  three\n");
        assert_eq!(wrap("a b2345678 c", " ", 6), " a\n b2345\n 678 c\n");
        assert_eq!(wrap("", "  ", 9), "\n");
        assert_eq!(
            wrap("\u{1b}[31mone\u{1b}[0m two", "", 7),
            "\u{1b}[31mone\u{1b}[0m two\n"
        );
        assert_eq!(clip("abcdef", 6), "abcdef");
        assert_eq!(clip("abcdefg", 6), "abc...");
    }
}
