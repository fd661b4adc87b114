//! The frames that a schema names, against declarations given beside the file (§5.5).

use serde_json::{Value, json};

use super::super::Page;
use super::catalogue::{catalogue, frames_of, room};
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

/// `room.v1` under another identifier, with a member that is not the sound one's; null
/// leaves it out.
fn but(id: &str, member: &str, value: Value) -> Value {
    let mut frame = room(id);
    if let Some(members) = frame.as_object_mut() {
        match value {
            Value::Null => members.shift_remove(member),
            value => members.insert(member.to_owned(), value),
        };
    }
    frame
}

/// The frames of the positions and of the points, and another one.
fn with(other: Value) -> Option<Value> {
    let mut frames = frames_of(&placed().schema);
    frames.push(other);
    Some(catalogue(frames))
}

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = resolved(page);
    cases.extend(declared(page));
    cases.extend(producer_defined(page));
    cases
}

/// A case whose edited file names another frame in the place of `sound`. Its declaration
/// stands beside that file alone, so that a validator may find fault with each
/// declaration that it is given.
fn named(
    page: &Page,
    (name, rules, title): (&str, &[&str], &str),
    (sound, path): (&str, &str),
    other: &Value,
) -> Vec<Draft> {
    let id = other["id"].as_str().unwrap_or_default();
    let row: Row<'_> = (name, rules, title, sound, id, path);
    let cases = table(page, &placed(), &[row]).into_iter();
    let given = || Some(catalogue(frames_of(&placed().schema)));
    cases
        .map(|case| case.frames(given(), with(other.clone())))
        .collect()
}

/// The field whose frame is `room.v1`.
const POSITION: (&str, &str) = ("room.v1", "Sample.position");
/// The field whose frame is `image.plane.v1`.
const POINT: (&str, &str) = ("image.plane.v1", "Sample.point");

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
        .map(|case| case.frames(with(room("yard.v1")), with(room("yard.v1"))))
        .collect();
    let plain = PLACED
        .replace("room.v1", "conformance.world.v1")
        .replace("image.plane.v1", "conformance.image.v1");
    let declared = Recorded {
        payloads: placed().payloads,
        ..Recorded::sample(&plain, Vec::new())
    };
    let row: Row<'_> = (
        "canonical-name",
        &[RULE],
        "a canonical frame, which no catalogue defines, in the place of a declared one",
        "conformance.image.v1",
        "image.plane.v1",
        "Sample.point",
    );
    let given = || Some(catalogue(frames_of(&declared.schema)));
    let canonical = table(page, &declared, &[row]).into_iter();
    cases.extend(canonical.map(|case| case.frames(given(), given())));
    cases
}

/// What a declaration must state.
fn declared(page: &Page) -> Vec<Draft> {
    const ORIGIN: &str = "CA3-5.5-02";
    const AXES: &str = "CA3-5.5-03";
    const HANDEDNESS: &str = "CA3-5.5-04";
    let axes = |y: Value| {
        json!([
            {"axis": "x", "direction": "right, for one who faces the door"},
            y,
            {"axis": "z", "direction": "away from the door"},
        ])
    };
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
            but("hall.v1", "axes", axes(json!({"axis": "y"}))),
        ),
        (
            "axis-without-a-name",
            AXES,
            "a frame whose declaration leaves open which axis points up",
            but("hall.v1", "axes", axes(json!({"direction": "up"}))),
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
    let mut cases: Vec<Draft> = rows
        .iter()
        .flat_map(|(name, rule, title, other)| named(page, (name, &[rule], title), POSITION, other))
        .collect();
    let sheet = json!({
        "id": "sheet.v1",
        "origin": "the upper left corner of the sheet",
        "axes": [
            {"axis": "x", "direction": "right, 1 at the right edge"},
            {"axis": "y", "direction": "down, 1 at the lower edge"},
        ],
    });
    let about: (&str, &[&str], &str) = (
        "planar-withheld",
        &[HANDEDNESS],
        "a frame of two axes whose declaration does not say that it is planar",
    );
    cases.extend(named(page, about, POINT, &sheet));
    cases
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
    let beside = |room: Value, other: Option<Value>| {
        let sound = frames_of(&placed().schema).into_iter();
        let points = sound.filter(|frame| frame["id"] != json!("room.v1"));
        let frames = [room].into_iter().chain(points).chain(other);
        Some(catalogue(frames.collect()))
    };
    let listed = |name: &str, title: &str, room: Value| {
        Draft::new(name, &[RULE], title)
            .listed(placed().plan(&page.values(name)))
            .wrong_answer("the frame is found at fault, or passes as comparable")
            .frames(beside(room, None), None)
    };
    let cases = [
        listed(
            "producer-defined",
            "a frame that its producer defines: not comparable with another's",
            own("room.v1", true),
        ),
        listed(
            "producer-defined-alone",
            "a frame of which nothing is declared but that its producer defines it",
            json!({"id": "room.v1", "producerDefined": true}),
        ),
    ];
    let row: Row<'_> = (
        "producer-defined-no-more",
        &[RULE, HANDEDNESS],
        "a frame without handedness that says of itself that no producer defines it",
        "room.v1",
        "hall.v1",
        "Sample.position",
    );
    let cleared = table(page, &placed(), &[row]).into_iter();
    let cleared = cleared.map(|case| {
        let hall = own("hall.v1", false);
        let room = own("room.v1", true);
        case.frames(beside(room.clone(), None), beside(room, Some(hall)))
    });
    cleared.chain(cases).collect()
}
