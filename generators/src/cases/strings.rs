//! Item 5: strings and maps (§1.2, §1.3).

use ca3_spec::kind::Kind::{BadLength, BadUtf8, LimitExceeded, MapOrder};
use ca3_spec::vector::Surface;
use ca3_wire::Map;
use ca3_wire::records::{Header, Session, Stream};
use serde_json::Value;

use super::guards::{no_header_field, no_schema_field, no_session_field, no_stream_field};
use super::session::session;
use super::{Page, header_of, plan, small, string};
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::{Chunk, Plan, schema, stream};

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = vec![
        byte_count(page),
        library_byte(page),
        text_kept(page),
        long_text(page),
    ];
    cases.extend(utf8(page));
    cases.extend(every_field(page));
    cases.extend(nested(page));
    cases.extend(counts_and_keys(page));
    cases.extend(key_order(page));
    cases.extend(every_map(page));
    cases
}

/// A stream with a topic and one chunk.
fn with_topic(page: &Page, case: &str, topic: &str) -> Plan {
    plan(&page.values(case))
        .stream(Stream {
            topic: topic.to_owned(),
            ..stream(1)
        })
        .chunk(Chunk::two(1))
}

fn with_attributes(page: &Page, case: &str, pairs: &[(&str, &str)]) -> Plan {
    let attributes = Map::sorted(pairs.iter().copied());
    Plan::with_header(Header {
        attributes,
        ..header_of(&page.values(case))
    })
    .stream(stream(1))
    .chunk(Chunk::two(1))
}

fn byte_count(page: &Page) -> Draft {
    // Five characters and one of two bytes: 7 bytes, 6 characters.
    let valid = with_topic(page, "count-of-bytes", "gaze-\u{e9}");
    Draft::new(
        "count-of-bytes",
        &["CA3-1.2-02"],
        "a string's count is of bytes, not characters",
    )
    .valid(valid.clone())
    .invalid(
        valid
            .patch_field("Stream 1", "topic", 0, &[6])
            .what("Stream 1: the count of topic says 6, its characters"),
        surface(&[BadUtf8, BadLength]).result(no_stream_field("topic")),
    )
}

fn library_byte(page: &Page) -> Draft {
    let v = page.values("one-bad-byte");
    // The library is "corpus kit": byte 4 + 7 is its k.
    Draft::new("one-bad-byte", &["CA3-1.2-07"], "a byte FF in a string")
        .valid(small(&v))
        .invalid(
            small(&v).patch_field("Header", "library", 11, &[0xFF]),
            surface(&[BadUtf8]).result(no_header_field("library")),
        )
}

/// Text that a library would rather change, and that is valid all the same.
fn text_kept(page: &Page) -> Draft {
    let v = page.values("text-kept-as-it-is");
    let attributes = Map::sorted([
        ("\u{65}\u{301}", "e and an accent"),
        ("\u{e9}", "the same letter, composed"),
        ("\u{feff}mark", "a key behind a byte order mark"),
    ]);
    let header = Header {
        library: "\u{feff}marked".to_owned(),
        profile: "nul\0inside".to_owned(),
        host_clock_epoch: "\u{d7ff}\u{e000}\u{ffff}\u{10ffff}".to_owned(),
        anchor_wall_source: "\u{fffd} a real replacement character".to_owned(),
        attributes,
        ..header_of(&v)
    };
    let topic = " \u{a0}\u{200b}space\r\n\t".to_owned();
    Draft::new(
        "text-kept-as-it-is",
        &["CA3-1.2-02"],
        "byte order mark, NUL, last code points, composed beside decomposed letters",
    )
    .why("A name that a library trims, normalises or strips of a mark matches no other file's.")
    .valid(
        Plan::with_header(header)
            .stream(Stream {
                topic,
                node: "\u{feff}".to_owned(),
                ..stream(1)
            })
            .chunk(Chunk::two(1)),
    )
    .wrong_answer("a mark or a NUL is dropped, or letters are normalised")
}

/// A string longer than 16 bits can count.
fn long_text(page: &Page) -> Draft {
    let valid = with_topic(page, "longer-than-16-bits", &"t".repeat(65_540));
    Draft::new(
        "longer-than-16-bits",
        &["CA3-1.2-02"],
        "a topic of 65,540 bytes: the count takes four bytes",
    )
    .valid(valid.clone())
    .invalid(
        valid
            .patch_field("Stream 1", "topic", 0, &[0xFF; 4])
            .what("Stream 1: the count of topic says 2^32 - 1"),
        surface(&[BadLength, LimitExceeded]).result(no_stream_field("topic")),
    )
}

/// Each ill-formed sequence in the place of a three- or four-byte letter.
fn utf8(page: &Page) -> Vec<Draft> {
    let three: &[(&str, [u8; 3], &str)] = &[
        (
            "surrogate-high",
            [0xED, 0xA0, 0x80],
            "an encoded high surrogate, U+D800",
        ),
        (
            "surrogate-low",
            [0xED, 0xBF, 0xBF],
            "an encoded low surrogate, U+DFFF",
        ),
        ("overlong-two", [0xC0, 0x80, b'a'], "U+0000 in two bytes"),
        (
            "overlong-two-last",
            [0xC1, 0xBF, b'a'],
            "U+007F in two bytes",
        ),
        (
            "overlong-three",
            [0xE0, 0x9F, 0xBF],
            "U+07FF in three bytes",
        ),
        (
            "cut-inside",
            [0xE2, 0x82, b'a'],
            "a three-byte letter without its third byte",
        ),
        (
            "lone-continuation",
            [b'a', 0x80, b'a'],
            "a continuation byte on its own",
        ),
        (
            "lead-without-tail",
            [0xC3, b'a', b'a'],
            "a lead byte without its continuation",
        ),
        ("latin-1", [b'a', 0xE9, b'a'], "a letter in Latin-1"),
        ("never-a-lead-fe", [0xFE, b'a', b'a'], "the byte FE"),
    ];
    let four: &[(&str, [u8; 4], &str)] = &[
        (
            "overlong-four",
            [0xF0, 0x8F, 0xBF, 0xBF],
            "U+FFFF in four bytes",
        ),
        (
            "beyond-unicode",
            [0xF4, 0x90, 0x80, 0x80],
            "U+110000, beyond the last code point",
        ),
        (
            "five-byte-lead",
            [0xF8, 0x88, 0x80, 0x80],
            "the lead byte of a five-byte form",
        ),
    ];
    let letters = ("\u{20ac}", "\u{10000}");
    let three = three
        .iter()
        .map(|(name, bytes, title)| (*name, letters.0, bytes.to_vec(), *title));
    let four = four
        .iter()
        .map(|(name, bytes, title)| (*name, letters.1, bytes.to_vec(), *title));
    three
        .chain(four)
        .map(|(name, letter, bytes, title)| {
            let valid = with_topic(page, name, &format!("topic-{letter}-1"));
            // Behind the count of four bytes and "topic-".
            let invalid = valid
                .clone()
                .patch_field("Stream 1", "topic", 10, &bytes)
                .what(&format!("Stream 1: the letter in topic becomes {title}"));
            Draft::new(name, &["CA3-1.2-08", "CA3-1.2-07"], title)
                .valid(valid)
                .invalid(
                    invalid,
                    surface(&[BadUtf8]).result(no_stream_field("topic")),
                )
        })
        .collect()
}

/// A file in which every string is filled and every map has a pair.
fn full(page: &Page, case: &str) -> Plan {
    let pair = || Map::sorted([("key", "value")]);
    let header = Header {
        profile: "profile".to_owned(),
        attributes: pair(),
        ..header_of(&page.values(case))
    };
    Plan::with_header(header)
        .schema(schema(1))
        .stream(Stream {
            schema_ref: 1,
            source_clock_domain: "device".to_owned(),
            operator_reference: "operator".to_owned(),
            authorisation_reference: "authorisation".to_owned(),
            metadata: pair(),
            ..stream(1)
        })
        .session(Session {
            custom: pair(),
            ..session()
        })
        .chunk(Chunk::two(1))
}

/// The byte FF at the start of every string of every record, one at a time.
fn every_field(page: &Page) -> Vec<Draft> {
    const FIELDS: &[(&str, &[&str])] = &[
        (
            "Header",
            &[
                "profile",
                "library",
                "host_id",
                "host_clock_epoch",
                "monotonic_source",
                "anchor_wall_source",
            ],
        ),
        ("Schema 1", &["schema_id", "encoding"]),
        (
            "Stream 1",
            &[
                "topic",
                "node",
                "source_clock_domain",
                "host_id",
                "host_clock_epoch",
                "operator_reference",
                "authorisation_reference",
            ],
        ),
        (
            "Session 1",
            &[
                "session_id",
                "study",
                "participant_code",
                "operator",
                "profile_name",
                "app_name",
                "app_version",
            ],
        ),
    ];
    let mut cases = Vec::new();
    for (label, fields) in FIELDS {
        for field in *fields {
            let record = label.trim_end_matches(" 1");
            let name = format!(
                "ff-in-{}-{}",
                record.to_lowercase(),
                field.replace('_', "-")
            );
            let valid = full(page, &name);
            let invalid = valid
                .clone()
                .patch_field(label, field, 4, &[0xFF])
                .what(&format!("{label}: the first byte of {field} becomes FF"));
            cases.push(
                Draft::new(
                    &name,
                    &["CA3-1.2-07"],
                    &format!("a byte FF in {record}.{field}"),
                )
                .valid(valid)
                .invalid(invalid, surface(&[BadUtf8]).result(without(label, field))),
            );
        }
    }
    cases
}

/// The guard of a record's field.
fn without(label: &str, field: &str) -> Value {
    match label {
        "Header" => no_header_field(field),
        "Stream 1" => no_stream_field(field),
        "Schema 1" => no_schema_field(field),
        _ => no_session_field(field),
    }
}

fn nested(page: &Page) -> Vec<Draft> {
    [
        (
            "in-custom-value",
            "Session 1",
            "custom",
            "[0].value",
            "a value of custom",
        ),
        (
            "in-custom-key",
            "Session 1",
            "custom",
            "[0].key",
            "a key of custom",
        ),
        (
            "in-device-kind",
            "Session 1",
            "devices",
            "[0].kind",
            "a device's kind",
        ),
        (
            "in-device-serial",
            "Session 1",
            "devices",
            "[1].serial",
            "a device's serial",
        ),
        (
            "in-device-firmware",
            "Session 1",
            "devices",
            "[1].firmware",
            "a device's firmware",
        ),
        (
            "in-device-domain",
            "Session 1",
            "devices",
            "[0].clock_domain",
            "a device's domain",
        ),
        (
            "in-metadata-value",
            "Stream 1",
            "metadata",
            "[0].value",
            "a value of metadata",
        ),
        (
            "in-metadata-key",
            "Stream 1",
            "metadata",
            "[0].key",
            "a key of metadata",
        ),
        (
            "in-attributes-value",
            "Header",
            "attributes",
            "[0].value",
            "a value of attributes",
        ),
        (
            "in-attributes-key",
            "Header",
            "attributes",
            "[0].key",
            "a key of attributes",
        ),
    ]
    .into_iter()
    .map(|(name, label, field, rest, place)| {
        let valid = full(page, name);
        let invalid = valid
            .clone()
            .patch_field(label, &format!("{field}{rest}"), 4, &[0xFF])
            .what(&format!("{label}: the first byte of {place} becomes FF"));
        Draft::new(name, &["CA3-1.2-09"], &format!("a byte FF in {place}"))
            .valid(valid)
            .invalid(invalid, surface(&[BadUtf8]).result(without(label, field)))
    })
    .collect()
}

fn counts_and_keys(page: &Page) -> Vec<Draft> {
    let attributes = |surface: Surface| surface.result(no_header_field("attributes"));
    let valid = with_attributes(page, "entry-count", &[("a", "1"), ("b", "2")]);
    let count = Draft::new(
        "entry-count",
        &["CA3-1.2-04"],
        "a map is a count and pairs of strings",
    )
    .valid(valid.clone())
    .invalid(
        valid.patch_field("Header", "attributes.count", 0, &[3]),
        attributes(surface(&[BadLength])),
    );
    let valid = with_attributes(page, "keys-swapped", &[("a", "1"), ("b", "2")]);
    let swapped = valid
        .clone()
        .replace_field("Header", "attributes[1].key", &string(b"a"))
        .replace_field("Header", "attributes[0].key", &string(b"b"))
        .what("Header: the keys a and b of attributes are exchanged");
    let swapped = Draft::new(
        "keys-swapped",
        &["CA3-1.3-01"],
        "keys out of ascending order",
    )
    .valid(valid)
    .invalid(swapped, attributes(surface(&[MapOrder])));
    let valid = with_attributes(page, "key-repeated", &[("a", "1"), ("b", "2")]);
    let repeated = Draft::new("key-repeated", &["CA3-1.3-02"], "the same key twice")
        .valid(valid.clone())
        .invalid(
            valid.replace_field("Header", "attributes[1].key", &string(b"a")),
            attributes(surface(&[MapOrder])),
        );
    let valid = with_attributes(page, "empty-key-repeated", &[("", "1"), ("b", "2")]);
    let empty = Draft::new(
        "empty-key-repeated",
        &["CA3-1.3-02"],
        "an empty key is a key, and one only",
    )
    .valid(valid.clone())
    .invalid(
        valid.replace_field("Header", "attributes[1].key", &string(b"")),
        attributes(surface(&[MapOrder])),
    );
    let valid = with_attributes(page, "same-pair-twice", &[("a", "1"), ("b", "1")]);
    let pair = Draft::new(
        "same-pair-twice",
        &["CA3-1.3-02"],
        "the same key with the same value",
    )
    .valid(valid.clone())
    .invalid(
        valid.replace_field("Header", "attributes[1].key", &string(b"a")),
        attributes(surface(&[MapOrder])),
    );
    vec![count, swapped, repeated, empty, pair]
}

fn key_order(page: &Page) -> Vec<Draft> {
    // '' < 'B' < 'a' < 'ab' < EF BD 9E < F0 90 80 80; by UTF-16 the last two swap.
    let keys = [
        ("", "0"),
        ("B", "1"),
        ("a", "2"),
        ("ab", "3"),
        ("\u{ff5e}", "4"),
        ("\u{10000}", "5"),
    ];
    [
        (
            "utf-16-order",
            (4, "\u{10000}"),
            (5, "\u{ff5e}"),
            "keys in UTF-16 order",
        ),
        (
            "case-folded-order",
            (1, "a"),
            (2, "B"),
            "keys in an order that ignores case",
        ),
        (
            "prefix-last",
            (2, "ab"),
            (3, "a"),
            "a key behind the longer one that it begins",
        ),
        (
            "empty-key-last",
            (0, "B"),
            (1, ""),
            "the empty key behind another",
        ),
    ]
    .into_iter()
    .map(|(name, first, second, title)| {
        let valid = with_attributes(page, name, &keys);
        let key = |index: i32| format!("attributes[{index}].key");
        // The later field first: a replacement of another length moves what follows.
        let invalid = valid
            .clone()
            .replace_field("Header", &key(second.0), &string(second.1.as_bytes()))
            .replace_field("Header", &key(first.0), &string(first.1.as_bytes()))
            .what(&format!("Header: {title}"));
        Draft::new(name, &["CA3-1.3-03"], title)
            .valid(valid)
            .invalid(
                invalid,
                surface(&[MapOrder]).result(no_header_field("attributes")),
            )
    })
    .collect()
}

fn every_map(page: &Page) -> Vec<Draft> {
    let mut cases = Vec::new();
    for (label, map) in [("Stream 1", "metadata"), ("Session 1", "custom")] {
        for (order, first, second, fault) in [
            ("order", "y", "x", "out of order"),
            ("repeated", "x", "x", "with one key twice"),
        ] {
            let name = format!("{map}-{order}");
            let pairs = || Map::sorted([("x", "1"), ("y", "2")]);
            let valid = plan(&page.values(&name))
                .schema(schema(1))
                .stream(Stream {
                    metadata: pairs(),
                    schema_ref: 1,
                    ..stream(1)
                })
                .session(Session {
                    custom: pairs(),
                    ..session()
                })
                .chunk(Chunk::two(1));
            let invalid = valid
                .clone()
                .replace_field(label, &format!("{map}[1].key"), &string(second.as_bytes()))
                .replace_field(label, &format!("{map}[0].key"), &string(first.as_bytes()))
                .what(&format!(
                    "{label}: the keys of {map} are {first} and {second}"
                ));
            cases.push(
                Draft::new(&name, &["CA3-1.3-04"], &format!("{map} {fault}"))
                    .valid(valid)
                    .invalid(invalid, surface(&[MapOrder]).result(without(label, map))),
            );
        }
    }
    cases
}
