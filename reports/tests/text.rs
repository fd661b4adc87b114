//! The report for people, word for word.

use anstyle::{AnsiColor, Effects};
use ca3_reports::clocks::{Clocks, Field, Mapping, Verification};
use ca3_reports::text::{Detail, render};
use ca3_reports::{
    Counts, FileReport, Finding, Limits, Report, RuleTotal, Scope, Severity, StreamCounts,
    Suppressed, Tool, Unchecked,
};

fn report() -> Report {
    let streams = StreamCounts {
        total: 2,
        well_formed: 1,
        unmet: 0,
        undeclared: 1,
    };
    let unchecked = |scope, what: &str, reason: &str| Unchecked {
        in_part: false,
        scope,
        what: what.to_owned(),
        rules: Vec::new(),
        reason: reason.to_owned(),
    };
    let field = "ChunkIndex.entries[1].message_count";
    let bad = FileReport {
        path: "session/a.ca3".to_owned(),
        size: Some(1053),
        sha256: None,
        limits: Limits {
            memory: 1,
            findings_per_rule: 1,
        },
        scan_complete: true,
        incomplete: None,
        sealed: Some(true),
        account: streams.account(),
        streams,
        counts: Counts {
            error: 12,
            warning: 1,
            info: 0,
        },
        suppressed: Suppressed::default(),
        findings: vec![
            Finding::new("CA3-7.1-13", Severity::Error, 689, field, "not the chunk's")
                .in_record(576)
                .of_stream(1)
                .in_chunk(362)
                .showing(2, 3),
            Finding::new(
                "CA3-4.3-02",
                Severity::Warning,
                700,
                "Header.monotonic_source",
                "names\u{1b}[2J a wrapper",
            ),
        ],
        totals: vec![RuleTotal {
            rule: "CA3-7.1-13",
            severity: Severity::Error,
            total: 12,
            shown: 1,
        }],
        checked: Vec::new(),
        unchecked: vec![
            unchecked(Scope::File, "Statistics at 640", "they do not parse"),
            unchecked(Scope::Version, "schemas", "not read"),
        ],
        clocks: None,
        contents: None,
    };
    let missing = FileReport {
        path: "b.ca3".to_owned(),
        size: None,
        scan_complete: false,
        incomplete: Some("no such file".to_owned()),
        sealed: None,
        counts: Counts::default(),
        findings: Vec::new(),
        totals: Vec::new(),
        unchecked: Vec::new(),
        clocks: None,
        contents: None,
        ..bad.clone()
    };
    let tool = Tool {
        name: "t",
        version: "1",
    };
    Report::new(tool, Severity::Error, vec![bad, missing])
}

/// Without the escape sequences of the two severities.
fn uncoloured(text: &str) -> String {
    let mut text = text.to_owned();
    for color in [AnsiColor::Red, AnsiColor::Yellow] {
        let style = color.on_default().effects(Effects::BOLD);
        text = text.replace(&style.render().to_string(), "");
        text = text.replace(&style.render_reset().to_string(), "");
    }
    text
}

const FULL: &str = "\
session/a.ca3: 12 errors, 1 warning
  1053 bytes, sealed; two streams: one well-formed, one undeclared
  error CA3-7.1-13 at offset 576, byte 689, stream 1, chunk 362
    ChunkIndex.entries[1].message_count: not the chunk's
    expected 2, found 3
    fix: take it from the data section, which decides, and recompute summary_crc
    why: WHY-1
    rests on reading G51
  warning CA3-4.3-02 at offset 700
    Header.monotonic_source: names\u{fffd}[2J a wrapper
    why: WHY-2
  CA3-7.1-13: 12 in all, 1 of them shown
  unchecked: Statistics at 640 (they do not parse)

b.ca3: could not be read (no such file)

never checked by this version: schemas

2 files: 12 errors, 1 warning; 1 fails, 1 could not be read
";

#[test]
fn the_full_report_word_for_word() {
    let text = uncoloured(&render(&report(), Detail::Full));
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    // The reasons are the catalogue's and may be reworded there.
    let mut shown: Vec<&str> = Vec::new();
    let mut whys = 0;
    let mut expected = FULL.to_owned();
    let mut in_why = false;
    for line in text.lines() {
        if line.starts_with("    why: ") {
            whys += 1;
            in_why = true;
            shown.push(["", "    why: WHY-1", "    why: WHY-2"][whys.min(2)]);
        } else if !(in_why && line.starts_with("         ")) {
            in_why = false;
            shown.push(line);
        }
    }
    assert_eq!(whys, 2);
    expected.truncate(expected.trim_end().len());
    assert_eq!(shown.join("\n"), expected);
}

#[test]
fn the_quiet_report_is_a_line_for_each_file_that_fails() {
    let text = render(&report(), Detail::Quiet);
    let expected = "\
session/a.ca3: 12 errors, 1 warning: CA3-7.1-13
b.ca3: could not be read (no such file)
2 files: 12 errors, 1 warning; 1 fails, 1 could not be read
";
    assert_eq!(text, expected);
}

/// A mapping of which `wrong` fields differ.
fn mapping(domain: &str, verification: Verification, wrong: &[&str]) -> Mapping {
    let field = |field: &'static str, stored: &str, recomputed: &str| Field {
        field: field.into(),
        stored: stored.to_owned(),
        recomputed: Some(recomputed.to_owned()),
        differs: wrong.contains(&field),
    };
    Mapping {
        domain: domain.to_owned(),
        kind: "device".to_owned(),
        method: "one_way_min_filter".to_owned(),
        quality: "ok".to_owned(),
        observations_stream: Some(3),
        verification,
        reason: None,
        fields: vec![
            field("offset_ns", "-1000000", "-1000000"),
            field("skew_ppb", "9223372036854775807", &"9".repeat(40)),
            field("min_rtt_ns", "0", "absent"),
            field("bias_low_ns", "unbounded", "unbounded"),
            field("skew_uncertainty_ppb", "not estimated", "not estimated"),
        ],
        plot: None,
    }
}

fn mapped(mappings: &[Mapping]) -> String {
    let mut report = report();
    report.files.truncate(1);
    for file in &mut report.files {
        file.findings.clear();
        file.totals.clear();
        file.unchecked.clear();
        file.counts = Counts::default();
        file.clocks = Some(Clocks {
            reference: ("rig".to_owned(), "boot-1".to_owned()),
            mappings: mappings.to_vec(),
        });
    }
    uncoloured(&render(&report, Detail::Full))
}

const MAPPED: &str = r#"session/a.ca3: nothing found
  1053 bytes, sealed; two streams: one well-formed, one undeclared
  3 clock mappings onto host "rig", epoch "boot-1":
    verified "dev" (device, one_way_min_filter, ok) from stream 3
    inconsistent "cam" (device, one_way_min_filter, ok) from stream 3
                                         stored           recomputed
      offset_ns                        -1000000             -1000000
    * skew_ppb              9223372036854775807 99999999999999999999999999999...
    * min_rtt_ns                              0               absent
      bias_low_ns                     unbounded            unbounded
      skew_uncertainty_ppb        not estimated        not estimated
    unverified "mic" (device, one_way_min_filter, ok) from stream 3: not all of
      its observations could be read
"#;

#[test]
fn mappings_stand_side_by_side_where_they_differ() {
    let unread = Mapping {
        reason: Some("not all of its observations could be read".to_owned()),
        ..mapping("mic", Verification::Unverified, &[])
    };
    let wrong = ["skew_ppb", "min_rtt_ns"];
    let text = mapped(&[
        mapping("dev", Verification::Verified, &[]),
        mapping("cam", Verification::Inconsistent, &wrong),
        unread,
    ]);
    assert!(text.starts_with(MAPPED), "{text}");
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn many_mappings_and_hostile_names_are_kept_short() {
    let name = "\u{1b}[2J".repeat(100);
    let text = mapped(&vec![mapping(&name, Verification::Verified, &[]); 60]);
    assert!(text.contains("60 clock mappings"), "{text}");
    assert!(
        text.contains("    and 10 more, in the JSON report\n"),
        "{text}"
    );
    assert!(!text.contains('\u{1b}'));
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert!(!mapped(&[]).contains("clock mapping"));
}
