//! Frame declarations (§5.5).
//!
//! A field names a frame, and a catalogue says what the frame is. No canonical catalogue
//! exists, and no record of a file carries one: whoever judges a file gives the
//! declarations beside it, in any of the forms that [`Catalogue::read`] takes. What is
//! bundled are the frames of the fixtures alone.

mod reading;

use std::collections::BTreeMap;
use std::sync::LazyLock;

pub use reading::{Attempt, CatalogueError, LARGEST_CATALOGUE};

/// The frames of the package `ca3.conformance.v1`.
const BUNDLED: &str = include_str!("../fixtures/frames.toml");

/// The frames that fields may name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalogue {
    frames: BTreeMap<String, Frame>,
}

/// A frame declaration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// What the option `frame` names.
    pub id: String,
    /// Where it lies, in words.
    pub origin: String,
    /// Each axis, and which way it points.
    pub axes: Vec<(String, String)>,
    /// Right, left or planar; `None` where unspecified.
    pub handedness: Option<Handedness>,
    /// Whether its geometry has not been established.
    pub producer_defined: bool,
    /// In words.
    pub description: String,
    /// Whether it is one of the fixtures', and no declaration of the file's producer.
    pub bundled: bool,
}

/// How a frame's axes turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handedness {
    /// Right-handed.
    Right,
    /// Left-handed.
    Left,
    /// Two axes.
    Planar,
}

/// What a frame declaration lacks: the rule, and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lack {
    /// Rule 5.5-02, -03 or -04.
    pub rule: &'static str,
    /// In words.
    pub message: String,
}

impl Catalogue {
    /// No frames.
    pub fn empty() -> Self {
        Catalogue::default()
    }

    /// The frames of the fixtures (package `ca3.conformance.v1`), which no recording of a
    /// device should name.
    pub fn bundled() -> &'static Self {
        static READ: LazyLock<Catalogue> = LazyLock::new(|| {
            let mut read = Catalogue::read(BUNDLED.as_bytes(), "frames.toml").unwrap_or_default();
            for frame in read.frames.values_mut() {
                frame.bundled = true;
            }
            read
        });
        &READ
    }

    /// Reads a `ca3.options.v1.FrameCatalogue` as protobuf (`.binpb`, `.pb`, `.bin`), in
    /// protobuf's text format (`.txtpb`, `.textproto`, `.pbtxt`), as its JSON (`.json`) or
    /// as TOML with the same members (`.toml`). A name that ends in none of these, or is
    /// empty, leaves it to the content.
    ///
    /// # Errors
    /// Where it is none of them, has a member that the message has not, or gives one
    /// identifier to two frames. Frames that lack something are not refused: see
    /// [`Frame::lacks`].
    pub fn read(bytes: &[u8], name: &str) -> Result<Self, CatalogueError> {
        let mut catalogue = Catalogue::default();
        for (index, frame) in reading::frames(bytes, name)?.into_iter().enumerate() {
            let id = frame.id.clone();
            if catalogue.frames.insert(id.clone(), frame).is_some() {
                let number = index.saturating_add(1);
                return Err(CatalogueError::Twice { number, id });
            }
        }
        Ok(catalogue)
    }

    /// The frames of both; the other's where both have one of an identifier.
    #[must_use]
    pub fn with(mut self, other: Catalogue) -> Self {
        self.frames.extend(other.frames);
        self
    }

    /// The frame of an identifier.
    pub fn find(&self, id: &str) -> Option<&Frame> {
        self.frames.get(id)
    }

    /// The known identifier that is nearest to one that is not known, where it is near
    /// enough to be what was meant.
    pub fn nearest(&self, id: &str) -> Option<&str> {
        crate::nearest::nearest(id, self.ids())
    }

    /// The identifiers, in order.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.frames.keys().map(String::as_str)
    }
}

impl Frame {
    /// What it does not state and must (§5.5): where it lies, which way each axis points,
    /// and its handedness. A frame whose producer defines it says that its geometry has
    /// not been established, so it owes none of these.
    pub fn lacks(&self) -> Vec<Lack> {
        if self.producer_defined {
            return Vec::new();
        }
        let mut lacks = Vec::new();
        let mut lack = |rule, message: String| lacks.push(Lack { rule, message });
        if self.origin.trim().is_empty() {
            lack("CA3-5.5-02", "it states no origin".to_owned());
        }
        if self.axes.is_empty() {
            lack("CA3-5.5-03", "it has no axes".to_owned());
        }
        let mut known: Vec<&str> = Vec::new();
        for (index, (axis, direction)) in self.axes.iter().enumerate().take(MOST_AXES) {
            let number = index.saturating_add(1);
            let axis = axis.trim();
            if axis.is_empty() {
                lack("CA3-5.5-03", format!("axis {number} has no name"));
            } else if known.contains(&axis) {
                lack("CA3-5.5-03", format!("axis {axis} is declared twice"));
            } else {
                known.push(axis);
                if direction.trim().is_empty() {
                    lack("CA3-5.5-03", format!("axis {axis} has no direction"));
                }
            }
        }
        if self.handedness.is_none() {
            let message = "it states no handedness, and its producer does not define it";
            lack("CA3-5.5-04", message.to_owned());
        }
        lacks
    }
}

/// How many axes are looked at, and compared with each other: more than any space has, and
/// few enough for a declaration of a million.
const MOST_AXES: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn whole() -> Frame {
        Frame {
            id: "f.v1".to_owned(),
            origin: "between the eyes".to_owned(),
            axes: vec![
                ("x".to_owned(), "right".to_owned()),
                ("y".to_owned(), "up".to_owned()),
            ],
            handedness: Some(Handedness::Right),
            ..Frame::default()
        }
    }

    fn rules(frame: &Frame) -> Vec<&'static str> {
        frame.lacks().iter().map(|lack| lack.rule).collect()
    }

    #[test]
    fn a_declaration_owes_origin_axes_and_handedness() {
        assert_eq!(rules(&whole()), Vec::<&str>::new());
        let nothing = Frame::default();
        assert_eq!(rules(&nothing), ["CA3-5.5-02", "CA3-5.5-03", "CA3-5.5-04"]);
        let blank = Frame {
            origin: " ".to_owned(),
            ..whole()
        };
        assert_eq!(rules(&blank), ["CA3-5.5-02"]);
        for (axis, direction, message) in [
            ("y", "", "axis y has no direction"),
            ("", "up", "axis 2 has no name"),
            ("x", "up", "axis x is declared twice"),
        ] {
            let mut frame = whole();
            frame.axes[1] = (axis.to_owned(), direction.to_owned());
            let lacks = frame.lacks();
            assert_eq!(lacks.len(), 1);
            assert_eq!(lacks[0].rule, "CA3-5.5-03");
            assert_eq!(lacks[0].message, message);
        }
        let turned = Frame {
            handedness: None,
            ..whole()
        };
        assert_eq!(rules(&turned), ["CA3-5.5-04"]);
    }

    #[test]
    fn a_frame_that_its_producer_defines_owes_nothing() {
        let frame = Frame {
            id: "imu.v1".to_owned(),
            producer_defined: true,
            ..Frame::default()
        };
        assert_eq!(rules(&frame), Vec::<&str>::new());
    }

    #[test]
    fn the_bundled_frames_are_whole_and_marked() {
        let bundled = Catalogue::bundled();
        let ids: Vec<&str> = bundled.ids().collect();
        assert_eq!(
            ids,
            [
                "conformance.body.v1",
                "conformance.gaze.v1",
                "conformance.image.v1",
                "conformance.imu.v1",
                "conformance.world.v1",
            ]
        );
        for id in ids {
            let frame = bundled.find(id).unwrap();
            assert!(frame.bundled, "{id}");
            assert_eq!(rules(frame), Vec::<&str>::new(), "{id}");
        }
        let of = |id: &str| bundled.find(id).unwrap().handedness;
        assert!(bundled.find("conformance.imu.v1").unwrap().producer_defined);
        assert_eq!(of("conformance.imu.v1"), None);
        assert_eq!(of("conformance.world.v1"), Some(Handedness::Right));
        assert_eq!(of("conformance.image.v1"), Some(Handedness::Planar));
    }

    #[test]
    fn a_users_catalogue_lies_over_another() {
        let own = b"[[frames]]\nid = 'conformance.body.v1'\norigin = 'mine'\n\
            [[frames]]\nid = 'own.v1'";
        let own = Catalogue::read(own, "own.toml").unwrap();
        let both = Catalogue::bundled().clone().with(own);
        let body = both.find("conformance.body.v1").unwrap();
        assert_eq!((body.origin.as_str(), body.bundled), ("mine", false));
        assert!(both.find("own.v1").is_some());
        assert!(both.find("conformance.gaze.v1").is_some());
        assert_eq!(Catalogue::empty().ids().count(), 0);
    }

    #[test]
    fn an_identifier_nearby_is_offered() {
        let bundled = Catalogue::bundled();
        let near = |id: &str| bundled.nearest(id).map(str::to_owned);
        let body = Some("conformance.body.v1".to_owned());
        assert_eq!(near("conformance.body.v2"), body);
        assert_eq!(near("conformance.bdoy.v1"), body);
        assert_eq!(near("Conformance.Body.V1"), body);
        assert_eq!(near("conformance.body"), body);
        assert_eq!(near("body.tracking_space.v1"), None);
        assert_eq!(near("x"), None);
        assert_eq!(near(""), None);
    }
}
