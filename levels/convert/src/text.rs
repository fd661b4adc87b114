//! A statement for people, 80 columns.

use std::fmt::Write as _;

use ca3_reader::l4::Method;
use ca3_reports::paragraph::wrap_behind;
use ca3_reports::text::plain;
use ca3_spec::kind::Kind;

use crate::statement::{Counters, Statement};

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
fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
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
        let _ = writeln!(out, "\n{}", self.heading);
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
    let head = format!(
        "{}: {}, {}; read by {}",
        plain(&statement.source.name, LONGEST),
        match (statement.end_missing, statement.lost) {
            (true, _) => "truncated",
            (false, true) => "sealed and damaged",
            (false, false) => "sealed and whole",
        },
        count(statement.source.length, "byte", "bytes"),
        how(statement),
    );
    out.push_str(&wrap_behind(&head, "", "  ", WIDTH));
    let recovered = format!(
        "Recovered: {} in {}.",
        count(statement.messages, "message", "messages"),
        count(statement.chunks.recovered, "chunk", "chunks"),
    );
    out.push_str(&wrap_behind(&recovered, "", "  ", WIDTH));
    for list in [
        lost(statement),
        carried(statement),
        not_carried(statement),
        inherited(statement),
        problems(statement),
    ] {
        list.render(&mut out);
    }
    let tail = format!(
        "{}: {}; every chunk equals the source's, and the validator has nothing against \
         what was made anew.",
        plain(&statement.output.name, LONGEST),
        count(statement.output.length, "byte", "bytes"),
    );
    out.push('\n');
    out.push_str(&wrap_behind(&tail, "", "  ", WIDTH));
    out
}

fn how(statement: &Statement) -> String {
    let way = match statement.method {
        Method::Summary => "its summary".to_owned(),
        Method::CheckpointChain => format!(
            "the chain of its {}",
            count(statement.checkpoints, "checkpoint", "checkpoints")
        ),
        Method::SpineWalk => "walking from record to record".to_owned(),
    };
    match (statement.stopped_at, statement.stop_reason) {
        (Some(at), Some(reason)) => format!("{way}, up to {at} ({reason})"),
        _ => way,
    }
}

fn lost(statement: &Statement) -> List {
    let mut lines = Vec::new();
    if statement.end_missing {
        lines.push(
            "the end of the recording: messages that its writer still held, and what would \
             have come after"
                .to_owned(),
        );
    }
    for stretch in &statement.bytes_lost {
        let length = stretch.to.saturating_sub(stretch.from);
        lines.push(format!(
            "bytes {} to {} ({}), which belong to no record that was taken",
            stretch.from,
            stretch.to,
            count(length, "byte", "bytes"),
        ));
    }
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
    if statement.recorder_counters == Counters::Unknown {
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

fn carried(statement: &Statement) -> List {
    let lines = statement.carried.iter().map(|it| {
        let name = it
            .name
            .map_or_else(|| format!("opcode {:#04x}", it.opcode), str::to_owned);
        format!("{name}: {}", count(it.records, "record", "records"))
    });
    List {
        heading: "Carried over besides, as they were:",
        lines: lines.collect(),
    }
}

fn not_carried(statement: &Statement) -> List {
    let lines = statement.not_carried.iter().map(|it| {
        let name = it
            .name
            .map_or_else(|| format!("opcode {:#04x}", it.opcode), str::to_owned);
        let records = count(it.records, "record", "records");
        format!("{name}: {records} ({})", it.why.as_str())
    });
    List {
        heading: "Not carried over, and not lost:",
        lines: lines.collect(),
    }
}

fn inherited(statement: &Statement) -> List {
    let lines = statement.inherited.iter().map(|it| {
        format!(
            "{} at {}: {}",
            it.rule,
            it.offset,
            plain(&it.message, LONGEST)
        )
    });
    List {
        heading: "Errors of the source that the output has too, by their places there:",
        lines: lines.collect(),
    }
}

fn problems(statement: &Statement) -> List {
    let lines = statement.problems.iter().map(|report| {
        let place = report
            .offset
            .as_ref()
            .map_or_else(String::new, |offset| format!(" at {}", offset.0));
        format!(
            "{}{place}: {}",
            report.kind,
            plain(&report.message, LONGEST)
        )
    });
    List {
        heading: "Met besides:",
        lines: lines.collect(),
    }
}
