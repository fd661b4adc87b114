//! A statement for people, 80 columns.

use std::fmt::Write as _;

use ca3_reader::l4::Method;
use ca3_reports::paragraph::wrap_behind;
use ca3_reports::text::plain;
use ca3_spec::kind::Kind;

use crate::statement::{
    Cause, Counters, Earlier, EndState, Namer, Remaining, Statement, StreamPart,
};
use crate::wall::utc;

/// The widest line.
const WIDTH: usize = 80;
/// Of one sort of thing, as many lines are shown; the JSON has all.
const SHOWN: usize = 20;
/// The longest name or message that is repeated, in characters.
const LONGEST: usize = 300;

/// The word for a method, as the protocol has it.
pub(crate) const fn method(method: Method) -> &'static str {
    match method {
        Method::Summary => "summary",
        Method::CheckpointChain => "checkpoint-chain",
        Method::SpineWalk => "spine-walk",
    }
}

/// A number and what it counts.
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

fn bytes(number: u64) -> String {
    count(number, "byte", "bytes")
}

/// A list under a heading, which is left out where there is nothing to list.
struct List {
    heading: &'static str,
    lines: Vec<String>,
}

impl List {
    fn render(&self, out: &mut String) {
        if self.lines.is_empty() {
            return;
        }
        out.push('\n');
        out.push_str(&wrap_behind(self.heading, "", "  ", WIDTH));
        for line in self.lines.iter().take(SHOWN) {
            out.push_str(&wrap_behind(line, "  - ", "    ", WIDTH));
        }
        let more = self.lines.len().saturating_sub(SHOWN);
        if more > 0 {
            let _ = writeln!(out, "  - and {more} more, which --json lists");
        }
    }
}

/// The statement in text.
pub(crate) fn render(statement: &Statement) -> String {
    let mut out = String::new();
    let mut paragraph = |text: &str| out.push_str(&wrap_behind(text, "", "  ", WIDTH));
    paragraph(&format!(
        "{}: {}, {}; read {}",
        plain(&statement.source.path, LONGEST),
        state(statement),
        bytes(statement.source.length.0),
        how(statement),
    ));
    paragraph(&recovered(statement));
    if let Some(end) = last(statement) {
        paragraph(&end);
    }
    for list in [
        streams(statement),
        lost(statement),
        earlier(statement),
        not_lost(statement),
        way(statement),
        carried(statement),
        not_carried(statement),
        errors(
            statement,
            Cause::Source,
            "Errors of the source that the output has too, by their places in the output:",
        ),
        errors(
            statement,
            Cause::Loss,
            "Errors that were not found in the source, and may follow from what was lost:",
        ),
        problems(statement),
    ] {
        list.render(&mut out);
    }
    out.push('\n');
    out.push_str(&wrap_behind(&tail(statement), "", "  ", WIDTH));
    if let Some(advice) = advice(statement) {
        out.push_str(&wrap_behind(&advice, "Next: ", "  ", WIDTH));
    }
    out
}

fn state(statement: &Statement) -> &'static str {
    if statement.end_missing() {
        return "truncated";
    }
    match (statement.lost, statement.earlier.is_empty()) {
        (true, _) => "sealed and damaged",
        (false, false) => "sealed, and itself recovered from another file",
        (false, true) if statement.end.state != EndState::Whole => {
            "sealed, and whole up to its end"
        }
        (false, true) => "sealed and whole",
    }
}

fn how(statement: &Statement) -> String {
    match statement.method {
        Method::Summary => "by its summary".to_owned(),
        Method::CheckpointChain => format!(
            "by the chain of its {}",
            count(statement.checkpoints.0, "checkpoint", "checkpoints")
        ),
        Method::SpineWalk => "by walking from record to record".to_owned(),
    }
}

fn recovered(statement: &Statement) -> String {
    let messages = statement.messages.0;
    if messages == 0 {
        return "No message was recovered: the output holds what is listed below, and nothing \
                that was recorded on a stream."
            .to_owned();
    }
    format!(
        "Recovered: {} in {}.",
        count(messages, "message", "messages"),
        count(statement.chunks.recovered.0, "chunk", "chunks"),
    )
}

/// When what was recovered ends.
fn last(statement: &Statement) -> Option<String> {
    let walls = statement
        .streams
        .iter()
        .filter_map(|it| it.last_wall_unix_ns);
    let wall = walls.max()?;
    Some(format!("The last message recovered is of {}.", utc(wall.0)))
}

fn streams(statement: &Statement) -> List {
    List {
        heading: "Streams, and what was recovered of them:",
        lines: statement.streams.iter().map(stream).collect(),
    }
}

fn stream(part: &StreamPart) -> String {
    let name = format!("{} {}", part.stream_ref, plain(&part.topic, LONGEST));
    let (Some(first), Some(last)) = (part.first_stamp_ns, part.last_stamp_ns) else {
        return format!("{name}: no message");
    };
    let messages = count(part.messages.0, "message", "messages");
    let wall = match (part.first_wall_unix_ns, part.last_wall_unix_ns) {
        (Some(first), Some(last)) => format!(" ({} to {})", utc(first.0), utc(last.0)),
        _ => String::new(),
    };
    format!("{name}: {messages}, stamps {first} to {last}{wall}")
}

fn lost(statement: &Statement) -> List {
    let mut lines = Vec::new();
    if statement.end_missing() {
        lines.push(
            "the end of the recording: messages that its writer still held, and what would \
             have come after"
                .to_owned(),
        );
    }
    lines.extend(holes(statement, true));
    for chunk in &statement.chunks.withheld {
        let more = match chunk.kind {
            Kind::LimitExceeded => "; allow more with --limit memory=BYTES",
            _ => "",
        };
        lines.push(format!(
            "the chunk at {}, which claims {} of stream {}: {} ({}{more})",
            chunk.offset,
            count(u64::from(chunk.messages_claimed), "message", "messages"),
            chunk.stream_ref,
            plain(&chunk.message, LONGEST),
            chunk.kind,
        ));
    }
    for record in &statement.damaged {
        let name = record.name.unwrap_or("record");
        let place = record
            .offset
            .map_or_else(String::new, |offset| format!(" at {offset}"));
        lines.push(format!(
            "the {name}{place}: {} ({})",
            plain(&record.message, LONGEST),
            record.kind,
        ));
    }
    let before = statement.earlier.iter();
    let unknown_before = before
        .clone()
        .any(|it| it.recorder_counters == Counters::Unknown);
    if statement.recorder_counters == Counters::Unknown && !unknown_before {
        lines.push(
            "what only the recorder knew: messages dropped, never arrived and reordered, \
             gaps, delays, queues. The output has 0 in their place, which means nothing"
                .to_owned(),
        );
    }
    List {
        heading: "Lost:",
        lines,
    }
}

/// What stood in the holes of which something, or nothing, is lost.
fn holes(statement: &Statement, lost: bool) -> impl Iterator<Item = String> {
    let holes = statement.holes.iter().filter(move |hole| hole.lost == lost);
    holes.map(|hole| {
        format!(
            "bytes {} to {} ({}): {}",
            hole.from,
            hole.to,
            bytes(hole.length()),
            plain(&hole.message, LONGEST),
        )
    })
}

fn earlier(statement: &Statement) -> List {
    List {
        heading: "This file is itself a recovery, and says of it:",
        lines: statement.earlier.iter().map(recovery).collect(),
    }
}

fn recovery(earlier: &Earlier) -> String {
    let name = earlier.name.as_deref().unwrap_or("a file without a name");
    let mut lost = Vec::new();
    if earlier.end_missing {
        lost.push("the end of the recording".to_owned());
    }
    for (number, one, many) in [
        (earlier.chunks_withheld.0, "chunk", "chunks"),
        (earlier.bytes_lost.0, "byte", "bytes"),
        (earlier.records_damaged.0, "other record", "other records"),
    ] {
        if number > 0 {
            lost.push(count(number, one, many));
        }
    }
    if earlier.recorder_counters == Counters::Unknown {
        lost.push(
            "what only the recorder knew, so that the zeros in its place mean nothing".to_owned(),
        );
    }
    let lost = if earlier.has_lost() {
        lost.join(", ")
    } else {
        "nothing".to_owned()
    };
    format!("a recovery of {}: lost then: {lost}", plain(name, LONGEST))
}

fn not_lost(statement: &Statement) -> List {
    let mut lines: Vec<String> = holes(statement, false).collect();
    let behind = statement.end.bytes_behind.0;
    match statement.end.state {
        EndState::BytesBehind => lines.push(format!(
            "{} behind the end of the recording, whose Footer and summary verify: no part of it",
            bytes(behind)
        )),
        EndState::MagicDamaged if behind == 0 => {
            lines.push("the trailing magic: the Footer and the summary verify".to_owned());
        }
        EndState::MagicDamaged => lines.push(format!(
            "the trailing magic, in whose place {} {}: the Footer and the summary verify",
            bytes(behind),
            if behind == 1 { "stands" } else { "stand" },
        )),
        EndState::Whole | EndState::Missing => {}
    }
    List {
        heading: "Damaged, and nothing is lost with it:",
        lines,
    }
}

/// Which way the walk took, where that was not straight to the end.
fn way(statement: &Statement) -> List {
    let mut lines = Vec::new();
    let mut walks = statement.walks.iter().peekable();
    while let Some(walk) = walks.next() {
        let Some(kind) = walk.kind else {
            continue;
        };
        let message = walk.message.as_deref().unwrap_or_default();
        let on = walks.peek().map_or_else(String::new, |next| {
            format!("; went on at the checkpoint at {}", next.from)
        });
        lines.push(format!(
            "stopped at {} ({kind}: {}){on}",
            walk.to,
            plain(message, LONGEST)
        ));
    }
    if let Some(link) = statement.broken_link {
        let to = link.to.0;
        let by = match (link.named_by, link.checkpoint) {
            (Namer::Checkpoint, Some(at)) => format!("the checkpoint at {at} says that"),
            (Namer::Footer, _) => "the Footer says that".to_owned(),
            _ => "a search says that".to_owned(),
        };
        let one = match link.named_by {
            Namer::Checkpoint => "the one before it",
            Namer::Footer | Namer::Search => "the last checkpoint",
        };
        let wrong = match link.checkpoint {
            Some(at) if to >= at.0 => "which is not in front of it",
            _ => "where none passes its checks",
        };
        lines.push(format!(
            "the chain of checkpoints is broken: {by} {one} is at {to}, {wrong}"
        ));
    }
    List {
        heading: "How it was read:",
        lines,
    }
}

/// Records, by the name of their sort.
fn sort(opcode: u8, name: Option<&'static str>, records: u64) -> String {
    let name = name.map_or_else(|| format!("opcode {opcode:#04x}"), str::to_owned);
    format!("{name}: {}", count(records, "record", "records"))
}

fn carried(statement: &Statement) -> List {
    let lines = statement.carried.iter();
    List {
        heading: "Carried over besides, as they were:",
        lines: lines
            .map(|it| sort(it.opcode, it.name, it.records.0))
            .collect(),
    }
}

fn not_carried(statement: &Statement) -> List {
    let lines = statement.not_carried.iter().map(|it| {
        let records = sort(it.opcode, it.name, it.records.0);
        format!("{records} ({})", it.why.as_str())
    });
    List {
        heading: "Not carried over, and not lost:",
        lines: lines.collect(),
    }
}

fn errors(statement: &Statement, cause: Cause, heading: &'static str) -> List {
    let errors = statement.errors.iter().filter(|it| it.cause == cause);
    let line = |it: &Remaining| {
        let message = plain(&it.message, LONGEST);
        format!("{} at {}: {message}", it.rule, it.offset)
    };
    List {
        heading,
        lines: errors.map(line).collect(),
    }
}

fn problems(statement: &Statement) -> List {
    let lines = statement.problems.iter().map(|problem| {
        let place = problem
            .offset
            .map_or_else(String::new, |offset| format!(" at {offset}"));
        let message = plain(&problem.message, LONGEST);
        format!("{}{place}: {message}", problem.kind)
    });
    List {
        heading: "Met besides:",
        lines: lines.collect(),
    }
}

fn tail(statement: &Statement) -> String {
    let errors = |cause: Cause| {
        let own = statement.errors.iter().filter(|it| it.cause == cause);
        crate::wide(own.count())
    };
    let verb = |number| if number == 1 { "remains" } else { "remain" };
    let verdict = match (errors(Cause::Source), errors(Cause::Loss)) {
        (0, 0) => "ca3-validate finds no error in it".to_owned(),
        (source, 0) => format!(
            "{} of the source {} in it",
            count(source, "error", "errors"),
            verb(source)
        ),
        (0, loss) => format!(
            "{} {} in it, which may follow from what was lost",
            count(loss, "error", "errors"),
            verb(loss)
        ),
        (source, loss) => format!(
            "{} of the source remain in it, and {loss} that may follow from what was lost",
            count(source, "error", "errors")
        ),
    };
    format!(
        "{}: {}; every chunk equals the source's, and {verdict}.",
        plain(&statement.output.path, LONGEST),
        bytes(statement.output.length.0),
    )
}

/// What to do now.
fn advice(statement: &Statement) -> Option<String> {
    if !statement.lost {
        return None;
    }
    let mut advice =
        "keep the source: what could not be read of it is in no other file.".to_owned();
    if statement.end_missing() {
        advice.push_str(
            " If it is still being written, run this again later with --force: more will be in it.",
        );
    }
    Some(advice)
}
