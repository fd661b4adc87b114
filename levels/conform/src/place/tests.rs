//! Fields behind mismatches, in committed files.

use serde_json::{Value, json};

use super::*;
use ca3_spec::vector::{Expect, Polarity};

/// A committed valid file and its expected result.
fn committed(id: &str) -> (Vec<u8>, Value) {
    let case = ca3_vectors::cases().unwrap();
    let case = case.into_iter().find(|case| case.sidecar.id == id).unwrap();
    let steps = &case.sidecar.valid.vector().unwrap().steps;
    let Expect::Answer { result, .. } = &steps[0].expect else {
        panic!("{id} expects no answer")
    };
    (
        case.bytes(Polarity::Valid).unwrap().to_vec(),
        result.clone(),
    )
}

fn mismatch(path: &str, expected: Value) -> Mismatch {
    Mismatch::new(path, expected, None)
}

#[track_caller]
fn check(id: &str, path: &str, field: &str) -> Place {
    let (bytes, expected) = committed(id);
    let place = locate(&bytes, &mismatch(path, Value::Null), &expected, None)
        .unwrap_or_else(|| panic!("{path} is nowhere in {id}"));
    assert_eq!(place.field, field);
    place
}

#[test]
fn members_are_found_by_the_names_of_their_fields() {
    let zigzag = "ca3/7-messages/zigzag";
    let wall = check(
        zigzag,
        "messages[1].wall_clock_ns",
        "Chunk.message[1].wall_clock_ns",
    );
    assert_eq!(
        (wall.length.0, wall.value.as_str()),
        (9, "9223372036854775806")
    );
    check(
        zigzag,
        "messages[1].monotonic_timestamp_ns",
        "Chunk.message[1].stamp_delta",
    );
    check(zigzag, "messages[0].sequence", "Chunk.seq_first");
    check(zigzag, "messages[3].payload", "Chunk.message[3].payload");
    check(zigzag, "messages[3].stream_ref", "Chunk.stream_ref");
    check(zigzag, "header.host_id", "Header.host_id");
    check(zigzag, "header.attributes.k", "Header.attributes.count");
    check(zigzag, "streams[0].topic", "Stream.topic");
    check(zigzag, "calendar_time", "Header.anchor_wall_unix_ns");
    check(zigzag, "complete", "the file's last bytes");
    let session = "ca3/3-session/devices";
    check(
        session,
        "session.devices[0].serial",
        "Session.devices[0].serial",
    );
    let columnar = "ca3/7-columnar-chunk/block-addresses";
    let block = check(
        columnar,
        "messages[2].payload",
        "ColumnarChunk.message[2].payload",
    );
    assert_eq!(block.value, "62 6c 6b 32");
}

#[test]
fn a_missing_element_and_a_reader_s_own_offset_are_places_too() {
    let (bytes, expected) = committed("ca3/3-opcodes/opcode-0b");
    let missing = Mismatch {
        elements: true,
        missing: Some(0),
        ..mismatch("skipped", json!(1))
    };
    let place = locate(&bytes, &missing, &expected, None).unwrap();
    assert_eq!(
        place.offset,
        Decimal(
            expected["skipped"][0]["offset"]
                .as_str()
                .unwrap()
                .parse()
                .unwrap()
        )
    );

    let answer = json!({"status": "refused", "error": {"kind": "other", "offset": "8"}});
    let refused = mismatch("status", json!("ok"));
    let place = locate(&bytes, &refused, &expected, Some(&answer)).unwrap();
    assert_eq!(place.field, "Header record");
}

#[test]
fn what_the_walk_cannot_tell_is_nowhere() {
    let (bytes, expected) = committed("ca3/7-messages/zigzag");
    for path in [
        "",
        "messages[99].payload",
        "streams[7].topic",
        "unheard_of",
        "status",
    ] {
        let found = locate(&bytes, &mismatch(path, Value::Null), &expected, None);
        assert_eq!(found, None, "{path}");
    }
    assert_eq!(
        locate(
            &[],
            &mismatch("header.host_id", Value::Null),
            &expected,
            None
        ),
        None
    );
}

#[test]
fn bytes_are_named_by_their_innermost_fields() {
    let (bytes, _) = committed("ca3/7-messages/zigzag");
    assert_eq!(
        fields_at(&bytes, 17, 8).unwrap(),
        "Header.required_features"
    );
    assert_eq!(
        fields_at(&bytes, 24, 0).unwrap(),
        "Header.required_features"
    );
    assert_eq!(fields_at(&bytes, 3, 1).unwrap(), "the leading magic");
    assert_eq!(
        fields_at(&bytes, 8, 9).unwrap(),
        "Header.opcode to Header.content_length"
    );
    assert_eq!(fields_at(&bytes, 1 << 40, 1), None);
    let mut broken = bytes;
    broken[0x2F] = 0xFF;
    assert_eq!(fields_at(&broken, 0x2F, 1).unwrap(), "Header.host_id");
}
