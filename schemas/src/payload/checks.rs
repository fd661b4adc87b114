//! What a message is held to when it ends (§5.3, §5.6, §5.8), by what was kept of its
//! fields.

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor, Value};

use super::far::Far;
use super::flaw::What;
use super::plan::NONE;
use super::rows::Rows;
use crate::form::paths::resolve;
use crate::form::{Extent, Form};
use crate::options;

/// Channels of one field that are held against each other.
const MOST_CHANNELS: usize = 64;

/// What is kept of a field.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slot {
    /// Elements of a repeated field; how often a singular one stands there.
    pub(super) seen: u64,
    /// The last value, of bytes their length.
    pub(super) value: u64,
    /// Where that begins.
    pub(super) at: usize,
}

/// What a message is held to.
#[derive(Clone, Debug)]
pub(super) enum Check {
    /// A required field of proto2.
    Required { number: u32, slot: u32 },
    /// A declared cardinality (§5.3).
    Elements(Elements),
    /// A channel with an entry for each element (§5.6).
    PerElement(PerElement),
    /// A channel that is one bool (§5.6).
    WholeField {
        number: u32,
        whole: Whole,
        covered: Content,
    },
    /// The block of a form (§5.8).
    Block(Block),
    /// The rows of a projection (§5.8).
    Rows { rows: Rows, length: Length },
}

#[derive(Clone, Debug)]
pub(super) struct Elements {
    number: u32,
    slot: u32,
    cardinality: u32,
    /// Channels of the field itself.
    channels: Vec<Whole>,
    /// Of a channel: what it covers, and other channels of that.
    covered: Option<(Content, Vec<Whole>)>,
}

#[derive(Clone, Debug)]
pub(super) struct PerElement {
    number: u32,
    slot: u32,
    /// Bits packed in bytes, else a repeated bool.
    is_packed: bool,
    covered: Content,
    /// How many elements the covered field has, where that is not counted.
    block: Option<Length>,
    /// How many it has if any: of a repeated field the declared cardinality.
    full: Option<u32>,
    /// Channels of the covered field that are one bool.
    channels: Vec<Whole>,
}

#[derive(Clone, Debug)]
pub(super) struct Block {
    number: u32,
    slot: u32,
    /// Axes, the outermost first.
    axes: Vec<Length>,
    /// Bytes of an element.
    element: u32,
    /// Whether its absence differs from its being empty: then nothing is of a wrong
    /// length where it does not stand.
    has_presence: bool,
    content: Content,
    channels: Vec<Whole>,
}

/// A bool that says whether a field holds anything; an absent one has its default.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whole {
    slot: u32,
    default: bool,
}

impl Whole {
    fn holds(self, slots: &[Slot]) -> bool {
        let slot = slot(slots, self.slot);
        if slot.seen == 0 {
            self.default
        } else {
            slot.value != 0
        }
    }
}

/// Whether a channel says that there is nothing.
fn denied(channels: &[Whole], slots: &[Slot]) -> bool {
    channels.iter().any(|channel| !channel.holds(slots))
}

/// How much a repeated field or one of bytes holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Content {
    number: u32,
    slot: u32,
    /// Of bytes: how many where they are absent.
    bytes: Option<u64>,
}

impl Content {
    fn amount(self, slots: &[Slot]) -> u64 {
        let slot = slot(slots, self.slot);
        match self.bytes {
            None => slot.seen,
            Some(default) if slot.seen == 0 => default,
            Some(_) => slot.value,
        }
    }
}

/// The length of an axis.
#[derive(Clone, Debug)]
pub(super) enum Length {
    Fixed(u32),
    /// Of a repeated field.
    Count(u32),
    /// An integer; the second is its value where it is absent.
    Value(u32, Integer, i128),
    /// Of a field of a message within.
    Far(Far),
}

impl Length {
    /// Negative ones are possible, and wrong.
    fn get(&self, slots: &[Slot], content: &[u8]) -> i128 {
        match self {
            Length::Fixed(length) => i128::from(*length),
            Length::Count(index) => i128::from(slot(slots, *index).seen),
            Length::Value(index, integer, default) => {
                let slot = slot(slots, *index);
                if slot.seen == 0 {
                    *default
                } else {
                    integer.read(slot.value)
                }
            }
            Length::Far(far) => far.read(content),
        }
    }
}

/// How the bits of an integer are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Integer {
    Unsigned32,
    Signed32,
    Zigzag32,
    Unsigned64,
    Signed64,
    Zigzag64,
}

impl Integer {
    fn of(kind: &Kind) -> Option<Self> {
        Some(match kind {
            Kind::Uint32 | Kind::Fixed32 => Integer::Unsigned32,
            Kind::Int32 | Kind::Sfixed32 => Integer::Signed32,
            Kind::Sint32 => Integer::Zigzag32,
            Kind::Uint64 | Kind::Fixed64 => Integer::Unsigned64,
            Kind::Int64 | Kind::Sfixed64 => Integer::Signed64,
            Kind::Sint64 => Integer::Zigzag64,
            _ => return None,
        })
    }

    /// Of a type of 32 bits the lower half counts, as protobuf has it.
    pub(super) fn read(self, bits: u64) -> i128 {
        let low = low(bits);
        let zigzag = ca3_wire::varint::zigzag_decode;
        match self {
            Integer::Unsigned32 => i128::from(low),
            Integer::Signed32 => i128::from(low.cast_signed()),
            Integer::Zigzag32 => i128::from(zigzag(u64::from(low))),
            Integer::Unsigned64 => i128::from(bits),
            Integer::Signed64 => i128::from(bits.cast_signed()),
            Integer::Zigzag64 => i128::from(zigzag(bits)),
        }
    }
}

/// The lower half.
pub(super) fn low(bits: u64) -> u32 {
    u32::try_from(bits & u64::from(u32::MAX)).unwrap_or_default()
}

/// What a message is held to, and whether it has a block whose length nothing says.
pub(super) struct Made {
    pub(super) checks: Vec<Check>,
    pub(super) is_immeasurable: bool,
}

/// What a message is held to; `keep` gives the slot of a field.
pub(super) fn of(
    message: &MessageDescriptor,
    form: Option<&Form>,
    keep: impl FnMut(u32) -> u32,
) -> Made {
    let mut making = Making {
        message,
        channels: Vec::new(),
        keep,
        checks: Vec::new(),
    };
    if message.is_map_entry() {
        return making.done(false);
    }
    making.find_channels();
    for field in message.fields() {
        making.field(&field);
    }
    making.per_element(form);
    let is_immeasurable = form.is_some_and(|form| making.block(form));
    if let Some((rows, extent)) = form.and_then(|form| Rows::of(message, form))
        && let Some(length) = making.length(extent)
    {
        making.checks.push(Check::Rows { rows, length });
    }
    making.done(is_immeasurable)
}

/// The field that is the block of a form.
pub(super) fn block_field(message: &MessageDescriptor, form: &Form) -> Option<FieldDescriptor> {
    let field = message.get_field_by_name(&form.block)?;
    is_bytes(&field).then_some(field)
}

struct Making<'m, K> {
    message: &'m MessageDescriptor,
    /// Channels that are of a type that a channel may have, and what they cover.
    channels: Vec<(FieldDescriptor, FieldDescriptor)>,
    keep: K,
    checks: Vec<Check>,
}

impl<K: FnMut(u32) -> u32> Making<'_, K> {
    fn done(self, is_immeasurable: bool) -> Made {
        Made {
            checks: self.checks,
            is_immeasurable,
        }
    }

    fn find_channels(&mut self) {
        for field in self.message.fields() {
            let could_be = is_whole(&field) || is_per_element(&field);
            if !could_be {
                continue;
            }
            let Some(target) = options::of_field(&field).validity_for else {
                continue;
            };
            let covered = self.message.get_field_by_name(&target);
            if let Some(covered) = covered.filter(|it| it.number() != field.number()) {
                self.channels.push((field, covered));
            }
        }
        // Looked up by what they cover.
        self.channels.sort_by_key(|(_, covered)| covered.number());
    }

    /// The channels of a field that are one bool.
    fn wholes(&mut self, field: &FieldDescriptor) -> Vec<Whole> {
        let number = field.number();
        let (channels, keep) = (&self.channels, &mut self.keep);
        let first = channels.partition_point(|(_, covered)| covered.number() < number);
        channels
            .iter()
            .skip(first)
            .take_while(|(_, covered)| covered.number() == number)
            .filter(|(channel, _)| is_whole(channel))
            // Each channel of a field is held against each.
            .take(MOST_CHANNELS)
            .map(|(channel, _)| whole(channel, keep))
            .collect()
    }

    /// A repeated field or one of bytes.
    fn content(&mut self, field: &FieldDescriptor) -> Option<Content> {
        let bytes = if is_bytes(field) {
            Some(match field.default_value() {
                Value::Bytes(bytes) => super::wire::wide(bytes.len()),
                _ => 0,
            })
        } else if field.is_list() {
            None
        } else {
            return None;
        };
        Some(Content {
            number: field.number(),
            slot: (self.keep)(field.number()),
            bytes,
        })
    }

    fn field(&mut self, field: &FieldDescriptor) {
        let number = field.number();
        if field.is_required() {
            let slot = (self.keep)(number);
            self.checks.push(Check::Required { number, slot });
        }
        if !field.is_list() {
            return;
        }
        let declared = options::of_field(field);
        let Some(cardinality) = declared.cardinality.filter(|number| *number > 0) else {
            return;
        };
        let covers = declared.validity_for.filter(|_| is_per_element(field));
        let covered = covers
            .and_then(|target| self.message.get_field_by_name(&target))
            .filter(|covered| covered.number() != number);
        let covered = covered.and_then(|covered| {
            let content = self.content(&covered)?;
            Some((content, self.wholes(&covered)))
        });
        let elements = Elements {
            number,
            slot: (self.keep)(number),
            cardinality,
            channels: self.wholes(field),
            covered,
        };
        self.checks.push(Check::Elements(elements));
    }

    /// Channels of both shapes.
    fn per_element(&mut self, form: Option<&Form>) {
        for (field, covered) in self.channels.clone() {
            let number = field.number();
            let Some(content) = self.content(&covered) else {
                continue;
            };
            if is_whole(&field) {
                let whole = whole(&field, &mut self.keep);
                let check = Check::WholeField {
                    number,
                    whole,
                    covered: content,
                };
                self.checks.push(check);
                continue;
            }
            let declared = options::of_field(&covered).cardinality;
            let mut full = declared.filter(|number| *number > 0);
            let mut block = None;
            if is_bytes(&covered) {
                // Bytes have elements where they are a block.
                let length = match full {
                    Some(number) => Some(Length::Fixed(number)),
                    None => form
                        .filter(|form| form.block == covered.name())
                        .and_then(|form| form.axes.first()?.extent())
                        .and_then(|extent| self.length(extent)),
                };
                let Some(length) = length else { continue };
                block = Some(length);
            } else {
                full = full.or(options::of_field(&field).cardinality);
            }
            let check = PerElement {
                number,
                slot: (self.keep)(number),
                is_packed: is_bytes(&field),
                covered: content,
                block,
                full,
                channels: self.wholes(&covered),
            };
            self.checks.push(Check::PerElement(check));
        }
    }

    /// The block of a form: whether its length cannot be measured.
    fn block(&mut self, form: &Form) -> bool {
        if !form.is_block() {
            return false;
        }
        let Some(field) = block_field(self.message, form) else {
            return true;
        };
        let axes: Option<Vec<Length>> = form
            .axes
            .iter()
            .map(|axis| self.length(axis.extent()?))
            .collect();
        let axes = axes.filter(|axes| !axes.is_empty());
        let (Some(axes), Some(element)) = (axes, form.element_type) else {
            return true;
        };
        let Some(content) = self.content(&field) else {
            return true;
        };
        let block = Block {
            number: field.number(),
            slot: content.slot,
            axes,
            element: element.bytes(),
            has_presence: field.supports_presence(),
            content,
            channels: self.wholes(&field),
        };
        self.checks.push(Check::Block(block));
        false
    }

    /// The length of an axis; `None` where it leads to no field that has one.
    fn length(&mut self, extent: &Extent) -> Option<Length> {
        let path = match extent {
            Extent::Length(length) => return Some(Length::Fixed(*length)),
            Extent::From(fields) => return u32::try_from(fields.len()).ok().map(Length::Fixed),
            Extent::FromRepeated(path) | Extent::LengthFrom(path) => path,
        };
        let reached = resolve(self.message, path)?;
        let field = &reached.field;
        let number = field.number();
        let is_near = reached.way.is_empty();
        if matches!(extent, Extent::FromRepeated(_)) {
            return field.is_list().then(|| {
                if is_near {
                    Length::Count((self.keep)(number))
                } else {
                    Length::Far(Far::count(reached.way.clone(), field))
                }
            });
        }
        let integer = Integer::of(&field.kind()).filter(|_| !field.is_list() && !field.is_map())?;
        let default = match field.default_value() {
            Value::I32(number) => i128::from(number),
            Value::I64(number) => i128::from(number),
            Value::U32(number) => i128::from(number),
            Value::U64(number) => i128::from(number),
            _ => 0,
        };
        Some(if is_near {
            Length::Value((self.keep)(number), integer, default)
        } else {
            Length::Far(Far::value(reached.way.clone(), number, integer, default))
        })
    }
}

fn is_bytes(field: &FieldDescriptor) -> bool {
    field.kind() == Kind::Bytes && !field.is_list() && !field.is_map()
}

fn is_whole(field: &FieldDescriptor) -> bool {
    field.kind() == Kind::Bool && !field.is_list() && !field.is_map()
}

fn is_per_element(field: &FieldDescriptor) -> bool {
    (field.kind() == Kind::Bool && field.is_list()) || is_bytes(field)
}

fn whole(channel: &FieldDescriptor, keep: &mut impl FnMut(u32) -> u32) -> Whole {
    Whole {
        slot: keep(channel.number()),
        default: channel.default_value() == Value::Bool(true),
    }
}

fn slot(slots: &[Slot], index: u32) -> Slot {
    debug_assert_ne!(index, NONE);
    let index = usize::try_from(index).unwrap_or(usize::MAX);
    slots.get(index).copied().unwrap_or_default()
}

/// Something wrong with a field, and where: `None` where the field does not stand.
pub(super) struct Wrong {
    pub(super) number: u32,
    pub(super) what: What,
    pub(super) at: Option<usize>,
}

impl Check {
    /// How often it goes through the message's bytes again.
    pub(super) fn rereads(&self) -> u64 {
        let far = |length: &Length| u64::from(matches!(length, Length::Far(_)));
        match self {
            // Once for the elements, and once more for what they would be in full.
            Check::PerElement(channel) => channel.block.as_ref().map_or(0, |it| 2 * far(it)),
            Check::Block(block) => block.axes.iter().map(far).sum(),
            Check::Rows { length, .. } => 1 + far(length),
            _ => 0,
        }
    }

    /// What is wrong with a message, by what was kept of it.
    pub(super) fn judge(&self, slots: &[Slot], content: &[u8]) -> Option<Wrong> {
        let (number, index, what) = match self {
            Check::Required {
                number,
                slot: index,
            } => {
                let what = (slot(slots, *index).seen == 0).then_some(What::Missing);
                (*number, *index, what)
            }
            Check::Elements(elements) => (elements.number, elements.slot, elements.judge(slots)),
            Check::PerElement(channel) => {
                (channel.number, channel.slot, channel.judge(slots, content))
            }
            Check::WholeField {
                number,
                whole,
                covered,
            } => {
                let (holds, amount) = (whole.holds(slots), covered.amount(slots));
                // True above nothing is in order where there was nothing to measure.
                let what = (!holds && amount > 0).then_some(What::Denied {
                    covered: covered.number,
                    amount,
                    is_bytes: covered.bytes.is_some(),
                });
                (*number, whole.slot, what)
            }
            Check::Block(block) => (block.number, block.slot, block.judge(slots, content)),
            Check::Rows { rows, length } => {
                let expected = length.get(slots, content);
                let uneven = rows.uneven(content, expected)?;
                return Some(Wrong {
                    number: uneven.outer,
                    what: What::Row {
                        counted: rows.number,
                        row: uneven.row,
                        expected,
                        found: uneven.found,
                    },
                    at: None,
                });
            }
        };
        let kept = slot(slots, index);
        Some(Wrong {
            number,
            what: what?,
            at: (kept.seen > 0).then_some(kept.at),
        })
    }
}

impl Elements {
    fn judge(&self, slots: &[Slot]) -> Option<What> {
        let found = slot(slots, self.slot).seen;
        if found == u64::from(self.cardinality) {
            return None;
        }
        // Reading G147. What goes along with an empty field may be empty as well.
        let excused = found == 0
            && (denied(&self.channels, slots)
                || self.covered.as_ref().is_some_and(|(covered, channels)| {
                    covered.amount(slots) == 0 && denied(channels, slots)
                }));
        (!excused).then_some(What::Elements {
            expected: self.cardinality,
            found,
        })
    }
}

impl PerElement {
    fn judge(&self, slots: &[Slot], content: &[u8]) -> Option<What> {
        let amount = self.covered.amount(slots);
        let elements = match &self.block {
            None => amount,
            // An empty block has no elements, whatever its axes say: that it is empty
            // is rule 5.8-24's.
            Some(_) if amount == 0 => 0,
            // A negative length is that rule's as well.
            Some(length) => u64::try_from(length.get(slots, content)).ok()?,
        };
        let kept = slot(slots, self.slot);
        let found = if self.is_packed {
            kept.value
        } else {
            kept.seen
        };
        let fits = |elements: u64| {
            let entries = if self.is_packed {
                elements.div_ceil(8)
            } else {
                elements
            };
            found == entries
        };
        if fits(elements) {
            return None;
        }
        // A channel may say of each element that there is none, and the field be left
        // out: as a whole block is, or as another channel says.
        let in_full = || match (&self.block, self.full) {
            (_, Some(full)) => fits(u64::from(full)),
            (Some(length), None) => u64::try_from(length.get(slots, content)).is_ok_and(fits),
            (None, None) => false,
        };
        let may_be_left_out = self.block.is_some() || denied(&self.channels, slots);
        if amount == 0 && may_be_left_out && in_full() {
            return None;
        }
        Some(What::Entries {
            covered: self.covered.number,
            elements,
            found,
            is_packed: self.is_packed,
        })
    }
}

impl Block {
    fn judge(&self, slots: &[Slot], content: &[u8]) -> Option<What> {
        let stands = slot(slots, self.slot).seen > 0;
        let found = self.content.amount(slots);
        if found == 0 && denied(&self.channels, slots) || !stands && self.has_presence {
            return None;
        }
        let mut expected = u128::from(self.element);
        for axis in &self.axes {
            let length = axis.get(slots, content);
            match u128::try_from(length) {
                // Beyond what any block can have it no longer matters how far.
                Ok(length) => expected = expected.saturating_mul(length),
                Err(_) => return Some(What::Negative { length }),
            }
        }
        (expected != u128::from(found)).then_some(What::Block { expected, found })
    }
}
