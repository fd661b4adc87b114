//! Item 3: the opcode partition, byte by byte (§3.1, §3.4, §15).

use ca3_spec::kind::Kind::{InvalidOpcode, ReservedOpcode, UnknownOpcode};
use ca3_spec::opcode::{Class, Disposition, class_of, disposition};
use ca3_wire::Map;
use ca3_wire::records::{Annotations, ClockBlock, Metadata, Record, Stream};
use serde_json::json;

use super::skippable::{all_defined, attachment};
use super::{Page, between_chunks, later_chunk, plan, small};
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::{Chunk, schema, stream};

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = Vec::new();
    let v = page.values("opcode-zero");
    let padded = between_chunks(&v, 0x4A, b"padding");
    cases.push(
        Draft::new(
            "opcode-zero",
            &["CA3-3.1-01"],
            "opcode 00 is never a record",
        )
        .valid(padded.clone())
        .invalid(
            padded.opcode("record 1", 0x00),
            surface(&[InvalidOpcode]).refused(),
        ),
    );
    cases.extend((1..=0xFFu8).filter_map(|opcode| must_understand(page, opcode)));

    let v = page.values("skipped-by-length");
    let inside: Vec<u8> = [
        &[0x00, 3, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3][..],
        &ca3_spec::MAGIC,
        b"CA3POINT",
    ]
    .concat();
    cases.push(
        Draft::new(
            "skipped-by-length",
            &["CA3-3.1-03"],
            "an unknown skippable record is stepped over whatever it holds",
        )
        .valid(between_chunks(&v, 0x7F, &inside))
        .wrong_answer(
            "its content is parsed: refused for the 00 inside, or the magic taken for the end",
        ),
    );
    let v = page.values("skipped-is-reported");
    cases.push(
        Draft::new(
            "skipped-is-reported",
            &["CA3-3.1-04"],
            "a skipped record is reported with opcode and offset",
        )
        .valid(between_chunks(
            &v,
            0x5A,
            &v.bytes("content", b"unknown content"),
        ))
        .wrong_answer("skipped lacks the record, or gives another offset"),
    );
    let v = page.values("private-halves");
    let private = small(&v)
        .record(0xC0, b"first")
        .record(0xFF, b"last")
        .chunk(later_chunk());
    cases.push(
        Draft::new(
            "private-halves",
            &["CA3-3.1-06", "CA3-3.1-05"],
            "C0 and FF are stepped over and reported; BF is not",
        )
        .valid(private.clone())
        .invalid(
            private.opcode("record 1", 0xBF),
            surface(&[UnknownOpcode]).refused(),
        ),
    );
    let v = page.values("every-skippable-opcode");
    let every = (1..=0xFFu8)
        .filter(|opcode| {
            matches!(
                disposition(*opcode),
                Disposition::SkipUnknown | Disposition::SkipReserved(_)
            )
        })
        .fold(small(&v), |plan, opcode| plan.record(opcode, &[opcode]));
    cases.push(
        Draft::new(
            "every-skippable-opcode",
            &["CA3-3.1-03", "CA3-3.1-04", "CA3-3.1-06"],
            "all 121 skippable opcodes that version 1 does not define, one record each",
        )
        .valid(every.clone())
        .invalid(
            every.opcode("record 60", 0x3F),
            surface(&[UnknownOpcode]).refused(),
        ),
    );
    let v = page.values("in-the-summary");
    let grouped = small(&v).group(0x7E, b"a group of another version");
    cases.push(
        Draft::new(
            "in-the-summary",
            &["CA3-3.1-07"],
            "the partition holds in the summary section as well",
        )
        .valid(grouped.clone())
        .invalid(
            grouped.opcode("group 7E", 0xBF),
            surface(&[UnknownOpcode]).refused(),
        ),
    );

    let v = page.values("reserved-by-name");
    let reserved = between_chunks(&v, 0x41, b"index");
    cases.push(
        Draft::new(
            "reserved-by-name",
            &["CA3-3.4-01"],
            "a reserved record is named, then skipped or refused by its class",
        )
        .valid(reserved.clone())
        .invalid(
            reserved.opcode("record 1", 0x0C),
            surface(&[ReservedOpcode])
                .refused()
                .naming("name", json!("Tombstone")),
        ),
    );
    for (opcode, name, rule) in [
        (0x41, "MetadataIndex", "CA3-15-04"),
        (0x43, "AttachmentIndex", "CA3-15-05"),
        (0x46, "Integrity", "CA3-15-06"),
    ] {
        let case = format!("reserved-{opcode:02x}");
        let v = page.values(&case);
        cases.push(
            Draft::new(
                &case,
                &[rule],
                &format!("{opcode:02X} is named {name} and passed over"),
            )
            .valid(between_chunks(&v, opcode, b"reserved"))
            .wrong_answer("its name is null, it is not listed, or it stops the walk"),
        );
    }

    let v = page.values("defined-and-not-decoded");
    let metadata = Metadata {
        name: "m".to_owned(),
        entries: Map::sorted([("k", "v")]),
    };
    cases.push(
        Draft::new(
            "defined-and-not-decoded",
            &["CA3-3.4-02"],
            "Metadata, Attachment and Annotations are neither unknown nor reserved",
        )
        .valid(
            small(&v)
                .record(0x40, &metadata.content().unwrap_or_default())
                .record(0x42, &attachment().content().unwrap_or_default())
                .record(0x45, &Annotations::default().content().unwrap_or_default())
                .chunk(Chunk::plain(1, &[(3_000, b"three")])),
        )
        .may_report_any()
        .wrong_answer("one of them is listed in skipped with a null or a reserved name"),
    );
    let v = page.values("defined-under-their-names");
    cases.push(
        Draft::new(
            "defined-under-their-names",
            &["CA3-3.4-03"],
            "a defined record that is not decoded may stand in skipped under its own name",
        )
        .valid(all_defined(plan(&v)))
        .may_report_any()
        .wrong_answer("it stands there under another name, or null"),
    );
    cases.extend(elsewhere(page));
    cases
}

/// The case of one must-understand opcode that version 1 does not define: the
/// same record with a skippable opcode is the valid twin.
fn must_understand(page: &Page, opcode: u8) -> Option<Draft> {
    let (kind, name) = match disposition(opcode) {
        Disposition::StopUnknown => (UnknownOpcode, None),
        Disposition::StopReserved(entry) => (ReservedOpcode, Some(entry.name)),
        _ => return None,
    };
    let case = format!("opcode-{opcode:02x}");
    let v = page.values(&case);
    let valid = plan(&v).record(0x4B, b"content");
    let invalid = valid.clone().opcode("record 1", opcode);
    let mut expected = surface(&[kind]).refused();
    // An unknown opcode of the format's own is named by number (§3.1), a
    // reserved one by name (§3.4).
    if let Some(name) = name {
        expected = expected.naming("name", json!(name));
    } else if class_of(opcode) == Class::MustUnderstand {
        expected = expected.naming("opcode", json!(opcode));
    }
    let rule = match (opcode, class_of(opcode)) {
        (0x0B, _) => "CA3-15-01",
        (0x0C, _) => "CA3-15-02",
        (0x0D, _) => "CA3-15-03",
        (_, Class::MustUnderstand) => "CA3-3.1-02",
        _ => "CA3-3.1-05",
    };
    let title = match name {
        Some(name) => format!("{opcode:02X} is named {name} and stops the reader"),
        None => format!("unknown must-understand opcode {opcode:02X} stops the reader"),
    };
    Some(
        Draft::new(&case, &[rule], &title)
            .valid(valid)
            .invalid(invalid, expected),
    )
}

/// The partition in the places that a walk of the data section alone misses,
/// and must-understand records that version 1 does define.
fn elsewhere(page: &Page) -> Vec<Draft> {
    let v = page.values("before-the-footer");
    let tailed = small(&v).before_the_footer(0x5B, b"of another version");
    let tail = Draft::new(
        "before-the-footer",
        &["CA3-3.1-07"],
        "the partition holds between the SummaryOffsets and the Footer",
    )
    .valid(tailed.clone())
    .invalid(
        tailed.opcode("tail", 0x2B),
        surface(&[UnknownOpcode]).refused(),
    );

    let v = page.values("reserved-in-the-summary");
    let grouped = small(&v).group(0x43, b"index");
    let reserved = Draft::new(
        "reserved-in-the-summary",
        &["CA3-3.4-01"],
        "a reserved record in the summary is named as well",
    )
    .valid(grouped.clone())
    .invalid(
        grouped.opcode("group 43", 0x0B),
        surface(&[ReservedOpcode])
            .refused()
            .naming("name", json!("ErasedChunk")),
    );

    let v = page.values("of-length-zero");
    let empty = between_chunks(&v, 0x6E, b"");
    let zero = Draft::new(
        "of-length-zero",
        &["CA3-3.1-02"],
        "an unknown record without content: skipped and reported, or refused, by its opcode",
    )
    .valid(empty.clone())
    .invalid(
        empty.opcode("record 1", 0x2E),
        surface(&[UnknownOpcode])
            .refused()
            .naming("opcode", json!(0x2E)),
    );

    let v = page.values("checkpoints-and-clocks");
    let clock = ClockBlock {
        reference_host_id: crate::plan::HOST.to_owned(),
        reference_host_clock_epoch: crate::plan::EPOCH.to_owned(),
        ..ClockBlock::default()
    };
    let recorded = plan(&v)
        .schema(schema(1))
        .stream(Stream {
            schema_ref: 1,
            ..stream(1)
        })
        .chunk(Chunk::two(1))
        .checkpoint(true, Vec::new())
        .chunk(later_chunk())
        .checkpoint(false, Vec::new())
        .clock_block(&clock);
    let known = Draft::new(
        "checkpoints-and-clocks",
        &["CA3-3.1-02"],
        "Checkpoint and ClockBlock are must-understand and defined: a sealed file with both",
    )
    .valid(recorded)
    .wrong_answer("one of them is called unknown, or a restated definition a duplicate");
    vec![tail, reserved, zero, known]
}
