//! Item 21, of files that carry no device delay (§10.9).

use ca3_wire::records::{ClockDomain, Device, Session};

use super::super::mapping::{PEER, block_of, line, peer, signed};
use super::super::session::session;
use super::super::{Page, one_stream, plan};
use super::device_stream;
use crate::Draft;
use crate::plan::{Chunk, Decoded, Sample, stream};
use crate::timing::{clock, no_delays, raw_source, sample, stamped, times};

const RULE: &str = "CA3-10.9-01";

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    vec![of_streams(page), of_devices(page), alone(page)]
}

fn of_streams(page: &Page) -> Draft {
    let v = page.values("mapped-and-exact");
    let (stamp, offset) = (
        v.u64("stamp_ns", 5_000, 2_000..=90_000),
        v.u64("offset_ns", 1_000, 100..=9_000),
    );
    Draft::new(
        "mapped-and-exact",
        &[RULE],
        "a mapped stream, an exact one and one without messages, and no delay for any of them",
    )
    .valid_asked(
        plan(&v)
            .stream(stream(3))
            .stream(peer(2))
            .stream(stream(1))
            .chunk(Chunk::plain(1, &[(stamp, b"one")]))
            .chunk(Chunk::plain(2, &[(stamp, b"two")]))
            .clock_block(&block_of(&[line(PEER, signed(offset), 0, 0)])),
        vec![
            clock(no_delays(&[1, 2, 3])),
            times(1, &[sample(stamp, stamp, "exact")]),
            times(2, &[sample(stamp, stamp + offset, "ok")]),
        ],
    )
    .wrong_answer("the delay is 0, or the streams are not listed")
}

fn of_devices(page: &Page) -> Draft {
    let v = page.values("devices-of-the-session");
    let (stamp, source) = (
        v.u64("stamp_ns", 5_000, 2_000..=90_000),
        v.u64("source_timestamp_ns", 700, 100..=1_900),
    );
    let device = |device_ref: u32, domain: &str| Device {
        device_ref,
        kind: "camera".to_owned(),
        serial: format!("serial-{device_ref}"),
        firmware: "2.1".to_owned(),
        clock_domain: domain.to_owned(),
    };
    let session = Session {
        devices: vec![device(1, "dev-a"), device(2, "dev-b")],
        ..session()
    };
    let fitted = ClockDomain {
        kind: 0,
        ..line("dev-a", 1_000, 0, 0)
    };
    let message = Sample::new(Decoded::at(stamp).source(source), b"one");
    Draft::new(
        "devices-of-the-session",
        &[RULE],
        "devices that the session lists, with and without a line: their delay is not stated",
    )
    .valid_asked(
        plan(&v)
            .session(session)
            .stream(device_stream(1, "dev-a"))
            .stream(device_stream(2, "dev-b"))
            .chunk(Chunk::of(1, std::slice::from_ref(&message)))
            .chunk(Chunk::of(2, &[message]))
            .clock_block(&block_of(&[fitted])),
        vec![
            clock(no_delays(&[1, 2])),
            // What the line is applied to is a reading (G121).
            times(1, &[stamped(stamp).source(raw_source(source))]),
            times(2, &[stamped(stamp).source(raw_source(source))]),
        ],
    )
    .wrong_answer("the delay is 0, as a device is known")
}

fn alone(page: &Page) -> Draft {
    let v = page.values("no-clock-block");
    let stamp = v.u64("stamp_ns", 5_000, 2_000..=90_000);
    Draft::new(
        "no-clock-block",
        &[RULE],
        "a file that states nothing of clocks does not state that a device is instant",
    )
    .valid_asked(
        one_stream(&v).chunk(Chunk::plain(1, &[(stamp, b"one"), (stamp + 10, b"two")])),
        vec![times(
            1,
            &[
                sample(stamp, stamp, "exact"),
                sample(stamp + 10, stamp + 10, "exact"),
            ],
        )],
    )
    .wrong_answer("the delay is 0")
}
