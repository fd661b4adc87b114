//! Units and frames of quantities, and channels for their absence (§5.2 clauses 2, 3
//! and 5), along the paths on which a field inherits what its holder declares.

use std::collections::{HashMap, HashSet, VecDeque};

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};

use crate::declarations::is_integer;
use crate::descriptor::{Described, place};
use crate::judgement::{Fault, Judgement, Named, Open};
use crate::options::{self, FieldOptions};
use crate::reachable::{held, is_protobufs};
use crate::unit::{Relation, Unit};

/// How far a path is followed into types that inherit from a holder.
const DEEPEST: usize = 24;

/// Messages that are gone through for one field.
const MOST_STEPS: usize = 4096;
/// Protobuf's own messages of one number.
const WRAPPERS: [&str; 2] = ["google.protobuf.FloatValue", "google.protobuf.DoubleValue"];

/// Judges clauses 2, 3 and 5.
pub(crate) fn judge(described: &Described, judgement: &mut Judgement) {
    let mut floor = Floor {
        described,
        judgement,
        declared: HashMap::new(),
        spatial: HashMap::new(),
        met: HashSet::new(),
        ahead: VecDeque::new(),
        quantities: 0,
        channels: 0,
        integers: Named::default(),
        frameless: Named::default(),
        protobufs: Named::default(),
        too_deep: false,
        steps: 0,
    };
    floor.ahead.push_back(Within {
        message: described.message.clone(),
        path: described.short(described.message.full_name()).to_owned(),
        holder: None,
        has_unit: false,
        has_frame: false,
        has_channel: false,
        depth: 0,
    });
    while let Some(within) = floor.ahead.pop_front() {
        floor.message(&within);
    }
    floor.at_end();
}

/// A message on the way, and what it inherits.
struct Within {
    message: MessageDescriptor,
    /// Of the message; its fields stand below.
    path: String,
    /// The path to the field that holds it.
    holder: Option<String>,
    has_unit: bool,
    has_frame: bool,
    /// Whether a validity channel covers the holder.
    has_channel: bool,
    depth: usize,
}

struct Floor<'a> {
    described: &'a Described,
    judgement: &'a mut Judgement,
    declared: HashMap<String, FieldOptions>,
    spatial: HashMap<String, bool>,
    /// Messages met, by what they inherit.
    met: HashSet<(String, bool, bool, bool)>,
    ahead: VecDeque<Within>,
    /// Physical quantities, and validity channels.
    quantities: u64,
    channels: u64,
    /// Integer fields without a unit.
    integers: Named,
    /// Numbers without a frame that are in no spatial message.
    frameless: Named,
    /// Fields of protobuf's own types.
    protobufs: Named,
    too_deep: bool,
    /// Messages gone through for the field at hand: they may lead to each other on more
    /// ways than anybody can go.
    steps: usize,
}

impl Floor<'_> {
    fn options(&mut self, field: &FieldDescriptor) -> FieldOptions {
        self.declared
            .entry(field.full_name().to_owned())
            .or_insert_with(|| options::of_field(field))
            .clone()
    }

    fn message(&mut self, within: &Within) {
        let key = (
            within.message.full_name().to_owned(),
            within.has_unit,
            within.has_frame,
            within.has_channel,
        );
        if !self.met.insert(key) {
            return;
        }
        let mut covered = HashSet::new();
        for field in within.message.fields() {
            if let Some(target) = self.options(&field).validity_for {
                covered.insert(target);
                self.channels = self.channels.saturating_add(1);
            }
        }
        for field in within.message.fields() {
            let is_covered = within.has_channel || covered.contains(field.name());
            self.field(within, &field, is_covered);
        }
    }

    fn field(&mut self, within: &Within, field: &FieldDescriptor, is_covered: bool) {
        self.steps = 0;
        let declared = self.options(field);
        let path = format!("{}.{}", within.path, field.name());
        let has_unit = within.has_unit || declared.unit.is_some();
        let has_frame = within.has_frame || declared.frame.is_some();
        match held(field) {
            Kind::Float | Kind::Double => {
                self.quantities = self.quantities.saturating_add(1);
                if !has_unit {
                    self.lacks_unit(field, &path, within.holder.as_deref(), &[]);
                }
                self.absence(field, &path, is_covered);
                if !has_frame && declared.unit.as_deref().is_none_or(may_be_spatial) {
                    self.frameless.add(path);
                }
            }
            Kind::Message(of) if is_protobufs(&of) => {
                // A wrapper's number has the declarations of what holds it; a Struct
                // and its like hold whatever they are given.
                if WRAPPERS.contains(&of.full_name()) {
                    self.parts(&of, field, &path, has_unit);
                } else {
                    self.protobufs.add(format!("{path} ({})", of.full_name()));
                }
            }
            Kind::Message(of) => {
                let is_spatial = self.is_spatial(&of, 0);
                if is_spatial && !has_frame && !self.parts_have_frames(&of, 0) {
                    self.lacks_frame(field, &declared, &of, &path);
                }
                if is_spatial {
                    self.parts(&of, field, &path, has_unit);
                    self.absence(field, &path, is_covered);
                    return;
                }
                self.into(within, of, path, has_unit, has_frame, is_covered);
            }
            kind if is_integer(&kind) && declared.unit.is_none() => self.integers.add(path),
            _ => {}
        }
    }

    /// Clause 3. Two numbers x and y without a dimension may be no place: a scroll, a
    /// ratio of two sides.
    fn lacks_frame(
        &mut self,
        field: &FieldDescriptor,
        declared: &FieldOptions,
        of: &MessageDescriptor,
        path: &str,
    ) {
        let is_bare = of.fields().len() == 2 && declared.unit.as_deref().is_some_and(is_one);
        let make = if is_bare {
            Fault::warning
        } else {
            Fault::error
        };
        let fault = make(
            "CA3-5.2-04",
            path.to_owned(),
            format!("{path} is spatial and declares no frame (clause 3)"),
        )
        .showing("a frame", "none");
        self.judgement.add(fault.at(Some(place(field))));
    }

    /// Goes on into a message type, whose fields inherit.
    fn into(
        &mut self,
        within: &Within,
        of: MessageDescriptor,
        path: String,
        has_unit: bool,
        has_frame: bool,
        has_channel: bool,
    ) {
        let inherits = has_unit || has_frame;
        let depth = if inherits {
            within.depth.saturating_add(1)
        } else {
            0
        };
        if depth > DEEPEST {
            self.too_deep = true;
            return;
        }
        // What inherits nothing is the same wherever it is held.
        let below = if inherits {
            path.clone()
        } else {
            self.described.short(of.full_name()).to_owned()
        };
        self.ahead.push_back(Within {
            message: of,
            path: below,
            holder: Some(path),
            has_unit,
            has_frame,
            has_channel,
            depth,
        });
    }

    /// The numbers of a component type, which have their declarations of the holder:
    /// one fault for the holder where none of them has a unit.
    fn parts(&mut self, of: &MessageDescriptor, field: &FieldDescriptor, path: &str, unit: bool) {
        let mut lacking = Vec::new();
        let mut numbers = 0_usize;
        self.numbers(of, path, unit, 0, &mut lacking, &mut numbers);
        self.quantities = self
            .quantities
            .saturating_add(u64::try_from(numbers).unwrap_or(u64::MAX));
        if numbers > 0 && lacking.len() == numbers {
            self.lacks_unit(field, path, None, &lacking);
        } else {
            for part in &lacking {
                self.lacks_unit(field, part, Some(path), &[]);
            }
        }
    }

    /// Every float or double below a message, and those among them without a unit.
    fn numbers(
        &mut self,
        of: &MessageDescriptor,
        path: &str,
        has_unit: bool,
        depth: usize,
        lacking: &mut Vec<String>,
        numbers: &mut usize,
    ) {
        self.steps = self.steps.saturating_add(1);
        if depth > DEEPEST || *numbers > 256 || self.steps > MOST_STEPS {
            self.too_deep = true;
            return;
        }
        for field in of.fields() {
            let has_unit = has_unit || self.options(&field).unit.is_some();
            let path = format!("{path}.{}", field.name());
            match held(&field) {
                Kind::Float | Kind::Double => {
                    *numbers = numbers.saturating_add(1);
                    if !has_unit {
                        lacking.push(path);
                    }
                }
                Kind::Message(of) => {
                    let depth = depth.saturating_add(1);
                    self.numbers(&of, &path, has_unit, depth, lacking, numbers);
                }
                _ => {}
            }
        }
    }

    fn lacks_unit(
        &mut self,
        field: &FieldDescriptor,
        path: &str,
        holder: Option<&str>,
        parts: &[String],
    ) {
        let message = match (holder, parts) {
            (None, []) => format!("{path} carries a number and declares no unit (clause 2)"),
            (None, parts) => {
                let names: Vec<&str> = parts
                    .iter()
                    .filter_map(|part| part.strip_prefix(path)?.strip_prefix('.'))
                    .take(4)
                    .collect();
                format!(
                    "neither {path} nor its {} declares a unit (clause 2)",
                    names.join(", ")
                )
            }
            (Some(holder), _) => format!(
                "{path} carries a number, and neither it nor {holder}, which holds it, \
                 declares a unit (clause 2)"
            ),
        };
        let fault = Fault::error("CA3-5.2-03", path, message)
            .showing("a unit, 1 where there is no dimension", "none");
        self.judgement.add(fault.at(Some(place(field))));
    }

    /// Clause 5: what may be absent, and no channel says so.
    fn absence(&mut self, field: &FieldDescriptor, path: &str, is_covered: bool) {
        let proto = field.field_descriptor_proto();
        if is_covered || !proto.proto3_optional() {
            return;
        }
        let fault = Fault::warning(
            "CA3-5.2-06",
            path,
            format!(
                "{path} is optional, and no validity channel covers it (clause 5): a consumer \
                 that fills an array has no place for its absence"
            ),
        )
        .showing("a field with validity_for", "none");
        self.judgement.add(fault.at(Some(place(field))));
    }

    /// Reading G27: made only of numbers x, y (z, w), or of such messages.
    fn is_spatial(&mut self, message: &MessageDescriptor, depth: usize) -> bool {
        if let Some(known) = self.spatial.get(message.full_name()) {
            return *known;
        }
        // One that leads back to itself is not made only of numbers.
        self.spatial.insert(message.full_name().to_owned(), false);
        let mut names: Vec<String> = Vec::new();
        let mut numbers = 0_usize;
        let mut nested = 0_usize;
        for field in message.fields() {
            match field.kind() {
                _ if field.is_list() || field.is_map() => return false,
                Kind::Float | Kind::Double => {
                    numbers = numbers.saturating_add(1);
                    names.push(field.name().to_owned());
                }
                Kind::Message(of)
                    if depth < DEEPEST && self.is_spatial(&of, depth.saturating_add(1)) =>
                {
                    nested = nested.saturating_add(1);
                }
                _ => return false,
            }
        }
        names.sort();
        let axes = [&["x", "y"][..], &["x", "y", "z"], &["w", "x", "y", "z"]];
        let is_spatial = match (numbers, nested) {
            (0, nested) => nested > 0,
            (_, 0) => axes.iter().any(|axes| names == **axes),
            _ => false,
        };
        self.spatial
            .insert(message.full_name().to_owned(), is_spatial);
        is_spatial
    }

    /// Whether a message is made of spatial parts that each declare a frame.
    fn parts_have_frames(&mut self, message: &MessageDescriptor, depth: usize) -> bool {
        self.steps = self.steps.saturating_add(1);
        if self.steps > MOST_STEPS {
            self.too_deep = true;
            return true;
        }
        depth < DEEPEST
            && message.fields().len() > 0
            && message.fields().all(|field| {
                let declared = self.options(&field);
                declared.frame.is_some()
                    || match field.kind() {
                        Kind::Message(of) => self.parts_have_frames(&of, depth.saturating_add(1)),
                        _ => false,
                    }
            })
    }

    fn at_end(&mut self) {
        let name = self.described.message.full_name().to_owned();
        if self.quantities > 0 {
            let channels = match self.channels {
                0 => ", for which it has no validity channel",
                _ => "",
            };
            self.judgement.leave(Open {
                what: format!(
                    "whether a value of {name} that is absent is ever a number{channels}"
                ),
                rules: vec!["CA3-5.2-06"],
                reason: "no descriptor shows whether a producer writes a sentinel".to_owned(),
            });
        }
        if let Some(integers) = self.integers.shown() {
            self.judgement.leave(Open {
                what: format!(
                    "whether integer fields without a unit are quantities or codes: {integers}"
                ),
                rules: vec!["CA3-5.2-03", "CA3-5.2-08"],
                reason: "a descriptor cannot tell a measurement from a count, a code or an \
                         identifier (readings G26, G29)"
                    .to_owned(),
            });
        }
        if let Some(frameless) = self.frameless.shown() {
            self.judgement.leave(Open {
                what: format!("whether numbers without a frame are spatial: {frameless}"),
                rules: vec!["CA3-5.2-04"],
                reason: "they stand in no message of coordinates (reading G27)".to_owned(),
            });
        }
        if let Some(protobufs) = self.protobufs.shown() {
            self.judgement.leave(Open {
                what: format!("what is in fields of protobuf's own types: {protobufs}"),
                rules: vec!["CA3-5.2-03", "CA3-5.2-05"],
                reason: "no producer can declare anything of their fields".to_owned(),
            });
        }
        if self.too_deep {
            self.judgement.leave(Open {
                what: format!("declarations of {name} that are inherited over {DEEPEST} levels"),
                rules: vec!["CA3-5.2-03", "CA3-5.2-04"],
                reason: "paths are followed so far and no further".to_owned(),
            });
        }
    }
}

/// Whether positions and directions are stated in a unit: in lengths, in angles, or
/// without a dimension.
fn may_be_spatial(code: &str) -> bool {
    let Ok(unit) = Unit::parse(code) else {
        return true;
    };
    ["m", "rad", "1"].into_iter().any(|known| {
        Unit::parse(known).is_ok_and(|known| unit.relation(&known) != Relation::Dimension)
    })
}

/// Whether a unit is the number one.
fn is_one(code: &str) -> bool {
    Unit::parse(code)
        .is_ok_and(|unit| Unit::parse("1").is_ok_and(|one| unit.relation(&one) == Relation::Same))
}
