//! A message in which nothing is wrong, taken in one go.

use crate::message::{Bases, Message};
use crate::width::wide;
use crate::{FieldMask, varint};

/// The message at the start of `rest`, and how many bytes it takes; `start` is its place
/// in the blob. `PLAIN` says that the mask is empty.
///
/// `None` where anything is out of the ordinary: what it is says
/// [`read_message`](super::read_message), which takes every message that this one does,
/// to the same values.
#[inline(always)]
pub(super) fn quick<'a, const PLAIN: bool>(
    rest: &'a [u8],
    start: u64,
    bases: &Bases,
    index: u32,
) -> Option<(Message<'a>, usize)> {
    let mask = bases.field_mask;
    if !PLAIN && mask.and(FieldMask::SKIPPABLE) != FieldMask(0) {
        return None;
    }
    let (length, before) = varint::decode(rest).ok()?;
    let used = before.checked_add(usize::try_from(length).ok()?)?;
    let body = rest.get(before..used)?;
    let (stamp_delta, mut place) = varint::decode(body).ok()?;
    let mut next = || {
        let (code, bytes) = varint::decode(body.get(place..)?).ok()?;
        place = place.saturating_add(bytes);
        Some(code)
    };
    let mut message = Message {
        index,
        monotonic_timestamp_ns: bases.stamp(stamp_delta).ok()?,
        record_ts_ns: None,
        wall_clock_ns: None,
        source_timestamp_ns: None,
        sequence: None,
        payload: &[],
        start,
        payload_start: 0,
    };
    let mut sequence = None;
    if !PLAIN {
        if mask.has_record_ts() {
            message.record_ts_ns = Some(bases.record_ts(next()?).ok()?);
        }
        if mask.has_wall_clock() {
            message.wall_clock_ns = bases.wall_clock(next()?, stamp_delta).ok()?;
        }
        if mask.has_source_timestamp() {
            message.source_timestamp_ns = bases.source_timestamp(next()?).ok()?;
        }
        if mask.has_sequence() {
            sequence = Some(next()?);
        }
    }
    message.sequence = bases.sequence(index, sequence);
    message.payload = body.get(place..)?;
    let within = wide(before).saturating_add(wide(place));
    message.payload_start = start.saturating_add(within);
    Some((message, used))
}
