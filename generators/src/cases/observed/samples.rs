//! Which of several delays holds, and which time it is taken off (§10.9).

use ca3_wire::records::Stream;

use super::super::Page;
use super::delays::{calibrated, delayed, drawn};
use super::{CAMERA, PEER, block_of, camera, camera_line, line, peer, receipt_only, signed};
use crate::asking::{emitted, in_force};
use crate::plan::{Chunk, Decoded, Sample, stream};
use crate::verifying::{applied, delay, delays, device_sample, host_sample, unknown};
use crate::{Ask, Draft};

const CHOSEN: &[&str] = &["G06", "G63", "G122"];
/// What a delay that is taken off a host's stamp rests on.
const OF_HOSTS: &[&str] = &[
    "G01", "G02", "G06", "G18", "G62", "G63", "G122", "G124", "G135",
];
/// And one that is taken off a device's.
const OF_DEVICES: &[&str] = &["G01", "G06", "G18", "G62", "G63", "G83", "G121", "G122"];

const WHICH: &str = "CA3-10.9-07";
const WHERE: &str = "CA3-10.9-08";

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = several(page);
    cases.push(source_time_only(page));
    cases.push(own_clock(page));
    cases.push(peers_clock(page));
    cases.push(unmapped(page));
    cases.push(without_source_stamp(page));
    cases
}

/// Streams 2 and 4 are the camera's; each list of delays is in file order.
fn several(page: &Page) -> Vec<Draft> {
    let case = |name: &str, title: &str, of: [(u32, i64); 3], holds: [i64; 2], wrong: &str| {
        let v = page.values(name);
        // One unit, so that no sum of two delays is a third.
        let unit = signed(v.u64("unit_ns", 1_000_000, 100_000..=9_000_000));
        let of = of.map(|(stream_ref, units)| calibrated(1, stream_ref, units * unit));
        let [of_2, of_4] = holds.map(|units| delay(units * unit, true));
        Draft::new(name, &[WHICH], title)
            .readings(CHOSEN)
            .valid_asked(
                delayed(&v, &[camera(4)], &of),
                vec![delays(&[
                    (1, unknown()),
                    (2, of_2),
                    (3, unknown()),
                    (4, of_4),
                ])],
            )
            .wrong_answer(wrong)
    };
    vec![
        case(
            "the-later-of-two",
            "one delay for the device, then two for stream 2: the last holds there, the first elsewhere",
            [(0, 1), (2, 3), (2, 7)],
            [7, 1],
            "the delays are added up, or the first holds",
        ),
        case(
            "one-stream-before-all",
            "a delay for stream 2, then two for the device: the first still holds for stream 2",
            [(2, 3), (0, 1), (0, 7)],
            [3, 7],
            "the last message holds for every stream",
        ),
    ]
}

/// A camera's stamp is on the reference in `source.time`; the stamp of the
/// recording host beside it says when the message came, and stays.
fn source_time_only(page: &Page) -> Draft {
    let v = page.values("source-time-and-no-other");
    let d = drawn(&v);
    let by = signed(d.delay);
    Draft::new(
        "source-time-and-no-other",
        &[WHERE],
        "a mapped camera: the delay is taken off source.time, and neither off time nor by state_at",
    )
    .readings(OF_DEVICES)
    .valid_asked(
        delayed(&v, &[], &[calibrated(1, 2, by)])
            .chunk(d.chunk(2))
            .clock_block(&block_of(&[camera_line(signed(d.offset))])),
        vec![
            Ask::times(2, &[d.sample(by, true)]),
            Ask::state_of(
                d.stamp,
                &[2],
                &[in_force(2, "exact", d.stamp, d.stamp, b"frame")],
            ),
        ],
    )
    .wrong_answer("the delay is taken off both, or by state_at")
}

/// A stream without a device's own stamps, on the recording host's clock.
fn own_clock(page: &Page) -> Draft {
    let v = page.values("stamp-of-the-host");
    let d = drawn(&v);
    let by = signed(d.delay);
    let corrected = d.stamp - d.delay;
    Draft::new(
        "stamp-of-the-host",
        &[WHERE],
        "a stream without source stamps: the delay is taken off time, in times and in times alone",
    )
    .readings(OF_HOSTS)
    .valid_asked(
        delayed(&v, &[], &[calibrated(1, 1, by)]).chunk(Chunk::plain(1, &[(d.stamp, b"one")])),
        vec![
            Ask::times(
                1,
                &[host_sample(d.stamp, "exact", corrected, &applied(by, true))],
            ),
            Ask::state_of(
                d.stamp,
                &[1],
                &[in_force(1, "exact", d.stamp, d.stamp, b"one")],
            ),
            Ask::window(
                d.stamp,
                d.stamp,
                &[1],
                &[emitted(1, "exact", d.stamp, d.stamp, b"one")],
            ),
        ],
    )
    .wrong_answer("state_at or window takes the delay off, or times does not")
}

/// The same on a peer host's clock.
fn peers_clock(page: &Page) -> Draft {
    let v = page.values("stamp-of-a-peer");
    let d = drawn(&v);
    let by = signed(d.delay);
    let of_peer = receipt_only(line(signed(d.offset), 0, 0, [0, 0]));
    let of_peer = ca3_wire::records::ClockDomain {
        observations_stream: 0,
        ..of_peer
    };
    let mapped = d.source + d.offset;
    Draft::new(
        "stamp-of-a-peer",
        &[WHERE],
        "a mapped stream of a peer host without source stamps: the delay is taken off its mapped time",
    )
    .readings(OF_HOSTS)
    .valid_asked(
        delayed(&v, &[peer(4)], &[calibrated(1, 4, by)])
            .chunk(Chunk::plain(4, &[(d.source, b"one")]))
            .clock_block(&block_of(&[of_peer])),
        vec![
            Ask::times(
                4,
                &[host_sample(
                    d.source,
                    "ok",
                    mapped - d.delay,
                    &applied(by, true),
                )],
            ),
            Ask::state_of(
                mapped,
                &[4],
                &[in_force(4, "ok", d.source, mapped, b"one")],
            ),
            Ask::window(
                mapped,
                mapped,
                &[4],
                &[emitted(4, "ok", d.source, mapped, b"one")],
            ),
        ],
    )
    .wrong_answer("state_at or window takes the delay off, or times does not")
}

/// Neither the peer host nor the device has a mapping: there is no time that a
/// delay could be taken off.
fn unmapped(page: &Page) -> Draft {
    let v = page.values("nothing-is-mapped");
    let d = drawn(&v);
    let by = signed(d.delay);
    let device = Stream {
        source_clock_domain: CAMERA.to_owned(),
        ..peer(5)
    };
    let bare = host_sample(d.source, "unmapped", d.source, &applied(by, false));
    let mut with_device = device_sample(
        d.stamp,
        [d.source, d.source],
        "unmapped",
        &applied(by, false),
    );
    if let Some(members) = with_device.as_object_mut() {
        members.insert("basis".to_owned(), "unmapped".into());
    }
    Draft::new(
        "nothing-is-mapped",
        &[WHERE],
        "streams of a peer host and of its camera, neither mapped: the delay is not taken off",
    )
    .readings(&["G01", "G02", "G06", "G62", "G63", "G121", "G122", "G135"])
    .valid_asked(
        delayed(
            &v,
            &[peer(4), device],
            &[calibrated(1, 4, by), calibrated(1, 5, by)],
        )
        .chunk(Chunk::plain(4, &[(d.source, b"one")]))
        .chunk(d.chunk(5)),
        vec![
            Ask::times(4, &[bare]),
            Ask::times(5, &[with_device]),
            delays(&[
                (1, unknown()),
                (2, unknown()),
                (3, unknown()),
                (4, delay(by, true)),
                (5, delay(by, true)),
            ]),
        ],
    )
    .wrong_answer("the delay is taken off a stamp that is on no clock of the file")
    .why(&format!(
        "A raw stamp of {PEER} less a delay is an instant on no clock: it looks corrected, and \
         nobody can place it."
    ))
}

/// One of two messages lacks the camera's stamp.
fn without_source_stamp(page: &Page) -> Draft {
    let v = page.values("one-without-a-source-stamp");
    let d = drawn(&v);
    let by = signed(d.delay);
    let later = d.stamp + 33_000_000;
    let chunk = Chunk::of(
        2,
        &[
            Sample::new(Decoded::at(d.stamp).source(d.source), b"frame"),
            Sample::new(Decoded::at(later), b"late"),
        ],
    );
    let nobody = Stream {
        source_clock_domain: String::new(),
        ..stream(4)
    };
    // What no clock is named for is given as it stands.
    let of_no_clock = d.chunk(4);
    let unnamed = serde_json::json!({
        "monotonic_timestamp_ns": d.stamp,
        "source": {"timestamp_ns": d.source, "basis": "unmapped", "time": d.source},
        "device_delay": "unknown",
    });
    Draft::new(
        "one-without-a-source-stamp",
        &["CA3-10.9-09"],
        "of two samples of a mapped camera one has no source stamp: no delay is taken off its time",
    )
    .readings(OF_DEVICES)
    .valid_asked(
        delayed(&v, &[nobody], &[calibrated(1, 2, by)])
            .chunk(chunk)
            .chunk(of_no_clock)
            .clock_block(&block_of(&[camera_line(signed(d.offset))])),
        vec![
            Ask::times(
                2,
                &[
                    d.sample(by, true),
                    host_sample(later, "exact", later, &applied(by, false)),
                ],
            ),
            Ask::times(4, &[unnamed]),
        ],
    )
    .wrong_answer("the delay is taken off the host's stamp, or a stamp without a clock is mapped")
}
