//! Counts in 64 bits where LLVM has made 64 bits of a 32-bit counter, but not of its increment.
//!
//! ```text
//! counter = phi i64 [sext begin], [next]       counter = phi i64 [sext begin], [next]
//! sum = add nsw i32 step, (trunc counter)      next = add nsw i64 (sext step), counter
//! next = sext i32 sum to i64
//! ```
//!
//! The step of a worksharing loop is an expression that LLVM's induction variables do not know. If `instcombine` sees
//! this first, it drops the promise that the sum does not overflow, and cuts each number to 32 bits by shifts. Counters
//! that may wrap are no consecutive numbers, and their loads no vectors.
//!
//! In PTX such a promise is lost, and no counter is a 64-bit one from the beginning. There `correlated-propagation`
//! finds out that a sum has no carry, from what the loop's ends ask ([`widen_sums`]).

use anyhow::Result;
use llvm_sys::LLVMOpcode;

use super::unit::Unit;
use crate::ir::{Builder, Context, Type, Value};

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    for function in unit.module.definitions() {
        for phi in function.instructions().into_iter().filter(|it| it.is_phi()) {
            widen(unit.context(), phi);
        }
    }
    Ok(())
}

/// Has one counter where two count the same, one in 64 bits and one in 32. Gives whether there are such.
pub fn join_counters(context: Context, function: Value) -> bool {
    let mut joined = false;
    for block in function.blocks() {
        let phis = block.instructions().into_iter().filter(|it| it.is_phi());
        let (wide, narrow): (Vec<_>, Vec<_>) = phis
            .filter(|it| it.ty().is_int())
            .partition(|it| it.ty().int_width() == 64);
        for counter in narrow {
            let Some(&same) = wide.iter().find(|it| counts_alike(**it, counter)) else {
                continue;
            };
            let Some(first) = block.instructions().into_iter().find(|it| !it.is_phi()) else {
                continue;
            };
            let builder = Builder::before(context, first);
            let cut = builder.cast(LLVMOpcode::LLVMTrunc, same, counter.ty());
            cut.set_cannot_carry();
            counter.replace_all_uses(cut);
            joined = true;
        }
    }
    joined
}

/// Whether a phi is another one, extended with zeros: each of its numbers is, or the other's is cut off it.
fn counts_alike(wide: Value, narrow: Value) -> bool {
    let others = narrow.incoming();
    wide.incoming().into_iter().all(|(long, from)| {
        others.iter().any(|&(short, block)| {
            let extends = long.opcode() == Some(LLVMOpcode::LLVMZExt) && long.operand(0) == short;
            let cut = is_whole(short, long.ty()) && short.operand(0) == long;
            block == from && (extends || cut)
        })
    })
}

/// Adds in 64 bits what was cut to 32 bits, added without a carry, and extended. Gives whether there is such a sum.
/// Needs: the promises of `correlated-propagation`.
pub fn widen_sums(context: Context, function: Value) -> bool {
    let mut widened = false;
    for extension in function.instructions() {
        if extension.opcode() != Some(LLVMOpcode::LLVMZExt) || !extension.operand(0).cannot_carry()
        {
            continue;
        }
        let (sum, ty) = (extension.operand(0), extension.ty());
        let operands = [sum.operand(0), sum.operand(1)];
        let Some(cut) = operands.iter().position(|it| is_whole(*it, ty)) else {
            continue;
        };
        let builder = Builder::before(context, sum);
        let other = builder.cast(LLVMOpcode::LLVMZExt, operands[1 - cut], ty);
        let wide = builder.add_without_overflow(operands[cut].operand(0), other);
        wide.set_cannot_carry();
        // What the loop asks bounds the wide number, too.
        let narrow = builder.cast(LLVMOpcode::LLVMTrunc, wide, sum.ty());
        narrow.set_cannot_carry();
        sum.replace_all_uses(narrow);
        extension.replace_all_uses(wide);
        widened = true;
    }
    widened
}

/// Whether a value is a number of type `wide`, of which nothing was cut off (`trunc nuw`).
fn is_whole(value: Value, wide: Type) -> bool {
    value.opcode() == Some(LLVMOpcode::LLVMTrunc)
        && value.keeps_all_bits()
        && value.operand(0).ty() == wide
}

/// Widens the increments of a counter.
fn widen(context: Context, counter: Value) {
    let incoming = counter.incoming();
    if !counter.ty().is_int() || !incoming.iter().all(|(value, _)| is_extended(*value)) {
        return;
    }
    for (next, _) in incoming {
        let Some(step) = step_of(counter, next) else {
            continue;
        };
        let sum = next.operand(0);
        let builder = Builder::before(context, next);
        let step = builder.cast(LLVMOpcode::LLVMSExt, step, next.ty());
        let wide = builder.add_without_overflow(step, counter);
        // SAFETY: the sum of the extended numbers is the extended sum, as that does not overflow. It stands where the
        // other stood.
        unsafe { next.replace_with(wide) };
        if sum.is_unused() {
            // SAFETY: nobody uses it.
            unsafe { sum.erase() };
        }
    }
}

/// Whether a number has a 32-bit one's value, with its sign.
fn is_extended(value: Value) -> bool {
    extended_from(value).is_some_and(|from| from.ty().int_width() <= 32)
        || value
            .as_signed_int()
            .is_some_and(|it| i32::try_from(it).is_ok())
}

/// The number whose sign was extended.
fn extended_from(value: Value) -> Option<Value> {
    let extends = value.opcode() == Some(LLVMOpcode::LLVMSExt) || value.is_of_nonnegative();
    extends.then(|| value.operand(0))
}

/// What `next`, a number with its sign extended, adds to the counter.
fn step_of(counter: Value, next: Value) -> Option<Value> {
    let sum = extended_from(next)?;
    if !sum.cannot_overflow() {
        return None;
    }
    let is_cut =
        |value: Value| value.opcode() == Some(LLVMOpcode::LLVMTrunc) && value.operand(0) == counter;
    let (left, right) = (sum.operand(0), sum.operand(1));
    match (is_cut(left), is_cut(right)) {
        (false, true) => Some(left),
        (true, false) => Some(right),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Module;

    /// A loop that counts by adding, after the pass. `begin` and `next` are the 64-bit numbers.
    fn counted(begin: &str, add: &str, next: &str) -> String {
        let text = format!(
            "define void @f(i32 %step, i32 %from, i64 %end) {{
entry:
  %begin = {begin}
  br label %loop
loop:
  %counter = phi i64 [ %begin, %entry ], [ %next, %loop ]
  %short = trunc i64 %counter to i32
  %sum = {add} i32 %step, %short
  %next = {next}
  %more = icmp ult i64 %next, %end
  br i1 %more, label %loop, label %done
done:
  ret void
}}"
        );
        Module::changed(&text, |context, function| {
            let phis = function.instructions().into_iter().filter(|it| it.is_phi());
            phis.for_each(|phi| widen(context, phi));
        })
    }

    #[test]
    fn counters_that_cannot_overflow_are_wide() {
        let extended = "sext i32 %from to i64";
        for next in ["sext i32 %sum to i64", "zext nneg i32 %sum to i64"] {
            let after = counted(extended, "add nsw", next);
            assert!(after.contains("add nsw i64 %"), "{after}");
            assert!(!after.contains("%sum"), "{after}");
        }
    }

    #[test]
    fn what_counts_twice_counts_once() {
        let joined = |begin: &str, next: &str| {
            let text = format!(
                "define void @f(i64 %from, i32 %step) {{
entry:
  %begin = {begin}
  br label %loop
loop:
  %wide = phi i64 [ %from, %entry ], [ %next, %loop ]
  %narrow = phi i32 [ %begin, %entry ], [ %sum, %loop ]
  %sum = add i32 %narrow, %step
  %next = {next}
  %more = icmp ult i32 %sum, 1000
  br i1 %more, label %loop, label %done
done:
  ret void
}}"
            );
            let mut joined = false;
            let after = Module::changed(&text, |context, function| {
                joined = join_counters(context, function);
            });
            assert_eq!(joined, after.contains("trunc nuw i64 %wide to i32"));
            joined
        };
        assert!(joined("trunc nuw i64 %from to i32", "zext i32 %sum to i64"));
        assert!(!joined("trunc i64 %from to i32", "zext i32 %sum to i64"));
        assert!(!joined(
            "trunc nuw i64 %from to i32",
            "sext i32 %sum to i64"
        ));
    }

    #[test]
    fn sums_without_a_carry_are_wide() {
        let widened = |cut: &str, add: &str, extension: &str| {
            let text = format!(
                "define i64 @f(i64 %counter, i32 %step) {{
  %short = {cut} i64 %counter to i32
  %sum = {add} i32 %step, %short
  %next = {extension} i32 %sum to i64
  ret i64 %next
}}"
            );
            let mut widened = false;
            let after = Module::changed(&text, |context, function| {
                widened = widen_sums(context, function);
            });
            assert_eq!(widened, after.contains("add nuw nsw i64 %counter"));
            widened
        };
        assert!(widened("trunc nuw", "add nuw", "zext"));
        assert!(widened("trunc nuw", "or disjoint", "zext nneg"));
        assert!(!widened("trunc", "add nuw", "zext"));
        assert!(!widened("trunc nsw", "add nuw", "zext"));
        assert!(!widened("trunc nuw", "add nsw", "zext"));
        assert!(!widened("trunc nuw", "add nuw", "sext"));
    }

    #[test]
    fn counters_that_may_wrap_stay() {
        let extended = "sext i32 %from to i64";
        let next = "sext i32 %sum to i64";
        let as_is = "%sum = ";
        assert!(counted(extended, "add", next).contains(as_is));
        assert!(counted(extended, "add nsw", "zext i32 %sum to i64").contains(as_is));
        assert!(counted("add i64 %end, 0", "add nsw", next).contains(as_is));
    }
}
