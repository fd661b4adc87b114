//! Messages back to back, written (§6.2).

use crate::message::{Bases, OwnedMessage};
use crate::records::ChunkHeader;
use crate::width::wide;
use crate::{Codec, EncodeError, Encoder, FieldMask, compress, crc, varint};

/// A chunk of these messages: its header, and its blob as stored.
///
/// # Errors
/// [`EncodeError::Unrepresentable`] for values without an encoding (see
/// [`Bases::of`]), or a codec that version 1 does not assign.
pub fn encode_chunk(
    stream_ref: u32,
    codec: Codec,
    messages: &[OwnedMessage],
) -> Result<(ChunkHeader, Vec<u8>), EncodeError> {
    let mut header = chunk_header(stream_ref, messages)?;
    let mut out = Encoder::plain();
    write_messages(&header, messages, &mut out)?;
    let plain = out.into_bytes();
    header.codec = codec;
    header.uncompressed_bytes = wide(plain.len());
    let blob = compress::store(codec, plain)?;
    header.records_crc32c = crc::crc32c(&blob);
    header.records_length = wide(blob.len());
    Ok((header, blob))
}

/// The header of a chunk of these messages, all but what depends on the blob.
///
/// # Errors
/// As [`Bases::of`]; [`EncodeError::TooLong`] over `u32::MAX` messages.
pub fn chunk_header(
    stream_ref: u32,
    messages: &[OwnedMessage],
) -> Result<ChunkHeader, EncodeError> {
    let bases = Bases::of(messages)?;
    Ok(ChunkHeader {
        stream_ref,
        field_mask: bases.field_mask,
        flags: if bases.sorted { ChunkHeader::SORTED } else { 0 },
        message_count: count(messages)?,
        min_stamp_ns: bases.min_stamp_ns,
        max_stamp_ns: bases.max_stamp_ns,
        record_ts_base_ns: bases.record_ts_base_ns,
        wall_base_ns: bases.wall_base_ns,
        source_base_ns: bases.source_base_ns,
        seq_first: bases.seq_first,
        ..ChunkHeader::default()
    })
}

pub(crate) fn count(messages: &[OwnedMessage]) -> Result<u32, EncodeError> {
    let length = wide(messages.len());
    u32::try_from(length).map_err(|_| EncodeError::TooLong {
        field: "message_count".to_owned(),
        length,
    })
}

/// Appends these messages as the header's mask and bases have them, the fields
/// named `message[3].stamp_delta`. Bits 8 to 15 are written as a 0 each.
///
/// # Errors
/// [`EncodeError::Unrepresentable`] for a value that the bases do not reach.
pub fn write_messages(
    header: &ChunkHeader,
    messages: &[OwnedMessage],
    out: &mut Encoder,
) -> Result<(), EncodeError> {
    let bases = Bases::from(header);
    for (message, index) in messages.iter().zip(0u32..) {
        out.element("message", u64::from(index), |out| {
            write_message(&bases, message, index, out)
        })?;
    }
    Ok(())
}

fn write_message(
    bases: &Bases,
    message: &OwnedMessage,
    index: u32,
    out: &mut Encoder,
) -> Result<(), EncodeError> {
    let mask = bases.field_mask;
    let stamp_delta = bases.stamp_delta(message.monotonic_timestamp_ns)?;
    let mut fields = vec![("stamp_delta", stamp_delta)];
    if mask.has_record_ts() {
        fields.push(("record_ts_ns", bases.record_ts_delta(message.record_ts_ns)?));
    }
    if mask.has_wall_clock() {
        let code = bases.wall_clock_code(message.wall_clock_ns, stamp_delta)?;
        fields.push(("wall_clock_ns", code));
    }
    if mask.has_source_timestamp() {
        let code = bases.source_timestamp_code(message.source_timestamp_ns)?;
        fields.push(("source_timestamp_ns", code));
    }
    if mask.has_sequence() {
        fields.push(("sequence", bases.sequence_code(index, message.sequence)));
    }
    let unknown = (8..16).filter(|bit| mask.has(FieldMask(1 << bit)));
    fields.extend(unknown.map(|_| ("(unknown)", 0)));
    let fields_length: usize = fields.iter().map(|(_, code)| varint::length(*code)).sum();
    out.varint(
        "len",
        wide(fields_length).saturating_add(wide(message.payload.len())),
    );
    for (field, code) in fields {
        out.varint(field, code);
    }
    if !message.payload.is_empty() {
        out.raw("payload", &message.payload);
    }
    Ok(())
}
