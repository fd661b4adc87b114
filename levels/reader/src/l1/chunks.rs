//! Chunks of both layouts, message by message (§6; items 4, 6 and 7).

use ca3_spec::opcode::op;
use ca3_spec::protocol::MessageView;
use ca3_wire::columnar::Columns;
use ca3_wire::frame::RecordFrame;
use ca3_wire::rows::Rows;
use ca3_wire::{Budget, Cursor, Message, WireError};

use super::definitions::Definitions;
use super::refusal::Failure;
use super::views;

/// Appends the messages of a chunk; where one does not decode, none is
/// returned and what was paid for is given back.
pub(crate) fn append(
    frame: &RecordFrame,
    content: &[u8],
    content_offset: u64,
    definitions: &Definitions,
    budget: &mut Budget,
    messages: &mut Vec<MessageView>,
) -> Result<(), Failure> {
    let (before, left) = (messages.len(), budget.left());
    let result = decode(
        frame,
        content,
        content_offset,
        definitions,
        budget,
        messages,
    );
    if result.is_err() {
        messages.truncate(before);
        budget.release(left.saturating_sub(budget.left()));
    }
    result
}

fn decode(
    frame: &RecordFrame,
    content: &[u8],
    content_offset: u64,
    definitions: &Definitions,
    budget: &mut Budget,
    messages: &mut Vec<MessageView>,
) -> Result<(), Failure> {
    // Both headers begin with it.
    let stream_ref = Cursor::new(content, content_offset, "Chunk")
        .u32("stream_ref")
        .map_err(|error| Failure::wire(&error, frame.offset))?;
    definitions.resolve(stream_ref, frame.offset)?;
    let failure = |error: WireError| Failure::wire(&error, frame.offset).of_stream(stream_ref);
    // Reading G103: opening verifies the checksum, ahead of every message.
    let spent = if frame.opcode == op::COLUMNAR_CHUNK {
        let columns = Columns::open(content, content_offset, budget).map_err(failure)?;
        for message in columns.messages() {
            keep(stream_ref, message, frame, budget, messages).map_err(failure)?;
        }
        columns.spent()
    } else {
        let rows = Rows::open(content, content_offset, budget).map_err(failure)?;
        for message in rows.messages() {
            keep(stream_ref, message, frame, budget, messages).map_err(failure)?;
        }
        rows.spent()
    };
    budget.release(spent);
    Ok(())
}

fn keep(
    stream_ref: u32,
    message: Result<Message<'_>, WireError>,
    frame: &RecordFrame,
    budget: &mut Budget,
    messages: &mut Vec<MessageView>,
) -> Result<(), WireError> {
    let message = message?;
    let bytes = size_of::<MessageView>().saturating_add(message.payload.len());
    budget.spend(
        u64::try_from(bytes).unwrap_or(u64::MAX),
        frame.offset,
        "message",
    )?;
    messages.push(views::message(stream_ref, &message));
    Ok(())
}
