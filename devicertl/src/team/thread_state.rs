//! State that one thread has and its team has not: ICVs it changed, worksharing loops whose position
//! is its own. Rare, so it lives on the device heap: a list per thread, innermost first, whose nodes end
//! with the region they were made in. A bit of the nest word says whether there is a list at all.

use crate::arch;
use crate::memory::heap;
use crate::sticky_flag::StickyFlag;
use crate::tasking::incomplete_tasks::IncompleteTasks;
use crate::tasking::taskgroup::Group;
use crate::team::icv::Icvs;
use crate::team::nest::Nest;
use crate::team::state;
use crate::team::team_loop::Loop;
use crate::worksharing::doacross::Progress;

/// What a node is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Its ICVs.
    Icvs,
    /// Its position in a worksharing loop.
    Loop,
    /// It runs an explicit task.
    Task,
    /// It is in a `taskgroup` region.
    Taskgroup,
    /// It is in a doacross loop.
    Doacross,
    /// It has tasks that are not complete.
    IncompleteTasks,
    /// The captured references of a serialised region.
    References,
}

/// One piece of thread state. `kind` says which field is in use.
#[derive(Debug)]
pub struct Node {
    outer: *mut Node,
    depth: u32,
    kind: Kind,
    /// For [`Kind::Icvs`].
    pub icvs: Icvs,
    /// For [`Kind::Loop`].
    pub loop_: Loop,
    /// For [`Kind::References`].
    pub references: *mut *mut core::ffi::c_void,
    /// For [`Kind::Task`]: whether it is final.
    pub is_final: bool,
    /// For [`Kind::Taskgroup`].
    pub group: Group,
    /// For [`Kind::IncompleteTasks`].
    pub incomplete_tasks: IncompleteTasks,
    /// For [`Kind::Doacross`]: what the team shares.
    pub doacross: *mut Progress,
}

/// Whether any thread ever had thread state.
#[unsafe(export_name = "omptarget.ever.private")]
pub static MADE: StickyFlag = StickyFlag::new();

/// Whether any thread ever asked which explicit task it is in, or kept something for one: only then tasks have nodes.
#[unsafe(export_name = "omptarget.ever.tasks")]
pub static OF_TASKS: StickyFlag = StickyFlag::new();

/// Whether this thread has thread state.
#[inline(always)]
pub fn any() -> bool {
    MADE.get() && Nest::load().has_thread_state()
}

/// The same as [`Nest::load_inline`] has it.
#[inline(always)]
pub fn any_inline() -> bool {
    MADE.get() && Nest::load_inline().has_thread_state()
}

/// This thread's slot for its list.
fn head() -> *mut *mut Node {
    let thread = arch::thread_id() as usize;
    let slots: *mut *mut Node = if arch::is_spmd() {
        arch::thread_state_slots().cast()
    } else {
        // SAFETY: the state lives as long as the kernel.
        unsafe { (&raw mut (*state::need()).thread_states).cast() }
    };
    // SAFETY: one slot per thread that a block can have.
    unsafe { slots.add(thread) }
}

fn first() -> *mut Node {
    if any() {
        // SAFETY: the slot is valid when the nest word says so, and this thread's own.
        unsafe { *head() }
    } else {
        core::ptr::null_mut()
    }
}

/// The innermost node of that kind.
#[inline(always)]
pub fn find(kind: Kind) -> Option<*mut Node> {
    find_listed(kind, false)
}

/// The node of that kind that belongs to the current region itself.
#[inline(always)]
pub fn find_here(kind: Kind) -> Option<*mut Node> {
    find_listed(kind, true)
}

/// Most threads have no list; what follows one is not inlined, to keep kernels small.
#[inline(always)]
fn find_listed(kind: Kind, here: bool) -> Option<*mut Node> {
    if any() {
        let node = search(kind, here);
        (!node.is_null()).then_some(node)
    } else {
        None
    }
}

#[cold]
#[inline(never)]
fn search(kind: Kind, here: bool) -> *mut Node {
    find_where(kind, |_| true)
        // SAFETY: nodes in the list are live.
        .filter(|&node| !here || unsafe { (*node).depth } == Nest::load().depth())
        .unwrap_or(core::ptr::null_mut())
}

/// The innermost node of that kind that `matches`.
pub fn find_where(kind: Kind, matches: impl Fn(&Node) -> bool) -> Option<*mut Node> {
    let mut node = first();
    while !node.is_null() {
        // SAFETY: nodes in the list are live and this thread's own.
        unsafe {
            if (*node).kind == kind && matches(&*node) {
                return Some(node);
            }
            node = (*node).outer;
        }
    }
    None
}

/// The node of that kind of the current task, explicit or implicit: OpenMP's data environment.
fn find_in_task(kind: Kind) -> Option<*mut Node> {
    let (mut node, depth) = (first(), Nest::load().depth());
    while !node.is_null() {
        // SAFETY: as in `find`.
        unsafe {
            if (*node).kind == kind && (*node).depth == depth {
                return Some(node);
            }
            if (*node).kind == Kind::Task {
                return None;
            }
            node = (*node).outer;
        }
    }
    None
}

/// The node of that kind of the current task, made if there is none.
pub fn own(kind: Kind, initialise: impl FnOnce(&mut Node)) -> *mut Node {
    OF_TASKS.set();
    find_in_task(kind).unwrap_or_else(|| push(kind, initialise))
}

/// A new innermost node, which ends with the current region.
pub fn push(kind: Kind, initialise: impl FnOnce(&mut Node)) -> *mut Node {
    let node = allocate();
    // SAFETY: fresh memory.
    unsafe { push_in(node, kind, initialise) };
    node
}

/// A new node of the current region beneath all others the region has: it outlives the region's explicit tasks.
pub fn push_beneath(kind: Kind, initialise: impl FnOnce(&mut Node)) -> *mut Node {
    let (node, depth) = (allocate(), Nest::load().depth());
    // SAFETY: fresh memory; nodes in the list are live and this thread's own.
    unsafe {
        push_in(node, kind, initialise);
        *head() = (*node).outer;
        let mut link = head();
        while !(*link).is_null() && (**link).depth == depth {
            link = &raw mut (**link).outer;
        }
        (*node).outer = *link;
        *link = node;
    }
    node
}

fn allocate() -> *mut Node {
    heap::need(
        size_of::<Node>(),
        heap::purpose!("a thread's private OpenMP state"),
    )
    .cast()
}

/// [`push`] into memory of the caller's: a task's node lies in the task.
///
/// # Safety
/// `node` is this thread's own until the node has ended; only those of [`Kind::Task`] are not from the heap.
pub unsafe fn push_in(node: *mut Node, kind: Kind, initialise: impl FnOnce(&mut Node)) {
    let nest = Nest::load();
    let mut value = Node {
        outer: first(),
        depth: nest.depth(),
        kind,
        icvs: Icvs::DEFAULT,
        loop_: Loop::EMPTY,
        references: core::ptr::null_mut(),
        is_final: false,
        group: Group::NONE,
        incomplete_tasks: IncompleteTasks::NONE,
        doacross: core::ptr::null_mut(),
    };
    initialise(&mut value);
    MADE.set();
    // SAFETY: the caller's promise, and this thread's own slot.
    unsafe {
        node.write(value);
        *head() = node;
    }
    nest.with_thread_state(true).store();
}

/// Gives back a node that is out of the list.
unsafe fn release(node: *mut Node) {
    // SAFETY: the caller's promise.
    unsafe {
        if (*node).kind != Kind::Task {
            arch::release(node.cast());
        }
    }
}

/// Ends one node, wherever it stands; those of other kinds that came later (ICVs that a loop's body set) stay.
///
/// # Safety
/// `node` is in the calling thread's list.
#[inline(never)]
pub unsafe fn end(node: *mut Node) {
    // SAFETY: nodes in the list are live and this thread's own; `node` is one of them.
    unsafe {
        let mut link = head();
        while *link != node {
            link = &raw mut (**link).outer;
        }
        *link = (*node).outer;
        release(node);
        Nest::load().with_thread_state(!(*head()).is_null()).store();
    }
}

/// Ends the innermost explicit task's node, and what the task changed for itself.
#[inline(never)]
pub fn end_task() {
    // SAFETY: as in `find`.
    while !first().is_null() && unsafe { (*first()).kind } != Kind::Task {
        pop();
    }
    pop();
}

/// Ends the innermost node.
#[inline(never)]
pub fn pop() {
    let node = first();
    if node.is_null() {
        return;
    }
    // SAFETY: the innermost node is live, this thread's own, and unlinked before it is released.
    unsafe {
        let outer = (*node).outer;
        *head() = outer;
        release(node);
        Nest::load().with_thread_state(!outer.is_null()).store();
    }
}

/// Ends what belongs to regions of that depth and deeper.
#[inline(always)]
pub fn end_from(depth: u32) {
    // SAFETY: as in `find`.
    while !first().is_null() && unsafe { (*first()).depth } >= depth {
        pop();
    }
}
