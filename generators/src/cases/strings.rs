//! Item 5: strings and maps (§1.2, §1.3).

use ca3_spec::kind::Kind::{BadLength, BadUtf8, MapOrder};
use ca3_wire::Map;
use ca3_wire::records::{Header, Session, Stream};

use super::session::session;
use super::{Page, header_of, plan, small, string};
use crate::draft::{Draft, surface};
use crate::plan::{Chunk, Plan, stream};

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

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = vec![byte_count(page), library_byte(page)];
    cases.extend(utf8(page));
    cases.extend(nested(page));
    cases.extend(maps(page));
    cases
}

fn byte_count(page: &Page) -> Draft {
    // Five letters, one of them of two bytes: 7 bytes, 6 characters.
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
        surface(&[BadUtf8, BadLength]),
    )
}

fn library_byte(page: &Page) -> Draft {
    let v = page.values("one-bad-byte");
    // The library is "corpus kit": byte 4 + 7 is its k.
    Draft::new("one-bad-byte", &["CA3-1.2-07"], "a byte FF in a string")
        .valid(small(&v))
        .invalid(
            small(&v).patch_field("Header", "library", 11, &[0xFF]),
            surface(&[BadUtf8]),
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
            let invalid = valid.clone().patch_field("Stream 1", "topic", 10, &bytes);
            Draft::new(name, &["CA3-1.2-08", "CA3-1.2-07"], title)
                .valid(valid)
                .invalid(invalid, surface(&[BadUtf8]))
        })
        .collect()
}

fn nested(page: &Page) -> Vec<Draft> {
    let pair = || Map::sorted([("key", "value")]);
    let mut cases = Vec::new();
    for (name, label, field, title) in [
        (
            "in-custom-value",
            "Session 1",
            "custom[0].value",
            "a byte FF in a value of custom",
        ),
        (
            "in-custom-key",
            "Session 1",
            "custom[0].key",
            "a byte FF in a key of custom",
        ),
        (
            "in-device-serial",
            "Session 1",
            "devices[1].serial",
            "a byte FF in a device's serial",
        ),
        (
            "in-metadata-value",
            "Stream 1",
            "metadata[0].value",
            "a byte FF in a value of metadata",
        ),
        (
            "in-attributes-key",
            "Header",
            "attributes[0].key",
            "a byte FF in a key of attributes",
        ),
        (
            "in-schema-id",
            "Schema 1",
            "schema_id",
            "a byte FF in schema_id",
        ),
    ] {
        let v = page.values(name);
        let valid = Plan::with_header(Header {
            attributes: pair(),
            ..header_of(&v)
        })
        .schema(crate::plan::schema(1))
        .stream(Stream {
            metadata: pair(),
            schema_ref: 1,
            ..stream(1)
        })
        .session(Session {
            custom: pair(),
            ..session()
        })
        .chunk(Chunk::two(1));
        cases.push(
            Draft::new(name, &["CA3-1.2-09"], title)
                .valid(valid.clone())
                .invalid(
                    valid.patch_field(label, field, 5, &[0xFF]),
                    surface(&[BadUtf8]),
                ),
        );
    }
    cases
}

fn maps(page: &Page) -> Vec<Draft> {
    let mut cases = Vec::new();
    let valid = with_attributes(page, "entry-count", &[("a", "1"), ("b", "2")]);
    cases.push(
        Draft::new(
            "entry-count",
            &["CA3-1.2-04"],
            "a map is a count and pairs of strings",
        )
        .valid(valid.clone())
        .invalid(
            valid.patch_field("Header", "attributes.count", 0, &[3]),
            surface(&[BadLength]),
        ),
    );
    let valid = with_attributes(page, "keys-swapped", &[("a", "1"), ("b", "2")]);
    let swapped = valid
        .clone()
        .replace_field("Header", "attributes[1].key", &string(b"a"))
        .replace_field("Header", "attributes[0].key", &string(b"b"))
        .what("Header: the keys a and b of attributes are exchanged");
    cases.push(
        Draft::new(
            "keys-swapped",
            &["CA3-1.3-01"],
            "keys out of ascending order",
        )
        .valid(valid)
        .invalid(swapped, surface(&[MapOrder])),
    );
    let valid = with_attributes(page, "key-repeated", &[("a", "1"), ("b", "2")]);
    cases.push(
        Draft::new("key-repeated", &["CA3-1.3-02"], "the same key twice")
            .valid(valid.clone())
            .invalid(
                valid.replace_field("Header", "attributes[1].key", &string(b"a")),
                surface(&[MapOrder]),
            ),
    );
    let valid = with_attributes(page, "empty-key-repeated", &[("", "1"), ("b", "2")]);
    cases.push(
        Draft::new(
            "empty-key-repeated",
            &["CA3-1.3-02"],
            "an empty key is a key, and one only",
        )
        .valid(valid.clone())
        .invalid(
            valid.replace_field("Header", "attributes[1].key", &string(b"")),
            surface(&[MapOrder]),
        ),
    );

    // '' < 'B' < 'a' < 'ab' < EF BD 9E < F0 90 80 80; by UTF-16 the last two swap.
    let keys = [
        ("", "0"),
        ("B", "1"),
        ("a", "2"),
        ("ab", "3"),
        ("\u{ff5e}", "4"),
        ("\u{10000}", "5"),
    ];
    for (name, first, second, title) in [
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
    ] {
        let valid = with_attributes(page, name, &keys);
        let key = |index: i32| format!("attributes[{index}].key");
        // The later field first: a replacement of another length moves what follows.
        let invalid = valid
            .clone()
            .replace_field("Header", &key(second.0), &string(second.1.as_bytes()))
            .replace_field("Header", &key(first.0), &string(first.1.as_bytes()))
            .what(&format!("Header: {title}"));
        cases.push(
            Draft::new(name, &["CA3-1.3-03"], title)
                .valid(valid)
                .invalid(invalid, surface(&[MapOrder])),
        );
    }
    for (name, label, map, title) in [
        (
            "metadata-order",
            "Stream 1",
            "metadata",
            "Stream.metadata out of order",
        ),
        (
            "custom-order",
            "Session 1",
            "custom",
            "Session.custom out of order",
        ),
    ] {
        let v = page.values(name);
        let pairs = || Map::sorted([("x", "1"), ("y", "2")]);
        let valid = plan(&v)
            .stream(Stream {
                metadata: pairs(),
                ..stream(1)
            })
            .session(Session {
                custom: pairs(),
                ..session()
            })
            .chunk(Chunk::two(1));
        let invalid = valid
            .clone()
            .replace_field(label, &format!("{map}[1].key"), &string(b"x"))
            .replace_field(label, &format!("{map}[0].key"), &string(b"y"))
            .what(&format!("{label}: the keys x and y of {map} are exchanged"));
        cases.push(
            Draft::new(name, &["CA3-1.3-04"], title)
                .valid(valid)
                .invalid(invalid, surface(&[MapOrder])),
        );
    }
    cases
}
