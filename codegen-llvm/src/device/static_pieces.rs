//! Loops of `schedule(static)` become loops of `schedule(static, 1)`.
//!
//! clang lets a thread go through the first piece from its beginning to its end, one by one:
//!
//! ```text
//! init(lower, upper, stride); upper = min(upper, last); for (i = lower; i <= upper; i++) ...
//! ```
//!
//! With chunks of one iteration it goes on by the stride, to the end of what the team has:
//!
//! ```text
//! init(lower, upper, stride); for (i = lower; i <= team; i += stride) ...
//! ```
//!
//! The schedule that the call asks for is the caller's business.

use llvm_sys::LLVMOpcode;

use crate::analysis::locals::{added, converted, loaded_from, stores};
use crate::ir::{Builder, Context, Type, Value};

/// Changes the loop of a region. `upper` and `stride` are the locals that the call fills, `team` is the parameter with
/// the last iteration of the team. Gives whether it was such a loop; if not, it stays.
pub fn go_by_strides(
    context: Context,
    region: Value,
    upper: Value,
    stride: Value,
    team: Value,
) -> bool {
    let (Some(each), Some(team)) = (ThreadLoop::of(region, upper), local_of(team)) else {
        return false;
    };
    let builder = Builder::before(context, each.end);
    let last = builder.load(Type::int(context, 64), team);
    let last = builder.cast_unsigned(last, each.end.ty());
    each.end.replace_all_uses(last);
    let builder = Builder::before(context, each.next);
    let stride = builder.load(each.next.ty(), stride);
    each.next.set_operand(1, stride);
    for instruction in [each.end, each.clamp] {
        // SAFETY: the one has no uses any more, the other is a store.
        unsafe { instruction.erase() };
    }
    true
}

/// The last iteration of a bound, which unsigned loops stay below and others reach.
pub fn last_of(bound: Value) -> Value {
    let bound = converted(bound);
    let is_next =
        bound.opcode() == Some(LLVMOpcode::LLVMAdd) && bound.operand(1).as_int() == Some(1);
    converted(if is_next { bound.operand(0) } else { bound })
}

/// A thread's loop.
struct ThreadLoop {
    /// The load of the last iteration, for the test.
    end: Value,
    /// The addition that gives the next iteration.
    next: Value,
    /// The store that keeps the end of the piece within the loop.
    clamp: Value,
}

impl ThreadLoop {
    fn of(region: Value, upper: Value) -> Option<ThreadLoop> {
        let is_upper = |value: Value| loaded_from(value) == Some(upper);
        let tests = region.instructions().into_iter().filter(|it| {
            it.opcode() == Some(LLVMOpcode::LLVMICmp) && is_upper(last_of(it.operand(1)))
        });
        let test = only(tests)?;
        let counter = loaded_from(test.operand(0))?;
        let next = next_of(counter)?;
        let clamp = clamp_of(upper)?;
        Some(ThreadLoop {
            end: last_of(test.operand(1)),
            next: next.operand(0),
            clamp,
        })
    }
}

/// The store of a counter's next value: one more.
pub fn next_of(counter: Value) -> Option<Value> {
    let is_one = |by: Value| by.as_int() == Some(1);
    only(stores(counter).filter(|it| added(*it, counter).is_some_and(is_one)))
}

/// The store that keeps the end of a piece within the loop: `upper = min(upper, last)`.
pub fn clamp_of(upper: Value) -> Option<Value> {
    let is_chosen = |value: Value| value.is_phi() || value.opcode() == Some(LLVMOpcode::LLVMSelect);
    only(stores(upper).filter(|it| is_chosen(it.operand(0))))
}

/// The local that clang gives a parameter.
fn local_of(parameter: Value) -> Option<Value> {
    let store = only(parameter.users().into_iter())?;
    let stores = store.opcode() == Some(LLVMOpcode::LLVMStore) && store.operand(0) == parameter;
    stores.then(|| store.operand(1))
}

/// The only one there is.
pub fn only(mut found: impl Iterator<Item = Value>) -> Option<Value> {
    let first = found.next();
    first.filter(|_| found.next().is_none())
}
