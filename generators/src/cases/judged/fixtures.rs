//! The corpus's fixtures, modelled on the five forms of §15.3: each in order, and
//! each with one defect.

use ca3_spec::proto;

use super::super::Page;
use super::described::{Recorded, repacked, table, weighed};
use crate::plan::counted;
use crate::plan::payload::{float, floats, number, numbers, vector};
use crate::{Described, Draft, Finding};

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = body(page);
    cases.extend(gaze(page));
    cases.extend(imu(page));
    cases.extend(eeg(page));
    cases.extend(ppg(page));
    cases
}

/// 28 rows of 8 floats, 896 bytes, of which the fourth row and the last were not seen.
pub(super) fn bodies() -> Recorded {
    let row = |joint: u8| match joint {
        3 | 27 => [f32::NAN; 7].into_iter().chain([0.0]).collect(),
        joint => {
            let height = f32::from(joint) / 16.0;
            vec![0.5, height, 0.25, 0.0, 0.0, 0.0, 1.0, 1.0]
        }
    };
    let rows: Vec<f32> = (0..28).flat_map(row).collect();
    // Bits 0 to 27, all but bits 3 and 27.
    let seen = [0b1111_0111, 0xFF, 0xFF, 0b0111];
    let payload = [floats(1, &rows), number(2, 1), counted(3, &seen)].concat();
    Recorded {
        schema: Described::fixture(proto::CONFORMANCE_BODY, "BodySample"),
        payloads: vec![payload],
    }
}

fn body(page: &Page) -> Vec<Draft> {
    table(
        page,
        &bodies(),
        &[(
            "body",
            &["CA3-5.8-14"],
            "a packed block of 28 joints, and of its labels the last is 28 and not 27",
            "RIGHT_TOES = 27",
            "RIGHT_TOES = 28",
            "",
        )],
    )
}

fn gaze(page: &Page) -> Vec<Draft> {
    let eye = [
        vector(1, &[0.03125, 0.0, 0.0]),
        vector(2, &[0.0, 0.0, 1.0]),
        float(3, 0.5),
        number(4, 1),
    ];
    let eye = eye.concat();
    let payload = [
        counted(1, &eye),
        counted(2, &eye),
        counted(3, &eye),
        vector(4, &[0.5, 0.25]),
        number(5, 1),
    ];
    let recorded = Recorded {
        schema: Described::fixture(proto::CONFORMANCE_GAZE, "GazeSample"),
        payloads: vec![payload.concat()],
    };
    weighed(
        page,
        &recorded,
        |rule| Finding::error(rule).or("CA3-5.8-23"),
        &[(
            "gaze",
            &["CA3-5.8-26"],
            "three eyes projected, of which one is misspelt",
            "\"right\", \"centre\"]",
            "\"right\", \"center\"]",
            "",
        )],
    )
}

fn imu(page: &Page) -> Vec<Draft> {
    let payload = [
        vector(1, &[0.0, 9.75, 0.5]),
        vector(2, &[0.25, 0.0, 0.0]),
        number(3, 1),
        number(4, 1),
    ];
    let recorded = Recorded {
        schema: Described::fixture(proto::CONFORMANCE_IMU, "ImuSample"),
        payloads: vec![payload.concat()],
    };
    weighed(
        page,
        &recorded,
        |rule| Finding::error(rule).or("CA3-5.8-16"),
        &[(
            "imu",
            &["CA3-5.8-17"],
            "two vectors projected, a component of one in deg/s where it is in rad/s",
            "from: \"angular_velocity.y\" unit: \"rad/s\"",
            "from: \"angular_velocity.y\" unit: \"deg/s\"",
            "",
        )],
    )
}

/// Four electrodes of three samples; the third could not be read.
fn eeg(page: &Page) -> Vec<Draft> {
    let read = [floats(1, &[0.5, -2.0, 8.0]), number(2, 1)].concat();
    let short = [floats(1, &[0.5, -2.0]), number(2, 1)].concat();
    let chunk = |second: &[u8]| -> Vec<u8> {
        let channels = [read.as_slice(), second, &[], &read];
        let channels = channels.into_iter().flat_map(|it| counted(1, it));
        channels.chain(number(2, 3)).collect()
    };
    let recorded = Recorded {
        schema: Described::fixture(proto::CONFORMANCE_EEG, "EegChunk"),
        payloads: vec![chunk(&read), chunk(&read)],
    };
    let mut cases = weighed(
        page,
        &recorded,
        |rule| Finding::error(rule).or("CA3-5.8-22"),
        &[(
            "eeg",
            &["CA3-5.8-21"],
            "rows of electrodes, their length taken from a field that only a row has",
            "length_from: \"samples_per_channel\"",
            "length_from: \"microvolts\"",
            "",
        )],
    );
    let rule = "CA3-5.8-27";
    cases.push(repacked(
        page,
        (
            "eeg-row-too-short",
            rule,
            "an electrode that was read has two samples where the message says three",
        ),
        &recorded,
        (
            1,
            chunk(&short),
            "the last sample of the second electrode is gone",
        ),
        Finding::error(rule)
            .path("EegChannel.microvolts")
            .path("EegChunk.channels.microvolts"),
    ));
    cases
}

/// Two photodiodes of three counts.
fn ppg(page: &Page) -> Vec<Draft> {
    let channel = [numbers(1, &[70_000, 70_001, 69_999]), number(2, 1)].concat();
    let payload = [counted(1, &channel), counted(1, &channel), number(2, 3)].concat();
    let recorded = Recorded {
        schema: Described::fixture(proto::CONFORMANCE_PPG, "PpgChunk"),
        payloads: vec![payload],
    };
    weighed(
        page,
        &recorded,
        |rule| Finding::error(rule).or("CA3-5.8-19"),
        &[(
            "ppg",
            &["CA3-5.8-18"],
            "counts of photodiodes in a form of FLOAT32, which the field is not",
            "element_type: UINT32",
            "element_type: FLOAT32",
            "",
        )],
    )
}
