//! The marks that the device runtime leaves on the numbers of a loop whose iterations any thread may execute
//! (devicertl: `worksharing/static_schedule.rs`, `DISTRIBUTE_FOR_ANY`).
//!
//! A mark is a call of `llvm.annotation`, whose value is that of its first operand.

use crate::ir::Value;

/// The intrinsic.
const ANNOTATION: &str = "llvm.annotation.i64.p0";
/// The first mark's number (devicertl: `marked::NUMBER`).
const BASE: u64 = 0x6f6d_7400;
/// How many marks a loop has.
const COUNT: usize = 7;
/// The operand that says what is marked.
const WHAT: u32 = 3;

/// The marks of one loop, each the call.
#[derive(Clone, Copy)]
pub struct IterationMarks {
    /// The thread's number among all.
    pub number: Value,
    /// How many threads there are.
    pub all: Value,
    /// How many of them are in each team.
    pub team: Value,
    /// How many iterations there are.
    pub count: Value,
    /// The number of the thread's first iteration.
    pub first: Value,
    /// How far it is to the thread's next iteration.
    pub step: Value,
    /// How many iterations the thread's loop ends before the team's, plus the number of threads.
    pub behind: Value,
}

/// Which mark a call is, if it is one.
fn which(instruction: Value) -> Option<usize> {
    let function = instruction.called_function()?;
    if function.name() != ANNOTATION {
        return None;
    }
    let number = instruction.operand(WHAT).as_int()?.checked_sub(BASE)? as usize;
    (number < COUNT).then_some(number)
}

/// The marks in a function, in order.
pub fn all(function: Value) -> Vec<Value> {
    let instructions = function.instructions().into_iter();
    instructions.filter(|it| which(*it).is_some()).collect()
}

/// The marks of a function's only marked loop.
pub fn only(function: Value) -> Option<IterationMarks> {
    let mut found = [None; COUNT];
    for mark in all(function) {
        if found[which(mark)?].replace(mark).is_some() {
            return None;
        }
    }
    let [number, all, team, count, first, step, behind] = found;
    Some(IterationMarks {
        number: number?,
        all: all?,
        team: team?,
        count: count?,
        first: first?,
        step: step?,
        behind: behind?,
    })
}

/// Removes a mark: its value is what was marked.
pub fn remove(mark: Value) {
    // SAFETY: the caller does not use the call again; its operand dominates it.
    unsafe { mark.replace_with(mark.operand(0)) };
}
