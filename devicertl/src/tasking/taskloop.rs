//! `taskloop` (OpenMP 5.2, §12.6): tasks of as many iterations as `grainsize` or `num_tasks` say, each run where
//! the loop is met. Without either there is one task.

use core::ffi::c_void;

use crate::Ident;
use crate::arch;
use crate::tasking::execution;
use crate::tasking::task_structure::{self, Task};

/// Copies a task's private variables, and readies those that are not copied: `(to, from, is last)`.
type Duplicate = unsafe extern "C" fn(*mut Task, *mut Task, i32);

/// How a loop of `last + 1` iterations is cut: `tasks` tasks, of which the first `longer` have one iteration more
/// than `grain`; the last ends with the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Iterations of a task, less one: a loop may have 2⁶⁴.
    pub last: u64,
    /// How many of the first tasks have one more.
    pub longer: u64,
}

/// `schedule` of `__kmpc_taskloop`: neither clause.
const GRAIN_SIZE: i32 = 1;
const NUM_TASKS: i32 = 2;

impl Cut {
    /// `last` is the loop's last iteration number, `schedule` and `number` say the clause.
    pub fn new(last: u64, schedule: i32, number: u64, strict: bool) -> Cut {
        let whole = Cut { last, longer: 0 };
        let number = number.max(1);
        match schedule {
            // All have `number` iterations, the last the rest.
            GRAIN_SIZE if strict => Cut {
                last: last.min(number - 1),
                longer: 0,
            },
            // Between `number` and twice as many: as many tasks as have `number` at least.
            GRAIN_SIZE if last >= number => Cut::into(last, tasks_of(last, number)),
            NUM_TASKS => Cut::into(last, number),
            _ => whole,
        }
    }

    /// So many tasks of equal length, or as many as there are iterations.
    fn into(last: u64, tasks: u64) -> Cut {
        if tasks <= 1 {
            return Cut { last, longer: 0 };
        }
        // `last + 1` by `tasks`, without the sum, which may wrap.
        let (length, rest) = (last / tasks, last % tasks);
        let (length, rest) = if rest + 1 == tasks {
            (length + 1, 0)
        } else {
            (length, rest + 1)
        };
        if length == 0 {
            return Cut { last: 0, longer: 0 };
        }
        Cut {
            last: length - 1,
            longer: rest,
        }
    }
}

/// How many times `number` (at least 2 unless `last` is less than its maximum) goes into `last + 1`.
fn tasks_of(last: u64, number: u64) -> u64 {
    if number == 1 {
        last.saturating_add(1)
    } else {
        last / number + u64::from(last % number == number - 1)
    }
}

/// The loop's last iteration number; `None` if it has none.
fn last_iteration(lower: u64, upper: u64, stride: i64) -> Option<u64> {
    let step = stride.unsigned_abs().max(1);
    // clang counts from 0 upwards whatever the loop; the bounds of others are signed.
    if stride > 0 {
        (lower as i64 <= upper as i64).then(|| upper.wrapping_sub(lower) / step)
    } else {
        (lower as i64 >= upper as i64).then(|| lower.wrapping_sub(upper) / step)
    }
}

/// A loop and the task whose copies run it. A task is complete before the next one begins, so all are in one piece of
/// memory: the device heap takes tens of thousands of cycles.
#[repr(C)]
struct Loop {
    thread: i32,
    pattern: *mut Task,
    lower: *const u64,
    upper: *const u64,
    duplicate: Option<Duplicate>,
}

/// Runs a task of a loop, of so many bytes: a copy of the pattern for iterations from `first` to `last`, as loop
/// values.
///
/// The virtual GPU's compiler knows it by this name: to the checker each call is a task.
#[unsafe(export_name = "omptarget.task_of_loop")]
#[inline(never)]
unsafe extern "C" fn run_one(
    copy: *mut Task,
    bytes: usize,
    of: &Loop,
    first: u64,
    last: u64,
    is_last: bool,
) {
    // SAFETY: the pattern is live, and so is the copy until it has run.
    unsafe {
        task_structure::begin(copy, bytes, (*task_structure::header_of(of.pattern)).flags);
        let pairs = bytes / task_structure::COPIED_AT_ONCE;
        arch::copy_pairs(copy.cast(), of.pattern.cast(), pairs as u32);
        let (from, to) = (of.pattern as usize, copy.cast::<u8>());
        let moved = |pointer: *const c_void| to.wrapping_add((pointer as usize).wrapping_sub(from));
        (*copy).shareds = moved((*of.pattern).shareds).cast();
        // The bounds lie in the task, where clang says.
        moved(of.lower.cast()).cast::<u64>().write(first);
        moved(of.upper.cast()).cast::<u64>().write(last);
        (*copy).is_last = is_last.into();
        if let Some(duplicate) = of.duplicate {
            duplicate(copy, of.pattern, is_last.into());
        }
        execution::run(of.thread, copy);
    }
}

#[inline(never)]
#[expect(clippy::too_many_arguments, reason = "what the entry points get")]
unsafe fn run(
    thread: i32,
    pattern: *mut Task,
    lower: *const u64,
    upper: *const u64,
    stride: i64,
    schedule: i32,
    number: u64,
    strict: bool,
    duplicate: Option<Duplicate>,
) {
    // SAFETY: a task of `__kmpc_omp_task_alloc`, made for a taskloop; the bounds lie in it.
    unsafe {
        let base = *lower;
        if let Some(last) = last_iteration(base, *upper, stride) {
            let header = task_structure::header_of(pattern);
            let bytes = (*header).bytes;
            let copy = task_structure::allocate(bytes, (*header).flags);
            let tasks = Loop {
                thread,
                pattern,
                lower,
                upper,
                duplicate,
            };
            let mut cut = Cut::new(last, schedule, number, strict);
            let mut first = 0;
            loop {
                let length = cut.last.saturating_add(u64::from(cut.longer > 0));
                cut.longer = cut.longer.saturating_sub(1);
                let end = first + length.min(last - first);
                let at = |iteration: u64| base.wrapping_add(iteration.wrapping_mul(stride as u64));
                run_one(copy, bytes, &tasks, at(first), at(end), end == last);
                if end == last {
                    break;
                }
                first = end + 1;
            }
            task_structure::release(copy);
        }
        execution::discard(thread, pattern);
    }
}

/// `void (ident_t *, i32 thread, task *, i32 condition, i64 *lower, i64 *upper, i64 stride, i32 no_group, i32 schedule,
/// i64 number, duplicate function)`: `taskloop` (clang: `emitTaskLoopCall`; OpenMP 5.2, §12.6). `lower` and `upper`
/// point into the task; `schedule` 1 says that `number` is the grain size, 2 that it is the number of tasks.
/// `condition` is the `if` clause and changes nothing here; the group that `no_group` leaves out clang has made itself.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_taskloop(
    _location: *const Ident,
    thread: i32,
    task: *mut Task,
    _condition: i32,
    lower: *const u64,
    upper: *const u64,
    stride: i64,
    _no_group: i32,
    schedule: i32,
    number: u64,
    duplicate: Option<Duplicate>,
) {
    // SAFETY: the caller's promise.
    unsafe {
        run(
            thread, task, lower, upper, stride, schedule, number, false, duplicate,
        );
    }
}

/// The same with `i32 strict` before the function: the modifier of `grainsize` or `num_tasks` (clang:
/// `emitTaskLoopCall`; OpenMP 5.2, §12.6.1 and §12.6.2).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_taskloop_5(
    _location: *const Ident,
    thread: i32,
    task: *mut Task,
    _condition: i32,
    lower: *const u64,
    upper: *const u64,
    stride: i64,
    _no_group: i32,
    schedule: i32,
    number: u64,
    modifier: i32,
    duplicate: Option<Duplicate>,
) {
    // SAFETY: the caller's promise.
    unsafe {
        run(
            thread,
            task,
            lower,
            upper,
            stride,
            schedule,
            number,
            modifier != 0,
            duplicate,
        );
    }
}
