//! Item 21: for which streams and under which firmware a delay holds, letter
//! for letter, and how far a time can be moved (§10.9).
//!
//! The files are those of `delays.rs`.

use ca3_spec::kind::Kind::{DelayNotApplicable, LimitExceeded};
use ca3_spec::vector::Surface;
use ca3_wire::records::Stream;
use serde_json::json;

use super::super::Page;
use super::delays::{CARRIED, DEVICES, calibrated, delayed, delayed_by, other_firmware};
use super::{AMPLIFIER, CAMERA, camera, signed};
use crate::Ask;
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::{Chunk, Delay, Plan, stream};
use crate::verifying::{applied, delay, delays, delays_of, host_sample, unknown};

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = vec![named_alike(page), of_no_clock(page)];
    cases.extend(firmware_alike(page));
    cases.push(firmware_of_its_device(page));
    cases.push(stale_beside_fitting(page));
    cases.push(past_64_bits(page));
    cases
}

/// A stream of the recording host whose messages carry this clock's time.
fn stamped_by(stream_ref: u32, domain: &str) -> Stream {
    Stream {
        source_clock_domain: domain.to_owned(),
        ..stream(stream_ref)
    }
}

fn named_alike(page: &Page) -> Draft {
    let name = "clocks-named-alike";
    let v = page.values(name);
    let by = signed(v.u64("delay_ns", 5_000_000, 1_000_000..=60_000_000));
    let more = [
        stamped_by(4, "camera-clock-2"),
        stamped_by(5, "camera"),
        stamped_by(6, "Camera-Clock"),
    ];
    Draft::new(
        name,
        &["CA3-10.9-04"],
        "a delay of every stream of camera-clock: none of camera-clock-2, camera or Camera-Clock",
    )
    .readings(CARRIED)
    .valid_asked(
        delayed(&v, &more, &[calibrated(1, 0, by)]),
        vec![delays(&[
            (1, unknown()),
            (2, delay(by, true)),
            (3, unknown()),
            (4, unknown()),
            (5, unknown()),
            (6, unknown()),
        ])],
    )
    .wrong_answer("the beginning of the clock's name is enough, or its case does not count")
}

/// Two names that are empty name no clock that they share.
fn of_no_clock(page: &Page) -> Draft {
    let name = "device-without-a-clock";
    let v = page.values(name);
    let by = signed(v.u64("delay_ns", 5_000_000, 1_000_000..=60_000_000));
    let stamp = v.u64("stamp_ns", 9_060_000_000, 9_000_000_000..=9_900_000_000);
    Draft::new(
        name,
        &["CA3-10.9-04"],
        "a delay of every stream of a device that names no clock: streams without one are not its",
    )
    .readings(CARRIED)
    .valid_asked(
        delayed_by(
            &v,
            &[["2.1", CAMERA], ["7", ""]],
            &[],
            &[calibrated(2, 0, by)],
        )
        .chunk(Chunk::plain(1, &[(stamp, b"one")])),
        vec![
            delays(&[(1, unknown()), (2, unknown()), (3, unknown())]),
            Ask::times(1, &[host_sample(stamp, "exact", stamp, &unknown())]),
        ],
    )
    .wrong_answer("an empty clock_domain is found equal to an empty source_clock_domain")
}

fn firmware_alike(page: &Page) -> Vec<Draft> {
    vec![
        other_firmware(
            page,
            [
                "firmware-that-begins-alike",
                "a delay measured under 2.1 does not hold for a camera of firmware 2.10",
            ],
            ["2.10", "2.1"],
        ),
        other_firmware(
            page,
            [
                "firmware-that-goes-on",
                "a delay measured under 2.10 does not hold for a camera of firmware 2.1",
            ],
            ["2.1", "2.10"],
        ),
        other_firmware(
            page,
            [
                "newer-firmware",
                "a delay measured under 2.1 does not hold for a camera that was updated to 2.3",
            ],
            ["2.3", "2.1"],
        ),
    ]
}

/// A delay of the second device: it is its firmware that counts.
fn firmware_of_its_device(page: &Page) -> Draft {
    let name = "firmware-of-the-delay-s-device";
    let v = page.values(name);
    let by = signed(v.u64("delay_ns", 5_000_000, 1_000_000..=60_000_000));
    let under = |firmware: &str| Delay {
        valid_firmware: firmware.to_owned(),
        ..calibrated(2, 5, by)
    };
    let [[of_camera, _], [of_amplifier, _]] = DEVICES;
    let valid = delayed(&v, &[stamped_by(5, AMPLIFIER)], &[under(of_amplifier)]);
    let stale = under(of_camera).payload();
    let invalid = valid.clone().edit_chunk(
        "Chunk 1",
        "message[0].payload",
        "valid_firmware becomes the camera's, and the delay is the amplifier's",
        move |chunk| {
            if let Some(message) = chunk.at(0) {
                message.payload = stale;
            }
        },
    );
    let in_force = |applicable: bool| {
        let of_5 = delay(by, applicable);
        [(1, unknown()), (2, unknown()), (3, unknown()), (5, of_5)]
    };
    let holds = json!({"applicable": true});
    let never = json!({"device_delays": [{}, {}, {}, {"delay": {"$not": holds}}]});
    Draft::new(
        name,
        &["CA3-10.9-05"],
        "the firmware that a delay was measured under is compared with that of its own device",
    )
    .readings(&["G06", "G63", "G93", "G122"])
    .valid_asked(valid, vec![delays(&in_force(true))])
    .invalid_asked(
        invalid,
        vec![Ask::clock(json!({})).surfaces(Surface {
            or_result: delays_of(&in_force(false)),
            ..surface(&[DelayNotApplicable]).result(never)
        })],
    )
}

/// Streams 2 and 4 are the camera's, whose firmware is 2.1.
fn stale_beside_fitting(page: &Page) -> Draft {
    let name = "stale-beside-fitting";
    let v = page.values(name);
    // One unit, so that no sum of two delays is a third.
    let unit = signed(v.u64("unit_ns", 1_000_000, 100_000..=9_000_000));
    let of = [(0, 1, "2.1"), (2, 3, "2.1"), (2, 7, "2.3"), (4, 13, "2.3")];
    let of = of.map(|(stream_ref, units, firmware)| Delay {
        valid_firmware: firmware.to_owned(),
        ..calibrated(1, stream_ref, units * unit)
    });
    Draft::new(
        name,
        &["CA3-10.9-05", "CA3-10.9-07"],
        "a later delay and one that names the stream, both stale: the one that fits holds",
    )
    .readings(&["G06", "G63", "G93", "G122"])
    .valid_asked(
        delayed(&v, &[camera(4)], &of),
        vec![
            delays(&[
                (1, unknown()),
                (2, delay(3 * unit, true)),
                (3, unknown()),
                (4, delay(unit, true)),
            ])
            .may_report(&[DelayNotApplicable]),
        ],
    )
    .wrong_answer("the last delay, or the one that names the stream, is in force and does not fit")
}

/// The stamp lies `room_ns` below 2^64 - 1, and the delay is negative.
fn past_64_bits(page: &Page) -> Draft {
    let name = "past-64-bits";
    let v = page.values(name);
    let room = v.u64("room_ns", 5_000_000, 2_000_000..=60_000_000);
    let beyond = v.u64("beyond_ns", 1, 1..=900_000);
    let stamp = u64::MAX - room;
    let early = |by: u64| calibrated(1, 1, -signed(by));
    let just = signed(room - 1);
    let valid: Plan =
        delayed(&v, &[], &[early(room - 1)]).chunk(Chunk::plain(1, &[(stamp, b"one")]));
    let farther = early(room + beyond).payload();
    let invalid = valid.clone().edit_chunk(
        "Chunk 1",
        "message[0].payload",
        "the delay takes the time past 2^64 - 1",
        move |chunk| {
            if let Some(message) = chunk.at(0) {
                message.payload = farther;
            }
        },
    );
    let none = json!({"samples": {"$one_of": [[], [{"time": null}]]}});
    Draft::new(
        name,
        &["CA3-10.9-02"],
        "a negative delay moves a time to 2^64 - 2; one that would move it past 64 bits gives none",
    )
    .readings(&[
        "G01", "G06", "G18", "G60", "G62", "G63", "G122", "G124", "G125", "G135",
    ])
    .valid_asked(
        valid,
        vec![Ask::times(
            1,
            &[host_sample(
                stamp,
                "exact",
                u64::MAX - 1,
                &applied(-just, true),
            )],
        )],
    )
    .invalid_asked(
        invalid,
        vec![Ask::times(1, &[]).surfaces(Surface {
            or_result: json!({"samples": []}),
            ..surface(&[LimitExceeded]).result(none)
        })],
    )
}
