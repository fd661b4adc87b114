//! The form of a committed case: the sidecar beside its one or two files.
//!
//! A case lives at `corpus/<id>.json`, with `<id>.valid.ca3` and
//! `<id>.invalid.ca3` beside it; `id` is `ca3/<item>-<slug>/<case>` or
//! `ca3/<section>-<slug>/<case>`.
//!
//! Expected results are JSON in which an object with exactly one key out of
//! [`MATCHERS`] is a matcher; every other object matches by subset, arrays
//! match exactly, a missing member equals null, and integers compare by value
//! whether they stand as numbers or as decimal strings.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::kind::Kind;
use crate::protocol::{Decimal, Hex};

/// The matchers of an expected result.
pub const MATCHERS: &[(&str, &str)] = &[
    ("$one_of", "any of the listed expectations matches"),
    ("$not", "the expectation does not match"),
    ("$at_least", "an integer not below the given one"),
    ("$at_most", "an integer not above the given one"),
    ("$absent", "missing or null"),
    (
        "$contains",
        "an array in which each listed expectation matches some element",
    ),
    (
        "$set",
        "an array with exactly the listed elements, in any order",
    ),
    ("$exactly", "an object with exactly the listed members"),
    (
        "$must_may",
        "an array of all of `must`, in order, among which any of `may` may stand",
    ),
    (
        "$members",
        "an array, in any order, of all of `must` and any of `may`, each at most once",
    ),
];

/// One of a case's two files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Polarity {
    /// Asserts exact output.
    Valid,
    /// Well-formed bytes that violate a rule, which must be surfaced.
    Invalid,
}

impl Polarity {
    /// Both, the valid one first.
    pub const BOTH: [Polarity; 2] = [Polarity::Valid, Polarity::Invalid];

    /// The word used in file names and reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Polarity::Valid => "valid",
            Polarity::Invalid => "invalid",
        }
    }
}

/// A case as committed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sidecar {
    /// `ca3/<folder>/<case>`.
    pub id: String,
    /// The reader item of §16 that the case certifies, if any.
    pub item: Option<u8>,
    /// The reader level at which it is judged: the higher of the rules' and
    /// the operations'; 1, and of no meaning, where no step is a reader's.
    pub level: u8,
    /// The rules it exercises.
    pub rules: Vec<String>,
    /// The readings that its outcome depends on.
    pub readings: Vec<String>,
    /// Whether one of them is not certifying: a disagreement is then listed
    /// and fails nobody.
    pub provisional: bool,
    /// What the case is about, in a line.
    pub title: String,
    /// What an implementation that fails it gets wrong.
    pub why: String,
    /// The valid side.
    pub valid: Side,
    /// The invalid side.
    pub invalid: Side,
}

impl Sidecar {
    /// The side of a polarity.
    pub fn side(&self, polarity: Polarity) -> &Side {
        match polarity {
            Polarity::Valid => &self.valid,
            Polarity::Invalid => &self.invalid,
        }
    }

    /// The last part of the id.
    pub fn name(&self) -> &str {
        self.id.rsplit('/').next().unwrap_or(&self.id)
    }

    /// The folder part of the id, without the format.
    pub fn folder(&self) -> &str {
        self.id.split('/').nth(1).unwrap_or_default()
    }
}

/// A polarity that exists, or the statement that it does not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Side {
    /// There is a file, and this is what is asked of it.
    Vector(Vector),
    /// There is none.
    Missing(Missing),
}

impl Side {
    /// The vector, where there is one.
    pub fn vector(&self) -> Option<&Vector> {
        match self {
            Side::Vector(vector) => Some(vector),
            Side::Missing(_) => None,
        }
    }
}

/// Why a polarity does not exist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Missing {
    /// `wrong-answer`: the rule is broken by an answer and not by a file;
    /// `no-valid-file`: the rule only rules files out.
    pub none: String,
    /// The wrong answer, in a sentence.
    pub reason: String,
    /// Seeded faults that give it, each shown by a test to be caught here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub caught_by: Vec<String>,
}

/// One file and what is asked of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vector {
    /// The file's name beside the sidecar.
    pub file: String,
    /// The file's feature bitmap, where it has one: a reader that does not
    /// list a defined bit set here is expected to refuse, naming the bits.
    pub required_features: Decimal,
    /// Names that such a refusal must give, where the document asks for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refusal_names: Vec<String>,
    /// The edit that made this file out of its valid twin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit: Option<Edit>,
    /// What is asked, in order.
    pub steps: Vec<Step>,
}

/// The one edit behind an invalid file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// What was done, in a sentence.
    pub what: String,
    /// Offset of the first byte concerned, in the invalid file.
    pub offset: Decimal,
    /// How many bytes are concerned there; zero where bytes were taken away.
    pub length: Decimal,
}

/// One request and what its answer must be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The operation.
    pub op: String,
    /// Its arguments besides the path; of `validate`, perhaps `frames`, a
    /// FrameCatalogue (reading G10) as protobuf JSON.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub arguments: Map<String, Value>,
    /// A process that has answered nothing yet is asked: the answer may not
    /// depend on what was asked before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fresh: bool,
    /// The file is offered over HTTP in the place of a path; a reader that
    /// does not list that is not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over_http: Option<OverHttp>,
    /// What the answer must be.
    pub expect: Expect,
}

/// What is judged of a request over HTTP besides its answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OverHttp {
    /// Stretches of the file, of none of which every byte may be fetched.
    pub unfetched: Vec<Stretch>,
}

/// A part of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stretch {
    /// What lies there.
    pub what: String,
    /// Where it begins.
    pub offset: Decimal,
    /// How long it is.
    pub length: Decimal,
}

/// What the answer to a step must be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Expect {
    /// `ok`, with this result and nothing reported but the listed kinds.
    Answer {
        /// The expected result.
        result: Value,
        /// Kinds that `problems` may hold all the same.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        may_report: Vec<Kind>,
        /// Any kind of problem may be reported: the file holds records whose
        /// inside the format does not fix.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        may_report_any: bool,
        /// A refusal is right as well, preferably of one of these kinds.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        may_refuse: Vec<Kind>,
    },
    /// The violation must be surfaced.
    Surface(Surface),
}

/// How a violation must be surfaced.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Surface {
    /// The kinds that are right; another kind is a note.
    pub kinds: Vec<Kind>,
    /// Fields that the error or the problem must name rightly, because the
    /// document says what is named.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub naming: Map<String, Value>,
    /// Only a refusal will do: the document has the file refused, or the
    /// reader stopped, and not partly read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refuse: bool,
    /// `sealed: false` with `complete: false` surfaces it too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// Payloads that may stand nowhere in a result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forbidden: Vec<Hex>,
    /// What a result must hold, where the answer is `ok`.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub result: Value,
    /// A result that matches this is right as well, whatever it reports.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub or_result: Value,
}

/// A case with its files' bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// What is asked, and what must come back.
    pub sidecar: Sidecar,
    /// The valid file, where there is one.
    pub valid: Option<Vec<u8>>,
    /// The invalid file, where there is one.
    pub invalid: Option<Vec<u8>>,
}

impl Case {
    /// The file of a polarity.
    pub fn bytes(&self, polarity: Polarity) -> Option<&[u8]> {
        match polarity {
            Polarity::Valid => self.valid.as_deref(),
            Polarity::Invalid => self.invalid.as_deref(),
        }
    }
}
