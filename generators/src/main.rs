//! `ca3-corpus`: generates the corpus, checks the committed one, says what it covers.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ca3_generators::corpus::{self, CorpusError};
use ca3_generators::{cases, coverage};
use ca3_spec::protocol::operation_level;
use ca3_spec::rule::Level;
use ca3_spec::vector::{Polarity, Sidecar};
use clap::{Parser, Subcommand};

/// The conformance corpus: made from cases, compared byte by byte
#[derive(Parser)]
#[command(name = "ca3-corpus", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Write every vector and sidecar; files that no case makes are removed
    Generate {
        /// Folder that holds the `ca3` folder
        #[arg(long, default_value = "corpus")]
        out: PathBuf,
        /// Draw other values than the committed ones; needs another --out than `corpus`
        #[arg(long)]
        fresh: Option<u64>,
    },
    /// Generate in memory and compare byte by byte; exit 1 at a difference
    Check {
        /// Folder that holds the `ca3` folder
        #[arg(long, default_value = "corpus")]
        corpus: PathBuf,
    },
    /// Say rule by rule which cases exist; exit 1 where a polarity is missing
    Coverage {
        /// Only the rules of this reader level (1 to 4), or of the validator
        #[arg(long, value_parser = level)]
        level: Option<Level>,
        /// Only what is missing
        #[arg(long)]
        missing: bool,
    },
    /// List the cases: id, polarities, who is asked, rules
    List,
}

fn level(text: &str) -> Result<Level, String> {
    match text {
        "1" => Ok(Level::One),
        "2" => Ok(Level::Two),
        "3" => Ok(Level::Three),
        "4" => Ok(Level::Four),
        "validator" => Ok(Level::Validator),
        _ => Err("1, 2, 3, 4 or validator".to_owned()),
    }
}

/// All is well.
const PASSED: u8 = 0;
/// Wrong usage, or a folder that cannot be read or written.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    let mut said = String::new();
    let code = run(Arguments::parse().command, &mut said).unwrap_or_else(|error| {
        complain(&error.to_string());
        FAILED
    });
    match io::stdout().write_all(said.as_bytes()) {
        // Whoever closed the pipe has seen enough, and the exit code still counts.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(&format!("standard output cannot be written: {error}"));
            ExitCode::from(FAILED)
        }
        _ => ExitCode::from(code),
    }
}

/// A line on standard error. Nothing is left to do where it cannot be written.
fn complain(what: &str) {
    let _ = writeln!(io::stderr(), "ca3-corpus: {what}");
}

/// Carries out a command, and gives the exit code; what it says goes to `out`.
fn run(command: Command, out: &mut String) -> Result<u8, CorpusError> {
    match command {
        Command::Generate { out: folder, fresh } => generate(&folder, fresh, out),
        Command::Check { corpus } => check(&corpus, out),
        Command::Coverage { level, missing } => show_coverage(level, missing, out),
        Command::List => list(out),
    }
}

fn generate(folder: &Path, fresh: Option<u64>, out: &mut String) -> Result<u8, CorpusError> {
    if fresh.is_some() && folder == Path::new("corpus") {
        complain("fresh values do not belong in the committed corpus; name another --out");
        return Ok(FAILED);
    }
    let files = corpus::files(&cases(fresh)?)?;
    corpus::write(&files, folder)?;
    let bytes: usize = files.values().map(Vec::len).sum();
    let _ = writeln!(
        out,
        "{} files, {bytes} bytes, below {}",
        files.len(),
        folder.display()
    );
    Ok(PASSED)
}

fn check(root: &Path, out: &mut String) -> Result<u8, CorpusError> {
    if !root.join("ca3").is_dir() {
        complain(&format!(
            "{} holds no ca3 folder; name the corpus folder with --corpus",
            root.display()
        ));
        return Ok(FAILED);
    }
    let files = corpus::files(&cases(None)?)?;
    let differences = corpus::compare(&files, root)?;
    for difference in &differences {
        let _ = writeln!(out, "{difference}");
    }
    if differences.is_empty() {
        let _ = writeln!(out, "{} files, every byte as generated", files.len());
        return Ok(PASSED);
    }
    let _ = writeln!(out, "{} of {} files differ", differences.len(), files.len());
    Ok(1)
}

fn show_coverage(
    level: Option<Level>,
    only_missing: bool,
    out: &mut String,
) -> Result<u8, CorpusError> {
    let rows = coverage::rows(&cases(None)?, level);
    let _ = writeln!(
        out,
        "{:<14} {:>4} {:>5} {:>7}  summary",
        "rule", "item", "valid", "invalid"
    );
    for row in rows
        .iter()
        .filter(|row| !only_missing || !row.missing.is_empty())
    {
        let item = row
            .rule
            .item
            .map_or_else(|| "-".to_owned(), |item| item.to_string());
        let invalid = if row.invalid.is_empty() && !row.caught_by.is_empty() {
            format!("{} flt", row.caught_by.len())
        } else {
            row.invalid.len().to_string()
        };
        let _ = writeln!(
            out,
            "{:<14} {item:>4} {:>5} {invalid:>7}  {}",
            row.rule.id,
            row.valid.len(),
            if row.missing.is_empty() {
                row.rule.summary.clone()
            } else {
                format!("MISSING: {}", row.missing.join("; "))
            }
        );
    }
    let missing = rows.iter().filter(|row| !row.missing.is_empty()).count();
    let provisional = rows
        .iter()
        .filter(|row| ca3_spec::reading::provisional(row.rule.readings.iter().map(String::as_str)));
    let _ = writeln!(
        out,
        "{} rules, {} covered, {missing} not; {} rest on a provisional reading",
        rows.len(),
        rows.len().saturating_sub(missing),
        provisional.count()
    );
    Ok(if missing == 0 { PASSED } else { 1 })
}

/// Who is asked: a reader of a level, or the validator.
fn asked(sidecar: &Sidecar) -> String {
    let vectors = Polarity::BOTH.map(|polarity| sidecar.side(polarity).vector());
    let mut steps = vectors.iter().flatten().flat_map(|vector| &vector.steps);
    if steps.all(|step| operation_level(&step.op).is_none()) {
        return "validator".to_owned();
    }
    format!("level {}", sidecar.level)
}

fn list(out: &mut String) -> Result<u8, CorpusError> {
    for case in cases(None)? {
        let sidecar = &case.sidecar;
        let mark = |present: bool, letter: &str| {
            if present {
                letter.to_owned()
            } else {
                "-".to_owned()
            }
        };
        let _ = writeln!(
            out,
            "{} {}{} {} {}{}",
            sidecar.id,
            mark(case.valid.is_some(), "v"),
            mark(case.invalid.is_some(), "i"),
            asked(sidecar),
            sidecar.rules.join(","),
            if sidecar.provisional {
                " provisional"
            } else {
                ""
            },
        );
    }
    Ok(PASSED)
}
