//! Item 18: which event fits a trigger mapping, and whose sight of it counts
//! (§10.10, readings G65, G123 and G129). The files are as in `triggers.rs`.

use ca3_wire::records::{ClockDomain, Stream};

use super::super::Page;
use super::triggers::{
    OF_CAMERA, TRIGGERED, aligned, by_flash, chunk_of, event, flash, pair, trigger,
};
use super::{PEER_EPOCH, camera, shift_of};
use crate::Draft;
use crate::plan::{HOST, described, stream};
use crate::verifying::{inconsistent, verifications};

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    vec![
        first_common_event(page),
        any_kind(page),
        no_common_event(page),
        first_sight(page),
        another_boot(page),
        boots_of_the_reference(page),
        two_streams_of_events(page),
    ]
}

/// Of four events the second and the third were seen by both: deltas of -5 s
/// and of 100 ns less, residuals 0 and 100, rank 2.
fn first_common_event(page: &Page) -> Draft {
    let v = page.values("first-event-of-both");
    let shift = shift_of(&v);
    let events = [
        event(
            1,
            0,
            &[(2, 6_000_000_000, 5_000_000), (3, 1_500_000_000, 500)],
            shift,
        ),
        event(
            2,
            0,
            &[(2, 8_000_000_000, 5_000_000), (1, 3_000_000_000, 1_000)],
            shift,
        ),
        event(
            3,
            0,
            &[(2, 9_000_000_100, 2_000_000), (1, 4_000_000_000, 0)],
            shift,
        ),
        event(
            4,
            0,
            &[(3, 5_500_000_000, 500), (1, 5_000_000_000, 0)],
            shift,
        ),
    ];
    let right = trigger(
        OF_CAMERA,
        -5_000_000_000,
        8_000_000_000 + shift,
        [100, 2],
        5_001_000,
    );
    let wrong = trigger(
        OF_CAMERA,
        -5_000_000_100,
        9_000_000_100 + shift,
        [100, 2],
        2_000_000,
    );
    pair(
        [
            "first-event-of-both",
            "CA3-10.5-09",
            "of four events camera and host both saw the second and the third: the second fits",
        ],
        aligned(&v, &[], &events, &[right]),
        &wrong,
        ["offset_ns", "the mapping that the third event implies"],
    )
}

/// Deltas of -5 s and of 40 ns less.
fn any_kind(page: &Page) -> Draft {
    let v = page.values("whatever-the-kind");
    let shift = shift_of(&v);
    let events = [
        event(
            1,
            1,
            &[(2, 7_000_000_000, 33_000_000), (1, 2_000_000_000, 0)],
            shift,
        ),
        event(
            2,
            0,
            &[(2, 8_000_000_040, 1_000), (1, 3_000_000_000, 0)],
            shift,
        ),
    ];
    let right = trigger(
        OF_CAMERA,
        -5_000_000_000,
        7_000_000_000 + shift,
        [40, 2],
        33_000_000,
    );
    let wrong = trigger(
        OF_CAMERA,
        -5_000_000_040,
        8_000_000_040 + shift,
        [40, 2],
        1_000,
    );
    pair(
        [
            "whatever-the-kind",
            "CA3-10.5-09",
            "an event derived from content, then an instrumented one: the first of both fits",
        ],
        aligned(&v, &[], &events, &[right]),
        &wrong,
        [
            "offset_ns",
            "the mapping that the instrumented event implies",
        ],
    )
    .readings(&["G04", "G05", "G06", "G61", "G65", "G123", "G129", "G133"])
}

/// Without the reference's sight there is no observation.
fn no_common_event(page: &Page) -> Draft {
    let name = "unseen-by-the-reference";
    let v = page.values(name);
    let shift = shift_of(&v);
    let valid = aligned(&v, &[], &[flash(shift)], &[by_flash(shift)]);
    let invalid = valid.clone().edit_chunk(
        "Chunk 1",
        "message[0].payload",
        "the host's sight of the event is left out",
        move |chunk| {
            if let Some(message) = chunk.at(0) {
                let alone = event(1, 0, &[(2, 7_000_000_000, 5_000_000)], shift);
                message.payload = alone.payload();
            }
        },
    );
    Draft::new(
        name,
        &["CA3-10.5-09"],
        "the one event that a mapping of quality 2 names was not seen by the reference",
    )
    .readings(TRIGGERED)
    .valid_asked(valid, vec![verifications(&["verified"])])
    .invalid_asked(invalid, vec![inconsistent()])
}

/// Two streams of the camera and two of the host saw the same flash.
fn first_sight(page: &Page) -> Draft {
    let v = page.values("first-sight-of-each");
    let shift = shift_of(&v);
    let saw = [
        (2, 7_000_000_000, 5_000_000),
        (5, 7_000_000_300, 1_000),
        (1, 2_000_000_000, 1_000),
        (6, 2_000_000_050, 0),
    ];
    let right = trigger(
        OF_CAMERA,
        -5_000_000_000,
        7_000_000_000 + shift,
        [0, 1],
        5_001_000,
    );
    // 2000000050 - 7000000300, to 1 us and nothing.
    let wrong = trigger(
        OF_CAMERA,
        -5_000_000_250,
        7_000_000_300 + shift,
        [0, 1],
        1_000,
    );
    pair(
        [
            "first-sight-of-each",
            "CA3-10.10-03",
            "two streams of each clock saw the flash: of either, the first in the message counts",
        ],
        aligned(
            &v,
            &[camera(5), stream(6)],
            &[event(1, 0, &saw, shift)],
            &[right],
        ),
        &wrong,
        ["offset_ns", "the mapping that the surest sights imply"],
    )
}

/// Another boot of the recording host is not the reference.
fn another_boot(page: &Page) -> Draft {
    let v = page.values("another-boot-is-no-reference");
    let shift = shift_of(&v);
    let before = Stream {
        host_id: HOST.to_owned(),
        host_clock_epoch: PEER_EPOCH.to_owned(),
        ..stream(5)
    };
    let saw = [
        (5, 9_000_000_000, 0),
        (2, 7_000_000_000, 5_000_000),
        (1, 2_000_000_000, 0),
    ];
    // 9 s - 7 s by the stream of the other boot.
    let wrong = ClockDomain {
        offset_ns: 2_000_000_000,
        ..by_flash(shift)
    };
    pair(
        [
            "another-boot-is-no-reference",
            "CA3-10.10-04",
            "a stream of another boot of the reference host saw the flash too: its stamp is not the reference's",
        ],
        aligned(
            &v,
            &[before],
            &[event(1, 0, &saw, shift)],
            &[by_flash(shift)],
        ),
        &wrong,
        [
            "offset_ns",
            "the mapping that the other boot's stamp implies",
        ],
    )
}

/// A mapping of the reference host's name is one of its other boot.
fn boots_of_the_reference(page: &Page) -> Draft {
    let v = page.values("other-boot-of-the-reference");
    let shift = shift_of(&v);
    let before = Stream {
        host_id: HOST.to_owned(),
        host_clock_epoch: PEER_EPOCH.to_owned(),
        ..stream(5)
    };
    let saw = [(1, 2_000_000_000, 1_000), (5, 9_000_000_000, 500)];
    // 2 s - 9 s; by the reference's own stamp 2 s - 2 s.
    let of_boot = |offset_ns: i64, origin: u64, bound: u64| {
        trigger((HOST, 1), offset_ns, origin + shift, [0, 1], bound)
    };
    let right = of_boot(-7_000_000_000, 9_000_000_000, 1_500);
    let wrong = of_boot(0, 2_000_000_000, 2_000);
    pair(
        [
            "other-boot-of-the-reference",
            "CA3-10.10-04",
            "a mapping of the reference host's other boot: the reference's own sight is not that boot's",
        ],
        aligned(&v, &[before], &[event(1, 0, &saw, shift)], &[right]),
        &wrong,
        [
            "offset_ns",
            "the mapping that the reference's stamp implies for itself",
        ],
    )
    .readings(&[
        "G02", "G04", "G05", "G06", "G61", "G65", "G123", "G129",
    ])
}

/// The mapping names stream 5; what stream 4 carries stands first in the file.
fn two_streams_of_events(page: &Page) -> Draft {
    let v = page.values("two-streams-of-events");
    let shift = shift_of(&v);
    let elsewhere = event(
        1,
        0,
        &[(2, 6_000_000_000, 3_000_000), (1, 1_900_000_000, 0)],
        shift,
    );
    let named = |domain: ClockDomain| ClockDomain {
        observations_stream: 5,
        ..domain
    };
    // 1.9 s - 6 s.
    let wrong = trigger(
        OF_CAMERA,
        -4_100_000_000,
        6_000_000_000 + shift,
        [0, 1],
        3_000_000,
    );
    pair(
        [
            "two-streams-of-events",
            "CA3-10.5-09",
            "two streams carry events: a mapping is fitted from those of the stream that it names",
        ],
        aligned(
            &v,
            &[described(5, 1)],
            &[elsewhere],
            &[named(by_flash(shift))],
        )
        .chunk(chunk_of(5, &[flash(shift)])),
        &named(wrong),
        [
            "offset_ns",
            "the mapping that the other stream's event implies",
        ],
    )
}
