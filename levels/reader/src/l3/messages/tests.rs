//! Payloads written byte by byte.

use super::*;

const OBSERVATION: NotAMessage = NotAMessage(TimeMessage::Observation);

#[test]
fn an_observation_one_way_and_round_trip() {
    let one_way = [
        &[0x09][..],
        &5u64.to_le_bytes(),
        &[0x11],
        &7u64.to_le_bytes(),
    ]
    .concat();
    let observation = ClockObservation {
        source_ns: 5,
        receipt_ns: 7,
        sent_ns: None,
    };
    assert_eq!(ClockObservation::decode(&one_way), Ok(observation));
    // sent_ns is there, although it is 0; so is an unknown field 9.
    let round = [&one_way[..], &[0x19], &[0; 8], &[0x48, 1]].concat();
    let sent_ns = Some(0);
    let observation = ClockObservation {
        sent_ns,
        ..observation
    };
    assert_eq!(ClockObservation::decode(&round), Ok(observation));
    assert_eq!(
        ClockObservation::decode(&[]),
        Ok(ClockObservation::default())
    );
    // source_ns as a varint is another type.
    assert_eq!(ClockObservation::decode(&[0x08, 5]), Err(OBSERVATION));
    assert_eq!(ClockObservation::decode(&one_way[..5]), Err(OBSERVATION));
}

#[test]
fn a_delay_with_all_of_its_fields() {
    let payload = [
        &[0x08, 2, 0x10, 3, 0x18, 9][..], // device 2, stream 3, zigzag 9 = -5
        &[0x21],
        &u64::MAX.to_le_bytes(),
        &[0x2A, 3],
        b"led",
        &[0x31],
        &6u64.to_le_bytes(),
        &[0x3A, 2],
        b"me",
        &[0x42, 3],
        b"2.1",
        &[0x4A, 4, 0x0A, 0, 0x12, 0], // an entry of valid_config
    ]
    .concat();
    let delay = DeviceDelay {
        device_ref: 2,
        stream_ref: 3,
        delay_ns: -5,
        uncertainty_ns: DeviceDelay::UNKNOWN,
        method: "led".to_owned(),
        measured_unix_ns: 6,
        measured_by: "me".to_owned(),
        valid_firmware: "2.1".to_owned(),
    };
    assert_eq!(DeviceDelay::decode(&payload), Ok(delay));
    let not_utf8 = [0x42, 1, 0xFF];
    let wrong = NotAMessage(TimeMessage::Delay);
    assert_eq!(DeviceDelay::decode(&not_utf8), Err(wrong));
}

#[test]
fn an_event_keeps_its_observations_in_order() {
    let sight = |stream_ref: u8, stamp: u64| {
        let body = [&[0x08, stream_ref, 0x11][..], &stamp.to_le_bytes()].concat();
        [&[0x2A, 11][..], &body].concat()
    };
    let payload = [
        &[0x08, 1, 0x10, 1][..],
        &sight(2, 30),
        &[0x1A, 3],
        b"ttl",
        &sight(1, 10),
    ]
    .concat();
    let event = AlignmentEvent::decode(&payload).unwrap();
    assert_eq!((event.event_id, event.kind, &*event.method), (1, 1, "ttl"));
    let sights: Vec<(u32, u64)> = event
        .observations
        .iter()
        .map(|seen| (seen.stream_ref, seen.stamp_ns))
        .collect();
    assert_eq!(sights, [(2, 30), (1, 10)]);
    let wrong = NotAMessage(TimeMessage::Event);
    assert_eq!(AlignmentEvent::decode(&[0x2A, 1, 0x0B]), Err(wrong));
}

#[test]
fn a_schema_is_known_by_its_name_and_encoding() {
    let of = TimeMessage::of_schema;
    assert_eq!(
        of("ca3.time.v1.DeviceDelay", "protobuf"),
        Some(TimeMessage::Delay)
    );
    assert_eq!(of("ca3.time.v1.DeviceDelay", ""), None);
    assert_eq!(of("ca3.time.v2.DeviceDelay", "protobuf"), None);
}
