//! Item 21: the delay inside a device, which a message carries (§10.9).
//!
//! Stream 1 is the recording host's own, stream 2 a camera's, stream 3 carries
//! the delays. The camera is the Session's first device.

use ca3_spec::kind::Kind::{DelayNotApplicable, UnresolvedReference};
use ca3_spec::vector::Surface;
use ca3_wire::records::Stream;
use serde_json::{Value, json};

use super::super::{Page, plan};
use super::{block_of, camera, camera_line, session_of, signed};
use crate::Ask;
use crate::Values;
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::{
    Chunk, DELAY_UNKNOWN, Decoded, Delay, Plan, Sample, TimeMessage, described, stream, time_schema,
};
use crate::verifying::{applied, delay, delays, delays_of, device_sample, unknown};

/// What all delays here rest on.
pub(super) const CARRIED: &[&str] = &["G06", "G63", "G122"];
/// And what is made of them.
const TAKEN_OFF: &[&str] = &["G01", "G06", "G18", "G62", "G63", "G121", "G122"];

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = signs(page);
    cases.push(unknown_delay(page));
    cases.push(of_every_stream(page));
    cases.push(of_one_stream(page));
    cases.push(of_no_stream(page));
    cases.extend(firmware(page));
    cases
}

/// The devices of the Session: firmware and clock domain.
pub(super) const DEVICES: &[[&str; 2]; 2] = &[["2.1", super::CAMERA], ["7", super::AMPLIFIER]];

/// A calibrated delay, in force whatever the firmware.
pub(super) fn calibrated(device_ref: u32, stream_ref: u32, delay_ns: i64) -> Delay {
    Delay {
        device_ref,
        stream_ref,
        delay_ns,
        uncertainty_ns: 250_000,
        method: "photodiode".to_owned(),
        measured_unix_ns: 1_650_000_000_000_000_000,
        measured_by: "bench 4".to_owned(),
        valid_firmware: String::new(),
        valid_config: vec![("exposure", "8 ms")],
    }
}

/// A chunk of these delays, published 10 ns apart.
pub(super) fn chunk_of(stream_ref: u32, delays: &[Delay]) -> Chunk {
    let sample = |(index, delay): (u64, &Delay)| {
        Sample::new(Decoded::at(1_000 + 10 * index), &delay.payload())
    };
    let samples: Vec<Sample> = (0u64..).zip(delays).map(sample).collect();
    Chunk::of(stream_ref, &samples)
}

/// A Session, streams 1 to 3 and further ones, and these delays.
pub(super) fn delayed(v: &Values, more: &[Stream], delays: &[Delay]) -> Plan {
    delayed_by(v, DEVICES, more, delays)
}

/// As [`delayed`], in a Session of these devices.
pub(super) fn delayed_by(
    v: &Values,
    devices: &[[&str; 2]],
    more: &[Stream],
    delays: &[Delay],
) -> Plan {
    let plan = plan(v)
        .session(session_of(v, devices))
        .schema(time_schema(1, TimeMessage::DeviceDelay))
        .stream(stream(1))
        .stream(camera(2))
        .stream(described(3, 1));
    more.iter()
        .cloned()
        .fold(plan, Plan::stream)
        .chunk(chunk_of(3, delays))
}

/// The draws of a sample: when it was published, the camera's own stamp, the
/// offset of its clock and the delay, ns. The delay is less than the stamp.
#[derive(Clone, Copy)]
pub(super) struct Drawn {
    pub(super) stamp: u64,
    pub(super) source: u64,
    pub(super) offset: u64,
    pub(super) delay: u64,
}

pub(super) fn drawn(v: &Values) -> Drawn {
    Drawn {
        stamp: v.u64("stamp_ns", 9_060_000_000, 9_000_000_000..=9_900_000_000),
        source: v.u64("source_ns", 2_000_000_000, 1_000_000_000..=2_900_000_000),
        offset: v.u64("offset_ns", 7_000_000_000, 6_000_000_000..=7_900_000_000),
        delay: v.u64("delay_ns", 5_000_000, 1_000_000..=60_000_000),
    }
}

impl Drawn {
    /// A message of the camera's.
    pub(super) fn chunk(&self, stream_ref: u32) -> Chunk {
        let decoded = Decoded::at(self.stamp).source(self.source);
        Chunk::of(stream_ref, &[Sample::new(decoded, b"frame")])
    }

    /// The camera's own stamp on the reference, nothing taken off.
    pub(super) fn mapped(&self) -> u64 {
        self.source + self.offset
    }

    /// The answer where this much was taken off, or not.
    pub(super) fn sample(&self, delay_ns: i64, taken_off: bool) -> Value {
        let by = if taken_off { delay_ns } else { 0 };
        let time = self.mapped().saturating_add_signed(-by);
        let device_delay = applied(delay_ns, taken_off);
        device_sample(self.stamp, [self.source, time], "ok", &device_delay)
    }

    /// The answer where nothing is known of a delay.
    pub(super) fn unknown(&self) -> Value {
        device_sample(self.stamp, [self.source, self.mapped()], "ok", &unknown())
    }
}

/// The camera's clock in a block of its own.
fn with_camera(plan: Plan, d: Drawn) -> Plan {
    plan.chunk(d.chunk(2))
        .clock_block(&block_of(&[camera_line(signed(d.offset))]))
}

fn signs(page: &Page) -> Vec<Draft> {
    let case = |name: &str, sign: i64, title: &str, wrong: &str| {
        let v = page.values(name);
        let d = drawn(&v);
        let by = sign * signed(d.delay);
        let file = with_camera(delayed(&v, &[], &[calibrated(1, 2, by)]), d);
        Draft::new(name, &["CA3-10.9-02"], title)
            .readings(TAKEN_OFF)
            .valid_asked(
                file,
                vec![
                    Ask::times(2, &[d.sample(by, true)]),
                    delays(&[(1, unknown()), (2, delay(by, true)), (3, unknown())]),
                ],
            )
            .wrong_answer(wrong)
    };
    let late = case(
        "reports-late",
        1,
        "a camera that reports 5 ms late: what it saw lies 5 ms earlier, and its stamps stay",
        "the time is 5 ms later, or 5 ms are taken off the raw stamp",
    );
    let early = case(
        "reports-early",
        -1,
        "a delay of -5 ms: what the camera saw lies 5 ms later",
        "delay_ns is read as unsigned, or its size alone is taken off",
    );

    let v = page.values("before-zero");
    let d = Drawn {
        source: 4_000,
        offset: 1_000,
        delay: 5_000_000,
        ..drawn(&v)
    };
    let sample = device_sample(d.stamp, [4_000, 0], "ok", &applied(signed(d.delay), true));
    let clamped = Draft::new(
        "before-zero",
        &["CA3-10.9-02"],
        "a delay that is longer than the time that it is taken off: the time is 0",
    )
    .readings(&["G01", "G06", "G18", "G62", "G63", "G121", "G122", "G125"])
    .valid_asked(
        with_camera(delayed(&v, &[], &[calibrated(1, 2, signed(d.delay))]), d),
        vec![Ask::times(2, &[sample])],
    )
    .wrong_answer("the time wraps round to near 2^64");
    vec![late, early, clamped]
}

/// `DELAY_UNKNOWN`: the delay is unknown, or its uncertainty alone.
fn unknown_delay(page: &Page) -> Draft {
    let v = page.values("unknown-by-the-sentinel");
    let d = drawn(&v);
    let by = signed(d.delay);
    let sentinel = Delay {
        uncertainty_ns: DELAY_UNKNOWN,
        ..calibrated(1, 2, by)
    };
    let of_2 =
        json!({"$one_of": ["unknown", {"delay_ns": by.to_string(), "uncertainty_ns": "unknown"}]});
    let sample = json!({"$one_of": [d.unknown(), d.sample(by, true), d.sample(by, false)]});
    Draft::new(
        "unknown-by-the-sentinel",
        &["CA3-10.9-03"],
        "a delay whose uncertainty is DELAY_UNKNOWN is not known; 2^64 - 1 ns is no uncertainty",
    )
    .readings(TAKEN_OFF)
    .valid_asked(
        with_camera(delayed(&v, &[], &[sentinel]), d),
        vec![
            delays(&[(1, unknown()), (2, of_2), (3, unknown())]),
            Ask::times(2, &[sample]),
        ],
    )
    .wrong_answer("the sentinel is given as a number, or the delay as 0")
}

/// Streams 2 and 4 are the camera's; 5 is the amplifier's, 1 nobody's.
fn of_every_stream(page: &Page) -> Draft {
    let name = "every-stream-of-the-device";
    let v = page.values(name);
    let by = signed(v.u64("delay_ns", 5_000_000, 1_000_000..=60_000_000));
    let amplifier = Stream {
        source_clock_domain: super::AMPLIFIER.to_owned(),
        ..stream(5)
    };
    let file = delayed(&v, &[camera(4), amplifier], &[calibrated(1, 0, by)]);
    let in_force = |of_device: &Value| {
        [
            (1, unknown()),
            (2, of_device.clone()),
            (3, unknown()),
            (4, of_device.clone()),
            (5, unknown()),
        ]
    };
    let of_device_9 = calibrated(9, 0, by).payload();
    let dangling = file.clone().edit_chunk(
        "Chunk 1",
        "message[0].payload",
        "device_ref becomes 9, which the Session does not have",
        move |chunk| {
            if let Some(message) = chunk.at(0) {
                message.payload = of_device_9;
            }
        },
    );
    let of_none = delays_of(&in_force(&unknown()));
    Draft::new(
        name,
        &["CA3-10.9-04"],
        "stream_ref 0: the delay holds for both streams of the device's clock, and for no other",
    )
    .readings(&["G06", "G63", "G122", "G130"])
    .valid_asked(file, vec![delays(&in_force(&delay(by, true)))])
    .invalid_asked(
        dangling,
        vec![Ask::clock(json!({})).surfaces(Surface {
            or_result: of_none.clone(),
            ..surface(&[UnresolvedReference]).result(of_none)
        })],
    )
}

fn of_one_stream(page: &Page) -> Draft {
    let name = "one-stream-of-the-device";
    let v = page.values(name);
    let by = signed(v.u64("delay_ns", 5_000_000, 1_000_000..=60_000_000));
    Draft::new(
        name,
        &["CA3-10.9-04"],
        "a delay that names stream 4 does not hold for stream 2, which is the same camera's",
    )
    .readings(CARRIED)
    .valid_asked(
        delayed(&v, &[camera(4)], &[calibrated(1, 4, by)]),
        vec![delays(&[
            (1, unknown()),
            (2, unknown()),
            (3, unknown()),
            (4, delay(by, true)),
        ])],
    )
    .wrong_answer("the delay is in force for every stream of the device")
}

/// A stream of delays, and none in it: nothing is known, and 0 is not said.
fn of_no_stream(page: &Page) -> Draft {
    let v = page.values("delay-of-zero");
    let d = drawn(&v);
    let file = with_camera(delayed(&v, &[camera(4)], &[calibrated(1, 2, 0)]), d).chunk(d.chunk(4));
    Draft::new(
        "delay-of-zero",
        &["CA3-10.9-01"],
        "a delay that was measured as 0, and none: the first is 0, the other unknown",
    )
    .readings(TAKEN_OFF)
    .valid_asked(
        file,
        vec![
            delays(&[
                (1, unknown()),
                (2, delay(0, true)),
                (3, unknown()),
                (4, unknown()),
            ]),
            Ask::times(2, &[d.sample(0, true)]),
            Ask::times(4, &[d.unknown()]),
        ],
    )
    .wrong_answer("both are 0, or both unknown")
}

/// A delay measured under the camera's firmware, and one measured under another.
pub(super) fn other_firmware(
    page: &Page,
    [name, title]: [&str; 2],
    [of_camera, another]: [&str; 2],
) -> Draft {
    let v = page.values(name);
    let d = drawn(&v);
    let by = signed(d.delay);
    let under = |firmware: &str| Delay {
        valid_firmware: firmware.to_owned(),
        ..calibrated(1, 2, by)
    };
    let devices = [[of_camera, super::CAMERA], ["7", super::AMPLIFIER]];
    let valid = with_camera(delayed_by(&v, &devices, &[], &[under(of_camera)]), d);
    let stale = under(another).payload();
    let invalid = valid.clone().edit_chunk(
        "Chunk 1",
        "message[0].payload",
        &format!("valid_firmware becomes {another}, and the camera's firmware is {of_camera}"),
        move |chunk| {
            if let Some(message) = chunk.at(0) {
                message.payload = stale;
            }
        },
    );
    let of_2 =
        |applicable: bool| delays_of(&[(1, unknown()), (2, delay(by, applicable)), (3, unknown())]);
    let not_taken_off = json!({"$one_of": [d.sample(by, false), d.unknown()]});
    Draft::new(name, &["CA3-10.9-05"], title)
        .readings(&["G01", "G06", "G18", "G62", "G63", "G93", "G121", "G122"])
        .valid_asked(
            valid,
            vec![Ask::clock(of_2(true)), Ask::times(2, &[d.sample(by, true)])],
        )
        .invalid_asked(
            invalid,
            vec![
                Ask::clock(json!({})).surfaces(Surface {
                    or_result: of_2(false),
                    ..surface(&[DelayNotApplicable]).result(never_applicable())
                }),
                Ask::times(2, &[not_taken_off])
                    .may_report(&[DelayNotApplicable])
                    .or_refused(&[DelayNotApplicable]),
            ],
        )
}

fn firmware(page: &Page) -> Vec<Draft> {
    let other = other_firmware(
        page,
        [
            "other-firmware",
            "a delay measured under the camera's firmware is taken off; under another it is not",
        ],
        ["2.1", "2.3"],
    );

    let v = page.values("any-firmware");
    let d = drawn(&v);
    let by = signed(d.delay);
    let any = Draft::new(
        "any-firmware",
        &["CA3-10.9-05"],
        "an empty valid_firmware states no condition: the delay is taken off",
    )
    .readings(TAKEN_OFF)
    .valid_asked(
        with_camera(delayed(&v, &[], &[calibrated(1, 2, by)]), d),
        vec![
            delays(&[(1, unknown()), (2, delay(by, true)), (3, unknown())]),
            Ask::times(2, &[d.sample(by, true)]),
        ],
    )
    .wrong_answer("the delay is not applicable, as the empty string is not the firmware");
    vec![other, any]
}

/// Stream 2 has no delay that holds.
fn never_applicable() -> Value {
    let holds = json!({"applicable": true});
    json!({"device_delays": [{}, {"delay": {"$not": holds}}, {}]})
}
