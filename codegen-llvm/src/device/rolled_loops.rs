//! Loops around `critical` are not unrolled.
//!
//! clang runs the lanes of a warp through `critical` one after the other, in a loop of its own. With the device runtime
//! linked in, LLVM sees no call in these loops any more, and copies the user's loop around them for the few numbers
//! that it can then compute before. A thread that waits for a lock gains nothing by that, and the code grows: EPCC's
//! `critical` had 179 instructions on gfx90a instead of 95.
//!
//! The pass has to come before the runtime is linked, while the calls have names. A hint of the user's for unrolling
//! stays.

use crate::analysis::control_flow::ControlFlow;
use crate::ir::{Block, Context, Module, Value};

/// Marks the loops of a translation unit.
pub fn run(context: Context, module: &Module) {
    for function in module.definitions() {
        let waiting: Vec<Block> = function
            .instructions()
            .into_iter()
            .filter(|it| waits(*it))
            .map(Value::block)
            .collect();
        if waiting.is_empty() {
            continue;
        }
        for found in ControlFlow::new(function).loops() {
            if let Some(back) = found.latch.terminator()
                && waiting.iter().any(|block| found.body.contains(block))
            {
                back.keep_rolled(context);
            }
        }
    }
}

/// Whether an instruction waits for the lock of a `critical` construct.
fn waits(instruction: Value) -> bool {
    let called = instruction.called_function();
    called.is_some_and(|called| {
        matches!(
            called.name().as_str(),
            "__kmpc_critical" | "__kmpc_critical_with_hint"
        )
    })
}
