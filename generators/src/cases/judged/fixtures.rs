//! The corpus's fixtures, modelled on the five forms of §15.3: each in order, and
//! each with one defect.

use ca3_spec::proto;

use super::super::Page;
use super::described::{Recorded, table};
use crate::plan::counted;
use crate::plan::payload::{float, floats, number, numbers, vector};
use crate::{Described, Draft};

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = body(page);
    cases.extend(gaze(page));
    cases.extend(imu(page));
    cases.extend(eeg(page));
    cases.extend(ppg(page));
    cases
}

/// 28 rows of 8 floats, 896 bytes, of which the fourth row was not seen.
fn body(page: &Page) -> Vec<Draft> {
    let row = |joint: u8| match joint {
        3 => [f32::NAN; 7].into_iter().chain([0.0]).collect(),
        joint => {
            let height = f32::from(joint) / 16.0;
            vec![0.5, height, 0.25, 0.0, 0.0, 0.0, 1.0, 1.0]
        }
    };
    let rows: Vec<f32> = (0..28).flat_map(row).collect();
    // Bits 0 to 27, all but bit 3.
    let seen = [0b1111_0111, 0xFF, 0xFF, 0b1111];
    let payload = [number(1, 1), floats(2, &rows), counted(3, &seen)].concat();
    let recorded = Recorded {
        schema: Described::fixture(proto::CONFORMANCE_BODY, "BodySample"),
        payloads: vec![payload],
    };
    table(
        page,
        &recorded,
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
    table(
        page,
        &recorded,
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
    table(
        page,
        &recorded,
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
    let channels = [read.as_slice(), &read, &[], &read];
    let channels = channels.into_iter().flat_map(|it| counted(1, it));
    let payload = channels.chain(number(2, 3)).collect();
    let recorded = Recorded {
        schema: Described::fixture(proto::CONFORMANCE_EEG, "EegChunk"),
        payloads: vec![payload],
    };
    table(
        page,
        &recorded,
        &[(
            "eeg",
            &["CA3-5.8-21"],
            "rows of electrodes, their length taken from a field that only a row has",
            "length_from: \"samples_per_channel\"",
            "length_from: \"microvolts\"",
            "",
        )],
    )
}

/// Two photodiodes of three counts.
fn ppg(page: &Page) -> Vec<Draft> {
    let channel = [numbers(1, &[70_000, 70_001, 69_999]), number(2, 1)].concat();
    let payload = [counted(1, &channel), counted(1, &channel), number(2, 3)].concat();
    let recorded = Recorded {
        schema: Described::fixture(proto::CONFORMANCE_PPG, "PpgChunk"),
        payloads: vec![payload],
    };
    table(
        page,
        &recorded,
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
