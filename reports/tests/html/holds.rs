//! What a file holds: its streams over time, its strip, its tables; and how large
//! a page becomes.

use ca3_reports::contents::{
    ByteSpan, ChunkSpan, Claim, CodecUse, Contents, Degraded, FileLayout, RecorderCounts,
    SchemaContents, StreamClock, StreamContents, TensorAxis, TensorComponent, TensorForm, TimeSpan,
};
use ca3_reports::{Counts, FileReport, Finding, RuleTotal, Severity};

use crate::mappings::Noise;
use crate::{HOSTILE, file, keep, markup, page, with_findings};

fn chunk(from_ns: u64, to_ns: u64) -> ChunkSpan {
    ChunkSpan {
        from_ns,
        to_ns,
        chunks: 1,
        messages: 10,
    }
}

fn time(from_ns: u64, to_ns: u64) -> TimeSpan {
    TimeSpan { from_ns, to_ns }
}

fn stream(stream_ref: u32, topic: &str, spans: Vec<ChunkSpan>) -> StreamContents {
    StreamContents {
        stream_ref,
        topic: topic.to_owned(),
        clock: Some(0),
        row_chunks: spans.iter().map(|span| span.chunks).sum(),
        messages: spans.iter().map(|span| span.messages).sum(),
        first_ns: spans.iter().map(|span| span.from_ns).min(),
        last_ns: spans.iter().map(|span| span.to_ns).max(),
        codecs: vec![CodecUse {
            codec: "zstd".to_owned(),
            chunks: 1,
        }],
        spans,
        ..StreamContents::default()
    }
}

fn contents(streams: Vec<StreamContents>) -> Contents {
    Contents {
        clocks: vec![StreamClock {
            host_id: "rig".to_owned(),
            epoch: "boot-1".to_owned(),
            ..StreamClock::default()
        }],
        streams,
        ..Contents::default()
    }
}

fn holding(contents: Contents) -> FileReport {
    FileReport {
        contents: Some(contents),
        ..file("a.ca3", None)
    }
}

fn of(contents: Contents) -> String {
    let page = page(vec![holding(contents)]);
    markup::check(&page);
    page
}

/// The attributes of the elements of a class, in order.
fn drawn<'p>(page: &'p str, element: &str, class: &str) -> Vec<&'p str> {
    let begin = format!("<{element} class=\"{class}\" ");
    page.split(begin.as_str())
        .skip(1)
        .map(|piece| piece.split(['>', '/']).next().unwrap())
        .collect()
}

#[test]
fn chunks_and_marks_lie_where_their_times_are() {
    // From 12 to 698 units for 1000 ns: 0.686 a nanosecond.
    let mut imu = stream(
        1,
        "/imu",
        vec![chunk(0, 100), chunk(500, 1000), chunk(900, 1000)],
    );
    imu.gaps = vec![time(100, 500)];
    imu.gap_count = 1;
    imu.overlaps = vec![time(900, 1000)];
    imu.overlap_count = 1;
    let mut contents = contents(vec![imu]);
    contents.clocks[0].checkpoints = vec![1000];
    contents.clocks[0].checkpoint_count = 1;
    let page = of(contents);
    keep("timeline", &page);
    // The legend's sample follows the picture's own.
    assert_eq!(
        drawn(&page, "rect", "chunk"),
        [
            "x=\"12\" y=\"48\" width=\"68.6\" height=\"12\"",
            "x=\"629.4\" y=\"48\" width=\"68.6\" height=\"12\"",
            "x=\"1\" y=\"2\" width=\"26\" height=\"8\"",
        ]
    );
    assert_eq!(
        drawn(&page, "rect", "chunk odd"),
        ["x=\"355\" y=\"48\" width=\"343\" height=\"12\""]
    );
    assert_eq!(
        drawn(&page, "rect", "overlap")[0],
        "x=\"629.4\" y=\"48\" width=\"68.6\" height=\"12\""
    );
    // Half way between 80.6 and 355, and between 629.4 and 698.
    assert_eq!(
        drawn(&page, "polygon", "gap")[0],
        "points=\"213.8,41 221.8,41 217.8,47\""
    );
    assert_eq!(
        drawn(&page, "polygon", "over")[0],
        "points=\"659.7,67 667.7,67 663.7,61\""
    );
    assert_eq!(
        drawn(&page, "polygon", "diamond")[0],
        "points=\"698,3.5 702.5,9 698,14.5 693.5,9\""
    );
    assert!(page.contains("3 chunks · 1 gap · 1 overlap</text>"));
    assert!(page.contains("1 chunk, 10 messages, 500 to 1000 ns (500 ns)</title>"));
    assert!(page.contains("Clock of host <code>rig</code> in epoch <code>boot-1</code>"));
}

#[test]
fn a_stamp_of_0_beside_the_present_leaves_both_legible() {
    let now = 1_700_000_000_000_000_000;
    let both = stream(1, "/a", vec![chunk(0, 0), chunk(now, now + 1000)]);
    let page = of(contents(vec![both]));
    keep("cut", &page);
    // 80 units for the instant, 26 for the cut, the rest for the microsecond.
    assert!(page.contains("<rect class=\"chunk\" x=\"12\" y=\"48\" width=\"1.5\""));
    assert!(page.contains("<rect class=\"chunk odd\" x=\"118\" y=\"48\" width=\"580\""));
    assert!(page.contains("a long time without any chunk, cut out"));
    assert!(page.contains("<code>1700000000000000000</code> ns to"));
    let plain = of(contents(vec![stream(
        1,
        "/a",
        vec![chunk(0, 0), chunk(9, 9)],
    )]));
    assert!(!plain.contains("cut out"));
}

#[test]
fn the_strip_shows_the_file_by_offset() {
    let mut contents = contents(vec![stream(1, "/a", vec![chunk(1, 2)])]);
    let part = |from, to, records| ByteSpan { from, to, records };
    contents.layout = FileLayout {
        chunks: vec![part(0, 500, 4), part(600, 700, 1)],
        checkpoints: vec![500],
        checkpoint_count: 1,
        summary: Some(part(800, 1000, 6)),
    };
    let report = FileReport {
        size: Some(1000),
        ..with_findings(holding(contents))
    };
    let page = page(vec![report]);
    markup::check(&page);
    let (_, strip) = page.split_once("Where things lie in the file").unwrap();
    assert_eq!(
        drawn(strip, "rect", "chunk")[..2],
        [
            "x=\"12\" y=\"17\" width=\"343\" height=\"21\"",
            "x=\"423.6\" y=\"17\" width=\"68.6\" height=\"21\"",
        ]
    );
    assert_eq!(
        drawn(strip, "rect", "summary")[0],
        "x=\"560.8\" y=\"17\" width=\"137.2\" height=\"21\""
    );
    assert!(strip.contains("</svg> 5 chunks</li>") && strip.contains("</svg> 1 checkpoint</li>"));
    // Findings at 576 and 700, twice: 407.1 and 492.2, a cross of two lines each.
    assert_eq!(drawn(strip, "line", "wrong").len(), 2 * 2 + 2);
    assert_eq!(
        drawn(strip, "line", "wrong")[0],
        "x1=\"403.6\" y1=\"42.5\" x2=\"410.6\" y2=\"49.5\""
    );
}

#[test]
fn streams_and_schemas_stand_in_tables() {
    let mut gaze = stream(7, "/gaze", vec![chunk(0, 900_000_000)]);
    gaze.claim = Claim::ByClaimOnly;
    gaze.schema_ref = 3;
    gaze.schema_id = "lab.Gaze".to_owned();
    gaze.source_clock = "tracker".to_owned();
    gaze.columnar_chunks = 1;
    gaze.block_alignment = 64;
    gaze.block_offset = 12;
    gaze.nominal_rate_millihz = 29_970;
    gaze.recorder = Some(RecorderCounts {
        dropped_by_queue: 5,
        never_arrived: 6,
        reordered: 0,
    });
    let silent = StreamContents {
        stream_ref: 9,
        claim: Claim::Undefined,
        ..StreamContents::default()
    };
    let component = |name: &str, unit: &str, frame: &str| TensorComponent {
        name: name.to_owned(),
        unit: unit.to_owned(),
        frame: frame.to_owned(),
        validity: false,
    };
    let axis = |name: &str, length: &str| TensorAxis {
        name: name.to_owned(),
        length: length.to_owned(),
    };
    let form = TensorForm {
        message: "lab.Gaze".to_owned(),
        id: "gaze.v1".to_owned(),
        element_type: "FLOAT32".to_owned(),
        axes: vec![axis("row", "one per rows"), axis("column", "2")],
        components: vec![component("x", "deg", "head"), component("ok", "", "")],
        ..TensorForm::default()
    };
    let page = of(Contents {
        schemas: vec![SchemaContents {
            schema_ref: 3,
            schema_id: "lab.Gaze".to_owned(),
            encoding: "protobuf".to_owned(),
            described: true,
            forms: vec![form],
            more_forms: 0,
        }],
        ..contents(vec![gaze, silent])
    });
    for part in [
        "7 <strong>/gaze</strong><br><span class=\"badge bad\"><span aria-hidden=\"true\">✕</span> \
         by claim only</span>",
        "3 <code>lab.Gaze</code>",
        "source <code>tracker</code>",
        "rows and columns, codec zstd<br>blocks aligned to 64, 12 bytes into the payload",
        // Nine steps in nine tenths of a second.
        "10 Hz on average<br>nominal 29.97 Hz",
        "dropped 5<br>never arrived 6<br>",
        "</span> undefined</span>",
        "Without messages: stream 9.",
        "used by",
        "<code>row[one per rows]</code> × <code>column[2]</code>",
        "<code>x</code> in deg (frame head), <code>ok</code>",
    ] {
        assert!(page.to_lowercase().contains(&part.to_lowercase()), "{part}");
    }
}

#[test]
fn nothing_of_what_a_file_holds_is_markup() {
    let text = || HOSTILE.to_owned();
    let mut hostile = stream(1, HOSTILE, vec![chunk(1, 2)]);
    hostile.schema_ref = 1;
    hostile.schema_id = text();
    hostile.source_clock = text();
    hostile.codecs[0].codec = text();
    hostile.degraded = vec![Degraded {
        from_ns: 1,
        to_ns: 2,
        reason: text(),
    }];
    hostile.degraded_count = 1;
    let form = TensorForm {
        message: text(),
        id: text(),
        element_type: text(),
        byte_order: text(),
        block: text(),
        axes: vec![TensorAxis {
            name: text(),
            length: text(),
        }],
        components: vec![TensorComponent {
            name: text(),
            unit: text(),
            frame: text(),
            validity: true,
        }],
        more_components: 0,
    };
    let contents = Contents {
        clocks: vec![StreamClock {
            host_id: text(),
            epoch: text(),
            ..StreamClock::default()
        }],
        schemas: vec![SchemaContents {
            schema_ref: 1,
            schema_id: text(),
            encoding: text(),
            described: true,
            forms: vec![form],
            more_forms: 0,
        }],
        ..contents(vec![hostile])
    };
    let page = of(contents);
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
    // Escaped once, each of them.
    assert!(!page.contains("&amp;lt;") && page.matches("&lt;script&gt;").count() >= 18);
}

#[test]
fn stamps_of_every_size_are_drawn_within_the_picture() {
    let mut noise = Noise::new(3);
    let edges = [0, 1, 1_700_000_000_000_000_000, u64::MAX - 1, u64::MAX];
    for round in 0..800_u32 {
        let stamp = |noise: &mut Noise| match noise.upto(3) {
            0 => noise.bits(),
            1 => u64::try_from(noise.upto(1_000_000)).unwrap(),
            _ => edges[usize::try_from(noise.upto(5)).unwrap()],
        };
        let pair = |noise: &mut Noise| {
            let (a, b) = (stamp(noise), stamp(noise));
            (a.min(b), a.max(b))
        };
        let mut streams = Vec::new();
        for stream_ref in 0..u32::try_from(noise.upto(4)).unwrap() {
            let spans = (0..noise.upto(6))
                .map(|_| {
                    let (from, to) = pair(&mut noise);
                    chunk(from, to)
                })
                .collect();
            let mut one = stream(stream_ref, "/t", spans);
            let marks = |noise: &mut Noise| -> Vec<TimeSpan> {
                (0..noise.upto(3))
                    .map(|_| pair(noise))
                    .map(|it| time(it.0, it.1))
                    .collect()
            };
            one.gaps = marks(&mut noise);
            one.overlaps = marks(&mut noise);
            one.degraded = (0..noise.upto(3))
                .map(|_| Degraded {
                    from_ns: stamp(&mut noise),
                    to_ns: stamp(&mut noise),
                    reason: "r".to_owned(),
                })
                .collect();
            one.degraded_count = 3;
            one.clock = (round % 2 == 0).then_some(0);
            streams.push(one);
        }
        let mut contents = contents(streams);
        contents.clocks[0].checkpoints = (0..noise.upto(4)).map(|_| stamp(&mut noise)).collect();
        contents.layout.checkpoints = contents.clocks[0].checkpoints.clone();
        of(contents);
    }
}

/// Findings of one rule, so many of which the report has.
fn many(number: u64, total: u64) -> FileReport {
    let finding = |at| {
        Finding::new(
            "CA3-6.3-06",
            Severity::Error,
            at,
            "Chunk.field_mask",
            "reserved bits are set",
        )
        .of_stream(1)
        .showing("0x0000", "0x00f0")
    };
    FileReport {
        counts: Counts {
            error: total,
            ..Counts::default()
        },
        findings: (0..number).map(finding).collect(),
        totals: vec![RuleTotal {
            rule: "CA3-6.3-06",
            severity: Severity::Error,
            total,
            shown: number,
        }],
        ..file("a.ca3", None)
    }
}

#[test]
fn of_a_rule_the_first_findings_are_shown_and_all_are_counted() {
    let ten = page(vec![many(10, 10)]);
    assert_eq!(ten.matches("<p class=\"message\">").count(), 10);
    assert!(ten.contains("10 times") && !ten.contains("left-out\">"));
    assert!(ten.contains("<details open>"));
    let all = page(vec![many(100_000, 250_000)]);
    markup::check(&all);
    assert_eq!(all.matches("<p class=\"message\">").count(), 200);
    assert!(all.contains("250000 times"));
    assert!(all.contains("200 of 100000 findings are on this page; <code>--format json</code>"));
    assert!(all.contains("250000 in all, 100000 of them in this report"));
    assert!(all.len() < 300_000, "{}", all.len());
}

#[test]
fn very_many_files_make_a_page_of_bounded_size() {
    let spans = |_| (0..200).map(|at| chunk(at * 10, at * 10 + 5)).collect();
    let large = contents((0..30).map(|at| stream(at, "/t", spans(at))).collect());
    let files: Vec<FileReport> = (0..2_500)
        .map(|at| FileReport {
            path: format!("{at}.ca3"),
            contents: Some(large.clone()),
            ..if at % 2 == 0 {
                many(200, 300)
            } else {
                file("", None)
            }
        })
        .collect();
    let page = page(files);
    markup::check(&page);
    assert!(page.len() < 10_000_000, "{}", page.len());
    // The failing ones have a row and a part each, and so have some of the others.
    assert_eq!(page.matches("<article class=\"file\"").count(), 2_000);
    for at in (0..2_500).step_by(2) {
        assert!(page.contains(&format!("<h2>{at}.ca3</h2>")), "{at}");
    }
    assert!(page.contains("500 more files are left out"));
    assert!(page.contains("Left out to keep the page small"));
    assert!(page.contains("<summary>All 2000 files</summary>"));
}

#[test]
fn of_several_files_those_without_findings_are_folded() {
    let page = page(vec![file("good.ca3", None), many(1, 1)]);
    markup::check(&page);
    assert!(page.contains("<details><summary><h2>good.ca3</h2>"));
    assert!(page.contains("id=\"file-2\"><h2>a.ca3</h2>"));
    assert!(page.contains("<td data-label=\"Times\">1</td><td data-label=\"Files\">1</td>"));
}
