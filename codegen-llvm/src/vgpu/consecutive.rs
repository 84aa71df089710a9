//! Gives each warp consecutive iterations of a loop whose iterations any thread may execute.
//!
//! The device runtime deals such a loop's iterations to all threads in turn, because on a GPU neighbouring threads
//! execute neighbouring iterations at once. Here a warp executes its whole loop before the next one begins. It would
//! touch one line of memory, and the next one a long way behind it: no page and no prefetched line is used twice. So
//! this pass deals *chunks* instead, as many iterations as a warp has lanes:
//!
//! ```text
//! all threads 64, iterations 0…255      before            after
//! warp 0, lane l                        l, l+64, l+128…   l, l+32, l+64, l+96
//! warp 1, lane l                        l+32, l+96…       l+128, l+160, l+192, l+224
//! ```
//!
//! The last warps get one chunk more than the first if the chunks do not divide evenly. Then every thread that has an
//! iteration before has one after, and what tests for that beforehand stays true. Loops with no more iterations than
//! threads, and of teams that are not whole warps, keep theirs.
//!
//! Needs: special registers as in the image. The marks of other loops just go.

use anyhow::Result;
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use super::unit::Unit;
use crate::analysis::control_flow::ControlFlow;
use crate::analysis::iteration_marks::{self, IterationMarks};
use crate::analysis::target;
use crate::ir::{Block, Builder, Context, Module, Type, Value};

/// Lanes of a warp, and iterations of a chunk.
const CHUNK: u64 = 32;
/// log₂ of that.
const SHIFT: u64 = 5;
/// Loops of as many iterations keep them: the numbers here have 32 bits, and a thread adds a chunk to its last
/// iteration.
const TOO_LONG: u64 = (1 << 31) - 2 * CHUNK;

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    let module = &unit.module;
    if std::ptr::eq(unit.dialect.target, &target::NVPTX) {
        for function in module.definitions() {
            deal_chunks(module, function);
        }
    }
    crate::device::iteration_marks::run(module);
    Ok(())
}

/// Changes a function's only marked loop.
fn deal_chunks(module: &Module, function: Value) {
    let Some(marks) = iteration_marks::only(function) else {
        return;
    };
    if known_at_first(function, &marks) {
        change(module, function, marks);
    }
}

/// Whether all that the marks are of is known where the first changed one stands, in one block with the others.
fn known_at_first(function: Value, marks: &IterationMarks) -> bool {
    let block = marks.first.block();
    let late: Vec<Value> = block
        .instructions()
        .into_iter()
        .skip_while(|it| *it != marks.first)
        .collect();
    let flow = ControlFlow::new(function);
    let before: Vec<Block> = flow.dominators(block).collect();
    let facts = [marks.number, marks.all, marks.team, marks.count];
    let changed = [marks.first, marks.step, marks.behind];
    let together = changed.iter().all(|mark| late.contains(mark));
    let first = facts
        .iter()
        .all(|mark| before.contains(&mark.block()) && !late.contains(mark));
    let operands = facts.iter().chain(&changed).map(|mark| mark.operand(0));
    together && first && operands.into_iter().all(|it| !late.contains(&it))
}

/// The numbers of a thread's loop.
struct Bounds {
    first: Value,
    step: Value,
    behind: Value,
}

/// Puts the chunks' numbers beside those of the runtime, and chooses.
fn change(module: &Module, function: Value, marks: IterationMarks) {
    let context = module.context;
    let tail = marks.first.block();
    let head = split_before(context, tail, marks.first);
    let chunks = Builder::append_block(context, function, "");
    let builder = Builder::at_end(context, head);
    let long = Type::int(context, 64);
    let lane = module.intrinsic("llvm.nvvm.read.ptx.sreg.laneid", &[]);
    let lane = builder.cast(LLVMOpcode::LLVMZExt, builder.call_function(lane, &[]), long);
    let warp_begin = builder.binary(LLVMOpcode::LLVMSub, marks.number.operand(0), lane);
    // Where the thread begins without chunks. All lanes beyond the loop stay in order: the runtime gives all the same
    // number there, which vectors of lanes cannot count on from one.
    let minimum = module.intrinsic("llvm.umin", &[long]);
    let begin = builder.call_function(minimum, &[warp_begin, marks.count.operand(0)]);
    let as_before = builder.binary(LLVMOpcode::LLVMAdd, begin, lane);
    builder.branch(worth(&builder, &marks), chunks, tail);
    let builder = Builder::at_end(context, chunks);
    let dealt = deal(&builder, context, &marks, warp_begin, lane);
    builder.jump(tail);
    for (mark, old, new) in [
        (marks.first, as_before, dealt.first),
        (marks.step, marks.step.operand(0), dealt.step),
        (marks.behind, marks.behind.operand(0), dealt.behind),
    ] {
        let chosen = Builder::before(context, tail.instructions()[0]).phi(long);
        chosen.add_incoming(old, head);
        chosen.add_incoming(new, chunks);
        if mark == marks.first {
            keep_wide(mark);
        }
        // SAFETY: the mark is not used again, and the phi dominates its users.
        unsafe { mark.replace_with(chosen) };
    }
}

/// Takes the counters that begin with a thread's first iteration for what they are. LLVM makes 64-bit counters of those
/// with 32 bits, and then cuts each to the width that the program's had:
///
/// ```text
/// next = (counter + step) << 32 >> 32
/// ```
///
/// A counter is below the number of iterations, and so is the step if there is another one. Cut or not, the sum is the
/// same where the loop goes on, and beyond the bound where it ends.
fn keep_wide(first: Value) {
    for counter in first.users().into_iter().filter(|it| it.is_phi()) {
        for (next, _) in counter.incoming() {
            if let Some(sum) = cut_to_32_bits(next)
                && sum.opcode() == Some(LLVMOpcode::LLVMAdd)
                && sum.operands().contains(&counter)
                && next
                    .users()
                    .into_iter()
                    .all(|it| it == counter || is_unsigned_test(it))
            {
                // SAFETY: the sum dominates what it is computed for.
                unsafe { next.replace_with(sum) };
            }
        }
    }
}

/// The number that is cut to 32 bits and extended again, with its sign.
fn cut_to_32_bits(value: Value) -> Option<Value> {
    let shifted = |value: Value, by| {
        let is_shift = value.opcode() == Some(by) && value.operand(1).as_int() == Some(32);
        is_shift.then(|| value.operand(0))
    };
    shifted(shifted(value, LLVMOpcode::LLVMAShr)?, LLVMOpcode::LLVMShl)
}

fn is_unsigned_test(value: Value) -> bool {
    use LLVMIntPredicate::{LLVMIntUGE, LLVMIntUGT, LLVMIntULE, LLVMIntULT};
    value.opcode() == Some(LLVMOpcode::LLVMICmp)
        && matches!(
            value.int_predicate(),
            LLVMIntUGE | LLVMIntUGT | LLVMIntULE | LLVMIntULT
        )
}

/// Moves what stands before an instruction to a new block, which falls through to the rest.
fn split_before(context: Context, tail: Block, instruction: Value) -> Block {
    let head = Builder::block_before(context, tail);
    for before in tail.predecessors() {
        if let Some(end) = before.terminator() {
            end.redirect(tail, head);
        }
    }
    let builder = Builder::at_end(context, head);
    let earlier = tail.instructions().into_iter();
    earlier
        .take_while(|it| *it != instruction)
        .for_each(|it| builder.take(it));
    head
}

/// Whether threads execute more than one iteration, and teams are whole warps. All threads come to the same answer.
fn worth(builder: &Builder, marks: &IterationMarks) -> Value {
    let (all, count) = (marks.all.operand(0), marks.count.operand(0));
    let number = |value| Value::int(all.ty(), value);
    let and = |left, right| builder.binary(LLVMOpcode::LLVMAnd, left, right);
    let rest = and(marks.team.operand(0), number(CHUNK - 1));
    let whole = builder.compare(LLVMIntPredicate::LLVMIntEQ, rest, number(0));
    let several = builder.compare(LLVMIntPredicate::LLVMIntULT, all, count);
    let short = builder.compare(LLVMIntPredicate::LLVMIntULT, count, number(TOO_LONG));
    and(and(several, short), whole)
}

/// The thread's part of the chunks.
fn deal(
    builder: &Builder,
    context: Context,
    marks: &IterationMarks,
    warp_begin: Value,
    lane: Value,
) -> Bounds {
    let (long, short) = (Type::int(context, 64), Type::int(context, 32));
    let number = |value| Value::int(short, value);
    let binary = |opcode, left, right| builder.binary(opcode, left, right);
    let narrow = |value: Value| builder.cast(LLVMOpcode::LLVMTrunc, value, short);
    let wide = |value: Value| builder.cast(LLVMOpcode::LLVMZExt, value, long);
    let per_chunk = |value| binary(LLVMOpcode::LLVMLShr, value, number(SHIFT));
    let times_chunk = |value| binary(LLVMOpcode::LLVMShl, value, number(SHIFT));
    let count = narrow(marks.count.operand(0));
    let chunks = per_chunk(binary(LLVMOpcode::LLVMAdd, count, number(CHUNK - 1)));
    let warps = per_chunk(narrow(marks.all.operand(0)));
    let warp = per_chunk(narrow(warp_begin));
    let each = binary(LLVMOpcode::LLVMUDiv, chunks, warps);
    let dealt = binary(LLVMOpcode::LLVMMul, each, warps);
    let left = binary(LLVMOpcode::LLVMSub, chunks, dealt);
    // The warps from here on get one more.
    let early = binary(LLVMOpcode::LLVMSub, warps, left);
    let is_late = builder.compare(LLVMIntPredicate::LLVMIntUGE, warp, early);
    let beyond = binary(LLVMOpcode::LLVMSub, warp, early);
    let extra = builder.select(is_late, beyond, number(0));
    let begin = binary(
        LLVMOpcode::LLVMAdd,
        binary(LLVMOpcode::LLVMMul, warp, each),
        extra,
    );
    let one_more = builder.cast(LLVMOpcode::LLVMZExt, is_late, short);
    let length = binary(LLVMOpcode::LLVMAdd, each, one_more);
    let end = times_chunk(binary(LLVMOpcode::LLVMAdd, begin, length));
    let inside = builder.compare(LLVMIntPredicate::LLVMIntULT, end, count);
    let end = builder.select(inside, end, count);
    let behind = wide(binary(LLVMOpcode::LLVMSub, count, end));
    // The loop is short ([`TOO_LONG`]). LLVM learns it here, and that the numbers of a chunk differ in the last bits.
    let begin = binary(
        LLVMOpcode::LLVMAnd,
        wide(times_chunk(begin)),
        Value::int(long, (1 << 31) - CHUNK),
    );
    Bounds {
        first: builder.add_without_overflow(begin, lane),
        step: Value::int(long, CHUNK),
        behind: binary(LLVMOpcode::LLVMAdd, marks.behind.operand(0), behind),
    }
}
