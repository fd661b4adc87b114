//! Item 3: the Header's layout (§4); and its anchor and clock source (§4.2, §4.3).

use ca3_spec::kind::Kind::{BadLength, BadUtf8, LimitExceeded, MapOrder};
use ca3_wire::records::Header;
use serde_json::json;

use super::guards::no_header;
use super::{Page, header_of};
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::{Chunk, Plan, stream};

fn with(header: Header) -> Plan {
    Plan::with_header(header)
        .stream(stream(1))
        .chunk(Chunk::two(1))
}

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let v = page.values("string-order");
    let valid = with(Header {
        profile: v.text("profile", "profile"),
        library: v.text("library", "library"),
        host_id: "host".to_owned(),
        host_clock_epoch: "epoch".to_owned(),
        monotonic_source: "monotonic".to_owned(),
        ..header_of(&v)
    });
    // The stream of this file is on another host than the recorder's: no fault.
    let string_order = Draft::new(
        "string-order",
        &["CA3-4-03"],
        "five strings in their order, each its own name",
    )
    .valid(valid.clone())
    .invalid(
        valid
            .replace_field("Header", "monotonic_source", &[29, 0, 0, 0])
            .what("Header: the bytes of monotonic_source are missing, its count says 29"),
        surface(&[BadLength, BadUtf8, MapOrder, LimitExceeded]).result(no_header()),
    );

    let v = page.values("monotonic-source");
    let valid = with(header_of(&v));
    let monotonic_source = Draft::new(
        "monotonic-source",
        &["CA3-4-04"],
        "monotonic_source stands before the anchor; an outdated layout lacks it",
    )
    .valid(valid.clone())
    .invalid(
        valid.drop_field("Header", "monotonic_source"),
        surface(&[BadLength, BadUtf8, LimitExceeded]).result(no_header()),
    );

    let v = page.values("anchor-order");
    let valid = with(Header {
        anchor_monotonic_ns: v.u64("monotonic", 111, 1..=9_999),
        anchor_wall_unix_ns: v.u64("wall", 222, 10_000..=u64::MAX),
        anchor_wall_source: "w".to_owned(),
        ..header_of(&v)
    });
    let anchor_order = Draft::new(
        "anchor-order",
        &["CA3-4-05"],
        "monotonic reading, wall reading, wall source, attributes",
    )
    .valid(valid.clone())
    .invalid(
        valid.drop_field("Header", "anchor_wall_source"),
        surface(&[BadLength, BadUtf8, MapOrder, LimitExceeded]).result(no_header()),
    );
    vec![string_order, monotonic_source, anchor_order]
}

pub(super) fn anchor_cases(page: &Page) -> Vec<Draft> {
    let v = page.values("anchor-taken");
    let taken = Draft::new(
        "anchor-taken",
        &["CA3-4.2-01"],
        "a wall anchor gives calendar time",
    )
    .valid(with(Header {
        anchor_wall_unix_ns: v.u64("wall", 1_700_000_000_000_000_000, 1..=u64::MAX),
        ..header_of(&v)
    }))
    .wrong_answer("no calendar time although the wall anchor is there");

    let v = page.values("no-anchor");
    let none = Draft::new(
        "no-anchor",
        &["CA3-4.2-01"],
        "a wall anchor of 0 is no anchor",
    )
    .valid(with(Header {
        anchor_wall_unix_ns: 0,
        ..header_of(&v)
    }))
    .wrong_answer("calendar time for a wall anchor of 0");

    let v = page.values("monotonic-zero");
    let zero = Draft::new(
        "monotonic-zero",
        &["CA3-4.2-02"],
        "a monotonic reading of 0 beside a wall reading is an anchor",
    )
    .valid(with(Header {
        anchor_monotonic_ns: 0,
        ..header_of(&v)
    }))
    .wrong_answer("no calendar time, from testing the monotonic half for 0");

    let v = page.values("no-substitute");
    let substitute = Draft::new(
        "no-substitute",
        &["CA3-4.2-03"],
        "no anchor, and the file's own modification time is in 2020",
    )
    .valid_but(
        with(Header {
            anchor_wall_unix_ns: 0,
            anchor_wall_source: String::new(),
            ..header_of(&v)
        }),
        json!({"calendar_time": "none"}),
    )
    .wrong_answer("a date, or a wall reading that is not 0, appears");

    let v = page.values("no-clock-source");
    let source = Draft::new(
        "no-clock-source",
        &["CA3-4.3-03"],
        "an empty monotonic_source is passed on as it stands",
    )
    .valid(with(Header {
        monotonic_source: String::new(),
        ..header_of(&v)
    }))
    .wrong_answer("a default clock is filled in");
    vec![taken, none, zero, substitute, source]
}
