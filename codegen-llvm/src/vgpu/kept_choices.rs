//! Has the host's CPU guess choices that the next load waits for.
//!
//! A search for the place of the largest number keeps a place, and reads what is there for each comparison:
//! `if (a[i] > a[found]) found = i`. Computed without a branch, each read waits for the comparison before. A branch is
//! guessed, and hardly ever wrongly: of n numbers in any order some ln n are the largest so far (Knuth, TAOCP 1,
//! 1.2.10). LLVM makes a branch of one such choice in two, depending on what is around.
//!
//! Needs: everything optimised. Leaves: weights at these choices, by which LLVM's back end makes branches of them.

use anyhow::Result;
use llvm_sys::LLVMOpcode::{
    LLVMFCmp, LLVMGetElementPtr, LLVMICmp, LLVMLoad, LLVMSExt, LLVMSelect, LLVMTrunc, LLVMZExt,
};

use super::unit::Unit;
use crate::ir::{Context, Type, Value};

/// How much more often the old value is kept: more than LLVM's threshold for branches, 99 of 100.
const KEPT: u64 = 1000;

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    for function in unit.module.definitions() {
        mark(unit.context(), function);
    }
    Ok(())
}

fn mark(context: Context, function: Value) {
    for choice in function.instructions() {
        if choice.opcode() != Some(LLVMSelect) {
            continue;
        }
        let [condition, first, second] = [0, 1, 2].map(|index| choice.operand(index));
        let weights = match (reads_at(condition, first), reads_at(condition, second)) {
            (false, true) => [1, KEPT],
            (true, false) => [KEPT, 1],
            _ => continue,
        };
        let weights = weights.map(|weight| Value::int(Type::int(context, 32), weight));
        choice.set_branch_weights(context, weights);
    }
}

/// Whether a comparison has what is at an index.
fn reads_at(comparison: Value, index: Value) -> bool {
    let compares = matches!(comparison.opcode(), Some(LLVMFCmp | LLVMICmp));
    compares && !index.is_constant() && comparison.operands().into_iter().any(|it| is_at(it, index))
}

/// Whether a value is loaded from an address of which this is the index.
fn is_at(value: Value, index: Value) -> bool {
    if value.opcode() != Some(LLVMLoad) {
        return false;
    }
    let address = value.operand(0);
    if address.opcode() != Some(LLVMGetElementPtr) {
        return false;
    }
    let mut last = address.operand(address.operands().len() as u32 - 1);
    while matches!(last.opcode(), Some(LLVMZExt | LLVMSExt | LLVMTrunc)) && last != index {
        last = last.operand(0);
    }
    last == index
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Module;

    fn marked(choice: &str) -> String {
        let text = format!(
            "define i32 @f(ptr %a, i32 %i, i32 %found, float %new) {{\n  %wide = zext i32 %found to i64\n  \
             %at = getelementptr float, ptr %a, i64 %wide\n  %old = load float, ptr %at\n  \
             %larger = fcmp ogt float %new, %old\n  %chosen = select i1 {choice}\n  ret i32 %chosen\n}}\n"
        );
        Module::changed(&text, mark)
    }

    #[test]
    fn the_place_that_was_read_is_kept() {
        let kept = "!{!\"branch_weights\", i32 1, i32 1000}";
        assert!(marked("%larger, i32 %i, i32 %found").contains(kept));
        let other = "!{!\"branch_weights\", i32 1000, i32 1}";
        assert!(marked("%larger, i32 %found, i32 %i").contains(other));
        for unmarked in ["%larger, i32 %i, i32 7", "%larger, i32 %found, i32 %found"] {
            assert!(!marked(unmarked).contains("branch_weights"), "{unmarked}");
        }
    }
}
