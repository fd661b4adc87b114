//! What a source says of its own recovery, when it was made by one.

use ca3_reader::l1::{Limits, Source};
use ca3_reader::l4::Recovered;
use ca3_spec::opcode::op;
use ca3_wire::Map;
use ca3_wire::records::{Metadata, Record};

use crate::statement::{Counters, Earlier};
use crate::{Failure, carry, piece};

/// The Metadata record that says what a file was made from (reading G43).
pub(crate) const DERIVED_FROM: &str = "ca3.derived_from";
/// The one that says what became of that file.
pub(crate) const RECOVERED: &str = "ca3.recovered";

/// Every earlier recovery, oldest first.
pub(crate) fn read(
    source: &mut dyn Source,
    recovered: &Recovered,
    limits: &Limits,
) -> Result<Vec<Earlier>, Failure> {
    let mut found = Vec::new();
    // The record in front says what it was that was recovered.
    let mut origin: Option<Map> = None;
    for record in &recovered.records {
        let (start, length) = carry::content_of(record);
        if record.opcode != op::METADATA || length > limits.memory {
            continue;
        }
        let content = piece::bytes(source, start, length)?;
        match Metadata::from_content(&content, start) {
            Ok(metadata) if metadata.name == DERIVED_FROM => origin = Some(metadata.entries),
            Ok(metadata) if metadata.name == RECOVERED => {
                found.push(earlier(origin.take(), &metadata.entries));
            }
            _ => {}
        }
    }
    Ok(found)
}

fn earlier(origin: Option<Map>, what: &Map) -> Earlier {
    let number = |name: &str| what.get(name).and_then(|it| it.parse().ok()).unwrap_or(0);
    let counters = match what.get("recorder_counters") {
        Some("kept") => Counters::Kept,
        _ => Counters::Unknown,
    };
    let sealed = what.get("source_sealed") == Some("true");
    let end_missing = match what.get("end_missing") {
        Some(word) => word == "true",
        None => !sealed,
    };
    let origin = origin.as_ref();
    let text = |name: &str| origin.and_then(|it| it.get(name)).map(str::to_owned);
    Earlier {
        name: text("name"),
        crc32c: text("crc32c"),
        end_missing,
        chunks_withheld: number("chunks_withheld").into(),
        bytes_lost: number("bytes_lost").into(),
        records_damaged: number("records_damaged").into(),
        recorder_counters: counters,
    }
}
