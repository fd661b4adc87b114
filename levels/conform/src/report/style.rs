//! How wide a report is, and how its parts stand out.

use std::io::{self, IsTerminal};

use anstyle::{AnsiColor, Style};

/// Columns of a line.
pub(crate) const WIDTH: usize = 80;

/// Columns of the terminal on standard output; [`WIDTH`] where there is none.
pub(crate) fn terminal_width() -> usize {
    let stdout = io::stdout();
    let size = match stdout.is_terminal() {
        true => terminal_size::terminal_size_of(&stdout),
        false => None,
    };
    // A terminal of no width at all, as some have it, tells nothing.
    let width = size.map(|(width, _)| usize::from(width.0));
    width.filter(|width| *width > 0).unwrap_or(WIDTH)
}

/// Headings and names.
pub(crate) const BOLD: Style = Style::new().bold();
/// What stands beside what matters.
pub(crate) const DIM: Style = Style::new().dimmed();
/// As it should be.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// Not as it should be.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// Neither.
pub(crate) const DOUBT: Style = AnsiColor::Yellow.on_default();
