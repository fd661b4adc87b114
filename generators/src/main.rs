//! `ca3-corpus`: generates the corpus, checks the committed one, says what it covers.

use std::path::PathBuf;
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

/// Wrong usage, or a folder that cannot be read or written.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("ca3-corpus: {error}");
            ExitCode::from(FAILED)
        }
    }
}

fn run(command: Command) -> Result<ExitCode, CorpusError> {
    match command {
        Command::Generate { out, fresh } => generate(&out, fresh),
        Command::Check { corpus } => check(&corpus),
        Command::Coverage { level, missing } => show_coverage(level, missing),
        Command::List => list(),
    }
}

fn generate(out: &std::path::Path, fresh: Option<u64>) -> Result<ExitCode, CorpusError> {
    if fresh.is_some() && out == std::path::Path::new("corpus") {
        eprintln!(
            "ca3-corpus: fresh values do not belong in the committed corpus; name another --out"
        );
        return Ok(ExitCode::from(FAILED));
    }
    let files = corpus::files(&cases(fresh)?)?;
    corpus::write(&files, out)?;
    let bytes: usize = files.values().map(Vec::len).sum();
    println!(
        "{} files, {bytes} bytes, below {}",
        files.len(),
        out.display()
    );
    Ok(ExitCode::SUCCESS)
}

fn check(root: &std::path::Path) -> Result<ExitCode, CorpusError> {
    if !root.join("ca3").is_dir() {
        eprintln!(
            "ca3-corpus: {} holds no ca3 folder; name the corpus folder with --corpus",
            root.display()
        );
        return Ok(ExitCode::from(FAILED));
    }
    let files = corpus::files(&cases(None)?)?;
    let differences = corpus::compare(&files, root)?;
    for difference in &differences {
        println!("{difference}");
    }
    if differences.is_empty() {
        println!("{} files, every byte as generated", files.len());
        return Ok(ExitCode::SUCCESS);
    }
    println!("{} of {} files differ", differences.len(), files.len());
    Ok(ExitCode::from(1))
}

fn show_coverage(level: Option<Level>, only_missing: bool) -> Result<ExitCode, CorpusError> {
    let rows = coverage::rows(&cases(None)?, level);
    println!(
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
        println!(
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
    println!(
        "{} rules, {} covered, {missing} not; {} rest on a provisional reading",
        rows.len(),
        rows.len().saturating_sub(missing),
        provisional.count()
    );
    Ok(if missing == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
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

fn list() -> Result<ExitCode, CorpusError> {
    for case in cases(None)? {
        let sidecar = &case.sidecar;
        let mark = |present: bool, letter: &str| {
            if present {
                letter.to_owned()
            } else {
                "-".to_owned()
            }
        };
        println!(
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
    Ok(ExitCode::SUCCESS)
}
