//! The walk over a payload's bytes by a plan.

use super::checks::{Slot, low};
use super::flaw::{FieldId, Flaw, What};
use super::plan::{Field, Message, NONE, Plan, Takes};
use super::wire::{self, Broken, Fails};

/// Flaws of one payload that are told.
const MOST_FLAWS: usize = 256;
/// Steps of counting that any payload may take, and more for each of its bytes: an empty
/// message of a type with many counted fields has as much to be looked at as a full one.
const STEPS: u64 = 1 << 20;
const STEPS_PER_BYTE: u64 = 64;

/// What a walk needs room for, kept from payload to payload.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// Of each message that is gone through, the outermost first.
    slots: Vec<Slot>,
    flaws: Vec<Flaw>,
    steps: u64,
    is_cut: bool,
}

impl Walk {
    /// Whether something was left out of the last payload: flaws beyond the 256th, or
    /// counts of one with very many small messages of types with very many counts.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    fn add(&mut self, flaw: Flaw) {
        if self.flaws.len() < MOST_FLAWS {
            self.flaws.push(flaw);
        } else {
            self.is_cut = true;
        }
    }

    /// Counts of a message of which another piece stands here as well.
    fn withdraw(&mut self, from: usize, to: usize) {
        self.flaws.retain(|flaw| {
            matches!(flaw.what, What::Unnamed(_)) || !(from..=to).contains(&flaw.offset)
        });
    }
}

/// The payload is broken, as its flaw says.
struct Stop;

/// A message on the way.
#[derive(Clone, Copy)]
struct Level {
    /// Index of its type.
    of: u32,
    /// How many more levels there may be.
    levels: u32,
    /// Whether its counts are judged.
    judged: bool,
    /// Whether it is the payload itself.
    is_root: bool,
    /// Of a group, its number, else 0.
    group: u32,
    /// Where its bytes end in the payload; of a group, where those end that hold it.
    end: usize,
}

impl Plan {
    /// Goes through a payload and returns what is wrong with it, in the order of its
    /// bytes. `block_offset` is that of the stream, where it declares an alignment.
    pub fn check<'w>(
        &self,
        payload: &[u8],
        block_offset: Option<u32>,
        walk: &'w mut Walk,
    ) -> &'w [Flaw] {
        walk.slots.clear();
        walk.flaws.clear();
        walk.is_cut = false;
        walk.steps = wire::wide(payload.len())
            .saturating_mul(STEPS_PER_BYTE)
            .saturating_add(STEPS);
        let root = Level {
            of: 0,
            levels: wire::DEEPEST,
            judged: true,
            is_root: true,
            group: 0,
            end: payload.len(),
        };
        let mut walking = Walking {
            plan: self,
            walk,
            block_offset,
        };
        // Where it stops, the flaw that says why is the only one.
        let _ = walking.message(root, payload);
        if walk.flaws.len() > 1 {
            walk.flaws
                .sort_unstable_by_key(|flaw| (flaw.offset, flaw.rule(), flaw.field));
        }
        &walk.flaws
    }
}

struct Walking<'p, 'w> {
    plan: &'p Plan,
    walk: &'w mut Walk,
    /// Of the described message itself.
    block_offset: Option<u32>,
}

impl<'p> Walking<'p, '_> {
    /// Goes through a message and returns what follows it: of a group, behind its end.
    fn message<'b>(&mut self, mut level: Level, content: &'b [u8]) -> Result<&'b [u8], Stop> {
        let plan: &'p Plan = self.plan;
        let index = usize::try_from(level.of).unwrap_or(usize::MAX);
        let Some(of) = plan.messages.get(index) else {
            return Ok(&[]);
        };
        let base = self.walk.slots.len();
        if of.slots > 0 && level.judged {
            level.judged = self.begin(of, base, content);
        }
        let end = level.end;
        let mut rest = content;
        loop {
            if rest.is_empty() {
                if level.group != 0 {
                    let fails = (Broken::GroupUnended, content.len());
                    return Err(self.broken(&level, 0, fails));
                }
                break;
            }
            let (tag, after) = self.sound(&level, 0, wire::tag(rest))?;
            let (number, wire) = (tag >> 3, tag & 7);
            if wire == wire::END && number == level.group {
                self.finish(&level, of, base, content, rest);
                return Ok(after);
            }
            let Some(field) = of.field(number) else {
                let skipped = wire::skip(number, wire, after, level.levels);
                rest = self.sound(&level, number, skipped)?;
                continue;
            };
            if wire != field.takes.wire() {
                rest = self.otherwise(&level, base, field, wire, (rest, after))?;
                continue;
            }
            let at = end.saturating_sub(after.len());
            rest = match field.takes {
                Takes::Fixed32 => {
                    let (bytes, next) = self.sound(&level, number, wire::take(after, 4))?;
                    self.note(base, field, at, || fixed(bytes));
                    next
                }
                Takes::Fixed64 => {
                    let (bytes, next) = self.sound(&level, number, wire::take(after, 8))?;
                    self.note(base, field, at, || fixed(bytes));
                    next
                }
                Takes::Varint => {
                    let (value, next) = self.sound(&level, number, wire::varint(after))?;
                    self.note(base, field, at, || value);
                    next
                }
                Takes::Enum => {
                    let (value, next) = self.sound(&level, number, wire::varint(after))?;
                    self.note(base, field, at, || value);
                    self.named(&level, field, value, at);
                    next
                }
                Takes::Bytes | Takes::Text => {
                    let (bytes, next) = self.sound(&level, number, wire::delimited(after))?;
                    if field.takes == Takes::Text
                        && let Err(error) = std::str::from_utf8(bytes)
                    {
                        let behind = bytes.len().saturating_sub(error.valid_up_to());
                        let fails = (Broken::NotUtf8, next.len().saturating_add(behind));
                        return Err(self.broken(&level, number, fails));
                    }
                    let at = end.saturating_sub(next.len()).saturating_sub(bytes.len());
                    self.note(base, field, at, || wire::wide(bytes.len()));
                    next
                }
                Takes::Message | Takes::Entry => {
                    let (inner, next) = self.sound(&level, number, wire::delimited(after))?;
                    self.below(&level, base, field, inner, end.saturating_sub(next.len()))?;
                    next
                }
                Takes::Group => self.below(&level, base, field, after, end)?,
                Takes::Nothing => after,
            };
        }
        self.finish(&level, of, base, content, &[]);
        Ok(&[])
    }

    /// A field in another wire type than its own: elements side by side, or wrong. `from`
    /// its tag, and behind it.
    #[inline(never)]
    fn otherwise<'b>(
        &mut self,
        level: &Level,
        base: usize,
        field: &Field,
        wire: u32,
        (from, after): (&'b [u8], &'b [u8]),
    ) -> Result<&'b [u8], Stop> {
        if wire == wire::LENGTH && field.repeated && field.takes.packs() {
            let (bytes, next) = self.sound(level, field.number, wire::delimited(after))?;
            let end = level.end.saturating_sub(next.len());
            self.packed(&Level { end, ..*level }, base, field, bytes)?;
            return Ok(next);
        }
        let broken = match wire {
            wire::END => Broken::GroupEnd,
            wire if wire > wire::FIXED32 => Broken::NoWireType(wire),
            found => Broken::WireType {
                expected: field.takes.wire(),
                found,
            },
        };
        Err(self.broken(level, field.number, (broken, from.len())))
    }

    /// What was read, or the end of the walk.
    #[inline(always)]
    fn sound<T>(&mut self, level: &Level, number: u32, read: Result<T, Fails>) -> Result<T, Stop> {
        read.map_err(|fails| self.broken(level, number, fails))
    }

    /// Makes room for what is kept of a message: whether its counts are judged.
    fn begin(&mut self, of: &Message, base: usize, content: &[u8]) -> bool {
        let cost = u64::from(of.slots)
            .saturating_add(wire::wide(of.checks.len()))
            .saturating_add(of.rereads.saturating_mul(wire::wide(content.len())));
        let Some(left) = self.walk.steps.checked_sub(cost) else {
            self.walk.is_cut = true;
            return false;
        };
        self.walk.steps = left;
        let slots = usize::try_from(of.slots).unwrap_or(usize::MAX);
        let end = base.saturating_add(slots);
        self.walk.slots.resize(end, Slot::default());
        true
    }

    /// Keeps the value of a field that is counted or looked up.
    #[inline(always)]
    fn note(&mut self, base: usize, field: &Field, at: usize, value: impl FnOnce() -> u64) {
        if field.slot != NONE {
            self.keep(base, field, 1, value(), at);
        }
    }

    fn keep(&mut self, base: usize, field: &Field, elements: u64, value: u64, at: usize) {
        // Where counts are not judged there is no slot.
        if let Some(slot) = self.slot(base, field) {
            slot.seen = slot.seen.saturating_add(elements);
            slot.value = value;
            slot.at = at;
        }
    }

    fn slot(&mut self, base: usize, field: &Field) -> Option<&mut Slot> {
        let index = usize::try_from(field.slot).ok()?;
        self.walk.slots.get_mut(base.checked_add(index)?)
    }

    /// A message in a field; of a group, its end is not known yet.
    fn below<'b>(
        &mut self,
        level: &Level,
        base: usize,
        field: &Field,
        inner: &'b [u8],
        end: usize,
    ) -> Result<&'b [u8], Stop> {
        // As parsers count, an entry of a map is no level.
        let entry = u32::from(field.takes == Takes::Entry);
        let Some(levels) = level.levels.saturating_add(entry).checked_sub(1) else {
            let fails = (Broken::TooDeep, inner.len());
            return Err(self.broken(&Level { end, ..*level }, field.number, fails));
        };
        let at = end.saturating_sub(inner.len());
        let mut judged = level.judged;
        if field.slot != NONE {
            let earlier = self
                .slot(base, field)
                .map(|slot| (slot.seen, slot.at, slot.value));
            if let Some((1.., from, to)) = earlier.filter(|_| !field.repeated) {
                self.walk
                    .withdraw(from, usize::try_from(to).unwrap_or(usize::MAX));
                judged = false;
            }
            self.keep(base, field, 1, 0, at);
        }
        let below = Level {
            of: field.of,
            levels,
            judged,
            is_root: false,
            group: if field.takes == Takes::Group {
                field.number
            } else {
                0
            },
            end,
        };
        let rest = self.message(below, inner)?;
        if field.slot != NONE
            && let Some(slot) = self.slot(base, field)
        {
            slot.value = wire::wide(end.saturating_sub(rest.len()));
        }
        Ok(rest)
    }

    /// Elements side by side.
    fn packed(
        &mut self,
        level: &Level,
        base: usize,
        field: &Field,
        bytes: &[u8],
    ) -> Result<(), Stop> {
        let width = match field.takes {
            Takes::Fixed32 => 4,
            Takes::Fixed64 => 8,
            _ => 1,
        };
        let length = bytes.len();
        let elements = match field.takes {
            Takes::Enum => self.packed_enums(level, field, bytes),
            Takes::Varint => wire::varints(bytes),
            _ => match length % width {
                0 => Ok(wire::wide(length / width)),
                odd => {
                    let cut = Broken::Cut {
                        needs: wire::wide(width),
                        left: wire::wide(odd),
                    };
                    Err((cut, odd))
                }
            },
        };
        let elements = self.sound(level, field.number, elements)?;
        if field.slot != NONE {
            let at = level.end.saturating_sub(length);
            self.keep(base, field, elements, 0, at);
        }
        Ok(())
    }

    fn packed_enums(&mut self, level: &Level, field: &Field, bytes: &[u8]) -> Result<u64, Fails> {
        let mut count = 0_u64;
        let mut ahead = bytes;
        while !ahead.is_empty() {
            let (value, rest) = wire::varint(ahead)?;
            self.named(level, field, value, level.end.saturating_sub(ahead.len()));
            count = count.saturating_add(1);
            ahead = rest;
        }
        Ok(count)
    }

    /// Rule 5.2-11.
    #[inline(always)]
    fn named(&mut self, level: &Level, field: &Field, value: u64, at: usize) {
        let number = low(value).cast_signed();
        let index = usize::try_from(field.of).unwrap_or(usize::MAX);
        if !self.plan.enums.get(index).is_some_and(|of| of.has(number)) {
            self.walk.add(Flaw {
                what: What::Unnamed(number),
                field: FieldId {
                    message: level.of,
                    number: field.number,
                },
                offset: at,
            });
        }
    }

    /// Judges a message that has ended, before `rest`, and gives up what was kept of it.
    #[inline(always)]
    fn finish(&mut self, level: &Level, of: &Message, base: usize, content: &[u8], rest: &[u8]) {
        if level.judged && of.slots > 0 {
            self.judge(level, of, base, content, rest);
            self.walk.slots.truncate(base);
        }
    }

    fn judge(&mut self, level: &Level, of: &Message, base: usize, content: &[u8], rest: &[u8]) {
        let start = level.end.saturating_sub(content.len());
        let length = content.len().saturating_sub(rest.len());
        let content = content.get(..length).unwrap_or_default();
        for check in &of.checks {
            let slots = self.walk.slots.get(base..).unwrap_or_default();
            if let Some(wrong) = check.judge(slots, content) {
                self.walk.add(Flaw {
                    what: wrong.what,
                    field: FieldId {
                        message: level.of,
                        number: wrong.number,
                    },
                    offset: wrong.at.unwrap_or(start),
                });
            }
        }
        if level.is_root
            && let Some(expected) = self.block_offset
        {
            self.place(expected);
        }
    }

    /// §5.9. An empty block has no first byte.
    fn place(&mut self, expected: u32) {
        let Some(block) = self.plan.block else { return };
        let index = usize::try_from(block.slot).unwrap_or(usize::MAX);
        let Some(kept) = self.walk.slots.get(index).copied() else {
            return;
        };
        if kept.value > 0 && usize::try_from(expected).ok() != Some(kept.at) {
            self.walk.add(Flaw {
                what: What::Displaced { expected },
                field: FieldId {
                    message: 0,
                    number: block.number,
                },
                offset: kept.at,
            });
        }
    }

    /// Nothing else is told of a payload that is no message of the schema.
    #[cold]
    fn broken(&mut self, level: &Level, number: u32, (broken, left): Fails) -> Stop {
        self.walk.slots.clear();
        self.walk.flaws.clear();
        self.walk.is_cut = false;
        self.walk.flaws.push(Flaw {
            what: What::Broken(broken),
            field: FieldId {
                message: level.of,
                number,
            },
            offset: level.end.saturating_sub(left),
        });
        Stop
    }
}

/// The bits of a number of four or eight bytes.
fn fixed(bytes: &[u8]) -> u64 {
    if let Some(bytes) = bytes.first_chunk::<8>() {
        u64::from_le_bytes(*bytes)
    } else if let Some(bytes) = bytes.first_chunk::<4>() {
        u64::from(u32::from_le_bytes(*bytes))
    } else {
        0
    }
}
