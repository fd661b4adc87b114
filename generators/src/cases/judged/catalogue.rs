//! Declarations of the frames that the corpus's schemas name (§5.5). No record of a
//! file carries one, and no catalogue of them exists: they are given beside the file.

use serde_json::{Value, json};

use crate::{Described, Draft};

/// A frame: its identifier, its origin, its axes with their directions, its handedness.
type Frame = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
    &'static str,
);

const FRAMES: &[Frame] = &[
    (
        "conformance.body.v1",
        "the midpoint between the hip joints",
        &[
            ("x", "to the person's left"),
            ("y", "up, against gravity"),
            ("z", "forward, where the hips face"),
        ],
        "RIGHT",
    ),
    (
        "conformance.gaze.v1",
        "the midpoint between the centres of the eyeballs",
        &[
            ("x", "to the person's right"),
            ("y", "up, along the head"),
            ("z", "backward, out of the back of the head"),
        ],
        "RIGHT",
    ),
    (
        "conformance.image.v1",
        "the upper left corner of the image",
        &[
            ("x", "right, 1 at the right edge"),
            ("y", "down, 1 at the lower edge"),
        ],
        "PLANAR",
    ),
    (
        "conformance.imu.v1",
        "the middle of the sensor's package",
        &[
            ("x", "right, for one who reads what is printed on it"),
            ("y", "up the print"),
            ("z", "out of the printed face"),
        ],
        "RIGHT",
    ),
    (
        "conformance.world.v1",
        "a mark on the floor of the room",
        &[
            ("x", "right, for one who faces the window"),
            ("y", "up, against gravity"),
            ("z", "away from the window"),
        ],
        "RIGHT",
    ),
    (
        "image.plane.v1",
        "the upper left corner of the image",
        &[
            ("x", "right, 1 at the right edge"),
            ("y", "down, 1 at the lower edge"),
        ],
        "PLANAR",
    ),
    (
        "room.v1",
        "the middle of the room's floor",
        &[
            ("x", "right, for one who faces the door"),
            ("y", "up"),
            ("z", "away from the door"),
        ],
        "RIGHT",
    ),
];

/// The declaration of a frame that a schema of the corpus names.
fn declared(id: &str) -> Option<Value> {
    let mut frames = FRAMES.iter();
    let (id, origin, axes, handedness) = frames.find(|(own, _, _, _)| *own == id)?;
    let axes = axes.iter();
    let axes = axes.map(|(axis, direction)| json!({"axis": axis, "direction": direction}));
    Some(json!({
        "id": id,
        "origin": origin,
        "axes": axes.collect::<Vec<Value>>(),
        "handedness": handedness,
    }))
}

/// The declaration of `room.v1` under another identifier.
pub(super) fn room(id: &str) -> Value {
    let mut frame = declared("room.v1").unwrap_or_default();
    if let Some(members) = frame.as_object_mut() {
        members.insert("id".to_owned(), json!(id));
    }
    frame
}

/// A FrameCatalogue (reading G10) as protobuf JSON.
pub(super) fn catalogue(frames: Vec<Value>) -> Value {
    json!({ "frames": frames })
}

/// Sound declarations of the frames that a schema names, but for those that the corpus
/// declares nowhere.
pub(super) fn frames_of(schema: &Described) -> Vec<Value> {
    schema.frames().into_iter().filter_map(declared).collect()
}

/// A case with the frames that the schema of either file names.
pub(super) fn framed(draft: Draft, valid: &Described, invalid: &Described) -> Draft {
    let beside = |schema: &Described| {
        let frames = frames_of(schema);
        (!frames.is_empty()).then(|| catalogue(frames))
    };
    draft.frames(beside(valid), beside(invalid))
}
