//! Unrolls loops that read memory and write none, where the number of iterations is not worth computing (NVIDIA GPUs).
//!
//! A thread's part of a loop goes from one iteration to the next by the number of threads. LLVM would unroll such a
//! loop after a division by that number, which it takes for too expensive. Without, each load waits for the addition
//! before it: a sum of 2^26 doubles takes 197 µs on an H100, unrolled by four 187.
//!
//! Here four iterations run as long as so many are left, which a subtraction tells. Nothing is written in between, so
//! that `ptxas` issues the four loads first. The operations keep their order: sums keep their last bits.
//!
//! In front of them are iterations with sixteen loads, where a loop is not within another one: only then a thread is
//! likely to have so many. They take a sum of 2^26 doubles on an H200 from 152 to 145 µs (docs/measurements.md).

use std::collections::HashMap;

use anyhow::Result;
use llvm_sys::LLVMIntPredicate::{self, *};
use llvm_sys::LLVMOpcode::{self, *};

use crate::analysis::control_flow::reached;
use crate::analysis::target::SHARED;
use crate::ir::{Block, Builder, Context, Machine, Module, Type, Value};

/// Iterations at a time.
const FEW: u64 = 4;
/// Loads at a time, in iterations that are outside of other loops.
const LOADS: u64 = 16;
/// Most instructions of such an iteration.
const MOST_OF_MANY: usize = 12;
/// Most instructions of an iteration. The copies of more would need too many registers.
const MOST: usize = 24;

/// Unrolls the loops.
pub fn run(module: &Module, machine: &Machine) -> Result<()> {
    unroll_all(module, machine, ReadLoop::many)?;
    unroll_all(module, machine, |_| Some(FEW))
}

/// Puts as many iterations as `factor` says in front of each loop.
fn unroll_all(
    module: &Module,
    machine: &Machine,
    factor: impl Fn(&ReadLoop) -> Option<u64>,
) -> Result<()> {
    machine.run_passes(module, "function(loop-simplify,lcssa)")?;
    for function in module.definitions() {
        for block in function.blocks() {
            if let Some(found) = ReadLoop::of(block)
                && let Some(factor) = factor(&found)
            {
                found.unroll(module.context, factor);
            }
        }
    }
    Ok(())
}

/// A loop of one block that counts by a number that does not change in it.
struct ReadLoop {
    block: Block,
    before: Block,
    after: Block,
    /// What it counts, where it goes on, and by how much. LLVM makes a 64-bit number of an `int` that is an index. The
    /// counter is its lower half then.
    counter: Value,
    next: Value,
    step: Value,
    /// It goes on while `next` is less than the bound, or as much.
    bound: Value,
    order: Order,
}

/// How a number compares with the bound while a loop goes on.
#[derive(Clone, Copy)]
struct Order {
    is_signed: bool,
    is_strict: bool,
}

impl Order {
    /// The order by which a loop goes on if the comparison of its next number (first, or `second`) with its bound is
    /// `on`.
    fn of(predicate: LLVMIntPredicate, second: bool, on: bool) -> Option<Order> {
        let (less, is_signed, is_strict) = match predicate {
            LLVMIntULT => (true, false, true),
            LLVMIntULE => (true, false, false),
            LLVMIntUGT => (false, false, true),
            LLVMIntUGE => (false, false, false),
            LLVMIntSLT => (true, true, true),
            LLVMIntSLE => (true, true, false),
            LLVMIntSGT => (false, true, true),
            LLVMIntSGE => (false, true, false),
            _ => return None,
        };
        // `a > b` is `b < a`, and not `a <= b`.
        let is_strict = if on { is_strict } else { !is_strict };
        ((less == on) != second).then_some(Order {
            is_signed,
            is_strict,
        })
    }

    fn predicate(self) -> LLVMIntPredicate {
        match (self.is_signed, self.is_strict) {
            (true, true) => LLVMIntSLT,
            (true, false) => LLVMIntSLE,
            (false, true) => LLVMIntULT,
            (false, false) => LLVMIntULE,
        }
    }
}

impl ReadLoop {
    fn of(block: Block) -> Option<ReadLoop> {
        let end = block.terminator()?;
        let condition = end.condition()?;
        let (yes, no) = match end.successors()[..] {
            [yes, no] => (yes, no),
            _ => return None,
        };
        if (yes == block) == (no == block) || condition.opcode() != Some(LLVMICmp) {
            return None;
        }
        let before: Vec<Block> = block
            .predecessors()
            .into_iter()
            .filter(|it| *it != block)
            .collect();
        let &[before] = &before[..] else { return None };
        if before.successors() != [block] {
            return None;
        }
        let is_own = |value: Value| value.is_instruction() && value.block() == block;
        let (next, bound, second) = match [condition.operand(0), condition.operand(1)] {
            [next, bound] if is_own(next) && !is_own(bound) => (next, bound, false),
            [bound, next] if is_own(next) && !is_own(bound) => (next, bound, true),
            _ => return None,
        };
        let order = Order::of(condition.int_predicate(), second, yes == block)?;
        let (counter, step) =
            (next.opcode() == Some(LLVMAdd)).then(|| (next.operand(0), next.operand(1)))?;
        let (counter, step) = if phi_of(counter).is_phi() {
            (counter, step)
        } else {
            (step, counter)
        };
        let phi = phi_of(counter);
        let goes_round = |(value, from): (Value, Block)| from == block && narrow(value) == next;
        let counts = phi.is_phi()
            && phi.block() == block
            && phi.incoming().into_iter().any(goes_round)
            && !is_own(step)
            && !step.is_constant()
            && matches!(step.ty().int_width(), 32 | 64);
        let after = if yes == block { no } else { yes };
        let found = ReadLoop {
            block,
            before,
            after,
            counter,
            next,
            step,
            bound,
            order,
        };
        (counts && found.only_reads() && found.leaves_by_phis()).then_some(found)
    }

    /// Whether it reads memory that other blocks of threads have, too, and does nothing that is seen outside.
    fn only_reads(&self) -> bool {
        let body = self.body();
        let reads = body.iter().any(|it| {
            it.opcode() == Some(LLVMLoad) && it.operand(0).ty().address_space() != SHARED
        });
        reads && body.len() <= MOST && body.into_iter().all(is_harmless)
    }

    /// How many iterations have [`LOADS`] loads. `None`: not worth it.
    fn many(&self) -> Option<u64> {
        let body = self.body();
        let loads = body.iter().filter(|it| it.opcode() == Some(LLVMLoad));
        let factor = LOADS / loads.count() as u64;
        let is_worth_it = factor > FEW && body.len() <= MOST_OF_MANY && !self.is_within_another();
        is_worth_it.then_some(factor)
    }

    /// Whether control may come back to the loop after it.
    fn is_within_another(&self) -> bool {
        reached(self.after, &[]).contains(&self.block)
    }

    /// What is neither phi nor terminator.
    fn body(&self) -> Vec<Value> {
        let mut body = self.block.instructions();
        body.pop();
        body.retain(|it| !it.is_phi());
        body
    }

    fn leaves_by_phis(&self) -> bool {
        let mut users = self.block.instructions().into_iter().flat_map(Value::users);
        users.all(|user| user.block() == self.block || user.is_phi() && user.block() == self.after)
    }

    /// Puts so many iterations in front of the loop, say four:
    ///
    /// ```text
    /// before ---> four --> rest ---> block -> after
    ///      \      ↺           \_______↗__________↗
    ///       `-----------------------'
    /// ```
    fn unroll(&self, context: Context, factor: u64) {
        let phis: Vec<Value> = self.block.phis().collect();
        let starts: Option<Vec<Value>> = phis
            .iter()
            .map(|phi| phi.incoming_from(self.before))
            .collect();
        let nexts: Option<Vec<Value>> = phis
            .iter()
            .map(|phi| phi.incoming_from(self.block))
            .collect();
        let (Some(starts), Some(nexts), Some(end)) = (starts, nexts, self.before.terminator())
        else {
            return;
        };
        let function = self.block.function();
        let several = Builder::append_block(context, function, "several");
        let rest = Builder::append_block(context, function, "several.rest");

        let builder = Builder::at_end(context, several);
        let heads: Vec<Value> = phis.iter().map(|phi| builder.phi(phi.ty())).collect();
        // What stands for a value of the loop in an iteration, and what the phis are in the next one.
        let mut copies = HashMap::new();
        let mut values = heads.clone();
        for _ in 0..factor {
            copies = phis.iter().copied().zip(values).collect();
            self.copy_body(&builder, &mut copies);
            values = nexts.iter().map(|next| copy_in(&copies, *next)).collect();
        }
        for ((head, start), value) in heads.iter().zip(&starts).zip(&values) {
            head.add_incoming(*start, self.before);
            head.add_incoming(*value, several);
        }
        let next = copies[&self.next];
        builder.branch(self.has(factor, context, &builder, next), several, rest);

        let builder = Builder::at_end(context, rest);
        let goes_on = builder.compare(self.order.predicate(), next, self.bound);
        builder.branch(goes_on, self.block, self.after);
        for (phi, value) in phis.iter().zip(&values) {
            phi.add_incoming(*value, rest);
        }
        for phi in self.after.phis() {
            if let Some(value) = phi.incoming_from(self.block) {
                phi.add_incoming(copy_in(&copies, value), rest);
            }
        }

        let builder = Builder::before(context, end);
        let starts = phis.iter().copied().zip(starts).collect();
        let start = copy_in(&starts, phi_of(self.counter));
        let start = builder.cast_unsigned(start, self.counter.ty());
        builder.branch(
            self.has(factor, context, &builder, start),
            several,
            self.block,
        );
        // SAFETY: a terminator has no users, and no list names it.
        unsafe { end.erase() };
    }

    /// Copies an iteration. The copies refer to each other and to what stands for the phis.
    fn copy_body(&self, builder: &Builder, copies: &mut HashMap<Value, Value>) {
        for original in self.body() {
            let copy = builder.copy_of(original);
            for index in 0..copy.operand_count() {
                if let Some(operand) = copy.operand_or_none(index) {
                    copy.set_operand(index, copy_in(copies, operand));
                }
            }
            copies.insert(original, copy);
        }
    }

    /// Whether so many iterations from a number on are in the loop. The distance to the bound is right where the number
    /// has not passed it, whatever the type's sign.
    fn has(&self, count: u64, context: Context, builder: &Builder, from: Value) -> Value {
        let wide = Type::int(context, 64);
        let distance = builder.binary(LLVMSub, self.bound, from);
        let distance = builder.cast_unsigned(distance, wide);
        let step = builder.cast_unsigned(self.step, wide);
        let needed = builder.binary(LLVMMul, step, Value::int(wide, count - 1));
        let enough = if self.order.is_strict {
            LLVMIntUGT
        } else {
            LLVMIntUGE
        };
        let here = builder.compare(self.order.predicate(), from, self.bound);
        builder.binary(LLVMAnd, here, builder.compare(enough, distance, needed))
    }
}

/// The phi that has the counter, or of which it is the lower half.
fn phi_of(counter: Value) -> Value {
    match counter.opcode() {
        Some(LLVMTrunc) => counter.operand(0),
        _ => counter,
    }
}

/// A number before it was widened.
fn narrow(value: Value) -> Value {
    match value.opcode() {
        Some(LLVMZExt | LLVMSExt) => value.operand(0),
        _ => value,
    }
}

/// What stands for a value, which may be from outside of the loop.
fn copy_in(copies: &HashMap<Value, Value>, value: Value) -> Value {
    copies.get(&value).copied().unwrap_or(value)
}

/// Whether an instruction may run earlier than those before it, as far as memory and other threads are concerned.
fn is_harmless(instruction: Value) -> bool {
    let opcode: Option<LLVMOpcode> = instruction.opcode();
    match opcode {
        Some(LLVMLoad) => !instruction.is_volatile() && !instruction.is_atomic(),
        Some(LLVMCall) => {
            let called = instruction.called_function();
            called.is_some_and(|function| {
                function.is_intrinsic()
                    && function.has_no_memory()
                    && !function.has_function_attribute("convergent")
            })
        }
        Some(
            LLVMStore | LLVMFence | LLVMAtomicRMW | LLVMAtomicCmpXchg | LLVMAlloca | LLVMVAArg
            | LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem,
        ) => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The function after the pass, and whether it has an unrolled loop.
    fn unrolled(compare: &str, again: &str, body: &str) -> (String, bool) {
        let (yes, no) = if again == "yes" {
            ("loop", "end")
        } else {
            ("end", "loop")
        };
        let text = format!(
            "target triple = \"nvptx64-nvidia-cuda\"
@shared = internal addrspace(3) global [64 x double] poison
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
define double @f(ptr %x, i64 %n, i64 %from, i64 %step) {{
  %some = icmp slt i64 %from, %n
  br i1 %some, label %loop, label %end
loop:
  %i = phi i64 [ %from, %0 ], [ %next, %loop ]
  %sum = phi double [ 0.0, %0 ], [ %more, %loop ]
  {body}
  %more = fadd double %sum, %v
  %next = add i64 %i, %step
  %c = icmp {compare}
  br i1 %c, label %{yes}, label %{no}
end:
  %all = phi double [ 0.0, %0 ], [ %more, %loop ]
  %last = phi i64 [ -1, %0 ], [ %i, %loop ]
  %l = sitofp i64 %last to double
  %both = fadd double %all, %l
  ret double %both
}}"
        );
        after_the_pass(&text)
    }

    fn after_the_pass(text: &str) -> (String, bool) {
        let machine = Machine::nvidia();
        let text = Module::after(text, |module| run(module, &machine).unwrap());
        let found = text.contains("several.rest:");
        (text, found)
    }

    const READ: &str = "%p = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %p";

    #[test]
    fn several_loads_come_at_once() {
        let (text, found) = unrolled("slt i64 %next, %n", "yes", READ);
        assert!(found, "{text}");
        assert_eq!(text.matches("= load double").count(), 16 + 4 + 1, "{text}");
        assert!(text.contains("icmp ugt i64"), "{text}");
        // What the loop counted is that of its last iteration, in both ways out.
        let last = text
            .lines()
            .find(|line| line.contains("%last"))
            .unwrap_or_default();
        assert!(last.contains("%i"), "{last}");
    }

    #[test]
    fn loops_within_others_have_four_loads_at_once() {
        let (text, found) = after_the_pass(
            "target triple = \"nvptx64-nvidia-cuda\"
define double @f(ptr %x, i64 %n, i64 %step) {
  br label %outer
outer:
  %from = phi i64 [ 0, %0 ], [ %further, %end ]
  br label %loop
loop:
  %i = phi i64 [ %from, %outer ], [ %next, %loop ]
  %sum = phi double [ 0.0, %outer ], [ %more, %loop ]
  %p = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %p
  %more = fadd double %sum, %v
  %next = add i64 %i, %step
  %c = icmp slt i64 %next, %n
  br i1 %c, label %loop, label %end
end:
  %all = phi double [ %more, %loop ]
  %further = add i64 %from, 1
  %again = fcmp olt double %all, 1.0
  br i1 %again, label %outer, label %over
over:
  ret double %all
}",
        );
        assert!(found, "{text}");
        assert_eq!(text.matches("= load double").count(), 4 + 1, "{text}");
    }

    #[test]
    fn every_way_to_compare_is_understood() {
        for (compare, again) in [
            ("ule i64 %next, %n", "yes"),
            ("ugt i64 %next, %n", "no"),
            ("sge i64 %next, %n", "no"),
            ("sgt i64 %n, %next", "yes"),
            ("ult i64 %n, %next", "no"),
        ] {
            assert!(unrolled(compare, again, READ).1, "{compare}");
        }
        for (compare, again) in [
            ("eq i64 %next, %n", "no"),
            ("ugt i64 %next, %n", "yes"),
            ("ult i64 %n, %next", "yes"),
        ] {
            assert!(!unrolled(compare, again, READ).1, "{compare}");
        }
    }

    #[test]
    fn an_int_that_llvm_has_widened_counts() {
        let text = "target triple = \"nvptx64-nvidia-cuda\"
define double @f(ptr %x, i32 %n, i64 %from, i32 %step) {
  %some = icmp slt i32 0, %n
  br i1 %some, label %loop, label %end
loop:
  %i = phi i64 [ %from, %0 ], [ %wide, %loop ]
  %sum = phi double [ 0.0, %0 ], [ %more, %loop ]
  %p = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %p
  %more = fadd double %sum, %v
  %narrow = trunc nuw nsw i64 %i to i32
  %next = add nuw nsw i32 %step, %narrow
  %wide = zext nneg i32 %next to i64
  %c = icmp ult i32 %n, %next
  br i1 %c, label %end, label %loop
end:
  %all = phi double [ 0.0, %0 ], [ %more, %loop ]
  ret double %all
}";
        let (text, found) = after_the_pass(text);
        assert!(found, "{text}");
        assert_eq!(text.matches("= load double").count(), 16 + 4 + 1, "{text}");
        assert!(text.contains("trunc i64 %from to i32"), "{text}");
    }

    /// LLVM's interpreter runs the loop next to a copy that a volatile load keeps as it was.
    #[test]
    fn the_sum_stays_the_same() {
        let function = |name: &str, load: &str| {
            format!(
                "define double @{name}(ptr %x, i32 %n, i64 %from, i32 %step) {{
  %first = trunc i64 %from to i32
  %some = icmp ule i32 %first, %n
  br i1 %some, label %loop, label %end
loop:
  %i = phi i64 [ %from, %0 ], [ %wide, %loop ]
  %sum = phi double [ 0.0, %0 ], [ %more, %loop ]
  %p = getelementptr double, ptr %x, i64 %i
  %v = {load} double, ptr %p
  %scaled = fmul double %sum, 0.75
  %more = fadd double %scaled, %v
  %narrow = trunc nuw nsw i64 %i to i32
  %next = add nuw nsw i32 %step, %narrow
  %wide = zext nneg i32 %next to i64
  %c = icmp ult i32 %n, %next
  br i1 %c, label %end, label %loop
end:
  %all = phi double [ 0.0, %0 ], [ %more, %loop ]
  ret double %all
}}
"
            )
        };
        let numbers: Vec<String> = (0..64).map(|it| format!("double {}.5", it * it)).collect();
        let mut cases = String::new();
        let mut count = 0;
        for (last, step) in [0, 1, 2, 3, 4, 5, 8, 30, 63]
            .into_iter()
            .flat_map(|last| [1, 2, 3, 7, 64].map(|step| (last, step)))
        {
            for from in [0, 1, 3, 40] {
                let arguments = format!("(ptr @numbers, i32 {last}, i64 {from}, i32 {step})");
                cases += &format!(
                    "  %a{count} = call double @f{arguments}
  %b{count} = call double @g{arguments}
  %c{count} = fcmp une double %a{count}, %b{count}
  %d{count} = zext i1 %c{count} to i32
  store i32 %d{count}, ptr %differs
  br i1 %c{count}, label %end, label %next{count}
next{count}:
"
                );
                count += 1;
            }
        }
        let text = format!(
            "@numbers = constant [64 x double] [{}]
{}{}define i32 @main() {{
  %differs = alloca i32
{cases}  br label %end
end:
  %code = load i32, ptr %differs
  ret i32 %code
}}
",
            numbers.join(", "),
            function("f", "load"),
            function("g", "load volatile"),
        );
        let (text, found) = after_the_pass(&text);
        assert!(found, "{text}");
        let llvm = std::env::var_os("LLVM_SYS_221_PREFIX").unwrap_or("/usr/lib/llvm-22".into());
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("loop.ll");
        std::fs::write(&file, &text).unwrap();
        let status = std::process::Command::new(std::path::Path::new(&llvm).join("bin/lli"))
            .arg(&file)
            .status()
            .expect("LLVM's interpreter runs");
        assert!(status.success(), "{status}: {text}");
    }

    #[test]
    fn what_writes_or_waits_stays() {
        for more in [
            "store i64 %i, ptr %x",
            "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)",
            "%w = load volatile double, ptr %x",
            "fence acquire",
        ] {
            let body = format!("{READ}\n  {more}");
            assert!(!unrolled("slt i64 %next, %n", "yes", &body).1, "{more}");
        }
        let shared = "%p = getelementptr double, ptr addrspace(3) @shared, i64 %i
  %v = load double, ptr addrspace(3) %p";
        assert!(!unrolled("slt i64 %next, %n", "yes", shared).1);
    }
}
