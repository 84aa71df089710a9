//! Loops whose iterations go round all threads of the grid: `for (i = thread; i < n; i += threads)`.

use std::collections::HashSet;
use std::mem::offset_of;

use llvm_sys::LLVMOpcode;
use vgpu_abi::ThreadContext;

use super::context_fields::context_field_of;
use crate::ir::{Block, Value};

/// Most values that are looked at.
const MOST_VALUES: usize = 100;

/// Whether a counter of a loop may be raised by a number that depends on how many blocks the grid has.
pub fn steps_over_grid(header: Block, latch: Block) -> bool {
    let counters: HashSet<_> = phis(header).collect();
    let next = phis(header).flat_map(|phi| phi.incoming());
    let mut pending: Vec<_> = next
        .filter(|(_, from)| *from == latch)
        .map(|(value, _)| value)
        .collect();
    let mut seen = HashSet::new();
    while let Some(value) = pending.pop() {
        if counters.contains(&value) || !value.is_instruction() || !seen.insert(value) {
            continue;
        }
        if context_field_of(value) == Some(offset_of!(ThreadContext, nctaid)) {
            return true;
        }
        if seen.len() == MOST_VALUES {
            return false;
        }
        if value.opcode() != Some(LLVMOpcode::LLVMLoad) {
            pending.extend(value.operands());
        }
    }
    false
}

fn phis(block: Block) -> impl Iterator<Item = Value> {
    block.instructions().into_iter().filter(|it| it.is_phi())
}
