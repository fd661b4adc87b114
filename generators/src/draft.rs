//! A case in the making: two plans, what must come back, and why it matters.

use std::collections::BTreeSet;

use ca3_spec::kind::Kind;
use ca3_spec::protocol::{Decimal, operation_level};
use ca3_spec::rule::Level;
use ca3_spec::vector::{Case, Edit, Expect, Missing, Side, Sidecar, Step, Surface, Vector};
use ca3_spec::{reading, rule};
use serde_json::{Map, Value, json};

use crate::asking::{self, Ask};
use crate::cases::faults;
use crate::finding::{self, Finding};
use crate::plan::{Layout, Plan, PlanError};
pub(crate) use crate::surfacing::Surfacing;
pub use crate::surfacing::surface;

/// One side of a case.
#[derive(Clone, Debug)]
enum DraftSide {
    File {
        plan: Box<Plan>,
        expectation: Expectation,
    },
    Missing {
        reason: String,
    },
    Unset,
}

/// How a file is come at besides `read`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Through {
    /// By `index`.
    Index,
    /// By a `window` over everything.
    Window,
}

impl Through {
    fn in_words(self) -> &'static str {
        match self {
            Through::Index => "by index",
            Through::Window => "by window",
        }
    }

    /// The question, with what is owed by what `read` owes; `None` where a
    /// stream is not on the recording host's clock.
    fn ask(self, read: &Value) -> Option<Ask> {
        match self {
            Through::Index => Some(Ask::index()),
            Through::Window => asking::whole_window(read),
        }
    }
}

/// What is asked of a file.
#[derive(Clone, Debug)]
enum Expectation {
    /// `read` gives the plan's own answer, with these members replaced.
    Read {
        replaced: Map<String, Value>,
        may_report: Vec<Kind>,
        may_report_any: bool,
    },
    /// `read` surfaces a violation.
    Surface(Box<Surface>),
    /// These questions, in order.
    Asked(Vec<Ask>),
    /// `hello` gives this.
    Hello(Value),
    /// `validate` finds no fault, and nothing about the case's rules.
    Clean,
    /// As `Clean`, and the case's rules, or any of these, stand among what is
    /// not checked.
    Listed(Vec<String>),
    /// `validate` makes this finding.
    Found(Finding),
}

/// A case before it is laid out.
#[derive(Clone, Debug)]
pub struct Draft {
    name: String,
    rules: Vec<String>,
    title: String,
    why: Option<String>,
    readings: Option<Vec<String>>,
    /// Readings that the outcome depends on besides.
    cited: Vec<String>,
    refusal_names: Vec<String>,
    /// What a validator is given beside the valid file, and beside the invalid one.
    frames: (Option<Value>, Option<Value>),
    valid: DraftSide,
    invalid: DraftSide,
}

impl Draft {
    /// A case by name, with the rules it exercises and a line about it.
    pub fn new(name: &str, rules: &[&str], title: &str) -> Self {
        Draft {
            name: name.to_owned(),
            rules: rules.iter().map(|id| (*id).to_owned()).collect(),
            title: title.to_owned(),
            why: None,
            readings: None,
            cited: Vec::new(),
            refusal_names: Vec::new(),
            frames: (None, None),
            valid: DraftSide::Unset,
            invalid: DraftSide::Unset,
        }
    }

    /// What a failing implementation gets wrong, where the first rule's own
    /// `why` does not say it.
    pub fn why(self, why: &str) -> Self {
        Draft {
            why: Some(why.to_owned()),
            ..self
        }
    }

    /// The readings that the outcome depends on, where they are not those of
    /// the rules.
    pub fn readings(self, readings: &[&str]) -> Self {
        Draft {
            readings: Some(readings.iter().map(|id| (*id).to_owned()).collect()),
            ..self
        }
    }

    /// A reading that the outcome depends on, beside those of the rules.
    pub fn citing(mut self, reading: &str) -> Self {
        self.cited.push(reading.to_owned());
        self
    }

    /// Names that a refusal for an unlisted feature must give.
    pub fn refusal_names(self, names: &[&str]) -> Self {
        Draft {
            refusal_names: names.iter().map(|name| (*name).to_owned()).collect(),
            ..self
        }
    }

    /// The valid file: `read` answers what the plan holds.
    pub fn valid(self, plan: Plan) -> Self {
        self.valid_but(plan, json!({}))
    }

    /// The valid file: as [`Draft::valid`], with members of the result replaced.
    pub fn valid_but(self, plan: Plan, replaced: Value) -> Self {
        // Reading G93: a file that is not sealed may always be called truncated.
        let may_report = if plan.is_unsealed() {
            vec![Kind::TruncatedRecord]
        } else {
            Vec::new()
        };
        let replaced = replaced.as_object().cloned().unwrap_or_default();
        let expectation = Expectation::Read {
            replaced,
            may_report,
            may_report_any: false,
        };
        Draft {
            valid: DraftSide::File {
                plan: Box::new(plan),
                expectation,
            },
            ..self
        }
    }

    /// Problems of these kinds may be reported on the valid file.
    pub fn may_report(mut self, kinds: &[Kind]) -> Self {
        if let DraftSide::File {
            expectation: Expectation::Read { may_report, .. },
            ..
        } = &mut self.valid
        {
            may_report.extend_from_slice(kinds);
        }
        self
    }

    /// Any problem may be reported on the valid file: the format does not fix
    /// the inside of a record that it holds.
    pub fn may_report_any(mut self) -> Self {
        if let DraftSide::File {
            expectation: Expectation::Read { may_report_any, .. },
            ..
        } = &mut self.valid
        {
            *may_report_any = true;
        }
        self
    }

    /// A file that is no fault and yet may be refused or stated as not whole.
    pub fn valid_surfacing(self, plan: Plan, surface: Surface) -> Self {
        let expectation = Expectation::Surface(Box::new(surface));
        Draft {
            valid: DraftSide::File {
                plan: Box::new(plan),
                expectation,
            },
            ..self
        }
    }

    /// The implementation's `hello`, judged on a file that is read like any other.
    pub fn valid_hello(self, plan: Plan, hello: Value) -> Self {
        let expectation = Expectation::Hello(hello);
        Draft {
            valid: DraftSide::File {
                plan: Box::new(plan),
                expectation,
            },
            ..self
        }
    }

    /// The valid file, and what it is asked.
    pub fn valid_asked(self, plan: Plan, asks: Vec<Ask>) -> Self {
        let expectation = Expectation::Asked(asks);
        Draft {
            valid: DraftSide::File {
                plan: Box::new(plan),
                expectation,
            },
            ..self
        }
    }

    /// The invalid file, and what it is asked; beside an answer to `recover` any
    /// problem may be reported.
    pub fn invalid_asked(self, plan: Plan, asks: Vec<Ask>) -> Self {
        let asks = asks.into_iter().map(Ask::of_a_damaged_file);
        let expectation = Expectation::Asked(asks.collect());
        Draft {
            invalid: DraftSide::File {
                plan: Box::new(plan),
                expectation,
            },
            ..self
        }
    }

    /// The invalid file, and how it must be surfaced.
    pub fn invalid(self, plan: Plan, surface: Surface) -> Self {
        let expectation = Expectation::Surface(Box::new(surface));
        Draft {
            invalid: DraftSide::File {
                plan: Box::new(plan),
                expectation,
            },
            ..self
        }
    }

    /// The valid file of a validator's case: no error, and no finding of the
    /// case's rules.
    pub fn clean(self, plan: Plan) -> Self {
        let expectation = Expectation::Clean;
        Draft {
            valid: DraftSide::File {
                plan: Box::new(plan),
                expectation,
            },
            ..self
        }
    }

    /// As [`Draft::clean`], and the report lists the case's rules among those
    /// that it does not check.
    pub fn listed(self, plan: Plan) -> Self {
        self.listed_under(plan, &[])
    }

    /// As [`Draft::listed`], under any of these rules: one row of the document's
    /// own list (§15.2) has them all.
    pub fn listed_under(self, plan: Plan, rules: &[&str]) -> Self {
        let rules = rules.iter().map(|id| (*id).to_owned());
        let expectation = Expectation::Listed(rules.collect());
        Draft {
            valid: DraftSide::File {
                plan: Box::new(plan),
                expectation,
            },
            ..self
        }
    }

    /// The frames that a validator is given beside the valid file, and beside the
    /// invalid one (§5.5): FrameCatalogues (reading G10) as protobuf JSON.
    pub fn frames(self, valid: Option<Value>, invalid: Option<Value>) -> Self {
        Draft {
            frames: (valid, invalid),
            ..self
        }
    }

    /// The invalid file of a validator's case, and what must be found in it.
    pub fn found(self, plan: Plan, finding: Finding) -> Self {
        let expectation = Expectation::Found(finding);
        Draft {
            invalid: DraftSide::File {
                plan: Box::new(plan),
                expectation,
            },
            ..self
        }
    }

    /// There is no invalid file: the rule is broken by this answer. The seeded
    /// faults that give it stand in `cases/faults.rs`.
    pub fn wrong_answer(self, reason: &str) -> Self {
        Draft {
            invalid: DraftSide::Missing {
                reason: reason.to_owned(),
            },
            ..self
        }
    }

    /// The same two files asked through the index: every way into a file owes
    /// what `read` owes. `None` where the case is no pair of sealed files with
    /// all their chunks in the index and all their streams on one clock.
    pub(crate) fn indexed(&self, through: Through) -> Option<Draft> {
        let (
            DraftSide::File {
                plan: valid,
                expectation:
                    Expectation::Read {
                        replaced,
                        may_report,
                        may_report_any: false,
                    },
            },
            DraftSide::File {
                plan: invalid,
                expectation: Expectation::Surface(surface),
            },
        ) = (&self.valid, &self.invalid)
        else {
            return None;
        };
        let layout = valid.layout().ok()?;
        let spoilt = invalid.layout().ok()?;
        let listed = |plan: &Plan, layout: &Layout| {
            !plan.is_unsealed() && plan.chunk_count() == layout.tables.entries.len()
        };
        if !replaced.is_empty() || !listed(valid, &layout) || !listed(invalid, &spoilt) {
            return None;
        }
        let ask = || through.ask(&valid.expected(&layout));
        let mut surface = Surface {
            result: Value::Null,
            ..(**surface).clone()
        };
        // What is wrong with a chunk also shows against its index entry.
        surface.kinds.push(Kind::IndexMismatch);
        let surfaced = ask()?.surfaces(surface);
        Some(
            Draft {
                title: format!("{}; {}", self.title, through.in_words()),
                ..self.clone()
            }
            .valid_asked((**valid).clone(), vec![ask()?.may_report(may_report)])
            .invalid_asked((**invalid).clone(), vec![surfaced]),
        )
    }

    /// Lays both files out and writes the sidecar.
    ///
    /// # Errors
    /// [`PlanError`] where the plans or the case's own statements do not hold together.
    pub fn build(self, folder: &str) -> Result<Case, PlanError> {
        let id = format!("ca3/{folder}/{}", self.name);
        let bad = |reason: String| PlanError::Case {
            id: id.clone(),
            reason,
        };
        let mut rules = Vec::new();
        for rule_id in &self.rules {
            rules.push(rule::find(rule_id).ok_or_else(|| bad(format!("no rule {rule_id}")))?);
        }
        let first = *rules
            .first()
            .ok_or_else(|| bad("names no rule".to_owned()))?;
        let mut readings: BTreeSet<String> = match self.readings {
            Some(stated) => stated.into_iter().collect(),
            None => rules
                .iter()
                .flat_map(|rule| rule.readings.iter().cloned())
                .collect(),
        };
        readings.extend(self.cited);
        if let Some(unknown) = readings.iter().find(|id| reading::find(id).is_none()) {
            return Err(bad(format!("no reading {unknown}")));
        }
        let lay = |draft: DraftSide, polarity: &str| {
            let names = &self.refusal_names;
            side(draft, &id, &self.name, polarity, names, &self.rules).map_err(&bad)
        };
        let (mut valid, valid_bytes) = lay(self.valid, "valid")?;
        let (mut invalid, invalid_bytes) = lay(self.invalid, "invalid")?;
        give_frames(&mut valid, self.frames.0.as_ref());
        give_frames(&mut invalid, self.frames.1.as_ref());
        if valid_bytes.is_some() && valid_bytes == invalid_bytes {
            return Err(bad("the edit changes nothing".to_owned()));
        }
        if let Side::Vector(vector) = &invalid
            && vector.edit.is_none()
        {
            return Err(bad("the invalid side states no edit".to_owned()));
        }
        let operations = [&valid, &invalid]
            .into_iter()
            .filter_map(Side::vector)
            .flat_map(|vector| &vector.steps)
            .filter_map(|step| operation_level(&step.op));
        let level = rules
            .iter()
            .filter_map(|rule| rule.level.number())
            .chain(operations)
            .max()
            .unwrap_or(1);
        let provisional = reading::provisional(readings.iter().map(String::as_str));
        let sidecar = Sidecar {
            // An item binds readers or writers; of neither is a validator's case.
            item: first.item.filter(|_| first.level != Level::Validator),
            level,
            rules: self.rules,
            readings: readings.into_iter().collect(),
            provisional,
            title: self.title,
            why: self.why.unwrap_or_else(|| first.why.clone()),
            valid,
            invalid,
            id,
        };
        Ok(Case {
            sidecar,
            valid: valid_bytes,
            invalid: invalid_bytes,
        })
    }
}

fn side(
    side: DraftSide,
    id: &str,
    name: &str,
    polarity: &str,
    refusal_names: &[String],
    rules: &[String],
) -> Result<(Side, Option<Vec<u8>>), String> {
    match side {
        DraftSide::Unset => Err(format!("the {polarity} side is not stated")),
        DraftSide::Missing { reason } => {
            let none = "wrong-answer".to_owned();
            let caught_by = faults::caught_by(id)
                .iter()
                .map(|name| (*name).to_owned())
                .collect();
            Ok((
                Side::Missing(Missing {
                    none,
                    reason,
                    caught_by,
                }),
                None,
            ))
        }
        DraftSide::File { plan, expectation } => {
            let layout = plan
                .layout()
                .map_err(|error| format!("{polarity}: {error}"))?;
            let edit = match (&plan.what, layout.edited) {
                (Some(what), Some((offset, length))) => Some(Edit {
                    what: what.clone(),
                    offset: Decimal(offset),
                    length: Decimal(length),
                }),
                (Some(what), None) => return Err(format!("{what}: the edit has no place")),
                (None, _) => None,
            };
            let bitmap = features_in(&layout.bytes);
            let vector = Vector {
                file: format!("{name}.{polarity}.ca3"),
                required_features: Decimal(bitmap),
                // Names are owed for the assigned bits that the refusal is about.
                refusal_names: refusal_names.to_vec(),
                edit,
                steps: steps(&plan, &layout, expectation, rules)?,
            };
            Ok((Side::Vector(vector), Some(layout.bytes)))
        }
    }
}

fn steps(
    plan: &Plan,
    layout: &Layout,
    expectation: Expectation,
    rules: &[String],
) -> Result<Vec<Step>, String> {
    let answer = |result: Value| Expect::Answer {
        result,
        may_report: Vec::new(),
        may_report_any: false,
        may_refuse: Vec::new(),
    };
    let (op, expect) = match expectation {
        Expectation::Asked(asks) => {
            let steps = asks.into_iter().map(|ask| ask.step(plan, layout));
            return steps.collect();
        }
        Expectation::Read {
            replaced,
            may_report,
            may_report_any,
        } => {
            let mut result = plan.expected(layout);
            if let Some(object) = result.as_object_mut() {
                object.extend(replaced);
            }
            (
                "read",
                Expect::Answer {
                    result,
                    may_report,
                    may_report_any,
                    may_refuse: Vec::new(),
                },
            )
        }
        Expectation::Surface(surface) => ("read", Expect::Surface(*surface)),
        Expectation::Hello(result) => ("hello", answer(result)),
        Expectation::Clean => (
            "validate",
            answer(finding::clean(rules, !plan.is_unsealed())),
        ),
        Expectation::Listed(under) => (
            "validate",
            answer(finding::listed(rules, &under, !plan.is_unsealed())),
        ),
        Expectation::Found(finding) => {
            if finding
                .rules()
                .first()
                .is_none_or(|own| !rules.contains(own))
            {
                return Err("the finding's rule is none of the case's".to_owned());
            }
            let mut all = finding.rules().iter();
            if let Some(unknown) = all.find(|id| rule::find(id).is_none()) {
                return Err(format!("no rule {unknown}"));
            }
            ("validate", answer(finding.result(layout)?))
        }
    };
    Ok(vec![Step {
        op: op.to_owned(),
        arguments: Map::new(),
        fresh: false,
        over_http: None,
        expect,
    }])
}

/// Hands a FrameCatalogue to each step `validate`.
fn give_frames(side: &mut Side, catalogue: Option<&Value>) {
    if let (Side::Vector(vector), Some(catalogue)) = (side, catalogue) {
        let steps = vector.steps.iter_mut().filter(|it| it.op == "validate");
        for step in steps {
            step.arguments
                .insert("frames".to_owned(), catalogue.clone());
        }
    }
}

/// The bitmap at offset 17 of a file that begins with the magic, else 0: a
/// file that is refused for its first bytes is not refused for its features.
fn features_in(bytes: &[u8]) -> u64 {
    let start = usize::try_from(ca3_spec::REQUIRED_FEATURES_OFFSET).unwrap_or(usize::MAX);
    let header = bytes.get(..8) == Some(ca3_spec::MAGIC.as_slice())
        && bytes.get(8) == Some(&ca3_spec::opcode::op::HEADER);
    bytes
        .get(start..start.saturating_add(8))
        .filter(|_| header)
        .and_then(|field| field.try_into().ok())
        .map_or(0, u64::from_le_bytes)
}
