//! Says of counters of unrolled loops that they stay below 2^31.
//!
//! ```text
//! end = and n, 0x7ffffffc
//! i = phi [0], [next]
//! …                               // the body, four times
//! next = add nuw i, 4             →  add nuw nsw i, 4
//! if (next != end) goto loop
//! ```
//!
//! LLVM unrolls loops for the GPU, where indices of 32 bits are as good as those of 64, and says of the new counter no
//! more than `nuw`. On the host LLVM would make 64-bit indices of 32-bit ones, and step addresses in place of
//! multiplying. It does not where a counter may become negative. But this one comes to `end` exactly, as that is a
//! multiple of the step, and `end` is not negative.
//!
//! Needs: the image's own instructions. Leaves: `nsw` at such increments.

use anyhow::Result;
use llvm_sys::LLVMIntPredicate::{LLVMIntEQ, LLVMIntNE};
use llvm_sys::LLVMOpcode::{LLVMAdd, LLVMAnd, LLVMICmp};

use super::unit::Unit;
use crate::analysis::control_flow::{ControlFlow, Loop};
use crate::ir::Value;

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    for function in unit.module.definitions() {
        promise(function);
    }
    Ok(())
}

/// Adds the promises of one function.
fn promise(function: Value) {
    for each in ControlFlow::new(function).loops() {
        if let Some(next) = counter(&each) {
            next.set_cannot_overflow();
        }
    }
}

/// The increment of the counter that ends a loop, if that comes to its end exactly. A loop with another exit may be one
/// for which `end` is 0.
fn counter(each: &Loop) -> Option<Value> {
    let branch = each.latch.terminator()?;
    let compare = branch.condition()?;
    let ends = compare.opcode() == Some(LLVMICmp)
        && matches!(compare.int_predicate(), LLVMIntEQ | LLVMIntNE);
    let (next, end) = (compare.operand(0), compare.operand(1));
    if !ends || next.opcode() != Some(LLVMAdd) || !next.cannot_carry() {
        return None;
    }
    let counter = next.operand(0);
    let step = next.operand(1).as_int().filter(|it| it.is_power_of_two())?;
    let counts = counter.is_phi()
        && counter.block() == each.header
        && counter.incoming().into_iter().all(|(value, from)| {
            (from == each.latch && value == next)
                || (from != each.latch && value.as_int() == Some(0))
        });
    let only_exit = each.body.iter().all(|block| {
        let leaves = |to: &_| !each.body.contains(to);
        *block == each.latch || !block.successors().iter().any(leaves)
    });
    (counts && only_exit && is_multiple(end, step)).then_some(next)
}

/// Whether a number is not negative and a multiple of `step`, a power of two, by its bits.
fn is_multiple(number: Value, step: u64) -> bool {
    if number.opcode() != Some(LLVMAnd) {
        return false;
    }
    let bits = number.operand(1).as_int();
    bits.is_some_and(|bits| bits >> (number.ty().int_width() - 1) == 0 && bits % step == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Module;

    /// A loop, after the pass: how it begins, steps, what its end is, and what else may end it.
    fn counted(begin: i32, add: &str, end: &str, other: &str) -> String {
        let text = format!(
            "define void @f(i32 %n, i1 %other) {{
entry:
  %end = {end}
  br label %loop
loop:
  %counter = phi i32 [ {begin}, %entry ], [ %next, %latch ]
  br {other}
latch:
  %next = {add}
  %ends = icmp eq i32 %next, %end
  br i1 %ends, label %done, label %loop
done:
  ret void
}}"
        );
        Module::changed(&text, |_, function| promise(function))
    }

    #[test]
    fn a_counter_that_comes_to_its_end_has_no_sign() {
        let add = "add nuw i32 %counter, 4";
        let end = "and i32 %n, 2147483644";
        let other = "label %latch";
        let is_promised = |text: String| text.contains("add nuw nsw i32 %counter");
        assert!(is_promised(counted(0, add, end, other)));
        assert!(
            !is_promised(counted(4, add, end, other)),
            "may pass the end"
        );
        let wraps = "add i32 %counter, 4";
        assert!(!is_promised(counted(0, wraps, end, other)));
        let odd = "add nuw i32 %counter, 3";
        assert!(!is_promised(counted(0, odd, end, other)));
        for end in ["and i32 %n, -4", "and i32 %n, 2147483646", "add i32 %n, 0"] {
            assert!(!is_promised(counted(0, add, end, other)), "{end}");
        }
        let leaves = "i1 %other, label %done, label %latch";
        assert!(!is_promised(counted(0, add, end, leaves)));
    }
}
