//! Frame declarations (§5.5).

/// The frames that fields may name.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    frames: Vec<Frame>,
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
    /// The frames of the fixture schemas.
    pub fn bundled() -> &'static Catalogue {
        static BUNDLED: Catalogue = Catalogue { frames: Vec::new() };
        &BUNDLED
    }

    /// The frame of an identifier.
    pub fn find(&self, id: &str) -> Option<&Frame> {
        self.frames.iter().find(|frame| frame.id == id)
    }

    /// The known identifier that is nearest to one that is not known.
    pub fn nearest(&self, _id: &str) -> Option<&str> {
        None
    }
}

impl Frame {
    /// What it does not state and must.
    pub fn lacks(&self) -> Vec<Lack> {
        Vec::new()
    }
}
