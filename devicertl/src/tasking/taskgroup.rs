//! `taskgroup` and reductions over tasks (OpenMP 5.2, §15.4 and §5.5.10).
//!
//! A thread runs the tasks it meets one after the other, so those of a group may reduce into one variable: the
//! original of a `taskgroup`, the thread's own copy of a region with `reduction(task, …)`.

use core::ffi::c_void;

use crate::Ident;
use crate::sticky_flag::StickyFlag;
use crate::tasking::task_structure::DETACHED;
use crate::tasking::{incomplete_tasks, scheduling};
use crate::team::thread_state::{self, Kind, Payload};

/// `kmp_taskred_input_t`: one list item of a task reduction.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// What tasks reduce into.
    shared: *mut c_void,
    /// What the program calls it outside of the construct.
    original: *mut c_void,
    bytes: usize,
    initialise: *const c_void,
    finalise: *const c_void,
    combine: *const c_void,
    flags: u32,
}

/// A `taskgroup` region, or a region with `reduction(task, …)`.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// The count of incomplete tasks when it began.
    began: u64,
    items: *const Item,
    count: usize,
}

// SAFETY: the one payload of this kind.
unsafe impl Payload for Group {
    const KIND: Kind = Kind::Taskgroup;
}

impl Group {
    /// What tasks reduce into for `item`, which may be either of its addresses.
    fn find(&self, item: *mut c_void) -> Option<*mut c_void> {
        (0..self.count)
            // SAFETY: clang's array lives as long as the group.
            .map(|i| unsafe { *self.items.add(i) })
            .find(|known| known.original == item || known.shared == item)
            .map(|known| known.shared)
    }
}

/// Whether any group ever had reductions.
#[unsafe(export_name = "omptarget.sticky.reduced")]
pub static REDUCED: StickyFlag = StickyFlag::new();

#[inline(never)]
fn begin(items: *const Item, count: usize) {
    let began = incomplete_tasks::count();
    thread_state::push(Group {
        began,
        items,
        count,
    });
}

#[inline(never)]
fn end() {
    let Some(node) = thread_state::find_here::<Group>() else {
        return;
    };
    // SAFETY: the node is this thread's own.
    unsafe {
        scheduling::complete_since((*node).payload.began);
        thread_state::end(node);
    }
}

/// Whether a group is more than its tasks, which are complete when they have been met.
#[inline(always)]
fn is_needed() -> bool {
    REDUCED.is_possible() || DETACHED.is_possible()
}

/// `void (ident_t *, i32 thread)`: `taskgroup` (clang: `emitTaskgroupRegion`, also around a `taskloop` without
/// `nogroup`; OpenMP 5.2, §15.4).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_taskgroup(_location: *const Ident, _thread: i32) {
    if is_needed() {
        begin(core::ptr::null(), 0);
    }
}

/// `void (ident_t *, i32 thread)`: end of `taskgroup` (clang: `emitTaskgroupRegion`; OpenMP 5.2, §15.4).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_end_taskgroup(_location: *const Ident, _thread: i32) {
    if is_needed() {
        end();
    }
}

/// `void *(i32 thread, i32 count, items *)`: `task_reduction` of the `taskgroup` just begun (clang:
/// `emitTaskReductionInit`; OpenMP 5.2, §5.5.9): `count` items. What it gives comes back as `group` of
/// `__kmpc_task_reduction_get_th_data`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_taskred_init(
    _thread: i32,
    count: i32,
    items: *mut Item,
) -> *mut Item {
    REDUCED.set();
    if let Some(node) = thread_state::find_here::<Group>() {
        // SAFETY: the node is this thread's own.
        unsafe { ((*node).payload.items, (*node).payload.count) = (items, count as usize) };
    }
    items
}

/// The same by the name of clang 9 and earlier (`emitTaskReductionInit`; OpenMP 5.2, §5.5.9).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_task_reduction_init(
    thread: i32,
    count: i32,
    items: *mut Item,
) -> *mut Item {
    // SAFETY: the caller's promise.
    unsafe { __kmpc_taskred_init(thread, count, items) }
}

/// `void *(ident_t *, i32 thread, i32 is worksharing, i32 count, items *)`: `reduction(task, …)` of a region or loop
/// (clang: `emitTaskReductionInit`; OpenMP 5.2, §5.5.8): the items are the thread's own copies.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_taskred_modifier_init(
    _location: *const Ident,
    _thread: i32,
    _is_loop: i32,
    count: i32,
    items: *mut Item,
) -> *mut Item {
    begin(items, count as usize);
    items
}

/// The same by another name of LLVM's `OMPKinds.def` (OpenMP 5.2, §5.5.8).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_task_reduction_modifier_init(
    location: *const Ident,
    thread: i32,
    is_loop: i32,
    count: i32,
    items: *mut Item,
) -> *mut Item {
    // SAFETY: the caller's promise.
    unsafe { __kmpc_taskred_modifier_init(location, thread, is_loop, count, items) }
}

/// `void (ident_t *, i32 thread, i32 is worksharing)`: ends it (clang: `emitTaskReductionFini`; OpenMP 5.2, §5.5.8).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_task_reduction_modifier_fini(
    _location: *const Ident,
    _thread: i32,
    _is_loop: i32,
) {
    end();
}

/// `void *(i32 thread, group *, item *)`: the variable a task with `in_reduction` reduces into (clang:
/// `getTaskReductionItem`; OpenMP 5.2, §5.5.10). `group` is null in functions that the construct calls; the innermost
/// group that has the item counts in any case.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_task_reduction_get_th_data(
    _thread: i32,
    _group: *const c_void,
    item: *mut c_void,
) -> *mut c_void {
    // SAFETY: nodes are this thread's own.
    thread_state::find_where(|group: &Group| group.find(item).is_some())
        .and_then(|node| unsafe { (*node).payload.find(item) })
        .unwrap_or(item)
}
