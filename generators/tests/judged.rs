//! The validator's cases, and the changes of what a layout makes itself.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeSet;

use ca3_generators::plan::{Chunk, Layout, Placed, Plan, crc32c, stream};
use ca3_generators::{PlanError, cases, coverage};
use ca3_spec::MAGIC;
use ca3_spec::opcode::op;
use ca3_spec::protocol::operation_level;
use ca3_spec::rule::{self, Level};
use ca3_spec::vector::{Case, Expect, Polarity, Step, Vector};
use ca3_wire::records::{Checkpoint, ChunkIndex, Footer, Record, StreamDirectory, SummaryOffset};
use serde_json::Value;

fn judged() -> Vec<Case> {
    let of_validator = |case: &Case| case.sidecar.folder().ends_with("-judged");
    cases(None)
        .unwrap()
        .into_iter()
        .filter(of_validator)
        .collect()
}

fn vectors(case: &Case) -> Vec<(Polarity, &Vector)> {
    Polarity::BOTH
        .into_iter()
        .filter_map(|polarity| Some((polarity, case.sidecar.side(polarity).vector()?)))
        .collect()
}

fn result(step: &Step) -> &Value {
    match &step.expect {
        Expect::Answer { result, .. } => result,
        Expect::Surface(_) => panic!("no answer is expected"),
    }
}

/// The opcode bytes of a sealed file's records, by walking its frames.
fn starts(bytes: &[u8]) -> Vec<u64> {
    let mut starts = Vec::new();
    let mut at = MAGIC.len();
    while at < bytes.len() - MAGIC.len() {
        starts.push(u64::try_from(at).unwrap());
        let length = u64::from_le_bytes(bytes[at + 1..at + 9].try_into().unwrap());
        at += 9 + usize::try_from(length).unwrap();
    }
    assert_eq!(bytes[at..], MAGIC);
    starts
}

/// Every text that a finding's member may be.
fn any_of<'f>(finding: &'f Value, member: &str) -> Vec<&'f str> {
    let member = &finding[member];
    let one_of = member["$one_of"].as_array();
    let any = one_of.map_or_else(|| vec![member], |any| any.iter().collect());
    any.into_iter().filter_map(Value::as_str).collect()
}

/// The frames that the options of a file's schemas name: field 50002, of wire type 2.
fn named_frames(bytes: &[u8]) -> BTreeSet<&str> {
    let tag = b"\x92\xB5\x18";
    let starts = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(tag));
    let named = starts.map(|at| {
        let start = at + tag.len() + 1;
        let end = start + usize::from(bytes[start - 1]);
        std::str::from_utf8(&bytes[start..end]).unwrap()
    });
    named.collect()
}

#[test]
fn a_reader_is_never_asked_a_validators_case() {
    let judged = judged();
    assert!(judged.len() > 80, "only {} cases", judged.len());
    for case in &judged {
        assert_eq!(case.sidecar.item, None, "{}", case.sidecar.id);
        for (_, vector) in vectors(case) {
            let mut steps = vector.steps.iter();
            let no_readers = steps.all(|step| operation_level(&step.op).is_none());
            assert!(no_readers, "{}", case.sidecar.id);
        }
    }
    let all = cases(None).unwrap();
    let others = all.iter().filter(|case| !judged.contains(case));
    for case in others {
        let vectors = vectors(case);
        let mut steps = vectors.iter().flat_map(|(_, vector)| &vector.steps);
        assert!(steps.all(|step| operation_level(&step.op).is_some()));
    }
}

#[test]
fn findings_name_the_cases_rule_and_the_start_of_a_record() {
    for case in judged() {
        let id = &case.sidecar.id;
        for (polarity, vector) in vectors(&case) {
            let findings = &result(&vector.steps[0])["findings"];
            if polarity == Polarity::Valid {
                let unwanted = &findings["$not"]["$one_of"];
                let count = unwanted.as_array().unwrap().len();
                assert_eq!(count, 1 + case.sidecar.rules.len(), "{id}");
                continue;
            }
            let starts = starts(case.bytes(polarity).unwrap());
            for finding in findings["$contains"].as_array().unwrap() {
                let named = any_of(finding, "rule");
                let mut own = case.sidecar.rules.iter();
                assert!(own.any(|rule| named.contains(&rule.as_str())), "{id}");
                let mut all = named.iter();
                assert!(all.all(|rule| rule::find(rule).is_some()), "{id}");
                assert!(!finding["severity"].is_null(), "{id}");
                for offset in any_of(finding, "offset") {
                    let at = offset.parse().unwrap();
                    assert!(starts.contains(&at), "{id}: no record at {offset}");
                }
            }
        }
    }
}

/// No record carries a frame's declaration (§5.5): each file's step brings those of the
/// frames that it names, and what is wrong with one stands beside the invalid file alone.
#[test]
fn each_file_is_judged_with_the_frames_that_it_names() {
    let mut given = 0;
    for case in judged() {
        let id = &case.sidecar.id;
        for (polarity, vector) in vectors(&case) {
            let frames = vector.steps[0].arguments.get("frames");
            let frames =
                frames.map_or_else(Vec::new, |it| it["frames"].as_array().unwrap().clone());
            let ids = frames.iter().map(|frame| frame["id"].as_str().unwrap());
            let declared: BTreeSet<&str> = ids.collect();
            assert_eq!(
                declared.len(),
                frames.len(),
                "{id}: a frame is declared twice"
            );
            given += usize::from(!frames.is_empty());
            let is_valid = polarity == Polarity::Valid;
            let about = case.sidecar.rules.iter().any(|rule| rule == "CA3-5.5-01");
            let named = named_frames(case.bytes(polarity).unwrap());
            let resolves = named.is_subset(&declared);
            assert_eq!(resolves, is_valid || !about, "{id}: {named:?}");
            assert!(!is_valid || frames.iter().all(is_sound), "{id}");
        }
    }
    assert!(given > 60, "only {given} files");
}

/// Whether a frame's declaration states what it must.
fn is_sound(frame: &Value) -> bool {
    let stated = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    let axes = frame["axes"].as_array();
    let directed = axes.is_some_and(|axes| {
        let directed = |axis: &Value| stated(&axis["axis"]) && stated(&axis["direction"]);
        !axes.is_empty() && axes.iter().all(directed)
    });
    let handed = ["RIGHT", "LEFT", "PLANAR"].map(Value::from);
    frame["producerDefined"] == true
        || stated(&frame["origin"]) && directed && handed.contains(&frame["handedness"])
}

/// Whatever the edit was, the checksums that it does not concern hold: only
/// the cases about the Footer's own offsets leave its section undefined.
#[test]
fn the_summarys_checksum_is_made_right_again() {
    let cases = judged();
    let about_others = |case: &&Case| case.sidecar.folder() != "13.1-footer-judged";
    for case in cases.iter().filter(about_others) {
        for (polarity, _) in vectors(case) {
            let bytes = case.bytes(polarity).unwrap();
            let at = bytes.len() - MAGIC.len() - 28;
            let footer = Footer::from_content(&bytes[at..at + 28], 0).unwrap();
            let start = usize::try_from(footer.summary_start).unwrap();
            let end = usize::try_from(footer.summary_offset_start).unwrap();
            let id = &case.sidecar.id;
            assert_eq!(footer.summary_crc, crc32c(&bytes[start..end]), "{id}");
        }
    }
}

#[test]
fn the_validators_rules_are_asked_for_by_their_role() {
    let cases = cases(None).unwrap();
    let rows = coverage::rows(&cases, Some(Level::Validator));
    assert!(rows.iter().all(|row| row.rule.level == Level::Validator));
    let covered = rows.iter().filter(|row| row.missing.is_empty());
    assert!(covered.count() >= 140);
    let all = coverage::rows(&cases, None);
    assert!(all.len() > rows.len());
}

/// Two streams with a chunk each.
fn plan() -> Plan {
    Plan::new()
        .stream(stream(1))
        .stream(stream(2))
        .chunk(Chunk::two(1))
        .chunk(Chunk::two(2))
}

fn placed<'a>(layout: &'a Layout, label: &str) -> &'a Placed {
    let mut placed = layout.placed.iter();
    placed.find(|placed| placed.label == label).unwrap()
}

fn content<R: Record>(layout: &Layout, label: &str) -> R {
    let placed = placed(layout, label);
    let start = usize::try_from(placed.content_offset).unwrap();
    let length = usize::try_from(placed.content_length).unwrap();
    let content = &layout.bytes[start..start + length];
    R::from_content(content, placed.content_offset).unwrap()
}

#[test]
fn what_is_left_out_moves_what_follows_and_shows_where_it_stood() {
    let whole = plan().layout().unwrap();
    let less = plan().leave_out("summary Stream 2").layout().unwrap();
    let stood = placed(&whole, "summary Stream 2").offset;
    assert_eq!(less.edited, Some((stood, 0)));
    assert_eq!(placed(&less, "ChunkIndex").offset, stood);
    let group: SummaryOffset = content(&less, "SummaryOffset 04");
    assert_eq!(group.start, placed(&less, "summary Stream 1").offset);
    assert_eq!(group.start + group.length, stood);

    let none = plan().leave_out("ChunkIndex").layout().unwrap();
    let mut labels = none.placed.iter().map(|placed| placed.label.as_str());
    assert!(!labels.any(|label| label == "SummaryOffset 08"));
}

#[test]
fn a_group_may_hold_several_records_and_stand_out_of_order() {
    let layout = plan().repeat("Statistics").layout().unwrap();
    let copy = placed(&layout, "Statistics again");
    let group: SummaryOffset = content(&layout, "SummaryOffset 44");
    let length = 9 + copy.content_length;
    assert_eq!(group.length, 2 * length);
    assert_eq!(layout.edited, Some((copy.offset, length)));

    let layout = plan()
        .reorder("ChunkIndex", "StreamDirectory")
        .layout()
        .unwrap();
    let summary = layout.placed.iter().filter(|placed| {
        [op::CHUNK_INDEX, op::STREAM_DIRECTORY, op::STATISTICS].contains(&placed.opcode)
    });
    let opcodes: Vec<u8> = summary.map(|placed| placed.opcode).collect();
    assert_eq!(opcodes, [0x09, 0x08, 0x44]);
}

#[test]
fn the_directorys_places_follow_the_index_and_its_counts_the_chunks() {
    let edited = plan().edit_index("", "the first entry is left out", |entries| {
        entries.remove(0);
    });
    let layout = edited.layout().unwrap();
    let index: ChunkIndex = content(&layout, "ChunkIndex");
    assert_eq!(index.entries.len(), 1);
    let directory: StreamDirectory = content(&layout, "StreamDirectory");
    let [one, two] = directory.entries.as_slice() else {
        panic!("two streams")
    };
    let counts = |entry: &ca3_wire::records::DirectoryEntry| {
        (entry.first_index, entry.index_count, entry.chunk_count)
    };
    assert_eq!(counts(one), (0, 0, 1));
    assert_eq!(counts(two), (0, 1, 1));
    assert_eq!(one.message_count, 2);
}

#[test]
fn a_field_of_what_the_layout_makes_is_edited_like_any_other() {
    let plan = plan().replace_field("summary Stream 1", "node", &[2, 0, 0, 0, b'n', b'1']);
    let layout = plan.layout().unwrap();
    let copy: ca3_wire::records::Stream = content(&layout, "summary Stream 1");
    let declared: ca3_wire::records::Stream = content(&layout, "Stream 1");
    assert_eq!(
        (copy.node.as_str(), declared.node.as_str()),
        ("n1", "source")
    );
    let field = placed(&layout, "summary Stream 1").spans.iter();
    let node = field.clone().find(|span| span.field == "node").unwrap();
    assert_eq!(layout.edited, Some((node.offset, 6)));
}

#[test]
fn a_changed_checkpoint_keeps_its_checksum() {
    let plan = plan().checkpoint(true, Vec::new());
    let plan = plan.edit_checkpoint("Checkpoint 1", "reserved", "reserved is 7", |checkpoint| {
        checkpoint.reserved = 7;
        checkpoint.checkpoint_seq = 5;
    });
    let layout = plan.layout().unwrap();
    // Decoding compares the checksum.
    let checkpoint: Checkpoint = content(&layout, "Checkpoint 1");
    assert_eq!(checkpoint.reserved, 7);
    assert_eq!(checkpoint.trailer_checkpoint_seq, 5);
    assert_eq!(layout.edited.map(|(_, length)| length), Some(4));
}

#[test]
fn a_moved_section_is_covered_by_the_footers_checksum() {
    let moved = plan().edit_footer("summary_start", "it starts nine later", |footer| {
        footer.summary_start += 9;
    });
    let layout = moved.layout().unwrap();
    let footer: Footer = content(&layout, "Footer");
    let start = usize::try_from(footer.summary_start).unwrap();
    let end = usize::try_from(footer.summary_offset_start).unwrap();
    assert_eq!(footer.summary_crc, crc32c(&layout.bytes[start..end]));

    let wrong = plan().edit_footer("summary_crc", "another checksum", |footer| {
        footer.summary_crc ^= 1;
    });
    let right: Footer = content(&plan().layout().unwrap(), "Footer");
    let spoilt: Footer = content(&wrong.layout().unwrap(), "Footer");
    assert_eq!(spoilt.summary_crc, right.summary_crc ^ 1);
}

#[test]
fn a_change_of_what_is_not_there_is_a_bug_of_the_case() {
    let unsealed = plan().unsealed().edit_statistics("", "none", |_| ());
    let no_session = plan().leave_out("summary Session");
    let no_checkpoint = plan().edit_checkpoint("Checkpoint 1", "", "none", |_| ());
    let no_label = plan().replace_field("summary Stream 9", "topic", b"");
    let nowhere = plan().reorder("ChunkIndex", "ClockBlock");
    for plan in [unsealed, no_session, no_checkpoint, no_label, nowhere] {
        assert!(matches!(plan.layout(), Err(PlanError::Edit(_))));
    }
}
