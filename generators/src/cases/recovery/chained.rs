//! Files whose chunks a chain of checkpoints lists, and what becomes of their head.

use ca3_spec::opcode::op;
use ca3_wire::Encoder;
use ca3_wire::records::{ClockBlock, Record};
use serde_json::Value;

use super::super::plan;
use super::super::timeline::Timeline;
use crate::plan::{At, Plan, stream};
use crate::recovering::{CHAIN, chain, recovered};
use crate::{Ask, Draft, Values};

/// All checkpoints of a chain of so many, newest first.
pub(super) fn listed(count: u64) -> Value {
    let labels: Vec<(String, u64)> = (1..=count)
        .rev()
        .map(|seq| (format!("Checkpoint {seq}"), seq))
        .collect();
    let pairs: Vec<(&str, u64)> = labels
        .iter()
        .map(|(label, seq)| (label.as_str(), *seq))
        .collect();
    chain(&pairs)
}

/// `recover` of a file that is not sealed, by the chain of its checkpoints.
pub(super) fn by_chain(kept: &Plan, count: u64) -> Ask {
    recovered(CHAIN, kept).holds(listed(count))
}

/// Zeros from behind the Header up to the first chunk: a walk over the records
/// finds nothing, and a chain everything.
pub(super) fn beheaded(plan: &Plan) -> Plan {
    let layout = plan.layout();
    let placed = layout.as_ref().map_or(&[][..], |layout| &layout.placed);
    let offset = |found: Option<&crate::plan::Placed>| found.map_or(0, |placed| placed.offset);
    let from = offset(placed.iter().find(|placed| placed.opcode != op::HEADER));
    let is_chunk = |opcode: u8| matches!(opcode, op::CHUNK | op::COLUMNAR_CHUNK);
    let to = offset(placed.iter().find(|placed| is_chunk(placed.opcode)));
    let length = usize::try_from(to.saturating_sub(from)).unwrap_or_default();
    plan.clone()
        .patch(At::Start(from), &vec![0; length])
        .what("zeros stand in the place of the records between the Header and the first chunk")
}

/// A case of a file that is not sealed, with its head and without: both times
/// the chain brings everything back.
pub(super) fn with_and_without_head(draft: Draft, file: &Plan, count: u64) -> Draft {
    let ask = || by_chain(file, count);
    draft
        .valid_asked(file.clone(), vec![ask()])
        .invalid_asked(beheaded(file), vec![ask()])
}

/// Chunks 1, 2 and 3 of one stream, a checkpoint behind each of the first two.
pub(super) fn two_checkpoints(v: &Values, line: &Timeline) -> Plan {
    plan(v)
        .stream(stream(1))
        .chunk(line.chunk(1, &[0, 1]))
        .checkpoint(false, Vec::new())
        .chunk(line.chunk(1, &[2, 3]))
        .checkpoint(false, Vec::new())
        .chunk(line.chunk(1, &[4]))
}

/// A record's content by itself.
pub(super) fn content_of(block: &ClockBlock) -> Vec<u8> {
    let mut out = Encoder::plain();
    // Only a count past 32 bits has no encoding.
    match block.encode(&mut out) {
        Ok(()) => out.into_bytes(),
        Err(_) => Vec::new(),
    }
}

/// A checkpoint has this clock block.
pub(super) fn with_block(plan: Plan, label: &str, block: &ClockBlock) -> Plan {
    let content = content_of(block);
    plan.edit_checkpoint(label, "clock_block", "a block", move |checkpoint| {
        checkpoint.clock_block.clone_from(&content);
    })
    .as_valid()
}
