//! Whether streams of two files are comparable (§5.7): the model, and its text.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Effects, Style};
use serde::Serialize;

use crate::Tool;
use crate::paragraph::{plain, wrap_behind};
use crate::text::WIDTH;

/// The JSON Schema of a [`CompareReport`], kept by hand and tested against what the
/// program prints.
pub const SCHEMA: &str = include_str!("../schema/comparison.json");

/// Differences of a schema that the text shows: a screenful.
const MOST_SHOWN: usize = 20;
/// Topics of a line.
const MOST_TOPICS: usize = 8;
/// The longest name, and the longest sentence, that are shown.
const LONGEST_NAME: usize = 160;
const LONGEST_SENTENCE: usize = 400;

/// How two descriptors stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// Equal, byte by byte.
    Comparable,
    /// Unequal in comments and their places alone: values mean the same, and the
    /// document compares bytes.
    CommentsDiffer,
    /// Unequal.
    Different,
    /// At least one of them describes nothing.
    Undescribed,
}

/// What a difference is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DifferenceKind {
    /// A message that only one declares.
    Message,
    /// A field that only one declares.
    Field,
    /// The name of a field of one number.
    FieldName,
    /// The number of a field of one name.
    Number,
    /// A field's type.
    Type,
    /// Whether a field is repeated, optional, of a oneof.
    Label,
    /// A unit.
    Unit,
    /// A frame.
    Frame,
    /// The field that a channel covers.
    ValidityFor,
    /// A declared number of elements.
    Cardinality,
    /// A tensor form.
    TensorForm,
    /// An enum or a value of one.
    Enum,
    /// A file that only one holds.
    File,
    /// Anything else in a file.
    Other,
    /// A descriptor that cannot be looked into, or is encoded otherwise.
    Descriptor,
}

/// Something in which two descriptors of one schema differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// What it is in.
    pub kind: DifferenceKind,
    /// The declaration, such as `EyeSample.direction`.
    pub path: String,
    /// What A has there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<String>,
    /// What B has there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<String>,
    /// In words.
    pub message: String,
    /// Whether the schema's payloads hold what is declared there.
    pub in_payload: bool,
}

/// How two descriptors of one schema stand to each other, and in what they differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// The verdict.
    pub standing: Standing,
    /// What payloads hold stands first.
    pub differences: Vec<Difference>,
    /// Differences beyond these.
    pub more: u64,
    /// What else is worth knowing, in sentences.
    pub notes: Vec<String>,
}

/// A stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StreamUse {
    /// Its reference.
    pub stream_ref: u32,
    /// The name it was published under.
    pub topic: String,
}

/// A descriptor in a file, and the streams that use it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SchemaUse {
    /// The schemas of the file that have it.
    pub schema_refs: Vec<u32>,
    /// SHA-256 of its bytes, in hexadecimal.
    pub descriptor_sha256: String,
    /// The streams of these schemas.
    pub streams: Vec<StreamUse>,
}

/// A schema that both files have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ComparedSchema {
    /// Its message.
    pub schema_id: String,
    /// Its descriptor in A.
    pub a: SchemaUse,
    /// Its descriptor in B.
    pub b: SchemaUse,
    /// How these stand to each other.
    #[serde(flatten)]
    pub comparison: Comparison,
}

/// A schema that one file alone has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LoneSchema {
    /// Its message.
    pub schema_id: String,
    /// Its streams.
    pub streams: Vec<StreamUse>,
}

/// One of the two files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ComparedFile {
    /// The path as it was given.
    pub path: String,
    /// Whether it was finished (§2.1).
    pub sealed: bool,
    /// Whether everything in it could be read.
    pub whole: bool,
    /// What is wrong with it, the first of it.
    pub problems: Vec<String>,
    /// Schemas that the other one has not.
    pub only_here: Vec<LoneSchema>,
    /// Streams that name no schema of the file.
    pub undescribed: Vec<StreamUse>,
}

/// The result of one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CompareReport {
    /// Version of this form of report.
    pub schema_version: u32,
    /// What made it.
    pub tool: Tool,
    /// Whether there is a schema that both files have, and every one of them is
    /// comparable.
    pub comparable: bool,
    /// The first file.
    pub a: ComparedFile,
    /// The second.
    pub b: ComparedFile,
    /// Schemas that both have; one that a file has with several descriptors stands
    /// once for each pair.
    pub schemas: Vec<ComparedSchema>,
    /// Pairs beyond these, none of which were looked at.
    pub not_compared: u64,
}

impl CompareReport {
    /// This form of report.
    pub const SCHEMA_VERSION: u32 = 1;

    /// The report of two files.
    pub fn new(
        tool: Tool,
        a: ComparedFile,
        b: ComparedFile,
        schemas: Vec<ComparedSchema>,
        not_compared: u64,
    ) -> Self {
        let equal = |schema: &ComparedSchema| schema.comparison.standing == Standing::Comparable;
        CompareReport {
            schema_version: Self::SCHEMA_VERSION,
            tool,
            comparable: !schemas.is_empty() && not_compared == 0 && schemas.iter().all(equal),
            a,
            b,
            schemas,
            not_compared,
        }
    }
}

/// The report for people.
pub fn text(report: &CompareReport) -> String {
    let mut out = String::new();
    for (letter, file) in [("A", &report.a), ("B", &report.b)] {
        head(&mut out, letter, file);
    }
    for schema in &report.schemas {
        out.push('\n');
        one(&mut out, schema);
    }
    if report.not_compared > 0 {
        let _ = writeln!(
            out,
            "\n{} more pairs of descriptors are not compared",
            report.not_compared
        );
    }
    out.push('\n');
    for (letter, file) in [("A", &report.a), ("B", &report.b)] {
        for lone in &file.only_here {
            let name = plain(&lone.schema_id, LONGEST_NAME);
            let line = format!("only in {letter}: {name}, {}", topics(&lone.streams));
            out.push_str(&wrap_behind(&line, "", "  ", WIDTH));
        }
        if !file.undescribed.is_empty() {
            let line = format!(
                "without a schema in {letter}: {}",
                topics(&file.undescribed)
            );
            out.push_str(&wrap_behind(&line, "", "  ", WIDTH));
        }
    }
    out.push_str(&wrap_behind(&verdict(report), "", "  ", WIDTH));
    out
}

fn head(out: &mut String, letter: &str, file: &ComparedFile) {
    let state = match (file.sealed, file.whole) {
        (true, true) => "sealed",
        (true, false) => "sealed, damaged: what it still holds is compared",
        (false, true) => "not sealed: what it holds so far is compared",
        (false, false) => "not sealed, damaged: what it still holds is compared",
    };
    let line = format!("{letter}: {} ({state})", plain(&file.path, usize::MAX));
    out.push_str(&wrap_behind(&line, "", "   ", WIDTH));
    for problem in &file.problems {
        let problem = plain(problem, LONGEST_SENTENCE);
        out.push_str(&wrap_behind(&problem, "   ", "     ", WIDTH));
    }
}

fn one(out: &mut String, schema: &ComparedSchema) {
    let (verdict, color) = match schema.comparison.standing {
        Standing::Comparable => ("comparable", AnsiColor::Green),
        Standing::CommentsDiffer => (
            "not comparable: comments alone differ; the document compares bytes, and values \
             mean the same",
            AnsiColor::Yellow,
        ),
        Standing::Different => ("not comparable", AnsiColor::Red),
        Standing::Undescribed => ("not comparable: nothing describes it", AnsiColor::Red),
    };
    let bold: Style = color.on_default().effects(Effects::BOLD);
    let (first, rest) = verdict.split_once(':').unwrap_or((verdict, ""));
    let rest = if rest.is_empty() {
        String::new()
    } else {
        format!(":{rest}")
    };
    let name = plain(&schema.schema_id, LONGEST_NAME);
    let line = format!("{name}: {bold}{first}{bold:#}{rest}");
    out.push_str(&wrap_behind(&line, "", "    ", WIDTH));
    for (letter, used) in [("A", &schema.a), ("B", &schema.b)] {
        let refs: Vec<String> = used.schema_refs.iter().map(u32::to_string).collect();
        let schemas = match refs.as_slice() {
            [one] => format!("schema {one}"),
            several => format!("schemas {}", several.join(", ")),
        };
        let line = format!("{letter}: {schemas}, {}", topics(&used.streams));
        out.push_str(&wrap_behind(&line, "  ", "     ", WIDTH));
    }
    let mut apart = false;
    let differences = &schema.comparison.differences;
    for difference in differences.iter().take(MOST_SHOWN) {
        if !difference.in_payload && !apart {
            apart = true;
            out.push_str("  in what its payloads do not hold:\n");
        }
        let line = format!(
            "{}: {}",
            plain(&difference.path, LONGEST_NAME),
            plain(&difference.message, LONGEST_SENTENCE)
        );
        let indent = if apart { "    " } else { "  " };
        out.push_str(&wrap_behind(&line, indent, "      ", WIDTH));
    }
    let beyond = differences.len().saturating_sub(MOST_SHOWN);
    let more = schema
        .comparison
        .more
        .saturating_add(u64::try_from(beyond).unwrap_or(u64::MAX));
    if more > 0 {
        let _ = writeln!(out, "  and {more} more (--json lists them)");
    }
    for note in &schema.comparison.notes {
        let note = plain(note, LONGEST_SENTENCE);
        out.push_str(&wrap_behind(&note, "  note: ", "        ", WIDTH));
    }
}

fn topics(streams: &[StreamUse]) -> String {
    if streams.is_empty() {
        return "no stream".to_owned();
    }
    let shown: Vec<String> = streams
        .iter()
        .take(MOST_TOPICS)
        .map(|stream| {
            let topic = match stream.topic.as_str() {
                "" => "(no topic)".to_owned(),
                topic => plain(topic, LONGEST_NAME),
            };
            format!("{topic} (stream {})", stream.stream_ref)
        })
        .collect();
    let more = match streams.len().saturating_sub(MOST_TOPICS) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", shown.join(", "))
}

fn verdict(report: &CompareReport) -> String {
    let mut ids: Vec<&str> = Vec::new();
    let mut unequal: Vec<&str> = Vec::new();
    for schema in &report.schemas {
        let id = schema.schema_id.as_str();
        if !ids.contains(&id) {
            ids.push(id);
        }
        if schema.comparison.standing != Standing::Comparable && !unequal.contains(&id) {
            unequal.push(id);
        }
    }
    let equal = ids.len().saturating_sub(unequal.len());
    match (ids.len(), equal) {
        (0, _) => "no schema is in both files: nothing is comparable".to_owned(),
        (1, 1) => "1 schema is in both files, and comparable".to_owned(),
        (1, _) => "1 schema is in both files, and not comparable".to_owned(),
        (all, equal) if all == equal => {
            format!("{all} schemas are in both files, and all of them comparable")
        }
        (all, equal) => format!("{all} schemas are in both files, and {equal} of them comparable"),
    }
}
