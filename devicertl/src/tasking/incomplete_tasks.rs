//! Tasks that are not complete: their code has run but their event is not fulfilled (`detach`), or they depend on
//! such a task and have been put off. Without `detach` there are none.
//!
//! Each thread keeps the list of those it met in its region and brings them to completion at its task scheduling
//! points: `taskwait`, the end of a `taskgroup`, `taskyield`, barriers, the end of the region.
//!
//! Nothing here is inlined into programs: openmp-opt's time grows with the square of what it sees.

use crate::arch;
use crate::memory::heap;
use crate::sticky_flag::StickyFlag;
use crate::tasking::task::{self, Header, Stage};
use crate::team::thread_state::{self, Kind, Node};

/// `kmp_depend_info`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Dependence {
    address: u64,
    bytes: usize,
    flags: u8,
}

/// `kmp_depend_info` flags: `out`, `inout` and `mutexinoutset` have others than these.
const IN: u8 = 0x1;
const IN_OUT_SET: u8 = 0x8;
/// `omp_all_memory`.
const ALL: u8 = 0x80;

impl Dependence {
    /// Whether tasks with these must come one after the other (OpenMP 5.2, §15.9.5).
    fn conflicts(&self, other: &Dependence) -> bool {
        let same = self.address == other.address || (self.flags | other.flags) & ALL != 0;
        let both = |flags| self.flags == flags && other.flags == flags;
        same && !both(IN) && !both(IN_OUT_SET)
    }
}

/// The list of a thread's incomplete tasks, in the order in which it met them.
#[derive(Clone, Copy, Debug)]
pub struct IncompleteTasks {
    first: *mut Header,
    /// Tasks that were ever in the list.
    count: u64,
}

/// Whether there ever was a task with an event: without one, no task is incomplete. (To complete them would be half of a small
/// kernel's instructions.)
#[unsafe(export_name = "omptarget.ever.detached")]
pub static DETACHED: StickyFlag = StickyFlag::new();

impl IncompleteTasks {
    /// An empty list.
    pub const NONE: IncompleteTasks = IncompleteTasks {
        first: core::ptr::null_mut(),
        count: 0,
    };
}

/// What a task has for this list.
#[derive(Debug)]
pub struct Entry {
    next: *mut Header,
    /// The node of the explicit task that generated it; null for the implicit task.
    parent: *const Node,
    depends: *mut Dependence,
    depend_count: usize,
    /// Its place among the tasks that ever were in the list.
    number: u64,
}

impl Entry {
    /// # Safety
    /// `depends` are `count` live dependences.
    unsafe fn conflicts(&self, depends: *const Dependence, count: usize) -> bool {
        // SAFETY: the entry's copy has that many; the caller's promise. (A slice needs a pointer even for none.)
        let all = |first: *const Dependence, count: usize| unsafe {
            core::slice::from_raw_parts(
                if count == 0 {
                    core::ptr::dangling()
                } else {
                    first
                },
                count,
            )
        };
        let (mine, others) = (all(self.depends, self.depend_count), all(depends, count));
        mine.iter()
            .any(|one| others.iter().any(|other| one.conflicts(other)))
    }
}

/// The entry of a task that is or comes into the list.
unsafe fn entry_of(header: *mut Header) -> *mut Entry {
    // SAFETY: a live task.
    unsafe { (*header).entry.as_mut_ptr() }
}

/// A parent that has ended: nobody waits for children of its own.
const ENDED: *const Node = core::ptr::without_provenance(1);

/// The list of the current region, if it has one.
fn list() -> Option<*mut IncompleteTasks> {
    // SAFETY: the node is this thread's own.
    thread_state::find_here(Kind::IncompleteTasks)
        .map(|node| unsafe { &raw mut (*node).incomplete_tasks })
}

/// The task that the thread is in, as [`Entry::parent`].
fn current_task() -> *const Node {
    thread_state::find_here(Kind::Task).map_or(core::ptr::null(), |node| node.cast_const())
}

/// Calls `visit` with the list's entries in order until it says something.
fn search<R>(mut visit: impl FnMut(*mut Header) -> Option<R>) -> Option<R> {
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
        let node = thread_state::push_beneath(Kind::IncompleteTasks, |_| {});
        // SAFETY: the new node is this thread's own.
        unsafe { &raw mut (*node).incomplete_tasks }
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
unsafe fn remove(header: *mut Header) {
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
        task::release(header.add(1).cast());
    }
}

/// Whether an entry can be taken on: complete, or free to run.
unsafe fn is_ready(header: *mut Header) -> bool {
    // SAFETY: an entry of the list, as are those before it.
    unsafe {
        match (*header).stage {
            Stage::Done => !(*header).is_detached(),
            Stage::Created => {
                let entry = &*entry_of(header);
                search(|earlier| {
                    let other = &*entry_of(earlier);
                    if earlier == header {
                        return Some(true);
                    }
                    (other.parent == entry.parent
                        && other.conflicts(entry.depends, entry.depend_count))
                    .then_some(false)
                })
                .unwrap_or(true)
            }
            Stage::Running | Stage::Again => false,
        }
    }
}

/// Takes one task a step further; whether there was one to take.
#[inline(never)]
pub fn advance() -> bool {
    if list().is_none() {
        return false;
    }
    // SAFETY: entries are live until removed; one that ran stays in the list until it is complete.
    unsafe {
        let Some(header) = search(|header| is_ready(header).then_some(header)) else {
            return false;
        };
        if (*header).stage == Stage::Created {
            task::run(arch::thread_id() as i32, header.add(1).cast());
        }
        if !(*header).is_detached() {
            remove(header);
        }
    }
    true
}

/// Until no entry is `awaited`. A task that the thread is in right now is not waited for.
fn complete(awaited: impl Fn(&Entry) -> bool) {
    if list().is_none() {
        return;
    }
    // SAFETY: entries are live.
    while search(|header| unsafe {
        let idle = matches!((*header).stage, Stage::Created | Stage::Done);
        (idle && awaited(&*entry_of(header))).then_some(())
    })
    .is_some()
    {
        if !advance() {
            arch::pause();
        }
    }
}

/// All of the region's: at barriers and at the end of the region.
#[inline(always)]
pub fn complete_all() {
    if DETACHED.get() {
        complete_listed();
    }
}

#[cold]
#[inline(never)]
fn complete_listed() {
    complete(|_| true);
}

/// Children of the current task: `taskwait`.
#[inline(never)]
pub fn complete_children() {
    let parent = current_task();
    complete(|entry| entry.parent == parent);
}

/// Those met since the list's count was `number`: `taskgroup`.
#[inline(never)]
pub fn complete_since(number: u64) {
    complete(|entry| entry.number >= number);
}

/// Children of the current task with dependences that conflict: `taskwait depend(…)`.
///
/// # Safety
/// `count` live dependences.
#[inline(never)]
pub unsafe fn wait_for(depends: *const Dependence, count: usize) {
    let parent = current_task();
    // SAFETY: the caller's promise.
    complete(|entry| unsafe { entry.parent == parent && entry.conflicts(depends, count) });
}

/// How many tasks were ever in the list.
pub fn count() -> u64 {
    // SAFETY: this thread's own.
    list().map_or(0, |list| unsafe { (*list).count })
}

/// The task of that node ends; children that are not complete outlive it.
#[inline(never)]
pub fn orphan(parent: *const Node) {
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
