//! The page: word for word, with hostile names, and with values of every size.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    reason = "functions beside the tests, which may fail"
)]

mod holds;
mod mappings;
mod markup;
mod sweeps;

use std::fs;
use std::path::Path;

use ca3_reports::clocks::{Clocks, Mapping};
use ca3_reports::html::render;
use ca3_reports::{
    Checked, Counts, FileReport, Finding, Limits, Report, RuleTotal, Scope, Severity, StreamCounts,
    Suppressed, Tool, Unchecked,
};
use mappings::clocks;

const TOOL: Tool = Tool {
    name: "ca3-validate",
    version: "1",
};

fn file(path: &str, clocks: Option<Clocks>) -> FileReport {
    let streams = StreamCounts {
        total: 2,
        well_formed: 1,
        unmet: 0,
        undeclared: 1,
    };
    FileReport {
        path: path.to_owned(),
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
        counts: Counts::default(),
        suppressed: Suppressed::default(),
        findings: Vec::new(),
        totals: Vec::new(),
        checked: Vec::new(),
        unchecked: Vec::new(),
        clocks,
        contents: None,
    }
}

fn with_findings(file: FileReport) -> FileReport {
    let unchecked = |scope, what: &str, reason: &str| Unchecked {
        in_part: false,
        scope,
        what: what.to_owned(),
        rules: vec!["CA3-5.4-01".to_owned()],
        reason: reason.to_owned(),
    };
    let entry = "ChunkIndex.entries[1].message_count";
    let domain = "ClockBlock.domains[0].offset_ns";
    FileReport {
        sha256: Some("00ff".repeat(16)),
        counts: Counts {
            error: 13,
            warning: 1,
            info: 0,
        },
        findings: vec![
            Finding::new("CA3-7.1-13", Severity::Error, 689, entry, "not the chunk's")
                .in_record(576)
                .of_stream(1)
                .in_chunk(362)
                .at_message(4)
                .showing(2, 3),
            Finding::new(
                "CA3-10.7-04",
                Severity::Error,
                700,
                domain,
                "not what the observations imply",
            )
            .showing("1700000000123456789", "1700000001123456789"),
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
        checked: vec![Checked {
            what: "index".into(),
            rules: vec!["CA3-7.1-13"],
        }],
        unchecked: vec![
            unchecked(Scope::File, "Statistics at 640", "they do not parse"),
            unchecked(Scope::Version, "schemas", "not read"),
        ],
        ..file
    }
}

fn page(files: Vec<FileReport>) -> String {
    render(&Report::new(TOOL, Severity::Error, files))
}

fn of(mapping: Mapping) -> String {
    page(vec![file("a.ca3", Some(clocks(vec![mapping])))])
}

fn named(name: &str) -> Mapping {
    let all = mappings::all().into_iter();
    all.into_iter().find(|it| it.0 == name).expect(name).1
}

/// Writes a page to where people can look at it.
fn keep(name: &str, page: &str) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("html");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(format!("{name}.html")), page).unwrap();
}

#[test]
fn the_page_word_for_word() {
    let clocks = clocks(["second", "one", "none"].map(named).to_vec());
    let bad = with_findings(file("session/a.ca3", Some(clocks)));
    let missing = FileReport {
        size: None,
        scan_complete: false,
        incomplete: Some("no such file".to_owned()),
        ..file("b.ca3", None)
    };
    let page = page(vec![bad, missing, file("c.ca3", None)]);
    markup::check(&page);
    keep("page", &page);
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/html/page.html");
    // The reasons are the catalogue's and may be reworded there; the style is
    // judged by looking at it.
    let (head, rest) = page.split_once("<style>").unwrap();
    let (_, body) = rest.split_once("</style>").unwrap();
    // A line for each element: a difference shows where it is.
    let page = format!("{head}<style></style>{body}").replace("><", ">\n<");
    if std::env::var_os("CA3_BLESS").is_some() {
        fs::write(&golden, &page).unwrap();
    }
    let steady = |page: &str| -> Vec<String> {
        page.lines()
            .map(|line| match line.split_once("<p class=\"why\">") {
                Some((before, after)) => {
                    let after = after.split_once("</p>").unwrap().1;
                    format!("{before}<p class=\"why\">…</p>{after}")
                }
                None => line.to_owned(),
            })
            .collect()
    };
    let expected = fs::read_to_string(&golden).unwrap();
    let (expected, page) = (steady(&expected), steady(&page));
    for (expected, found) in expected.iter().zip(&page) {
        assert_eq!(expected, found, "CA3_BLESS=1 writes the page anew");
    }
    assert_eq!(expected.len(), page.len());
}

#[test]
fn every_sort_of_mapping_has_a_sound_page() {
    for (name, mapping) in mappings::all() {
        let page = of(mapping);
        markup::check(&page);
        keep(name, &page);
    }
}

/// The headings of the panels.
fn headings(page: &str) -> Vec<&str> {
    page.split("<text class=\"heading\"")
        .skip(1)
        .map(|piece| piece.split(['>', '<']).nth(1).unwrap())
        .collect()
}

#[test]
fn what_lies_far_apart_gets_an_overview_and_a_close_up() {
    let far = of(named("second"));
    assert_eq!(
        headings(&far),
        [
            "Overview: offset less the first observation's, in ms",
            "Close-up: offset less the recomputed line, in µs"
        ]
    );
    assert!(far.contains("▲ stored line 1 s above"), "{far}");
    assert!(far.contains("<code>offset_ns</code> is stored as 1 s more"));
    assert!(far.contains("<tr class=\"differs\"><th scope=\"row\"><code>offset_ns</code>"));
    let near = of(named("one-way"));
    assert_eq!(
        headings(&near),
        ["Offset less the first observation's, in µs"]
    );
    // Two observations and their line: a close-up would show nothing more.
    assert_eq!(headings(&of(named("two"))).len(), 1);
    let late = of(named("late"));
    assert!(headings(&late)[1].starts_with("Close-up: offset less 1700000000."));
    assert!(late.contains("▼ 1 observation below"));
}

#[test]
fn an_unbounded_side_is_said_and_left_open() {
    let one_way = of(named("one-way"));
    assert!(one_way.contains("▼ bias unbounded below"));
    assert!(!one_way.contains("▲ bias unbounded above"));
    assert!(one_way.contains("<polygon fill=\"url(#file-1-clock-1-down)\""));
    let both = of(named("both"));
    assert!(both.contains("▼ bias unbounded below") && both.contains("▲ bias unbounded above"));
    let round_trip = of(named("step"));
    assert!(!round_trip.contains("bias unbounded"));
    assert!(round_trip.contains("2 ms below and above"));
    assert_eq!(round_trip.matches("class=\"bound-end\"").count(), 2);
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let none = of(named("none"));
    assert!(none.contains("No observations: there is nothing to hold") && !none.contains("<svg"));
    let backwards = of(named("backwards"));
    assert!(backwards.contains("stands time still") && !backwards.contains("class=\"stored\""));
    let mut unavailable = named("second");
    unavailable.quality = "unavailable".to_owned();
    let unavailable = of(unavailable);
    assert!(unavailable.contains("no reader applies the stored line"));
    assert!(!unavailable.contains("class=\"stored\""));
    let many = of(named("many"));
    assert!(many.contains("2000 of 120000 observations"));
}

const HOSTILE: &str = "</title></style><script>alert(1)</script><img src=x onerror='a'>\"'&\
                       \u{202e}\u{0}\u{1b}[2J]]>--><svg onload=\"a\">";

#[test]
fn nothing_from_a_file_is_markup() {
    let text = || HOSTILE.to_owned();
    let mut mapping = named("step");
    mapping.domain = text();
    mapping.kind = text();
    mapping.method = text();
    mapping.quality = text();
    mapping.reason = Some(text());
    for field in &mut mapping.fields {
        field.stored = text();
        field.recomputed = Some(text());
    }
    for span in &mut mapping.plot.as_mut().unwrap().degraded {
        span.reason = text();
    }
    let applied = Mapping {
        quality: "ok".to_owned(),
        ..mapping.clone()
    };
    let clocks = Clocks {
        reference: (text(), text()),
        mappings: vec![mapping, applied],
    };
    let bad = with_findings(file(HOSTILE, Some(clocks)));
    let bad = FileReport {
        incomplete: Some(text()),
        scan_complete: false,
        sha256: Some(text()),
        account: text(),
        findings: vec![
            Finding::new("CA3-7.1-13", Severity::Error, 1, HOSTILE, HOSTILE)
                .showing(HOSTILE, HOSTILE)
                .reading(HOSTILE),
        ],
        unchecked: [Scope::File, Scope::Version]
            .map(|scope| Unchecked {
                in_part: false,
                scope,
                what: text(),
                rules: vec![text()],
                reason: text(),
            })
            .to_vec(),
        ..bad
    };
    let page = page(vec![bad.clone(), bad]);
    markup::check(&page);
    keep("hostile", &page);
    for part in [
        "<script",
        "<img",
        "<svg onload",
        "\u{202e}",
        "\u{1b}",
        "\u{0}",
    ] {
        assert!(!page.contains(part), "{part:?}");
    }
    assert_eq!(page.matches("</style>").count(), 1);
    assert_eq!(page.matches("</title>").count(), 1 + 2 * 2);
    assert!(page.matches("&lt;script&gt;").count() > 40);
}

#[test]
fn the_page_loads_nothing() {
    let page = of(named("step"));
    assert!(page.contains("content=\"default-src 'none'; style-src 'unsafe-inline'"));
    for part in [
        "http:",
        "https:",
        "//",
        "@import",
        "src=",
        "javascript:",
        "style=\"",
    ] {
        assert!(!page.contains(part), "{part}");
    }
    assert_eq!(page.matches("url(").count(), page.matches("url(#").count());
}
