//! The frames that a schema names, against declarations given beside the file (§5.5).

use serde_json::{Value, json};

use super::super::Page;
use super::described::{Recorded, Row, table};
use crate::Draft;
use crate::plan::payload::{number, vector};

const PLACED: &str = "message Sample {
  Vector3 position = 1 [(unit) = \"m\", (frame) = \"room.v1\"];
  bool valid = 2 [(validity_for) = \"position\"];
  Point point = 3 [(unit) = \"1\", (frame) = \"image.plane.v1\"];
}

// Their unit and frame are those of the field that holds them.
message Vector3 {
  float x = 1;
  float y = 2;
  float z = 3;
}

message Point {
  float x = 1;
  float y = 2;
}
";

fn placed() -> Recorded {
    let payload = [
        vector(1, &[0.5, 2.0, 8.0]),
        number(2, 1),
        vector(3, &[0.5, 0.25]),
    ];
    Recorded::sample(PLACED, payload.concat())
}

/// A frame whose x points right, y up and z back.
fn frame(id: &str) -> Value {
    json!({
        "id": id,
        "origin": "the middle of the room's floor",
        "axes": [
            {"axis": "x", "direction": "right, for one who faces the door"},
            {"axis": "y", "direction": "up"},
            {"axis": "z", "direction": "away from the door"},
        ],
        "handedness": "RIGHT",
    })
}

/// The frames of the valid file, and this one.
fn with(other: Value) -> Value {
    catalogue(frame("room.v1"), other)
}

/// The frame of the positions, that of the points, and another.
fn catalogue(room: Value, other: Value) -> Value {
    let plane = json!({
        "id": "image.plane.v1",
        "origin": "the upper left corner of the image",
        "axes": [
            {"axis": "x", "direction": "right, 1 at the right edge"},
            {"axis": "y", "direction": "down, 1 at the lower edge"},
        ],
        "handedness": "PLANAR",
    });
    json!({"frames": [room, plane, other]})
}

/// A frame with a member that is not the sound one's; null leaves it out.
fn but(id: &str, member: &str, value: Value) -> Value {
    let mut frame = frame(id);
    if let Some(members) = frame.as_object_mut() {
        match value {
            Value::Null => members.shift_remove(member),
            value => members.insert(member.to_owned(), value),
        };
    }
    frame
}

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = resolved(page);
    cases.extend(declared(page));
    cases.extend(producer_defined(page));
    cases
}

/// A case in which another frame is named in the place of `room.v1`.
fn named(page: &Page, name: &str, rules: &[&str], title: &str, other: &Value) -> Vec<Draft> {
    let id = other["id"].as_str().unwrap_or_default();
    let row: Row<'_> = (name, rules, title, "room.v1", id, "Sample.position");
    let cases = table(page, &placed(), &[row]).into_iter();
    cases.map(|case| case.frames(with(other.clone()))).collect()
}

/// Neither catalogued nor declared, canonical names included: no catalogue of
/// them exists.
fn resolved(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-5.5-01";
    let row: Row<'_> = (
        "undeclared",
        &[RULE],
        "a frame that no declaration has",
        "room.v1",
        "hall.v1",
        "Sample.position",
    );
    let undeclared = table(page, &placed(), &[row]).into_iter();
    let mut cases: Vec<Draft> = undeclared
        .map(|case| case.frames(with(frame("yard.v1"))))
        .collect();
    let plain = PLACED
        .replace("room.v1", "conformance.world.v1")
        .replace("image.plane.v1", "conformance.image.v1");
    let catalogued = Recorded {
        payloads: placed().payloads,
        ..Recorded::sample(&plain, Vec::new())
    };
    cases.extend(table(
        page,
        &catalogued,
        &[(
            "canonical-name",
            &[RULE],
            "a canonical frame, which no catalogue defines, in the place of a catalogued one",
            "conformance.image.v1",
            "image.plane.v1",
            "Sample.point",
        )],
    ));
    cases
}

/// What a declaration must state.
fn declared(page: &Page) -> Vec<Draft> {
    const ORIGIN: &str = "CA3-5.5-02";
    const AXES: &str = "CA3-5.5-03";
    const HANDEDNESS: &str = "CA3-5.5-04";
    let half = json!([
        {"axis": "x", "direction": "right, for one who faces the door"},
        {"axis": "y"},
        {"axis": "z", "direction": "away from the door"},
    ]);
    let rows = [
        (
            "no-origin",
            ORIGIN,
            "a frame whose declaration states no origin",
            but("hall.v1", "origin", Value::Null),
        ),
        (
            "axis-without-direction",
            AXES,
            "a frame whose declaration leaves open which way y points",
            but("hall.v1", "axes", half),
        ),
        (
            "no-axes",
            AXES,
            "a frame whose declaration has no axes",
            but("hall.v1", "axes", Value::Null),
        ),
        (
            "no-handedness",
            HANDEDNESS,
            "a frame whose declaration states no handedness, and no producer defines it",
            but("hall.v1", "handedness", json!("HANDEDNESS_UNSPECIFIED")),
        ),
    ];
    let cases = rows.iter();
    cases
        .flat_map(|(name, rule, title, other)| named(page, name, &[rule], title, other))
        .collect()
}

/// Well-formed, and comparable with no other producer's.
fn producer_defined(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-5.5-05";
    const HANDEDNESS: &str = "CA3-5.5-04";
    let own = |id: &str, producer_defined: bool| {
        let mut frame = but(id, "producerDefined", json!(producer_defined));
        if let Some(members) = frame.as_object_mut() {
            members.shift_remove("handedness");
        }
        frame
    };
    let catalogue = |other: Value| catalogue(own("room.v1", true), other);
    let name = "producer-defined";
    let title = "a frame that its producer defines: not comparable with another's";
    let listed = Draft::new(name, &[RULE], title)
        .listed(placed().plan(&page.values(name)))
        .wrong_answer("the frame is found at fault, or passes as comparable")
        .frames(catalogue(frame("hall.v1")));
    let row: Row<'_> = (
        "producer-defined-no-more",
        &[RULE, HANDEDNESS],
        "a frame without handedness that says of itself that no producer defines it",
        "room.v1",
        "hall.v1",
        "Sample.position",
    );
    let cleared = table(page, &placed(), &[row]).into_iter();
    let cleared = cleared.map(|case| case.frames(catalogue(own("hall.v1", false))));
    cleared.chain([listed]).collect()
}
