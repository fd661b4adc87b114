//! One defect is one finding, at its place.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::as_conversions,
    reason = "functions beside the tests, which may fail"
)]

mod support;

use ca3_reports::{FileReport, Severity};
use ca3_vectors::Corpus;

fn bytes(id: &str, valid: bool) -> Vec<u8> {
    let cases = Corpus::embedded().cases().unwrap();
    let case = cases.into_iter().find(|case| case.sidecar.id == id);
    let case = case.unwrap_or_else(|| panic!("no case {id}"));
    if valid { case.valid } else { case.invalid }.unwrap()
}

fn shown(report: &FileReport) -> Vec<String> {
    let line = |it: &ca3_reports::Finding| format!("{} {}: {}", it.rule, it.field, it.message);
    let counted = report.findings.iter();
    counted
        // Payloads of these cases are words, and no messages of their schema.
        .filter(|it| it.severity > ca3_reports::Severity::Info && it.rule != "CA3-5.1-15")
        .map(line)
        .collect()
}

/// Cases whose one edit has consequences all over the file.
const ALONE: &[&str] = &[
    "2.2-groups-judged/descending",
    "2.2-groups-judged/second-run",
    "2.2-summary-judged/second-index",
    "2.2-summary-judged/second-clock-block",
    "6.1-chunk-judged/maximum-too-late",
    "6.1-chunk-judged/minimum-too-early",
    "7.1-blame-judged/chunk-of-another-stream",
    "7.1-blame-judged/entry-of-another-stream",
    "7.1-blame-judged/offset-of-a-chunk",
    "7.1-index-judged/span",
    "8.1-checkpoint-judged/reserved",
];

#[test]
fn one_defect_is_one_finding() {
    let mut wrong = Vec::new();
    for id in ALONE {
        let report = support::judge(&bytes(&format!("ca3/{id}"), false));
        let found: Vec<_> = shown(&report);
        if found.len() != 1 {
            wrong.push(format!("{id}: {found:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const SOUND: &str = "ca3/7.1-index-judged/span";

/// A file's frames: opcode and offset.
fn frames(bytes: &[u8]) -> Vec<(u8, usize)> {
    let mut frames = Vec::new();
    let mut offset = 8;
    while offset + 17 <= bytes.len() {
        let length = u64::from_le_bytes(bytes[offset + 1..offset + 9].try_into().unwrap());
        frames.push((bytes[offset], offset));
        offset += 9 + length as usize;
    }
    frames
}

/// Where the first record of an opcode begins.
fn first(bytes: &[u8], opcode: u8) -> usize {
    let found = frames(bytes).into_iter().find(|frame| frame.0 == opcode);
    found.unwrap().1
}

fn patched(bytes: &[u8], at: usize, with: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at..at + with.len()].copy_from_slice(with);
    bytes
}

/// The one finding: its rule, and where its field lies.
fn alone(bytes: &[u8]) -> (&'static str, usize, String, String) {
    let report = support::judge(bytes);
    assert_eq!(report.findings.len(), 1, "{:#?}", shown(&report));
    let finding = &report.findings[0];
    let evidence = finding.evidence.clone().unwrap();
    (
        finding.rule,
        finding.field_offset as usize,
        evidence.expected,
        evidence.found,
    )
}

#[test]
fn a_length_a_little_off_is_told_from_what_follows() {
    let sound = bytes(SOUND, true);
    let stream = first(&sound, 0x04);
    let length = u64::from_le_bytes(sound[stream + 1..stream + 9].try_into().unwrap());
    for wrong in [length + 1, length - 1, length + 7] {
        let broken = patched(&sound, stream + 1, &wrong.to_le_bytes());
        let (rule, place, expected, found) = alone(&broken);
        assert_eq!((rule, place), ("CA3-3-02", stream + 1));
        assert_eq!((expected, found), (length.to_string(), wrong.to_string()));
    }
    // A chunk whose own length is right is not blamed for the record behind it.
    let chunk = first(&sound, 0x05);
    let behind = frames(&sound)
        .into_iter()
        .find(|frame| frame.1 > chunk)
        .unwrap();
    let broken = patched(&sound, behind.1 + 1, &u64::MAX.to_le_bytes());
    let (rule, place, ..) = alone(&broken);
    assert_eq!((rule, place), ("CA3-16-06", behind.1));
}

#[test]
fn a_stray_record_does_not_make_strays_of_others() {
    let aligned = bytes("ca3/5.9-alignment-judged/one-byte-off", true);
    let padding = first(&aligned, 0x4A);
    // A SummaryOffset, a Footer and an Annotations of the filler's length.
    for opcode in [0x48, 0x02, 0x45] {
        let report = support::judge(&patched(&aligned, padding, &[opcode]));
        let places: Vec<_> = report.findings.iter().map(|it| it.offset).collect();
        assert!(!places.is_empty());
        let elsewhere = places.iter().any(|place| *place != padding as u64);
        assert!(!elsewhere, "{:#?}", shown(&report));
    }
}

#[test]
fn the_footers_fields_are_told_what_they_should_be() {
    let sound = bytes(SOUND, true);
    let footer = sound.len() - 45;
    let start = u64::from_le_bytes(sound[footer + 9..footer + 17].try_into().unwrap());
    for wrong in [0, start + 1, start - 9] {
        let (rule, place, expected, _) = alone(&patched(&sound, footer + 9, &wrong.to_le_bytes()));
        let named = if wrong == 0 {
            "CA3-13.1-04"
        } else {
            "CA3-13.1-09"
        };
        assert_eq!((rule, place), (named, footer + 9));
        assert_eq!(expected, start.to_string());
    }
    let chunk = first(&sound, 0x05) as u64;
    let (rule, place, ..) = alone(&patched(&sound, footer + 25, &chunk.to_le_bytes()));
    assert_eq!((rule, place), ("CA3-13.1-05", footer + 25));
}

#[test]
fn lengths_of_chunks_are_named_one_by_one() {
    let columnar = bytes("ca3/6.5-columnar-chunk-judged/columnar-undeclared", true);
    let content = first(&columnar, 0x0E) + 9;
    // Two messages: 8 + 8 bytes of columns each, and blocks of 4.
    for (place, rule, right, wrong) in [(61, "CA3-6.5-12", 32u64, 31u64), (69, "CA3-6.5-13", 8, 9)]
    {
        let broken = patched(&columnar, content + place, &wrong.to_le_bytes());
        let told = (rule, content + place, right.to_string(), wrong.to_string());
        assert_eq!(alone(&broken), told);
    }
    let compressed = bytes("ca3/3.3-features-judged/zstd-undeclared", true);
    let content = first(&compressed, 0x05) + 9;
    let at = content + 57;
    let right = u64::from_le_bytes(compressed[at..at + 8].try_into().unwrap());
    for (wrong, expected) in [
        (1_000u64, right.to_string()),
        (right - 1, right.to_string()),
    ] {
        let told = ("CA3-6.1-07", at, expected, wrong.to_string());
        assert_eq!(alone(&patched(&compressed, at, &wrong.to_le_bytes())), told);
    }
}

#[test]
fn what_follows_a_sealed_file_is_named() {
    let sound = bytes(SOUND, true);
    let twice = [sound.clone(), sound.clone()].concat();
    let report = support::judge(&twice);
    assert_eq!(report.findings.len(), 1, "{:?}", shown(&report));
    assert_eq!(report.findings[0].rule, "CA3-2.4-08");
    assert_eq!(report.findings[0].offset, sound.len() as u64 - 8);

    let more = [sound.as_slice(), b"\0"].concat();
    let report = support::judge(&more);
    assert_eq!(report.findings.len(), 1, "{:?}", shown(&report));
    assert_eq!(report.findings[0].severity, Severity::Warning);
    assert!(report.findings[0].message.contains("1 byte follows"));
}

#[test]
fn a_record_that_does_not_decode_is_alone_to_blame() {
    let sound = bytes(SOUND, true);
    // The summary's Stream: its topic is no UTF-8.
    let (_, stream) = *frames(&sound)
        .iter()
        .rfind(|(opcode, _)| *opcode == 0x04)
        .unwrap();
    let mut broken = sound.clone();
    broken[stream + 9 + 12] = 0xFF;
    let report = support::judge(&broken);
    let rules: Vec<_> = report.findings.iter().map(|it| it.rule).collect();
    assert_eq!(rules, ["CA3-1.2-07", "CA3-13.1-06"], "{:?}", shown(&report));
}

/// Metadata and Attachment have no table in the document (reading G08).
#[test]
fn another_layout_is_left_unchecked() {
    let sound = bytes(SOUND, true);
    for opcode in [0x40, 0x42] {
        // Unsealed, so that no table counts it: the file up to its summary.
        let (_, summary) = *frames(&sound)
            .iter()
            .rfind(|(opcode, _)| *opcode == 0x04)
            .unwrap();
        let mut file = sound[..summary].to_vec();
        file.extend([opcode, 2, 0, 0, 0, 0, 0, 0, 0, 7, 7]);
        let report = support::judge(&file);
        assert!(
            report.findings.iter().all(|it| it.rule == "CA3-16-01"),
            "{:?}",
            shown(&report)
        );
        assert!(report.unchecked.iter().any(|it| it.reason.contains("G08")));
    }
}

/// A rule is checked or not, and never both.
#[test]
fn what_is_unchecked_is_not_checked() {
    let sound = bytes(SOUND, true);
    let sealed = support::judge(&sound);
    assert!(
        sealed
            .checked
            .iter()
            .any(|group| group.rules.contains(&"CA3-7.1-10"))
    );
    let no_ca3 = b"no CA3 file at all, but long enough".to_vec();
    for bytes in [sound[..sound.len() - 30].to_vec(), no_ca3] {
        let report = support::judge(&bytes);
        let left: Vec<&str> = report
            .unchecked
            .iter()
            .filter(|it| !it.in_part)
            .flat_map(|it| it.rules.iter().map(String::as_str))
            .collect();
        assert!(left.contains(&"CA3-7.1-10"));
        for rule in report.checked.iter().flat_map(|group| &group.rules) {
            assert!(!left.contains(rule), "{rule}");
        }
    }
}
