//! Tasks that are not complete: either their code has run but their event is not fulfilled (`detach`), or they depend
//! on such a task and have been deferred. Without `detach` there are none.
//!
//! Each thread keeps the list of those it met in its region and brings them to completion at its task scheduling
//! points: `taskwait`, the end of a `taskgroup`, `taskyield`, barriers, the end of the region.
//!
//! Nothing here is inlined into programs: openmp-opt's time grows with the square of the code that it sees.

use crate::arch;
use crate::memory::heap;
use crate::tasking::dependence::Dependence;
use crate::tasking::task_structure::{CurrentTask, Entry, Header, release};
use crate::team::thread_state::{self, Kind, Node, Payload};

/// The list of a thread's incomplete tasks, in the order in which it met them.
#[derive(Clone, Copy, Debug)]
pub struct IncompleteTasks {
    first: *mut Header,
    /// Tasks that were ever in the list.
    count: u64,
}

// SAFETY: the one payload of this kind.
unsafe impl Payload for IncompleteTasks {
    const KIND: Kind = Kind::IncompleteTasks;
}

impl IncompleteTasks {
    /// An empty list.
    pub const NONE: IncompleteTasks = IncompleteTasks {
        first: core::ptr::null_mut(),
        count: 0,
    };
}

/// The entry of a task that is or comes into the list.
pub(super) unsafe fn entry_of(header: *mut Header) -> *mut Entry {
    // SAFETY: a live task.
    unsafe { (*header).entry.as_mut_ptr() }
}

/// A parent that has ended: nobody waits for children of its own.
const ENDED: *const Node<CurrentTask> = core::ptr::without_provenance(1);

/// The list of the current region, if it has one.
pub(super) fn list() -> Option<*mut IncompleteTasks> {
    // SAFETY: the node is this thread's own.
    thread_state::find_here::<IncompleteTasks>().map(|node| unsafe { &raw mut (*node).payload })
}

/// The task that the thread is in, as [`Entry::parent`].
pub(super) fn current_task() -> *const Node<CurrentTask> {
    thread_state::find_here::<CurrentTask>().map_or(core::ptr::null(), |node| node.cast_const())
}

/// Calls `visit` with the list's entries in order, until it returns something.
pub(super) fn search<R>(mut visit: impl FnMut(*mut Header) -> Option<R>) -> Option<R> {
    // SAFETY: the list and its entries are this thread's own; `visit` does not change the list.
    unsafe {
        let mut header = (*list()?).first;
        while !header.is_null() {
            let found = visit(header);
            if found.is_some() {
                return found;
            }
            header = (*entry_of(header)).next;
        }
    }
    None
}

/// Puts a task in: one that has run and is detached, or one that must wait.
///
/// # Safety
/// A live task that is not in the list, and its `count` dependences.
#[inline(never)]
pub unsafe fn add(header: *mut Header, depends: *const Dependence, count: usize) {
    let list = list().unwrap_or_else(|| {
        let node = thread_state::push_beneath(IncompleteTasks::NONE);
        // SAFETY: the new node is this thread's own.
        unsafe { &raw mut (*node).payload }
    });
    // SAFETY: the caller's promise; the list is this thread's own.
    unsafe {
        let mut copy = core::ptr::null_mut();
        if count > 0 {
            let bytes = count * size_of::<Dependence>();
            copy = heap::need(bytes, heap::purpose!("a task's dependences")).cast::<Dependence>();
            copy.copy_from_nonoverlapping(depends, count);
        }
        entry_of(header).write(Entry {
            next: core::ptr::null_mut(),
            parent: current_task(),
            depends: copy,
            depend_count: count,
            number: (*list).count,
        });
        (*list).count += 1;
        let mut link = &raw mut (*list).first;
        while !(*link).is_null() {
            link = &raw mut (*entry_of(*link)).next;
        }
        *link = header;
    }
}

/// Whether a new task of the current one with these dependences has to wait.
///
/// # Safety
/// `count` live dependences.
#[inline(never)]
pub unsafe fn must_wait(depends: *const Dependence, count: usize) -> bool {
    if list().is_none() {
        return false;
    }
    let parent = current_task();
    // SAFETY: entries are live; the caller's promise.
    search(|header| unsafe {
        let entry = &*entry_of(header);
        (entry.parent == parent && entry.conflicts(depends, count)).then_some(())
    })
    .is_some()
}

/// Takes a complete task out of the list and gives it back.
pub(super) unsafe fn remove(header: *mut Header) {
    let Some(list) = list() else { return };
    // SAFETY: an entry of the list, all of which are this thread's own.
    unsafe {
        let mut link = &raw mut (*list).first;
        while *link != header {
            link = &raw mut (*entry_of(*link)).next;
        }
        *link = (*entry_of(header)).next;
        if !(*entry_of(header)).depends.is_null() {
            arch::release((*entry_of(header)).depends.cast());
        }
        release(header.add(1).cast());
    }
}

/// How many tasks were ever in the list.
pub fn count() -> u64 {
    // SAFETY: this thread's own.
    list().map_or(0, |list| unsafe { (*list).count })
}

/// The task of that node ends; children that are not complete outlive it.
#[inline(never)]
pub fn orphan(parent: *const Node<CurrentTask>) {
    search(|header| {
        // SAFETY: entries are live.
        unsafe {
            if (*entry_of(header)).parent == parent {
                (*entry_of(header)).parent = ENDED;
            }
        }
        None::<()>
    });
}
