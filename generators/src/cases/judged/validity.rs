//! Validity channels (§5.6).

use super::super::Page;
use super::described::{Recorded, repacked, table};
use super::fixtures::bodies;
use crate::plan::counted;
use crate::plan::payload::{float, floats, number, numbers};
use crate::{Draft, Finding};

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = channels(page);
    cases.extend(per_element(page));
    cases.extend(whole_field(page));
    cases
}

/// What a channel covers, and of which type it is.
fn channels(page: &Page) -> Vec<Draft> {
    const COVERED: &str = "CA3-5.6-01";
    const TYPE: &str = "CA3-5.6-02";
    const ENTRIES: &str = "CA3-5.6-03";
    const CHANNEL: &str = "Sample.valid";
    let one = "message Sample {
  float x = 1 [(unit) = \"m\"];
  bool valid = 2 [(validity_for) = \"x\"];
}
";
    let one = Recorded::sample(one, [float(1, 0.5), number(2, 1)].concat());
    table(
        page,
        &one,
        &[
            (
                "covers-no-field",
                &[COVERED],
                "a channel covers a field that the message lacks",
                "(validity_for) = \"x\"",
                "(validity_for) = \"y\"",
                CHANNEL,
            ),
            (
                "covers-itself",
                &[COVERED],
                "a channel covers itself",
                "(validity_for) = \"x\"",
                "(validity_for) = \"valid\"",
                CHANNEL,
            ),
            (
                "channel-of-integers",
                &[TYPE],
                "a channel is an int32",
                "bool valid",
                "int32 valid",
                CHANNEL,
            ),
            (
                "entries-for-one-number",
                &[ENTRIES],
                "a channel of many entries covers a float that does not repeat",
                "bool valid = 2 [(validity_for) = \"x\"];",
                "repeated bool valid = 2 [(validity_for) = \"x\", (cardinality) = 0];",
                CHANNEL,
            ),
        ],
    )
}

/// One entry an element; packed bits are counted in bits (reading G67).
fn per_element(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-5.6-03";
    let heights = [0.5, 2.0, 8.0, 0.5, 2.0, 8.0, 0.5, 2.0, 8.0];
    let declared = |channel: &str, cardinality: u32| {
        format!(
            "message Sample {{
  // From the head down.
  repeated float heights = 1 [(unit) = \"m\", (cardinality) = {cardinality}];
  // In the same order.
  {channel} valid = 2 [(validity_for) = \"heights\", (cardinality) = {cardinality}];
}}
"
        )
    };
    let flags = [1, 1, 0, 1, 1, 1, 0, 1, 1];
    // Nine bits, the lowest of the first byte first.
    let bits = [0b1011_1011, 0b1];
    let of_bools = [floats(1, &heights), numbers(2, &flags)].concat();
    let of_bits = [floats(1, &heights), counted(2, &bits)].concat();
    let channel = "(validity_for) = \"heights\", (cardinality) = 9";
    let eight = "(validity_for) = \"heights\", (cardinality) = 8";
    let path = "Sample.valid";
    // Without a payload, whose own entries would be one too many for the edited
    // declaration.
    let alone = |channel| Recorded {
        payloads: Vec::new(),
        ..Recorded::sample(&declared(channel, 9), Vec::new())
    };
    let mut cases = table(
        page,
        &alone("repeated bool"),
        &[(
            "one-bool-too-few",
            &[RULE],
            "nine heights, and a channel that declares eight bools",
            channel,
            eight,
            path,
        )],
    );
    cases.extend(table(
        page,
        &alone("bytes"),
        &[(
            "one-bit-too-few",
            &[RULE],
            "nine heights, and a channel that declares eight bits",
            channel,
            eight,
            path,
        )],
    ));
    // 27 bits take the four bytes that 28 do, and the last bit is 0.
    cases.extend(table(
        page,
        &bodies(),
        &[(
            "one-joint-too-few",
            &[RULE],
            "a block of 28 joints, and a channel that declares 27 bits",
            "(validity_for) = \"joints\",\n    (cardinality) = 28",
            "(validity_for) = \"joints\",\n    (cardinality) = 27",
            "BodySample.joint_valid",
        )],
    ));
    let short = |name, title, channel, payload: &Vec<u8>, less: Vec<u8>, what| {
        let recorded = Recorded {
            payloads: vec![payload.clone(), payload.clone()],
            ..Recorded::sample(&declared(channel, 0), Vec::new())
        };
        let finding = Finding::error(RULE);
        let about = (name, RULE, title);
        repacked(page, about, &recorded, (1, less, what), finding)
    };
    let eight_bools = numbers(2, &[1, 1, 0, 1, 1, 1, 0, 1]);
    cases.push(short(
        "message-with-a-bool-too-few",
        "a message has nine heights and eight bools for them",
        "repeated bool",
        &of_bools,
        [floats(1, &heights), eight_bools].concat(),
        "the last of nine bools is gone",
    ));
    cases.push(short(
        "message-with-a-byte-too-few",
        "a message has nine heights and one byte of bits for them",
        "bytes",
        &of_bits,
        [floats(1, &heights), counted(2, &[0b1011_1011])].concat(),
        "the second byte of its bits is gone",
    ));
    cases
}

/// A single bool over a whole field.
fn whole_field(page: &Page) -> Vec<Draft> {
    const BOTH_WAYS: &str = "CA3-5.6-04";
    const ONE_WAY: &str = "CA3-5.6-05";
    const EMPTY: &str = "CA3-5.6-06";
    let forces = |cardinality: u32| {
        let declared = format!(
            "message Sample {{
  // From the thumb on.
  repeated float forces = 1 [(unit) = \"N\", (cardinality) = {cardinality}];
  bool valid = 2 [(validity_for) = \"forces\"];
}}
"
        );
        let full = [floats(1, &[0.5, 2.0]), number(2, 1)].concat();
        Recorded {
            // In the second, forces are empty and valid is false.
            payloads: vec![full, Vec::new()],
            ..Recorded::sample(&declared, Vec::new())
        }
    };
    // One row of §15.2 has both.
    let under = [BOTH_WAYS, ONE_WAY];
    let name = "whole-field";
    let title = "that a single bool implies both ways stands among what is not checked";
    let both_ways = Draft::new(name, &[BOTH_WAYS], title)
        .listed_under(forces(2).plan(&page.values(name)), &under)
        .wrong_answer("the two-way condition passes as checked, or a list of bools is asked for");
    let present = "message Sample {
  // Somebody is in view, which says nothing of a single height.
  bool present = 1;
  // From the head down.
  repeated float heights = 2 [(unit) = \"m\", (cardinality) = 3];
  repeated bool seen = 3 [(validity_for) = \"heights\", (cardinality) = 3];
  float mass = 4 [(unit) = \"kg\"];
  bool weighed = 5 [(validity_for) = \"mass\"];
}
";
    let payload = [
        number(1, 1),
        floats(2, &[0.5, 2.0, 8.0]),
        numbers(3, &[1, 0, 1]),
        float(4, 64.0),
        number(5, 1),
    ];
    let present = Recorded::sample(present, payload.concat());
    let name = "present-in-one-direction";
    let title = "a flag of one direction is a plain field; whether a channel is one, nobody checks";
    let one_way = Draft::new(name, &[ONE_WAY], title)
        .listed_under(present.plan(&page.values(name)), &under)
        .wrong_answer("the flag is taken for a channel, or its direction passes as checked");
    let mut varying = forces(0);
    // Empty and true: there is no element that is not a measurement.
    varying.payloads.push(number(2, 1));
    let denied = repacked(
        page,
        (
            "false-above-numbers",
            EMPTY,
            "a channel that is false beside numbers of the field it covers",
        ),
        &varying,
        (
            1,
            floats(1, &[0.5, 2.0]),
            "it has two forces, and valid is false",
        ),
        Finding::warning(EMPTY),
    );
    vec![both_ways, one_way, denied]
}
