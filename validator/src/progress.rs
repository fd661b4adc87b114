//! How far a run is: one line on standard error, for a person at a terminal.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, PoisonError};

use ca3_reader::l1::{Shared, Source};
use ca3_reports::progress::{is_wanted, shown};
use ca3_reports::text::plain;

/// The longest path in the line, in characters: its end is what tells files apart.
const LONGEST_PATH: usize = 30;

/// Where a run stands.
#[derive(Debug)]
pub(crate) struct Progress {
    files: usize,
    bytes: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    done: usize,
    read: u64,
    /// The files at hand, by their place among all.
    at_hand: BTreeMap<usize, String>,
}

impl Progress {
    /// Nothing is done yet of so many files and bytes.
    pub(crate) fn new(files: usize, bytes: u64) -> Self {
        Progress {
            files,
            bytes,
            state: Mutex::default(),
        }
    }

    /// Does some work, with the line shown meanwhile where there is somebody who
    /// wants to see it.
    pub(crate) fn shown<T>(&self, quiet: bool, work: impl FnOnce() -> T) -> T {
        shown(!quiet && is_wanted(), || self.line(), work)
    }

    pub(crate) fn begin(&self, index: usize, name: &str) {
        let characters = name.chars().count();
        let end: String = name
            .chars()
            .skip(characters.saturating_sub(LONGEST_PATH))
            .collect();
        let dots = if characters > LONGEST_PATH { "..." } else { "" };
        let name = format!("{dots}{}", plain(&end, LONGEST_PATH));
        self.with(|state| state.at_hand.insert(index, name));
    }

    /// A file is done, of which so many bytes were not asked for.
    pub(crate) fn end(&self, index: usize, unread: u64) {
        self.with(|state| {
            state.done = state.done.saturating_add(1);
            state.read = state.read.saturating_add(unread);
            state.at_hand.remove(&index)
        });
    }

    fn read(&self, bytes: u64) {
        self.with(|state| state.read = state.read.saturating_add(bytes));
    }

    fn with<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn line(&self) -> String {
        self.with(|state| {
            let at_hand = match state.at_hand.first_key_value() {
                Some((_, name)) => format!("; {name}"),
                None => String::new(),
            };
            format!(
                "{} of {} files, {} of {}{at_hand}",
                state.done,
                self.files,
                about(state.read),
                about(self.bytes)
            )
        })
    }
}

/// A size as people read it, rounded down to a tenth.
fn about(bytes: u64) -> String {
    let mut tenths = bytes.saturating_mul(10);
    let mut unit = "bytes";
    for larger in ["KiB", "MiB", "GiB", "TiB"] {
        if tenths < 10_240 {
            break;
        }
        tenths >>= 10;
        unit = larger;
    }
    match unit {
        "bytes" => format!("{bytes} bytes"),
        _ => format!("{}.{} {unit}", tenths / 10, tenths % 10),
    }
}

/// A source that tells how far it was read.
pub(crate) struct Watched<'s> {
    source: &'s mut dyn Source,
    progress: &'s Progress,
    furthest: u64,
}

impl<'s> Watched<'s> {
    pub(crate) fn new(source: &'s mut dyn Source, progress: &'s Progress) -> Self {
        Watched {
            source,
            progress,
            furthest: 0,
        }
    }

    /// How many bytes lie behind the furthest that was asked for.
    pub(crate) fn unread(&self) -> u64 {
        self.source.length().saturating_sub(self.furthest)
    }
}

impl Source for Watched<'_> {
    fn length(&self) -> u64 {
        self.source.length()
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.source.read_at(offset, buffer)?;
        let end = offset.saturating_add(u64::try_from(buffer.len()).unwrap_or(u64::MAX));
        if end > self.furthest {
            self.progress.read(end.saturating_sub(self.furthest));
            self.furthest = end;
        }
        Ok(())
    }

    /// What threads read lies in front of what the walk over records reads next.
    fn shared(&self) -> Option<&dyn Shared> {
        self.source.shared()
    }
}

#[cfg(test)]
mod tests {
    use ca3_reader::l1::BytesSource;

    use super::*;

    #[test]
    fn the_line_counts_files_and_bytes_and_names_the_first_at_hand() {
        let progress = Progress::new(3, 5 << 20);
        assert_eq!(progress.line(), "0 of 3 files, 0 bytes of 5.0 MiB");
        progress.begin(1, "b\u{1b}.ca3");
        progress.begin(0, &format!("{}/a.ca3", "x".repeat(100)));
        let line = progress.line();
        assert!(
            line.ends_with(&format!("; ...{}/a.ca3", "x".repeat(24))),
            "{line}"
        );
        progress.end(0, 1536);
        let expected = "1 of 3 files, 1.5 KiB of 5.0 MiB; b\u{fffd}.ca3";
        assert_eq!(progress.line(), expected);
    }

    #[test]
    fn bytes_are_counted_once_up_to_the_furthest() {
        let progress = Progress::new(1, 100);
        let bytes = [7; 100];
        let mut source = BytesSource(&bytes);
        let mut watched = Watched::new(&mut source, &progress);
        let read = |watched: &mut Watched<'_>, offset, length| {
            watched.read_at(offset, &mut vec![0; length]).is_ok()
        };
        assert!(read(&mut watched, 0, 8));
        assert!(read(&mut watched, 50, 10));
        assert!(read(&mut watched, 8, 20));
        assert!(!read(&mut watched, 95, 10));
        assert_eq!((watched.length(), watched.unread()), (100, 40));
        progress.end(0, watched.unread());
        assert_eq!(progress.line(), "1 of 1 files, 100 bytes of 100 bytes");
    }

    #[test]
    fn sizes_are_rounded_down() {
        for (bytes, expected) in [
            (0, "0 bytes"),
            (1023, "1023 bytes"),
            (1024, "1.0 KiB"),
            (1_048_575, "1023.9 KiB"),
            (1 << 31, "2.0 GiB"),
        ] {
            assert_eq!(about(bytes), expected);
        }
    }
}
