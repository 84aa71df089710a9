//! Loops whose iterations go round all threads of the grid: `for (i = thread; i < n; i += threads)`.

use std::collections::HashSet;
use std::mem::offset_of;

use llvm_sys::LLVMOpcode;
use vgpu_abi::ThreadContext;

use super::context_fields::context_field_of;
use crate::ir::{Block, Value};

/// Most values that are looked at.
const MOST_VALUES: usize = 100;

/// What a counter of such a loop is raised by, and what it is compared with.
pub struct GridLoop {
    /// The counter's next value, as it is compared.
    pub next: Value,
    /// The step, which depends on how many blocks the grid has.
    pub step: Value,
    /// The end.
    pub end: Value,
}

/// Finds the step and the end of a loop of these basic blocks, from its header on; `None` for any other loop.
pub fn of(blocks: &[Block]) -> Option<GridLoop> {
    let counters: HashSet<_> = blocks.first()?.phis().collect();
    blocks.iter().find_map(|block| {
        let test = block.terminator()?.condition()?;
        if test.opcode()? != LLVMOpcode::LLVMICmp {
            return None;
        }
        let operands = [test.operand(0), test.operand(1)];
        let at = (0..2).find(|&at| step_of(operands[at], &counters).is_some())?;
        let step = step_of(operands[at], &counters)?;
        let (next, end) = (operands[at], operands[1 - at]);
        depends_on_blocks(step).then_some(GridLoop { next, step, end })
    })
}

/// What is added to a counter, if a number is such a sum, perhaps cut or extended.
fn step_of(mut number: Value, counters: &HashSet<Value>) -> Option<Value> {
    while is_conversion(number) {
        number = number.operand(0);
    }
    if number.opcode()? != LLVMOpcode::LLVMAdd {
        return None;
    }
    let mut operands = [number.operand(0), number.operand(1)];
    if !counters.contains(&operands[0]) {
        operands.swap(0, 1);
    }
    counters.contains(&operands[0]).then_some(operands[1])
}

fn is_conversion(value: Value) -> bool {
    matches!(
        value.opcode(),
        Some(LLVMOpcode::LLVMTrunc | LLVMOpcode::LLVMZExt | LLVMOpcode::LLVMSExt)
    )
}

/// Whether a number may be computed of how many blocks the grid has.
fn depends_on_blocks(step: Value) -> bool {
    let mut pending = vec![step];
    let mut seen = HashSet::new();
    while let Some(value) = pending.pop() {
        if !value.is_instruction() || !seen.insert(value) {
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
