//! `merge FILE...`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::Path;

use ca3_reports::ndjson::{Line, LineError};
use ca3_reports::text::plain;
use ca3_reports::{FileReport, Report, Settings, Severity};

use super::judge::{LONGEST_PATH, TOOL, tell};
use super::outputs::Outputs;
use super::{Failure, complain};
use crate::cli::MergeArgs;

/// The longest line that is read: many times what the findings of a file take.
const LONGEST_LINE: usize = 512 << 20;
/// The longest reason that is repeated, which may have words of the line in it.
const LONGEST_REASON: usize = 200;
/// What some editors put in front of UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

pub(super) fn run(args: &MergeArgs) -> Result<u8, Failure> {
    let standard = |path: &&Path| path.as_os_str() == "-";
    let paths = || args.files.iter().map(|path| path.as_path());
    if paths().filter(standard).count() > 1 {
        let reason = "standard input can be read once; name - once".to_owned();
        return Err(Failure::Usage(reason));
    }
    let outputs = Outputs::of(&args.output, paths().filter(|path| !standard(path)))?;
    let mut merged = Merged {
        fail_on: args.fail_on.map(Severity::from),
        ..Merged::default()
    };
    for path in paths() {
        let name = plain(&path.display().to_string(), LONGEST_PATH);
        if standard(&path) {
            merged.take(&name, &mut io::stdin().lock())?;
        } else {
            let file = File::open(path).map_err(|error| unread(&name, &error))?;
            merged.take(&name, &mut BufReader::new(file))?;
        }
    }
    if merged.again > 0 {
        complain(&format!(
            "{} left out, which another one repeats word for word: {}",
            match merged.again {
                1 => "1 line is".to_owned(),
                many => format!("{many} lines are"),
            },
            merged.first_again
        ));
    }
    let report = merged.report();
    tell(&report);
    outputs.write(&report)?;
    Ok(report.exit_code())
}

fn unread(name: &str, error: &io::Error) -> Failure {
    Failure::Unreadable(format!(
        "{name}: {error}; name a file that --format ndjson=FILE wrote"
    ))
}

/// What was read so far.
#[derive(Default)]
struct Merged {
    /// As asked for, or as the first line has it.
    fail_on: Option<Severity>,
    /// Where the first line stands, and what it was judged with.
    first: Option<(String, Severity, Settings)>,
    files: Vec<FileReport>,
    /// Of each path, its place among the files and that of its line.
    paths: BTreeMap<String, (usize, String)>,
    again: u64,
    first_again: String,
}

impl Merged {
    /// Takes every line of a stream.
    fn take(&mut self, name: &str, stream: &mut dyn BufRead) -> Result<(), Failure> {
        let before = self.files.len().saturating_add(self.counted_again());
        let mut bytes = Vec::new();
        for number in 1_u64.. {
            let place = format!("{name}, line {number}");
            bytes.clear();
            let read = stream
                .take(u64::try_from(LONGEST_LINE).unwrap_or(u64::MAX))
                .read_until(b'\n', &mut bytes)
                .map_err(|error| unread(name, &error))?;
            if read == 0 {
                break;
            }
            if bytes.len() >= LONGEST_LINE && !bytes.ends_with(b"\n") {
                let reason = format!("it is longer than {} MiB", LONGEST_LINE >> 20);
                return Err(garbled(&place, &reason));
            }
            let mut line = bytes.as_slice();
            if number == 1 {
                line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
            }
            let line = line.trim_ascii();
            if !line.is_empty() {
                self.line(place, line)?;
            }
        }
        if self.files.len().saturating_add(self.counted_again()) == before {
            return Err(Failure::Unreadable(format!(
                "{name}: holds no line of a report; make it anew with ca3-validate PATH... \
                 --format ndjson=FILE"
            )));
        }
        Ok(())
    }

    fn counted_again(&self) -> usize {
        usize::try_from(self.again).unwrap_or(usize::MAX)
    }

    fn line(&mut self, place: String, bytes: &[u8]) -> Result<(), Failure> {
        let text = std::str::from_utf8(bytes).map_err(|_| {
            garbled(
                &place,
                "it is no UTF-8 (a shell's > may write UTF-16; =FILE does not)",
            )
        })?;
        if text == "{" {
            let reason = "it begins a report of --format json, which has no lines to merge";
            return Err(garbled(&place, reason));
        }
        let line = Line::read(text, &TOOL).map_err(|error| match error {
            LineError::Garbled(_) => garbled(&place, &error.to_string()),
            LineError::Foreign { .. } => Failure::Usage(format!(
                "{place}: {error}, and this is {} {} with form {}: judge the file with this \
                 version, or merge with that one",
                TOOL.name,
                TOOL.version,
                Report::SCHEMA_VERSION
            )),
        })?;
        // Each format goes by another of them.
        if !line.file.adds_up() {
            let reason = "findings, totals and counts do not say the same";
            return Err(garbled(&place, reason));
        }
        self.goes_with_the_first(&place, &line)?;
        self.add(place, line.file)
    }

    fn goes_with_the_first(&mut self, place: &str, line: &Line) -> Result<(), Failure> {
        let (first, fail_on, settings) = self
            .first
            .get_or_insert_with(|| (place.to_owned(), line.fail_on, line.settings.clone()));
        if *settings != line.settings {
            return Err(Failure::Usage(format!(
                "{place}: was judged with other settings than {first}; judge all with the \
                 same, or merge them apart"
            )));
        }
        if self.fail_on.is_none() && *fail_on != line.fail_on {
            return Err(Failure::Usage(format!(
                "{place}: was judged with --fail-on {}, and {first} with {fail_on}; say with \
                 --fail-on which one counts",
                line.fail_on
            )));
        }
        Ok(())
    }

    fn add(&mut self, place: String, file: FileReport) -> Result<(), Failure> {
        // A name that no text holds looks like any other such name.
        if file.path.contains(char::REPLACEMENT_CHARACTER) {
            self.files.push(file);
            return Ok(());
        }
        let Some((index, earlier)) = self.paths.get(&file.path) else {
            let index = self.files.len();
            self.paths.insert(file.path.clone(), (index, place));
            self.files.push(file);
            return Ok(());
        };
        if self.files.get(*index) != Some(&file) {
            return Err(Failure::Usage(format!(
                "{place}: reports {} otherwise than {earlier} does; name files of different \
                 machines by different paths, or leave one report out",
                plain(&file.path, LONGEST_PATH)
            )));
        }
        if self.again == 0 {
            self.first_again = format!("{place} is {earlier}");
        }
        self.again = self.again.saturating_add(1);
        Ok(())
    }

    fn report(self) -> Report {
        let (_, fail_on, settings) =
            self.first
                .unwrap_or((String::new(), Severity::Error, Settings::default()));
        let fail_on = self.fail_on.unwrap_or(fail_on);
        Report {
            settings,
            ..Report::new(TOOL, fail_on, self.files)
        }
    }
}

fn garbled(place: &str, reason: &str) -> Failure {
    let reason = plain(reason, LONGEST_REASON);
    Failure::Unreadable(format!(
        "{place}: is no whole line of a report: {reason}; it was cut or changed: make it anew \
         with ca3-validate PATH... --format ndjson=FILE"
    ))
}
