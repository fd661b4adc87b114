//! Padding that puts a payload on a boundary (§5.9).

use ca3_spec::opcode::op;

use super::{Chunk, Columnar, Plan};

impl Plan {
    /// Padding in front of a chunk, so that byte `block_offset` of its first
    /// payload lies at a multiple of `alignment` (§5.9).
    pub fn aligned(self, chunk: Chunk, alignment: u64, block_offset: u64) -> Self {
        let place = |plan: Plan| plan.chunk(chunk.clone());
        self.padded(place, "message[0].payload", alignment, block_offset)
    }

    /// The same for the block region of a column-wise chunk.
    pub fn aligned_columnar(self, chunk: Columnar, alignment: u64, block_offset: u64) -> Self {
        let place = |plan: Plan| plan.columnar(chunk.clone());
        self.padded(place, "blocks", alignment, block_offset)
    }

    fn padded(
        mut self,
        place: impl Fn(Plan) -> Plan,
        field: &str,
        alignment: u64,
        block_offset: u64,
    ) -> Self {
        let trial = place(self.clone().record(op::PADDING, &[])).layout();
        let block = trial.map(|layout| {
            let block = layout
                .placed
                .iter()
                .rev()
                .find_map(|placed| placed.spans.iter().find(|span| span.field == field));
            block.map_or(0, |span| span.offset.saturating_add(block_offset))
        });
        match block {
            Ok(block) => {
                let over = block.checked_rem(alignment).unwrap_or_default();
                let filler = if over == 0 {
                    0
                } else {
                    alignment.saturating_sub(over)
                };
                let filler = vec![0xA5; usize::try_from(filler).unwrap_or_default()];
                place(self.record(op::PADDING, &filler))
            }
            Err(error) => {
                self.fail(error);
                self
            }
        }
    }
}
