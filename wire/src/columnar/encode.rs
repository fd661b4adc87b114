//! Columns, written (§6.5).

use super::{Column, present};
use crate::message::{Bases, OwnedMessage};
use crate::records::ColumnarHeader;
use crate::width::wide;
use crate::{Codec, EncodeError, Encoder, FieldMask, compress, crc, rows};

/// A columnar chunk of these messages: its header, its column region and its
/// block region, both as stored.
///
/// # Errors
/// [`EncodeError::Unrepresentable`] for payloads of unequal length, for values
/// without an encoding (see [`Bases::of`]), or a codec that version 1 does not
/// assign.
pub fn encode_columnar(
    stream_ref: u32,
    codec: Codec,
    messages: &[OwnedMessage],
) -> Result<(ColumnarHeader, Vec<u8>, Vec<u8>), EncodeError> {
    let mut header = columnar_header(stream_ref, messages)?;
    let mut out = Encoder::plain();
    write_columns(&header, messages, &mut out)?;
    let columns = compress::store(codec, out.into_bytes())?;
    let blocks: Vec<u8> = messages
        .iter()
        .flat_map(|message| message.payload.iter().copied())
        .collect();
    let blocks = compress::store(codec, blocks)?;
    header.codec = codec;
    header.columns_length = wide(columns.len());
    header.blocks_length = wide(blocks.len());
    header.payload_crc32c = crc::append(crc::crc32c(&columns), &blocks);
    Ok((header, columns, blocks))
}

/// The header of a columnar chunk of these messages, all but what depends on
/// the regions.
///
/// # Errors
/// As [`Bases::of`], and for payloads of unequal length.
pub fn columnar_header(
    stream_ref: u32,
    messages: &[OwnedMessage],
) -> Result<ColumnarHeader, EncodeError> {
    let bases = Bases::of(messages)?;
    let length = messages.first().map_or(0, |message| message.payload.len());
    if messages
        .iter()
        .any(|message| message.payload.len() != length)
    {
        return Err(EncodeError::Unrepresentable {
            field: "block_bytes".to_owned(),
            reason: "payloads are of unequal length".to_owned(),
        });
    }
    Ok(ColumnarHeader {
        stream_ref,
        field_mask: bases.field_mask,
        flags: if bases.sorted {
            ColumnarHeader::SORTED
        } else {
            0
        },
        message_count: rows::count(messages)?,
        min_stamp_ns: bases.min_stamp_ns,
        max_stamp_ns: bases.max_stamp_ns,
        record_ts_base_ns: bases.record_ts_base_ns,
        wall_base_ns: bases.wall_base_ns,
        source_base_ns: bases.source_base_ns,
        seq_first: bases.seq_first,
        block_bytes: u32::try_from(length).map_err(|_| EncodeError::TooLong {
            field: "block_bytes".to_owned(),
            length: wide(length),
        })?,
        ..ColumnarHeader::default()
    })
}

/// Appends the columns of these messages, the cells named
/// `message[3].wall_clock_ns`.
///
/// # Errors
/// [`EncodeError::Unrepresentable`] for a value that the bases do not reach.
pub fn write_columns(
    header: &ColumnarHeader,
    messages: &[OwnedMessage],
    out: &mut Encoder,
) -> Result<(), EncodeError> {
    let bases = Bases::from(header);
    for column in present(header.field_mask) {
        for (message, index) in messages.iter().zip(0u32..) {
            let stamp_delta = bases.stamp_delta(message.monotonic_timestamp_ns)?;
            let code = match column.bit {
                None => stamp_delta,
                Some(FieldMask::RECORD_TS) => bases.record_ts_delta(message.record_ts_ns)?,
                Some(FieldMask::WALL_CLOCK) => {
                    bases.wall_clock_code(message.wall_clock_ns, stamp_delta)?
                }
                Some(FieldMask::SOURCE_TIMESTAMP) => {
                    bases.source_timestamp_code(message.source_timestamp_ns)?
                }
                Some(_) => bases.sequence_code(index, message.sequence),
            };
            out.element("message", u64::from(index), |out| {
                write_cell(column, code, out)
            })?;
        }
    }
    Ok(())
}

fn write_cell(column: &Column, code: u64, out: &mut Encoder) -> Result<(), EncodeError> {
    if column.width == 8 {
        out.u64(column.name, code);
        return Ok(());
    }
    // Reading G23: a code over 32 bits has no cell.
    let cell = u32::try_from(code).map_err(|_| EncodeError::Unrepresentable {
        field: column.name.to_owned(),
        reason: format!("{code} does not fit a cell of four bytes"),
    })?;
    out.u32(column.name, cell);
    Ok(())
}
