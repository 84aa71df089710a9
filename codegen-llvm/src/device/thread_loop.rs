//! The loop of a thread through its iterations, as clang emits it for static schedules.
//!
//! With `schedule(static, chunk)` that is a loop over chunks, and in it one over the iterations of a chunk:
//!
//! ```text
//! init(lower, upper, stride);
//! while (upper = min(upper, last), lower <= upper) {
//!     for (i = lower; i <= upper; i++) ...
//!     lower += stride; upper += stride;
//! }
//! ```
//!
//! With `schedule(static)` a thread has one piece, and there is no outer loop. Either can go on by the stride instead,
//! to an end of its own:
//!
//! ```text
//! init(lower, behind, stride);
//! upper = last - behind;
//! for (i = lower; i <= upper; i += stride) ...
//! ```
//!
//! The schedule that the call asks for is the caller's business.

use llvm_sys::LLVMOpcode::{LLVMBr, LLVMSelect, LLVMStore, LLVMSub};

use super::static_init::{CHUNK, LOWER, SCHEDULE, STRIDE, UPPER, forget_vectors, promise_no_wrap};
use crate::analysis::locals::{added, loaded_from, stores};
use crate::ir::{Block, Builder, Context, Type, Value};

/// clang's loop, or its two.
pub struct ThreadLoop {
    /// The call that deals the iterations.
    dealt: Value,
    /// The local with the bound that the call leaves.
    upper: Value,
    stride: Value,
    last: Last,
    /// The store that keeps the end of a chunk within the loop.
    clamp: Value,
    /// The addition that gives the next iteration of a chunk.
    next: Value,
    /// The end of the outer loop, and what follows it.
    outer: Option<(Value, Block)>,
}

/// Where the last iteration of the loop is to be had.
enum Last {
    /// In a local.
    In(Value),
    /// The number of iterations is known.
    Known(Value),
}

impl ThreadLoop {
    /// The loop whose iterations a call deals.
    pub fn of(dealt: Value) -> Option<ThreadLoop> {
        let [lower, upper, stride] =
            [LOWER, UPPER, STRIDE].map(|it| dealt.operand(it).address_base());
        let clamp = clamp_of(upper)?;
        let others = choices(clamp.operand(0)).into_iter();
        let last = only(others.filter(|it| loaded_from(*it) != Some(upper)))?;
        let last = match loaded_from(last) {
            Some(local) => Last::In(local),
            None => Last::Known(Some(last).filter(|it| it.is_constant())?),
        };
        let mut goes_on = [lower, upper].map(|bound| next_chunk(bound, stride));
        let outer = match &mut goes_on {
            [None, None] => None,
            [Some(one), Some(other)] => Some(outer_loop(*one, *other, clamp)?),
            _ => return None,
        };
        let next = next_of(counter_of(dealt, lower)?)?;
        Some(ThreadLoop {
            dealt,
            upper,
            stride,
            last,
            clamp,
            next: next.operand(0),
            outer,
        })
    }

    /// The locals with the bounds of what is dealt.
    pub fn bounds(&self) -> [Value; 2] {
        [LOWER, UPPER].map(|it| self.dealt.operand(it))
    }

    /// Has it end where the loop or, if `team` is the local with the last iteration of a team, where the team ends.
    pub fn go_by_strides(&self, context: Context, team: Option<Value>, schedule: u64) {
        let builder = Builder::before(context, self.clamp);
        let number = self.next.ty();
        let last = match (team, &self.last) {
            (Some(team), _) => builder.load(Type::int(context, 64), team),
            (None, Last::In(local)) => builder.load(number, *local),
            (None, Last::Known(last)) => *last,
        };
        let last = builder.cast_unsigned(last, number);
        let end = less_behind(&builder, last, number, self.upper);
        self.clamp.set_operand(0, end);
        step_by(context, self.next, self.stride);
        if let Some((latch, exit)) = self.outer {
            latch.set_successor(0, exit);
        }
        deal_singly(context, self.dealt, schedule);
    }
}

/// A last iteration less those that the runtime wants left behind the thread's: it leaves their number, of type
/// `number`, where the upper bound is.
pub fn less_behind(builder: &Builder, last: Value, number: Type, upper: Value) -> Value {
    let behind = builder.cast_unsigned(builder.load(number, upper), last.ty());
    builder.binary(LLVMSub, last, behind)
}

/// Has a thread go on by the stride. `next` is the addition that gives its next iteration.
pub fn step_by(context: Context, next: Value, stride: Value) {
    let builder = Builder::before(context, next);
    next.set_operand(1, builder.load(next.ty(), stride));
}

/// Has a call deal iterations one by one to threads that go on by the stride.
pub fn deal_singly(context: Context, dealt: Value, schedule: u64) {
    dealt.set_operand(SCHEDULE, Value::int(Type::int(context, 32), schedule));
    dealt.set_operand(CHUNK, Value::int(dealt.operand(CHUNK).ty(), 1));
    promise_no_wrap(dealt);
    forget_vectors(context, dealt);
}

/// The store by which a bound goes on to the next chunk.
fn next_chunk(bound: Value, stride: Value) -> Option<Value> {
    let is_stride = |by: Value| loaded_from(by) == Some(stride);
    only(stores(bound).filter(|it| added(*it, bound).is_some_and(is_stride)))
}

/// The branch back to the next chunk, and what follows the loop over chunks.
fn outer_loop(lower: Value, upper: Value, clamp: Value) -> Option<(Value, Block)> {
    let end = lower.block().terminator()?;
    let [_, exit] = clamp.block().successors()[..] else {
        return None;
    };
    let goes_back = end.opcode() == Some(LLVMBr) && end.successors().len() == 1;
    let is_loop = upper.block() == lower.block() && goes_back && is_plain(exit);
    is_loop.then_some((end, exit))
}

/// Whether a block may get another predecessor as it is.
pub fn is_plain(block: Block) -> bool {
    let instructions = block.instructions();
    instructions.first().is_some_and(|it| !it.is_phi())
}

/// The local with a thread's current iteration: it begins with `lower`.
pub fn counter_of(dealt: Value, lower: Value) -> Option<Value> {
    let region = dealt.block().function().instructions().into_iter();
    let begins =
        |it: &Value| it.opcode() == Some(LLVMStore) && loaded_from(it.operand(0)) == Some(lower);
    only(region.filter(begins).map(|it| it.operand(1).address_base()))
}

/// The store of a counter's next value: one more.
pub fn next_of(counter: Value) -> Option<Value> {
    let is_one = |by: Value| by.as_int() == Some(1);
    only(stores(counter).filter(|it| added(*it, counter).is_some_and(is_one)))
}

/// The store that keeps the end of a piece within the loop: `upper = min(upper, last)`.
fn clamp_of(upper: Value) -> Option<Value> {
    let is_chosen = |value: Value| value.is_phi() || value.opcode() == Some(LLVMSelect);
    only(stores(upper).filter(|it| is_chosen(it.operand(0))))
}

/// The values of a choice.
fn choices(choice: Value) -> Vec<Value> {
    match choice.is_phi() {
        true => choice.incoming().into_iter().map(|it| it.0).collect(),
        false => choice.operands().split_off(1),
    }
}

/// The only one there is.
pub fn only(mut found: impl Iterator<Item = Value>) -> Option<Value> {
    let first = found.next();
    first.filter(|_| found.next().is_none())
}
