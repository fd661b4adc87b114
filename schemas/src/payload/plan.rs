//! What a schema says of its payloads, in tables: one for each message type that can
//! stand in one, found by an index. A type that holds itself holds its own index.

use std::collections::{BTreeMap, HashMap};

use prost_reflect::{
    EnumDescriptor, ExtensionDescriptor, FieldDescriptor, Kind, MessageDescriptor, Syntax,
};

use super::checks::{self, Check};
use super::wire;
use crate::descriptor::Described;
use crate::form::Form;
use crate::judgement::Open;

/// A field that nothing is kept of.
pub(super) const NONE: u32 = u32::MAX;
/// Forms that are named one by one.
const MOST_NAMED: usize = 12;

/// What payloads of a described message are held to. Made once for a schema.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(super) described: Described,
    pub(super) messages: Vec<Message>,
    pub(super) enums: Vec<Named>,
    /// The block of the described message's own form.
    pub(super) block: Option<Kept>,
    open: Vec<Open>,
}

/// A message type.
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) descriptor: MessageDescriptor,
    /// By number, where numbers are small: gaps are [`Takes::Nothing`].
    dense: Vec<Field>,
    /// The others, in ascending order.
    sparse: Vec<Field>,
    /// Fields of which something is kept until the message ends.
    pub(super) slots: u32,
    pub(super) checks: Vec<Check>,
    /// How often the checks go through the message's bytes again.
    pub(super) rereads: u64,
    /// Whether anything is counted in such a message, or in one below it.
    pub(super) counts: bool,
}

/// A field whose count or value is kept until its message ends, and where.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    pub(super) number: u32,
    pub(super) slot: u32,
}

/// A field, as the walk needs it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    pub(super) number: u32,
    pub(super) takes: Takes,
    pub(super) repeated: bool,
    /// Among the slots of its message, or [`NONE`].
    pub(super) slot: u32,
    /// Of a message or enum: which.
    pub(super) of: u32,
}

/// What a field takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// No field has the number.
    Nothing,
    /// Any integer of varying length, and bool.
    Varint,
    /// A value of an enum.
    Enum,
    Fixed32,
    Fixed64,
    /// Bytes, and strings of proto2, which no parser looks into.
    Bytes,
    /// A string of proto3.
    Text,
    Message,
    /// An entry of a map: a message that takes no level.
    Entry,
    Group,
}

impl Takes {
    pub(super) const fn wire(self) -> u32 {
        match self {
            Takes::Varint | Takes::Enum => wire::VARINT,
            Takes::Fixed64 => wire::FIXED64,
            Takes::Fixed32 => wire::FIXED32,
            Takes::Group => wire::START,
            Takes::Bytes | Takes::Text | Takes::Message | Takes::Entry => wire::LENGTH,
            // No tag has it.
            Takes::Nothing => 8,
        }
    }

    /// Whether elements may stand side by side under one tag, whatever is declared.
    pub(super) const fn packs(self) -> bool {
        matches!(
            self,
            Takes::Varint | Takes::Enum | Takes::Fixed32 | Takes::Fixed64
        )
    }

    pub(super) const fn is_message(self) -> bool {
        matches!(self, Takes::Message | Takes::Entry | Takes::Group)
    }

    pub(super) fn of(field: &FieldDescriptor) -> Self {
        let proto3 = field.parent_file().syntax() == Syntax::Proto3;
        Takes::new(&field.kind(), field.is_map(), field.is_group(), proto3)
    }

    fn of_extension(field: &ExtensionDescriptor) -> Self {
        let proto3 = field.parent_file().syntax() == Syntax::Proto3;
        Takes::new(&field.kind(), field.is_map(), field.is_group(), proto3)
    }

    fn new(kind: &Kind, map: bool, group: bool, proto3: bool) -> Self {
        match kind {
            Kind::Double | Kind::Fixed64 | Kind::Sfixed64 => Takes::Fixed64,
            Kind::Float | Kind::Fixed32 | Kind::Sfixed32 => Takes::Fixed32,
            Kind::Int32
            | Kind::Int64
            | Kind::Uint32
            | Kind::Uint64
            | Kind::Sint32
            | Kind::Sint64
            | Kind::Bool => Takes::Varint,
            Kind::Enum(_) => Takes::Enum,
            Kind::String if proto3 => Takes::Text,
            Kind::String | Kind::Bytes => Takes::Bytes,
            Kind::Message(_) if map => Takes::Entry,
            Kind::Message(_) if group => Takes::Group,
            Kind::Message(_) => Takes::Message,
        }
    }
}

impl Message {
    /// The field of a number.
    #[inline(always)]
    pub(super) fn field(&self, number: u32) -> Option<&Field> {
        let index = usize::try_from(number).unwrap_or(usize::MAX);
        match self.dense.get(index) {
            Some(field) if field.takes != Takes::Nothing => Some(field),
            _ if self.sparse.is_empty() => None,
            _ => self.sparse_field(number),
        }
    }

    fn sparse_field(&self, number: u32) -> Option<&Field> {
        let found = self.sparse.binary_search_by_key(&number, |it| it.number);
        self.sparse.get(found.ok()?)
    }

    fn each_mut(&mut self) -> impl Iterator<Item = &mut Field> {
        let dense = self.dense.iter_mut();
        let fields = dense.filter(|field| field.takes != Takes::Nothing);
        fields.chain(&mut self.sparse)
    }

    /// The slot of a field, a new one where it has none.
    fn keep(&mut self, number: u32) -> u32 {
        let next = self.slots;
        let Some(field) = self.field_mut(number) else {
            return NONE;
        };
        if field.slot != NONE {
            return field.slot;
        }
        field.slot = next;
        self.slots = next.saturating_add(1);
        next
    }

    fn field_mut(&mut self, number: u32) -> Option<&mut Field> {
        let index = usize::try_from(number).unwrap_or(usize::MAX);
        if let Some(field) = self.dense.get_mut(index)
            && field.takes != Takes::Nothing
        {
            return Some(field);
        }
        let found = self.sparse.binary_search_by_key(&number, |it| it.number);
        self.sparse.get_mut(found.ok()?)
    }
}

/// The numbers that an enum names.
#[derive(Clone, Debug)]
pub(super) struct Named {
    /// Ascending, each once.
    numbers: Vec<i32>,
    /// The first and last, where none between them is missing.
    range: Option<(i32, i32)>,
}

impl Named {
    fn new(of: &EnumDescriptor) -> Self {
        let mut numbers: Vec<i32> = of.values().map(|value| value.number()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let range = match numbers.as_slice() {
            [first, .., last] => {
                let span = i64::from(*last) - i64::from(*first) + 1;
                (usize::try_from(span).ok() == Some(numbers.len())).then_some((*first, *last))
            }
            _ => None,
        };
        Named { numbers, range }
    }

    #[inline(always)]
    pub(super) fn has(&self, number: i32) -> bool {
        match self.range {
            Some((first, last)) => (first..=last).contains(&number),
            None => self.numbers.binary_search(&number).is_ok(),
        }
    }
}

impl Plan {
    /// Lays out what payloads of a described message are held to.
    pub fn new(described: &Described) -> Self {
        let mut making = Making {
            described,
            messages: Vec::new(),
            by_name: HashMap::new(),
            enums: Vec::new(),
            enums_by_name: HashMap::new(),
            descriptors: Vec::new(),
            block: None,
            immeasurable: Vec::new(),
            more: 0,
        };
        making.message(&described.message);
        let mut next = 0;
        while let Some(descriptor) = making.descriptors.get(next).cloned() {
            let message = making.table(descriptor);
            making.messages.push(message);
            next = next.saturating_add(1);
        }
        making.checks();
        making.pieces();
        making.done()
    }

    /// Whether the described message itself declares a form that is a block: only then
    /// has `block_offset` something to be held against.
    pub fn has_block(&self) -> bool {
        self.block.is_some()
    }

    /// What of the payloads no plan can hold to anything.
    pub fn open(&self) -> &[Open] {
        &self.open
    }

    /// The message, and the set that describes it.
    pub fn described(&self) -> &Described {
        &self.described
    }

    /// The described message's name.
    pub(super) fn name(&self) -> &str {
        self.described.short(self.described.message.full_name())
    }
}

struct Making<'d> {
    described: &'d Described,
    messages: Vec<Message>,
    by_name: HashMap<String, u32>,
    enums: Vec<Named>,
    enums_by_name: HashMap<String, u32>,
    /// Of the messages, those first that are looked at first.
    descriptors: Vec<MessageDescriptor>,
    block: Option<Kept>,
    /// Blocks whose forms give no length.
    immeasurable: Vec<String>,
    more: usize,
}

impl Making<'_> {
    fn message(&mut self, of: &MessageDescriptor) -> u32 {
        if let Some(known) = self.by_name.get(of.full_name()) {
            return *known;
        }
        let id = u32::try_from(self.descriptors.len()).unwrap_or(NONE);
        self.by_name.insert(of.full_name().to_owned(), id);
        self.descriptors.push(of.clone());
        id
    }

    fn of(&mut self, kind: &Kind) -> u32 {
        match kind {
            Kind::Message(of) => self.message(of),
            Kind::Enum(of) => {
                if let Some(known) = self.enums_by_name.get(of.full_name()) {
                    return *known;
                }
                let id = u32::try_from(self.enums.len()).unwrap_or(NONE);
                self.enums_by_name.insert(of.full_name().to_owned(), id);
                self.enums.push(Named::new(of));
                id
            }
            _ => NONE,
        }
    }

    /// The fields of a message and the extensions of it that the set declares.
    fn table(&mut self, descriptor: MessageDescriptor) -> Message {
        let mut fields: BTreeMap<u32, Field> = BTreeMap::new();
        for field in descriptor.fields() {
            let number = field.number();
            let entry = Field {
                number,
                takes: Takes::of(&field),
                repeated: field.is_list() || field.is_map(),
                slot: NONE,
                of: self.of(&field.kind()),
            };
            fields.insert(number, entry);
        }
        for extension in descriptor.extensions() {
            let number = extension.number();
            let entry = Field {
                number,
                takes: Takes::of_extension(&extension),
                repeated: extension.is_list() || extension.is_map(),
                slot: NONE,
                of: self.of(&extension.kind()),
            };
            fields.entry(number).or_insert(entry);
        }
        // As far as a quarter of the places is taken.
        let most = fields.len().saturating_mul(4).saturating_add(16);
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        let sparse: Vec<Field> = fields.split_off(&most).into_values().collect();
        let end = fields.last_key_value().map_or(0, |(last, _)| *last);
        let places = usize::try_from(end).map_or(0, |end| end.saturating_add(1));
        let gap = Field {
            number: 0,
            takes: Takes::Nothing,
            repeated: false,
            slot: NONE,
            of: NONE,
        };
        let mut dense = vec![gap; places];
        for field in fields.into_values() {
            let index = usize::try_from(field.number).unwrap_or(usize::MAX);
            if let Some(place) = dense.get_mut(index) {
                *place = field;
            }
        }
        Message {
            descriptor,
            dense,
            sparse,
            slots: 0,
            checks: Vec::new(),
            rereads: 0,
            counts: false,
        }
    }

    /// What each message is held to when it ends.
    fn checks(&mut self) {
        let Making {
            messages,
            described,
            immeasurable,
            more,
            ..
        } = self;
        for message in &mut *messages {
            let descriptor = message.descriptor.clone();
            let form = Form::of(&descriptor);
            let made = checks::of(&descriptor, form.as_ref(), |number| message.keep(number));
            message.rereads = made.checks.iter().map(Check::rereads).sum();
            message.checks = made.checks;
            message.counts = message.slots > 0;
            if made.is_immeasurable && immeasurable.len() < MOST_NAMED {
                let block = form.map_or_else(String::new, |form| form.block);
                let name = described.short(descriptor.full_name());
                immeasurable.push(format!("{name}.{block}"));
            } else if made.is_immeasurable {
                *more = more.saturating_add(1);
            }
        }
        let root = &described.message;
        let block = Form::of(root).and_then(|form| checks::block_field(root, &form));
        if let (Some(block), Some(message)) = (block, messages.first_mut()) {
            let number = block.number();
            let slot = message.keep(number);
            message.counts = true;
            self.block = Some(Kept { number, slot });
        }
    }

    /// Singular messages, of which a payload may hold pieces that belong together:
    /// a slot for each in which anything is counted.
    fn pieces(&mut self) {
        let mut holders: Vec<Vec<u32>> = vec![Vec::new(); self.messages.len()];
        for (id, message) in (0_u32..).zip(&mut self.messages) {
            for field in message.each_mut().filter(|field| field.takes.is_message()) {
                let of = usize::try_from(field.of).unwrap_or(usize::MAX);
                if let Some(held_by) = holders.get_mut(of) {
                    held_by.push(id);
                }
            }
        }
        let mut counting: Vec<u32> = (0_u32..)
            .zip(&self.messages)
            .filter_map(|(id, message)| message.counts.then_some(id))
            .collect();
        while let Some(id) = counting.pop() {
            let id = usize::try_from(id).unwrap_or(usize::MAX);
            for holder in holders.get(id).into_iter().flatten() {
                let index = usize::try_from(*holder).unwrap_or(usize::MAX);
                if let Some(message) = self.messages.get_mut(index)
                    && !message.counts
                {
                    message.counts = true;
                    counting.push(*holder);
                }
            }
        }
        let counts: Vec<bool> = self.messages.iter().map(|message| message.counts).collect();
        for message in &mut self.messages {
            let singular: Vec<u32> = message
                .each_mut()
                .filter(|field| {
                    let of = usize::try_from(field.of).unwrap_or(usize::MAX);
                    field.takes.is_message()
                        && !field.repeated
                        && counts.get(of).copied().unwrap_or_default()
                })
                .map(|field| field.number)
                .collect();
            for number in singular {
                message.keep(number);
            }
        }
    }

    fn done(self) -> Plan {
        let mut open = Vec::new();
        if !self.immeasurable.is_empty() {
            let more = match self.more {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            open.push(Open {
                what: format!(
                    "lengths of the blocks {}{more}",
                    self.immeasurable.join(", ")
                ),
                rules: vec!["CA3-5.8-24"],
                reason: "their forms do not say how long they are".to_owned(),
            });
        }
        Plan {
            described: self.described.clone(),
            messages: self.messages,
            enums: self.enums,
            block: self.block,
            open,
        }
    }
}
