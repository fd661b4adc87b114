//! Declared boundaries of tensor blocks, in the file itself (§5.9).

use ca3_reports::{Finding, Severity};
use ca3_wire::Message;

use super::chunk::Head;
use crate::findings::Findings;
use crate::scan::Scan;

/// Where `block_bytes` lies in a ColumnarChunk's content.
const BLOCK_BYTES: u64 = 57;
/// Where the codec lies in both headers.
const CODEC: u64 = 4;

/// What a stream promises: byte `offset` of each payload lies on a multiple of
/// `boundary`, counted from the start of the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Promise {
    boundary: u64,
    offset: u64,
}

impl Promise {
    const fn misses_by(self, file_offset: u64) -> u64 {
        match file_offset.checked_rem(self.boundary) {
            Some(rest) => rest,
            None => 0,
        }
    }
}

impl Scan<'_> {
    /// What a stream promises, if anything.
    pub(super) fn promise(&self, stream_ref: u32) -> Option<Promise> {
        let stream = &self.facts.streams.get(&stream_ref)?.stream;
        (stream.block_alignment != 0 && stream.has_valid_alignment()).then(|| Promise {
            boundary: u64::from(stream.block_alignment),
            offset: u64::from(stream.block_offset),
        })
    }
}

impl Head {
    /// Reading G116: a promise about a byte that a payload does not have.
    fn beyond(&self, promise: Promise, payload: u64, place: u64, index: u32) -> Finding {
        let text = format!("the payload ends ahead of its block, {payload} bytes from its start");
        let byte = place.saturating_sub(self.base);
        self.finding("CA3-5.9-07", Severity::Warning, byte, "payload", text)
            .at_message(index)
            .showing(format_args!("{} bytes or more", promise.offset), payload)
            .reading("G116")
    }

    /// Reading G40: compressed bytes have no place of their own in the file.
    pub(super) fn judge_compressed(&self, findings: &mut Findings) {
        // Nothing is promised of a chunk without messages.
        if self.message_count == 0 {
            return;
        }
        let message = "the stream declares block_alignment, which a compressed chunk cannot keep";
        findings.add(
            self.finding("CA3-5.9-16", Severity::Error, CODEC, "codec", message)
                .showing(0, self.codec.0),
        );
    }

    /// The promise over one message of a plain chunk.
    pub(super) fn judge_alignment(
        &self,
        promise: Promise,
        message: &Message<'_>,
        findings: &mut Findings,
    ) {
        let place = self
            .payloads
            .saturating_add(message.payload_start)
            .saturating_add(promise.offset);
        let rest = promise.misses_by(place);
        if rest == 0 {
            let payload = u64::try_from(message.payload.len()).unwrap_or(u64::MAX);
            if payload < promise.offset {
                let start = self.payloads.saturating_add(message.payload_start);
                findings.add(self.beyond(promise, payload, start, message.index));
            }
            return;
        }
        let rule = if message.index == 0 {
            "CA3-5.9-07"
        } else {
            "CA3-5.9-08"
        };
        let text = format!(
            "payload byte {} lies {rest} behind a multiple of {}",
            promise.offset, promise.boundary
        );
        let byte = place.saturating_sub(self.base);
        findings.add(
            self.finding(rule, Severity::Error, byte, "payload", text)
                .at_message(message.index)
                .showing(format_args!("a multiple of {}", promise.boundary), place),
        );
    }

    /// The promise over a whole block region.
    pub(super) fn judge_columns(&self, promise: Promise, findings: &mut Findings) {
        if self.message_count == 0 {
            return;
        }
        let place = self.payloads.saturating_add(promise.offset);
        let expected = format!("a multiple of {}", promise.boundary);
        if promise.misses_by(place) != 0 {
            let message = format!("payload byte {} of block 0 lies at {place}", promise.offset);
            let byte = self.payloads.saturating_sub(self.base);
            findings.add(
                self.finding("CA3-5.9-17", Severity::Error, byte, "blocks", message)
                    .showing(&expected, place),
            );
        }
        if self.message_count > 1 && promise.misses_by(u64::from(self.block_bytes)) != 0 {
            let message = "blocks of this length leave the declared boundary";
            findings.add(
                self.finding(
                    "CA3-5.9-17",
                    Severity::Error,
                    BLOCK_BYTES,
                    "block_bytes",
                    message,
                )
                .showing(&expected, self.block_bytes),
            );
        }
    }
}
