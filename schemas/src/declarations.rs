//! What each field declares, taken by itself (§5.2 clauses 4 and 7, §5.3, §5.4, §5.5).

use std::collections::{BTreeMap, BTreeSet};

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};

use crate::descriptor::{Described, place};
use crate::frames::Catalogue;
use crate::judgement::{Fault, Judgement, Named, Open};
use crate::options::{self, FieldOptions, Misread};
use crate::unit::Unit;

/// Parts of a field's name that mark it as a code (reading G29).
const MARKS: [&str; 2] = ["code", "codes"];

/// Judges the fields of these messages one by one.
pub(crate) fn judge(
    described: &Described,
    messages: &[MessageDescriptor],
    frames: &Catalogue,
    judgement: &mut Judgement,
) {
    let mut fields = Fields {
        described,
        frames,
        judgement,
        named_frames: BTreeSet::new(),
        lists: Named::default(),
        has_companion: false,
        counted: counted_by_holders(messages),
    };
    for message in messages {
        fields.has_companion = message
            .fields()
            .any(|field| matches!(field.kind(), Kind::String | Kind::Enum(_)) && !field.is_map());
        for field in message.fields() {
            fields.judge(message, &field);
        }
    }
    let lists = std::mem::take(&mut fields.lists);
    if let Some(lists) = lists.shown() {
        judgement.leave(Open {
            what: format!("whether repeated fields keep one order: {lists}"),
            rules: vec!["CA3-5.2-05"],
            reason: "no option carries an ordering (reading G28)".to_owned(),
        });
    }
}

struct Fields<'a> {
    described: &'a Described,
    frames: &'a Catalogue,
    judgement: &'a mut Judgement,
    /// Frames whose declarations were looked at.
    named_frames: BTreeSet<String>,
    /// Fields that repeat.
    lists: Named,
    /// Whether the message at hand has a field that may resolve its codes.
    has_companion: bool,
    /// Messages of one repeated field that every field which holds them counts.
    counted: BTreeSet<String>,
}

/// Messages with one repeated field, such as a vector of any length, of which each
/// singular field that holds one declares a cardinality: it is that of the elements.
fn counted_by_holders(messages: &[MessageDescriptor]) -> BTreeSet<String> {
    let mut counted = BTreeSet::new();
    let mut uncounted = BTreeSet::new();
    let mut lists: BTreeMap<String, usize> = BTreeMap::new();
    for message in messages {
        for field in message.fields() {
            let Kind::Message(of) = field.kind() else {
                continue;
            };
            let lists = *lists
                .entry(of.full_name().to_owned())
                .or_insert_with(|| of.fields().filter(FieldDescriptor::is_list).count());
            let counts = options::of_field(&field).cardinality.is_some();
            if lists == 1 && counts && !field.is_list() && !field.is_map() {
                counted.insert(of.full_name().to_owned());
            } else {
                uncounted.insert(of.full_name().to_owned());
            }
        }
    }
    counted.retain(|name| !uncounted.contains(name));
    counted
}

impl Fields<'_> {
    fn judge(&mut self, message: &MessageDescriptor, field: &FieldDescriptor) {
        let path = self.described.path(field);
        let declared = options::of_field(field);
        for misread in &declared.misread {
            let fault = misread_fault(misread, &path);
            self.judgement.add(fault.at(Some(place(field))));
        }
        self.unit(field, &declared, &path);
        self.frame(field, &declared, &path);
        if field.is_list() {
            self.lists.add(path.clone());
        }
        let is_counted = self.counted.contains(message.full_name());
        if field.is_list() && declared.cardinality.is_none() && !is_counted {
            let fault = Fault::error(
                "CA3-5.2-05",
                path.clone(),
                format!(
                    "{path} repeats and declares no cardinality (clause 4): a number of \
                     elements, or 0 where it varies"
                ),
            )
            .showing("a cardinality", "none");
            self.judgement.add(fault.at(Some(place(field))));
        }
        self.code(field, &declared, &path);
    }

    /// §5.4.
    fn unit(&mut self, field: &FieldDescriptor, declared: &FieldOptions, path: &str) {
        let Some(code) = &declared.unit else { return };
        if let Some(fault) = unit_fault("CA3-5.4-01", path, code) {
            self.judgement.add(fault.at(Some(place(field))));
        }
    }

    /// §5.5.
    fn frame(&mut self, field: &FieldDescriptor, declared: &FieldOptions, path: &str) {
        let Some(id) = &declared.frame else { return };
        let Some(frame) = self.frames.find(id) else {
            let near = self.frames.nearest(id);
            let hint = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
            let fault = Fault::error(
                "CA3-5.5-01",
                path,
                format!("{path} is in the frame {id}, which no catalogue at hand declares{hint}"),
            )
            .showing(near.unwrap_or("a frame that is declared"), id);
            self.judgement.add(fault.at(Some(place(field))));
            return;
        };
        if !self.named_frames.insert(id.clone()) {
            return;
        }
        for lack in frame.lacks() {
            let fault = Fault::error(lack.rule, path, format!("the frame {id}: {}", lack.message));
            self.judgement.add(fault.at(Some(place(field))));
        }
        if frame.producer_defined {
            self.judgement.leave(Open {
                what: format!("whether values in the frame {id} compare across producers ({path})"),
                rules: vec!["CA3-5.5-05"],
                reason: "its producer defines it: not comparable".to_owned(),
            });
        }
    }

    /// Clause 7 of the floor (reading G29).
    fn code(&mut self, field: &FieldDescriptor, declared: &FieldOptions, path: &str) {
        let in_name = field.name().split('_').any(|part| MARKS.contains(&part));
        if !is_integer(&field.kind())
            || declared.unit.is_some()
            || !(in_name || self.described.is_marked(field))
        {
            return;
        }
        if self.has_companion {
            return;
        }
        let why = if in_name { "name" } else { "comment" };
        let fault = Fault::warning(
            "CA3-5.2-08",
            path,
            format!(
                "{path} is a code, by its {why}, and nothing in the file says what its values \
                 mean (clause 7): make it an enum, or put one or a string beside it"
            ),
        )
        .showing(
            "an enum, or one or a string in the same message",
            kind_name(&field.kind()),
        );
        self.judgement.add(fault.at(Some(place(field))));
    }
}

/// A code that is no unit, or surely another than was meant.
pub(crate) fn unit_fault(rule: &'static str, path: &str, code: &str) -> Option<Fault> {
    let hint = |suggestion: &Option<String>| {
        suggestion
            .as_ref()
            .map_or_else(String::new, |meant| format!("; did you mean {meant}?"))
    };
    match Unit::parse(code) {
        Err(refused) => {
            let hint = hint(&refused.suggestion);
            let message = format!("the unit {code:?} of {path} is not UCUM: {refused}{hint}");
            let expected = refused
                .suggestion
                .unwrap_or_else(|| "a UCUM code".to_owned());
            Some(Fault::error(rule, path, message).showing(expected, code))
        }
        Ok(unit) => {
            let doubt = unit.doubt()?;
            let hint = hint(&doubt.suggestion);
            let message = format!("the unit {code:?} of {path}: {doubt}{hint}");
            let expected = doubt
                .suggestion
                .unwrap_or_else(|| "what was meant".to_owned());
            Some(Fault::warning(rule, path, message).showing(expected, code))
        }
    }
}

/// Options that are not read for what they seem to be (§5.3).
pub(crate) fn misread_fault(misread: &Misread, path: &str) -> Fault {
    const RULE: &str = "CA3-5.3-01";
    let ours = |name: &str| format!("{}.{name}", options::PACKAGE);
    match misread {
        Misread::Mistyped { name, wanted } => Fault::error(
            RULE,
            path,
            format!("the option {name} of {path} is declared with another type than {wanted}, and is not read"),
        )
        .showing(wanted, "another type"),
        Misread::Undeclared { number, like } => Fault::error(
            RULE,
            path,
            format!(
                "{path} has an option {number}, which no extension in the descriptor declares: \
                 it is not read as {like}"
            ),
        )
        .showing(format_args!("an extension {} = {number}", ours(like)), "none"),
        Misread::Elsewhere { name, like } => Fault::warning(
            RULE,
            path,
            format!("the option {name} of {path} is not this format's {like}, and is not read"),
        )
        .showing(ours(like), name),
        Misread::Renumbered {
            name,
            wanted,
            number,
        } => Fault::warning(
            RULE,
            path,
            format!(
                "the option {name} of {path} has the number {number}: it is read by its name, \
                 and a reader that goes by numbers finds none"
            ),
        )
        .showing(wanted, number),
        Misread::Renamed { name, number, like } => Fault::warning(
            RULE,
            path,
            format!(
                "the option {name} of {path} has the number {number} of {like}; options are \
                 read by their names"
            ),
        )
        .showing(ours(like), name),
    }
}

/// Whether values of a kind are integers; enums and bools are not.
pub(crate) const fn is_integer(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Int32
            | Kind::Int64
            | Kind::Uint32
            | Kind::Uint64
            | Kind::Sint32
            | Kind::Sint64
            | Kind::Fixed32
            | Kind::Fixed64
            | Kind::Sfixed32
            | Kind::Sfixed64
    )
}

/// A kind as .proto files write it.
pub(crate) fn kind_name(kind: &Kind) -> String {
    format!("{kind:?}").trim_start_matches('.').to_owned()
}
