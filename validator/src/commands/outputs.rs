//! `--format F[=FILE]`: the reports of one run, each to its place.

use std::fs;
use std::path::{Path, PathBuf};

use ca3_reports::target::{Target, write_whole};
use ca3_reports::text::{Detail, plain};
use ca3_reports::{Report, github, html, json, junit, ndjson, sarif, text};

use super::judge::LONGEST_PATH;
use super::{Failure, complain, print, print_raw};
use crate::cli::{Color, Format, OutputArgs};

/// Where the reports of a run go; looked at before the run, which may take long.
pub(super) struct Outputs {
    files: Vec<(Format, PathBuf)>,
    standard: Format,
    quiet: bool,
    color: Color,
}

impl Outputs {
    /// The outputs of a command line, none of which may be one of these files.
    pub(super) fn of<'a>(
        args: &OutputArgs,
        read: impl Iterator<Item = &'a Path>,
    ) -> Result<Self, Failure> {
        let json = args.json.then_some(Target {
            format: Format::Json,
            file: None,
        });
        let mut standard = None;
        let mut files = Vec::new();
        let mut taken = Vec::new();
        for target in args.format.iter().cloned().chain(json) {
            match target.file {
                Some(file) => {
                    let place = place(&file);
                    if taken.contains(&place) {
                        let file = shown(&file);
                        let reason = format!("two reports cannot go to one file: {file}");
                        return Err(Failure::Usage(reason));
                    }
                    taken.push(place);
                    files.push((target.format, file));
                }
                None if standard.is_none() => standard = Some(target.format),
                None => {
                    return Err(Failure::Usage(
                        "only one report can go to standard output; give the others a file: \
                         --format F=FILE"
                            .to_owned(),
                    ));
                }
            }
        }
        // Of many inputs each costs a look at the file system.
        if !taken.is_empty() {
            for path in read {
                if taken.contains(&place(path)) {
                    return Err(Failure::Usage(format!(
                        "{} is read, so no report can go there",
                        shown(path)
                    )));
                }
            }
        }
        for (_, file) in &files {
            if file.is_dir() {
                return Err(unwritten(file, "it is a folder"));
            }
            let folder = file.parent().filter(|it| !it.as_os_str().is_empty());
            if folder.is_some_and(|folder| !folder.is_dir()) {
                return Err(unwritten(file, "there is no such folder"));
            }
        }
        Ok(Outputs {
            files,
            standard: standard.unwrap_or(Format::Text),
            quiet: args.quiet,
            color: args.color,
        })
    }

    /// Writes every report that can be written; standard output comes last.
    pub(super) fn write(&self, report: &Report) -> Result<(), Failure> {
        let mut failed = None;
        for (format, file) in &self.files {
            let text = match format {
                Format::Text => {
                    anstream::adapter::strip_str(&text::render(report, Detail::Full)).to_string()
                }
                format => render(report, *format)?,
            };
            let written = write_whole(file, &text);
            let why = written.map_err(|error| unwritten(file, &error.to_string()));
            if let Some(earlier) = why.err().and_then(|why| failed.replace(why)) {
                complain(&earlier.to_string());
            }
        }
        match (self.print(report), failed) {
            (Ok(()), Some(failed)) => Err(failed),
            (Err(error), Some(failed)) => {
                complain(&failed.to_string());
                Err(error)
            }
            (printed, None) => printed,
        }
    }

    fn print(&self, report: &Report) -> Result<(), Failure> {
        match self.standard {
            Format::Text => {
                let detail = match self.quiet {
                    true => Detail::Quiet,
                    false => Detail::Full,
                };
                print(&text::render(report, detail), self.color)
            }
            format => print_raw(&render(report, format)?),
        }
    }
}

fn render(report: &Report, format: Format) -> Result<String, Failure> {
    let bug = |error: &dyn std::error::Error| Failure::Bug(error.to_string());
    match format {
        Format::Text => Ok(text::render(report, Detail::Full)),
        Format::Json => json::render(report).map_err(|error| bug(&error)),
        Format::Ndjson => ndjson::render(report).map_err(|error| bug(&error)),
        Format::Sarif => sarif::render(report).map_err(|error| bug(&error)),
        Format::Junit => junit::render(report).map_err(|error| bug(&error)),
        Format::Github => Ok(github::render(report)),
        Format::Html => Ok(html::render(report)),
    }
}

/// A path by which two names of one file are known as that, also where there is
/// none yet.
fn place(path: &Path) -> PathBuf {
    if let Ok(place) = fs::canonicalize(path) {
        return place;
    }
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    let folder = fs::canonicalize(folder.unwrap_or(Path::new(".")));
    match (folder, path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

fn shown(path: &Path) -> String {
    plain(&path.display().to_string(), LONGEST_PATH)
}

fn unwritten(file: &Path, reason: &str) -> Failure {
    Failure::Unwritten(format!(
        "the report {} was not written: {reason}; name a file in a folder that there is, can be \
         written to and has room",
        shown(file)
    ))
}
