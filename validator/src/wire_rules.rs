//! Which rule a fault of decoding breaks: one table, the first row that fits.

use ca3_reports::{Finding, Severity};
use ca3_spec::kind::Kind;
use ca3_spec::opcode::op;
use ca3_wire::{Fault, WireError};

/// Rows for any record carry this opcode, which no record has.
const ANY: u8 = 0;

struct Row {
    opcode: u8,
    kind: Kind,
    /// Part of the field's path; empty for any field.
    field: &'static str,
    rule: &'static str,
}

const fn row(opcode: u8, kind: Kind, field: &'static str, rule: &'static str) -> Row {
    Row {
        opcode,
        kind,
        field,
        rule,
    }
}

const ROWS: &[Row] = &[
    row(ANY, Kind::BadUtf8, "", "CA3-1.2-07"),
    row(op::METADATA, Kind::MapOrder, "", "CA3-13.3-03"),
    row(ANY, Kind::MapOrder, "", "CA3-1.3-01"),
    row(ANY, Kind::VarintTooLong, "", "CA3-1.4-02"),
    row(ANY, Kind::VarintNotCanonical, "", "CA3-1.4-04"),
    row(op::CHUNK, Kind::BadCrc, "", "CA3-6.1-05"),
    row(op::CHUNK, Kind::UnknownCodec, "", "CA3-6.1-08"),
    row(op::CHUNK, Kind::ReservedMaskBit, "", "CA3-6.3-06"),
    row(op::CHUNK, Kind::DecompressFailed, "", "CA3-6.1-22"),
    row(op::CHUNK, Kind::BadLength, "records_length", "CA3-6.1-03"),
    row(op::CHUNK, Kind::BadLength, ".len", "CA3-6.2-06"),
    row(op::CHUNK, Kind::BadLength, "message[", "CA3-6.2-06"),
    row(op::CHUNK, Kind::BadLength, "", "CA3-6.1-01"),
    row(op::CHUNK, Kind::LimitExceeded, "stamp_delta", "CA3-6.2-07"),
    row(op::CHUNK, Kind::LimitExceeded, "record_ts", "CA3-6.2-07"),
    row(op::CHUNK, Kind::LimitExceeded, "", "CA3-6.3-12"),
    row(op::COLUMNAR_CHUNK, Kind::BadCrc, "", "CA3-6.5-15"),
    row(op::COLUMNAR_CHUNK, Kind::UnknownCodec, "", "CA3-6.5-17"),
    row(op::COLUMNAR_CHUNK, Kind::ReservedMaskBit, "", "CA3-6.5-09"),
    row(op::COLUMNAR_CHUNK, Kind::DecompressFailed, "", "CA3-6.5-16"),
    row(
        op::COLUMNAR_CHUNK,
        Kind::BadLength,
        "blocks_length",
        "CA3-6.5-13",
    ),
    row(
        op::COLUMNAR_CHUNK,
        Kind::BadLength,
        "columns_length",
        "CA3-6.5-12",
    ),
    row(op::COLUMNAR_CHUNK, Kind::BadLength, "", "CA3-6.5-02"),
    row(
        op::COLUMNAR_CHUNK,
        Kind::LimitExceeded,
        "stamp[",
        "CA3-6.2-07",
    ),
    row(op::COLUMNAR_CHUNK, Kind::LimitExceeded, "", "CA3-6.3-12"),
    row(op::CHECKPOINT, Kind::BadCrc, "", "CA3-8.2-06"),
    row(op::CHECKPOINT, Kind::Other, "sentinel", "CA3-8.2-01"),
    row(op::CHECKPOINT, Kind::BadEntrySize, "", "CA3-8.1-04"),
    row(op::CHECKPOINT, Kind::BadLength, "", "CA3-8.1-01"),
    row(op::CHUNK_INDEX, Kind::BadEntrySize, "", "CA3-7.1-03"),
    row(op::CHUNK_INDEX, Kind::BadLength, "", "CA3-7.1-01"),
    row(op::STREAM_DIRECTORY, Kind::BadEntrySize, "", "CA3-7.3-03"),
    row(op::STREAM_DIRECTORY, Kind::BadLength, "", "CA3-7.3-01"),
    row(op::MESSAGE_OFFSETS, Kind::BadEntrySize, "", "CA3-7.5-03"),
    row(op::MESSAGE_OFFSETS, Kind::BadOrder, "", "CA3-7.5-04"),
    row(op::MESSAGE_OFFSETS, Kind::BadLength, "", "CA3-7.5-02"),
    row(op::ANNOTATIONS, Kind::BadEntrySize, "", "CA3-12-03"),
    row(op::ANNOTATIONS, Kind::BadLength, "", "CA3-12-02"),
    row(op::STATISTICS, Kind::BadEntrySize, "", "CA3-13.2-04"),
    row(op::FOOTER, Kind::BadLength, "", "CA3-13.1-03"),
    row(op::SUMMARY_OFFSET, Kind::BadLength, "", "CA3-13.4-01"),
    row(op::STREAM, Kind::BadLength, "block_", "CA3-5.9-15"),
];

/// The rule that a fault within a record of this opcode breaks.
pub(crate) fn rule(opcode: u8, error: &WireError) -> &'static str {
    match (&error.fault, opcode) {
        (Fault::MapOrder { previous, key }, opcode)
            if previous == key && opcode != op::METADATA =>
        {
            return "CA3-1.3-02";
        }
        (Fault::MaskBits { reserved, .. }, op::COLUMNAR_CHUNK) if reserved & 0x00F0 == 0 => {
            return "CA3-6.5-11";
        }
        (Fault::VarintUnended, _) => return "CA3-1.4-08",
        // Behind the last message, or in front of one that is not there.
        (Fault::Leftover { .. }, op::CHUNK) => {
            return if error.field.ends_with("records") && !error.field.contains("message[") {
                "CA3-6.1-04"
            } else {
                "CA3-6.1-22"
            };
        }
        (Fault::Short { needed: 1, left: 0 }, op::CHUNK) if error.field.ends_with(".len") => {
            return "CA3-6.1-04";
        }
        (Fault::Disagrees { .. }, op::CHUNK) if error.field.ends_with(".records") => {
            return "CA3-6.1-07";
        }
        _ => {}
    }
    let kind = error.kind();
    ROWS.iter()
        .find(|row| {
            (row.opcode == opcode || row.opcode == ANY)
                && row.kind == kind
                && error.field.contains(row.field)
        })
        .map_or("CA3-1.2-11", |row| row.rule)
}

/// What is wrong, as a sentence whose subject is the field.
fn words(error: &WireError) -> String {
    let bytes = |number: u64| match number {
        1 => "1 byte".to_owned(),
        _ => format!("{number} bytes"),
    };
    match &error.fault {
        Fault::Short { needed, left } => {
            let left = match left {
                0 => "none is left".to_owned(),
                1 => "1 is left".to_owned(),
                _ => format!("{left} are left"),
            };
            format!("needs {} where {left}", bytes(*needed))
        }
        Fault::Leftover { left } if error.field.ends_with("records") => {
            let verb = if *left == 1 { "follows" } else { "follow" };
            format!("{} {verb} the last message of message_count", bytes(*left))
        }
        Fault::Leftover { left } => format!("{} too many", bytes(*left)),
        Fault::MapOrder { previous, key } if previous == key => {
            format!("key {key:?} appears twice")
        }
        fault => fault.to_string(),
    }
}

/// The finding of a fault within a record of this opcode.
pub(crate) fn finding(opcode: u8, error: &WireError) -> Finding {
    let rule = rule(opcode, error);
    // The field, which every rendering puts in front, is the sentence's subject.
    let message = words(error);
    let finding = Finding::new(rule, Severity::Error, error.offset, &error.field, message);
    match &error.fault {
        Fault::Crc { stated, computed } => finding.showing(
            format_args!("{computed:#010x}"),
            format_args!("{stated:#010x}"),
        ),
        Fault::Disagrees { stated, actual } => finding.showing(actual, stated),
        Fault::EntrySize { found, least } => {
            finding.showing(format_args!("at least {least}"), found)
        }
        Fault::Codec { value } => finding.showing("0 or 1", value),
        Fault::MaskBits { mask, reserved } => finding.showing(
            format_args!("{:#06x}", mask & !reserved),
            format_args!("{mask:#06x}"),
        ),
        Fault::NotAscending { previous, value } => {
            finding.showing(format_args!("above {previous}"), value)
        }
        Fault::Leftover { left } => {
            finding.showing("no bytes left", format_args!("{left} bytes left"))
        }
        Fault::Short { needed, left } => {
            finding.showing(format_args!("{needed} bytes"), format_args!("{left} bytes"))
        }
        _ => finding,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_names_a_rule_of_the_catalogue() {
        for row in ROWS {
            assert!(ca3_spec::rule::find(row.rule).is_some(), "{}", row.rule);
        }
    }
}
