//! State that one thread has and its team has not: ICVs that it changed, worksharing loops whose position is its own.
//!
//! Such state is rare, so it lives on the device heap. Each thread has a list of nodes, innermost first. A node ends
//! with the region that it was made in. A bit of the nest word says whether there is a list at all. What a node keeps
//! is its user's own type, a [`Payload`].

use crate::arch;
use crate::memory::heap;
use crate::sticky_flag::StickyFlag;
use crate::team::nest::Nest;
use crate::team::state;

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
    /// It has tasks that are not complete.
    IncompleteTasks,
    /// The captured references of a serialised region.
    References,
}

/// What every node begins with.
#[repr(C)]
#[derive(Debug)]
pub struct Header {
    outer: *mut Header,
    depth: u32,
    kind: Kind,
}

/// One piece of thread state.
#[repr(C)]
#[derive(Debug)]
pub struct Node<P> {
    header: Header,
    /// What its user keeps in it.
    pub payload: P,
}

/// What nodes of one kind keep.
///
/// # Safety
/// No other type has the same `KIND`: by it alone a header is known to be that of a `Node<Self>`.
pub unsafe trait Payload {
    /// The kind of the nodes.
    const KIND: Kind;
}

/// Whether any thread ever had thread state.
#[unsafe(export_name = "omptarget.sticky.thread_state")]
pub static MADE: StickyFlag = StickyFlag::new();

/// Whether any thread ever asked which explicit task it is in, or kept something for one. Only then do tasks have
/// nodes.
#[unsafe(export_name = "omptarget.sticky.tasks")]
pub static OF_TASKS: StickyFlag = StickyFlag::new();

/// Whether this thread has thread state. Its nest word says so; the flag is for the optimiser.
#[inline(always)]
pub fn any() -> bool {
    MADE.is_possible() && Nest::load().has_thread_state()
}

/// The same as [`Nest::load_inline`] has it.
#[inline(always)]
pub fn any_inline() -> bool {
    MADE.is_possible() && Nest::load_inline().has_thread_state()
}

/// This thread's slot for its list.
fn head() -> *mut *mut Header {
    let thread = arch::thread_id() as usize;
    let slots: *mut *mut Header = if arch::is_spmd() {
        arch::thread_state_slots().cast()
    } else {
        // SAFETY: the state lives as long as the kernel.
        unsafe { (&raw mut (*state::need()).thread_states).cast() }
    };
    // SAFETY: one slot per thread that a block can have.
    unsafe { slots.add(thread) }
}

fn first() -> *mut Header {
    if any() {
        // SAFETY: the slot is valid when the nest word says so, and this thread's own.
        unsafe { *head() }
    } else {
        core::ptr::null_mut()
    }
}

/// The innermost node with such a payload.
#[inline(always)]
pub fn find<P: Payload>() -> Option<*mut Node<P>> {
    find_listed(false)
}

/// The node with such a payload that belongs to the current region itself.
#[inline(always)]
pub fn find_here<P: Payload>() -> Option<*mut Node<P>> {
    find_listed(true)
}

/// Most threads have no list; what follows one is not inlined, to keep kernels small.
#[inline(always)]
fn find_listed<P: Payload>(here: bool) -> Option<*mut Node<P>> {
    if any() {
        let node = search(P::KIND, here);
        (!node.is_null()).then_some(node.cast())
    } else {
        None
    }
}

#[cold]
#[inline(never)]
fn search(kind: Kind, here: bool) -> *mut Header {
    let mut node = first();
    while !node.is_null() {
        // SAFETY: nodes in the list are live and this thread's own.
        unsafe {
            if (*node).kind == kind {
                break;
            }
            node = (*node).outer;
        }
    }
    // SAFETY: as above.
    if !node.is_null() && here && unsafe { (*node).depth } != Nest::load().depth() {
        return core::ptr::null_mut();
    }
    node
}

/// The innermost node whose payload `matches`.
pub fn find_where<P: Payload>(matches: impl Fn(&P) -> bool) -> Option<*mut Node<P>> {
    let mut node = first();
    while !node.is_null() {
        // SAFETY: nodes in the list are live and this thread's own; the kind says what the payload is.
        unsafe {
            if (*node).kind == P::KIND && matches(&(*node.cast::<Node<P>>()).payload) {
                return Some(node.cast());
            }
            node = (*node).outer;
        }
    }
    None
}

/// The node of that kind of the current task, explicit or implicit: OpenMP's data environment.
fn find_in_task<P: Payload>() -> Option<*mut Node<P>> {
    let (mut node, depth) = (first(), Nest::load().depth());
    while !node.is_null() {
        // SAFETY: as in `find_where`.
        unsafe {
            if (*node).kind == P::KIND && (*node).depth == depth {
                return Some(node.cast());
            }
            if (*node).kind == Kind::Task {
                return None;
            }
            node = (*node).outer;
        }
    }
    None
}

/// The node of the current task with such a payload, made with `initial` if there is none.
pub fn own<P: Payload>(initial: P) -> *mut Node<P> {
    OF_TASKS.set();
    find_in_task().unwrap_or_else(|| push(initial))
}

/// A new innermost node, which ends with the current region.
pub fn push<P: Payload>(payload: P) -> *mut Node<P> {
    let node = allocate();
    // SAFETY: fresh memory.
    unsafe { push_in(node, payload) };
    node
}

/// A new node of the current region beneath all others the region has: it outlives the region's explicit tasks.
pub fn push_beneath<P: Payload>(payload: P) -> *mut Node<P> {
    let (node, depth) = (push(payload), Nest::load().depth());
    // SAFETY: nodes in the list are live and this thread's own.
    unsafe {
        let header = node.cast::<Header>();
        *head() = (*header).outer;
        let mut link = head();
        while !(*link).is_null() && (**link).depth == depth {
            link = &raw mut (**link).outer;
        }
        (*header).outer = *link;
        *link = header;
    }
    node
}

fn allocate<P>() -> *mut Node<P> {
    heap::need(
        size_of::<Node<P>>(),
        heap::purpose!("a thread's private OpenMP state"),
    )
    .cast()
}

/// [`push`] into memory of the caller's: a task's node lies in the task.
///
/// # Safety
/// `node` is this thread's own until the node has ended; only those of [`Kind::Task`] are not from the heap.
pub unsafe fn push_in<P: Payload>(node: *mut Node<P>, payload: P) {
    let nest = Nest::load();
    let header = Header {
        outer: first(),
        depth: nest.depth(),
        kind: P::KIND,
    };
    MADE.set();
    // SAFETY: the caller's promise, and this thread's own slot.
    unsafe {
        node.write(Node { header, payload });
        *head() = node.cast();
    }
    nest.with_thread_state(true).store();
}

/// Gives back a node that is out of the list.
unsafe fn release(node: *mut Header) {
    // SAFETY: the caller's promise.
    unsafe {
        if (*node).kind != Kind::Task {
            arch::release(node.cast());
        }
    }
}

/// Ends one node, wherever it stands. Nodes of other kinds that came later (ICVs that a loop's body set) stay.
///
/// # Safety
/// `node` is in the calling thread's list.
#[inline(always)]
pub unsafe fn end<P: Payload>(node: *mut Node<P>) {
    // SAFETY: the caller's promise.
    unsafe { end_listed(node.cast()) }
}

#[inline(never)]
unsafe fn end_listed(node: *mut Header) {
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
