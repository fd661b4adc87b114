//! The two regions of a ColumnarChunk: what each is long, and how long it
//! must be (§6.5).

use ca3_reports::{Finding, Severity};
use ca3_wire::records::{ColumnarHeader, Record};
use ca3_wire::{Codec, Cursor, FieldMask};

use super::chunk::Head;

/// Where fields lie in the content.
mod at {
    pub(super) const MESSAGE_COUNT: u64 = 9;
    pub(super) const BLOCK_BYTES: u64 = 57;
    pub(super) const COLUMNS_LENGTH: u64 = 61;
    pub(super) const BLOCKS_LENGTH: u64 = 69;
}

const LENGTHS: &str = "CA3-6.5-12";
const BLOCKS: &str = "CA3-6.5-13";

/// Bytes that the columns of one message take.
fn row_width(mask: FieldMask) -> u64 {
    let wide = [
        FieldMask::RECORD_TS,
        FieldMask::WALL_CLOCK,
        FieldMask::SOURCE_TIMESTAMP,
    ];
    let columns = wide.into_iter().filter(|bit| mask.has(*bit));
    let sequence = if mask.has_sequence() { 4 } else { 0 };
    columns.fold(8 + sequence, |sum: u64, _| sum.saturating_add(8))
}

/// The one length of a columnar chunk that contradicts the others.
pub(super) fn judge(head: &Head, content: &[u8]) -> Option<Finding> {
    if !head.columnar || FieldMask(head.bases.field_mask.0 & !0x000F) != FieldMask(0) {
        return None;
    }
    let mut cursor = Cursor::new(content, head.base, "ColumnarChunk");
    let header = ColumnarHeader::decode(&mut cursor).ok()?;
    let left = cursor.left();
    let both = header.columns_length.saturating_add(header.blocks_length);
    if head.codec == Codec::ZSTD {
        return (both != left).then(|| neither(head, both, left));
    }
    if head.codec != Codec::NONE {
        return None;
    }
    let count = u64::from(header.message_count);
    let width = row_width(header.field_mask);
    let columns = width.saturating_mul(count);
    let blocks = u64::from(header.block_bytes).saturating_mul(count);
    let wrong = |rule, byte, field: &str, right: u64, stated: u64, message: String| {
        Some(
            head.finding(rule, Severity::Error, byte, field, message)
                .showing(right, stated),
        )
    };
    let columns_wrong = header.columns_length != columns;
    let blocks_wrong = header.blocks_length != blocks;
    // Both regions agree on another number of messages, and fill the record.
    let held = header.columns_length.checked_div(width).unwrap_or_default();
    let other_count = both == left
        && held.saturating_mul(width) == header.columns_length
        && held.saturating_mul(u64::from(header.block_bytes)) == header.blocks_length;
    if columns_wrong && other_count {
        let message = format!("both regions hold {held} messages");
        return wrong(
            LENGTHS,
            at::MESSAGE_COUNT,
            "message_count",
            held,
            count,
            message,
        );
    }
    if columns_wrong {
        let message = format!("{count} messages take {width} bytes of columns each");
        let stated = header.columns_length;
        return wrong(
            LENGTHS,
            at::COLUMNS_LENGTH,
            "columns_length",
            columns,
            stated,
            message,
        );
    }
    if blocks_wrong {
        // The record is as long as the region says: the block's size is wrong.
        let size = header.blocks_length.checked_div(count).unwrap_or_default();
        if both == left && count > 0 && size.saturating_mul(count) == header.blocks_length {
            let message = format!(
                "the region of {count} blocks has {left} bytes",
                left = header.blocks_length
            );
            let stated = u64::from(header.block_bytes);
            return wrong(
                BLOCKS,
                at::BLOCK_BYTES,
                "block_bytes",
                size,
                stated,
                message,
            );
        }
        let message = format!("{count} blocks take {} bytes each", header.block_bytes);
        let stated = header.blocks_length;
        return wrong(
            BLOCKS,
            at::BLOCKS_LENGTH,
            "blocks_length",
            blocks,
            stated,
            message,
        );
    }
    (both != left).then(|| neither(head, both, left))
}

/// The regions are not all that follows the header, or more than that.
fn neither(head: &Head, both: u64, left: u64) -> Finding {
    let place = ColumnarHeader::BYTES.saturating_add(both.min(left));
    let message = match left.checked_sub(both) {
        Some(1) => "1 byte behind the header belongs to neither region".to_owned(),
        Some(more) => format!("{more} bytes behind the header belong to neither region"),
        None => "the two regions reach past the end of the record".to_owned(),
    };
    head.finding("CA3-6.5-02", Severity::Error, place, "regions", message)
        .showing(
            format_args!("{both} bytes of both regions"),
            format_args!("{left} bytes"),
        )
}
