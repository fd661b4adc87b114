//! A message, and the arithmetic that places its stamps (§6.1, §6.3, §6.4).
//!
//! Both layouts, messages back to back (§6.2) and columns (§6.5), store the
//! same codes against the same bases; they only differ in where a code stands.

use crate::error::Fault;
use crate::records::{ChunkHeader, ColumnarHeader};
use crate::{EncodeError, FieldMask, sequence, varint};

/// A message as read, its payload still where it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// Its place in the chunk, from 0.
    pub index: u32,
    /// Its stamp, in the stream's own domain.
    pub monotonic_timestamp_ns: u64,
    /// When the recorder received it, in the file's domain.
    pub record_ts_ns: Option<u64>,
    /// Its wall-clock time.
    pub wall_clock_ns: Option<u64>,
    /// The device's own stamp.
    pub source_timestamp_ns: Option<u64>,
    /// Its sequence number, 1 and up.
    pub sequence: Option<u32>,
    /// Its payload.
    pub payload: &'a [u8],
    /// Where it begins, from the start of the blob or of the block region.
    pub start: u64,
    /// Where its payload begins, likewise.
    pub payload_start: u64,
}

impl Message<'_> {
    /// The message with a payload of its own.
    pub fn to_owned(&self) -> OwnedMessage {
        OwnedMessage {
            monotonic_timestamp_ns: self.monotonic_timestamp_ns,
            record_ts_ns: self.record_ts_ns,
            wall_clock_ns: self.wall_clock_ns,
            source_timestamp_ns: self.source_timestamp_ns,
            sequence: self.sequence,
            payload: self.payload.to_vec(),
        }
    }
}

/// A message to be written, or kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnedMessage {
    /// Its stamp, in the stream's own domain.
    pub monotonic_timestamp_ns: u64,
    /// When the recorder received it, in the file's domain.
    pub record_ts_ns: Option<u64>,
    /// Its wall-clock time.
    pub wall_clock_ns: Option<u64>,
    /// The device's own stamp.
    pub source_timestamp_ns: Option<u64>,
    /// Its sequence number, 1 and up.
    pub sequence: Option<u32>,
    /// Its payload.
    pub payload: Vec<u8>,
}

/// What a chunk's codes count from: the fields that both chunk headers share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bases {
    /// The fields that messages carry, as a union.
    pub field_mask: FieldMask,
    /// The least stamp.
    pub min_stamp_ns: u64,
    /// The greatest stamp.
    pub max_stamp_ns: u64,
    /// The least `record_ts_ns`.
    pub record_ts_base_ns: u64,
    /// The least `wall_clock_ns - stamp_delta`.
    pub wall_base_ns: u64,
    /// The least `source_timestamp_ns`.
    pub source_base_ns: u64,
    /// What sequences count from; 0 for none.
    pub seq_first: u32,
    /// Whether messages are in non-decreasing order of stamp.
    pub sorted: bool,
}

impl From<&ChunkHeader> for Bases {
    fn from(header: &ChunkHeader) -> Self {
        Bases {
            field_mask: header.field_mask,
            min_stamp_ns: header.min_stamp_ns,
            max_stamp_ns: header.max_stamp_ns,
            record_ts_base_ns: header.record_ts_base_ns,
            wall_base_ns: header.wall_base_ns,
            source_base_ns: header.source_base_ns,
            seq_first: header.seq_first,
            sorted: header.is_sorted(),
        }
    }
}

impl From<&ColumnarHeader> for Bases {
    fn from(header: &ColumnarHeader) -> Self {
        Bases {
            field_mask: header.field_mask,
            min_stamp_ns: header.min_stamp_ns,
            max_stamp_ns: header.max_stamp_ns,
            record_ts_base_ns: header.record_ts_base_ns,
            wall_base_ns: header.wall_base_ns,
            source_base_ns: header.source_base_ns,
            seq_first: header.seq_first,
            sorted: header.is_sorted(),
        }
    }
}

/// The sum of an unsigned base and signed steps, where 64 bits hold it.
fn sum(base: u64, steps: [i128; 2]) -> Result<u64, Fault> {
    let value = steps
        .iter()
        .fold(i128::from(base), |value, step| value.saturating_add(*step));
    u64::try_from(value).map_err(|_| Fault::Range { value })
}

/// The sum of a base and a delta, likewise.
#[inline]
fn above(base: u64, delta: u64) -> Result<u64, Fault> {
    base.checked_add(delta).ok_or_else(|| Fault::Range {
        value: i128::from(base) + i128::from(delta),
    })
}

/// The code of an optional signed step: 0 for absent (§6.3).
fn code_of(field: &str, step: i128) -> Result<u64, EncodeError> {
    i64::try_from(step)
        .ok()
        .and_then(|step| varint::zigzag_encode(step).checked_add(1))
        .ok_or_else(|| EncodeError::Unrepresentable {
            field: field.to_owned(),
            reason: format!("lies {step} ns from its base, which no code states"),
        })
}

/// The signed step of a code; `None` for absent.
fn step_of(code: u64) -> Option<i128> {
    code.checked_sub(1)
        .map(|zigzag| i128::from(varint::zigzag_decode(zigzag)))
}

/// Reading: the value of each code.
impl Bases {
    /// The stamp at a delta.
    ///
    /// # Errors
    /// [`Fault::Range`] over 64 bits; so below.
    #[inline]
    pub fn stamp(&self, delta: u64) -> Result<u64, Fault> {
        above(self.min_stamp_ns, delta)
    }

    /// `record_ts_ns` at a delta.
    #[inline]
    pub fn record_ts(&self, delta: u64) -> Result<u64, Fault> {
        above(self.record_ts_base_ns, delta)
    }

    /// `wall_clock_ns` of a code, for a message at `stamp_delta`.
    #[inline]
    pub fn wall_clock(&self, code: u64, stamp_delta: u64) -> Result<Option<u64>, Fault> {
        let value = |step| sum(self.wall_base_ns, [i128::from(stamp_delta), step]);
        step_of(code).map(value).transpose()
    }

    /// `source_timestamp_ns` of a code.
    #[inline]
    pub fn source_timestamp(&self, code: u64) -> Result<Option<u64>, Fault> {
        step_of(code)
            .map(|step| sum(self.source_base_ns, [step, 0]))
            .transpose()
    }

    /// `sequence` of message `index`, from its code where the mask has one.
    #[inline]
    pub fn sequence(&self, index: u32, code: Option<u64>) -> Option<u32> {
        match code {
            None => sequence::implied(self.seq_first, index),
            Some(0) => None,
            Some(code) => {
                let delta = varint::zigzag_decode(code.saturating_sub(1));
                Some(sequence::stated(self.seq_first, index, delta))
            }
        }
    }
}

/// Writing: the bases of some messages, and the code of each value.
impl Bases {
    /// The bases and the mask of these messages, as §6.1, §6.3 and §6.4 say.
    ///
    /// # Errors
    /// [`EncodeError::Unrepresentable`] where only some messages carry
    /// `record_ts_ns` (reading G35), and for a sequence of 0.
    pub fn of(messages: &[OwnedMessage]) -> Result<Self, EncodeError> {
        let refuse = |field: &str, reason: &str| EncodeError::Unrepresentable {
            field: field.to_owned(),
            reason: reason.to_owned(),
        };
        let with_record_ts = messages
            .iter()
            .filter(|message| message.record_ts_ns.is_some());
        if ![0, messages.len()].contains(&with_record_ts.count()) {
            return Err(refuse(
                "record_ts_ns",
                "has no absent form beside present ones",
            ));
        }
        if messages.iter().any(|message| message.sequence == Some(0)) {
            return Err(refuse("sequence", "0 means absent"));
        }
        let stamps = || {
            messages
                .iter()
                .map(|message| message.monotonic_timestamp_ns)
        };
        let min_stamp_ns = stamps().min().unwrap_or_default();
        // Reading G41: a base below zero is clamped.
        let wall_base_ns = messages
            .iter()
            .filter_map(|message| {
                let stamp_delta = message.monotonic_timestamp_ns.saturating_sub(min_stamp_ns);
                Some(message.wall_clock_ns?.saturating_sub(stamp_delta))
            })
            .min();
        let record_ts_base_ns = messages
            .iter()
            .filter_map(|message| message.record_ts_ns)
            .min();
        let source_base_ns = messages
            .iter()
            .filter_map(|message| message.source_timestamp_ns)
            .min();
        let seq_first = messages
            .first()
            .and_then(|message| message.sequence)
            .unwrap_or_default();
        let contiguous = messages
            .iter()
            .zip(0u32..)
            .all(|(message, index)| message.sequence == sequence::implied(seq_first, index));
        let mask = [
            (record_ts_base_ns.is_some(), FieldMask::RECORD_TS),
            (wall_base_ns.is_some(), FieldMask::WALL_CLOCK),
            (source_base_ns.is_some(), FieldMask::SOURCE_TIMESTAMP),
            (!contiguous, FieldMask::SEQUENCE),
        ];
        Ok(Bases {
            field_mask: mask
                .into_iter()
                .filter(|(set, _)| *set)
                .fold(FieldMask(0), |mask, (_, bit)| mask.or(bit)),
            min_stamp_ns,
            max_stamp_ns: stamps().max().unwrap_or_default(),
            record_ts_base_ns: record_ts_base_ns.unwrap_or_default(),
            wall_base_ns: wall_base_ns.unwrap_or_default(),
            source_base_ns: source_base_ns.unwrap_or_default(),
            seq_first,
            sorted: stamps().is_sorted(),
        })
    }

    /// The delta of a stamp.
    ///
    /// # Errors
    /// [`EncodeError::Unrepresentable`] where no code states the value; so below.
    pub fn stamp_delta(&self, stamp: u64) -> Result<u64, EncodeError> {
        delta("monotonic_timestamp_ns", stamp, self.min_stamp_ns)
    }

    /// The delta of a `record_ts_ns`, which has no absent form.
    pub fn record_ts_delta(&self, value: Option<u64>) -> Result<u64, EncodeError> {
        let value = value.ok_or_else(|| EncodeError::Unrepresentable {
            field: "record_ts_ns".to_owned(),
            reason: "has no absent form".to_owned(),
        })?;
        delta("record_ts_ns", value, self.record_ts_base_ns)
    }

    /// The code of a `wall_clock_ns` for a message at `stamp_delta`.
    pub fn wall_clock_code(
        &self,
        value: Option<u64>,
        stamp_delta: u64,
    ) -> Result<u64, EncodeError> {
        let Some(value) = value else { return Ok(0) };
        let skew = i128::from(value) - i128::from(self.wall_base_ns) - i128::from(stamp_delta);
        code_of("wall_clock_ns", skew)
    }

    /// The code of a `source_timestamp_ns`.
    pub fn source_timestamp_code(&self, value: Option<u64>) -> Result<u64, EncodeError> {
        let Some(value) = value else { return Ok(0) };
        code_of(
            "source_timestamp_ns",
            i128::from(value) - i128::from(self.source_base_ns),
        )
    }

    /// The code of the `sequence` of message `index`.
    pub fn sequence_code(&self, index: u32, value: Option<u32>) -> u64 {
        let Some(value) = value else { return 0 };
        let delta = sequence::delta(self.seq_first, index, value);
        varint::zigzag_encode(delta).saturating_add(1)
    }
}

fn delta(field: &str, value: u64, base: u64) -> Result<u64, EncodeError> {
    value
        .checked_sub(base)
        .ok_or_else(|| EncodeError::Unrepresentable {
            field: field.to_owned(),
            reason: format!("{value} lies before its base {base}"),
        })
}
