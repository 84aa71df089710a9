//! State that one thread has and its team has not: ICVs it changed, worksharing loops whose position
//! is its own. Rare, so it lives on the device heap: a list per thread, innermost first, whose nodes end
//! with the region they were made in. A bit of the nest word says whether there is a list at all.

use crate::arch::{self, shared};
use crate::dispatch::Loop;
use crate::icv::Icvs;
use crate::nest::Nest;

/// What a node is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Its ICVs.
    Icvs,
    /// Its position in a worksharing loop.
    Loop,
    /// It runs a final task.
    FinalTask,
    /// The captured references of a serialised region.
    References,
}

/// One piece of private state. `kind` says which field is in use.
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
}

fn head() -> *mut *mut Node {
    // SAFETY: one slot per thread that a block can have.
    unsafe {
        shared::private()
            .cast::<*mut Node>()
            .add(arch::thread_id() as usize)
    }
}

fn first() -> *mut Node {
    if Nest::load().has_private() {
        // SAFETY: the slot is valid when the nest word says so, and this thread's own.
        unsafe { *head() }
    } else {
        core::ptr::null_mut()
    }
}

/// The innermost node of that kind.
pub fn find(kind: Kind) -> Option<*mut Node> {
    let mut node = first();
    while !node.is_null() {
        // SAFETY: nodes in the list are live and this thread's own.
        unsafe {
            if (*node).kind == kind {
                return Some(node);
            }
            node = (*node).outer;
        }
    }
    None
}

/// The node of that kind that belongs to the current region itself.
pub fn find_here(kind: Kind) -> Option<*mut Node> {
    // SAFETY: as in `find`.
    find(kind).filter(|&node| unsafe { (*node).depth } == Nest::load().depth())
}

/// The node of that kind of the current region, made if there is none.
pub fn own(kind: Kind, initialise: impl FnOnce(&mut Node)) -> *mut Node {
    find_here(kind).unwrap_or_else(|| push(kind, initialise))
}

/// A new innermost node, which ends with the current region.
pub fn push(kind: Kind, initialise: impl FnOnce(&mut Node)) -> *mut Node {
    let node = arch::allocate(size_of::<Node>()).cast::<Node>();
    if node.is_null() {
        arch::trap(c"out of device heap: no memory for a thread's private OpenMP state");
    }
    let nest = Nest::load();
    let mut value = Node {
        outer: first(),
        depth: nest.depth(),
        kind,
        icvs: Icvs::DEFAULT,
        loop_: Loop::EMPTY,
        references: core::ptr::null_mut(),
    };
    initialise(&mut value);
    // SAFETY: fresh memory of that size (the heap aligns to 16), and this thread's own slot.
    unsafe {
        node.write(value);
        *head() = node;
    }
    nest.with_private(true).store();
    node
}

/// Ends the innermost node.
pub fn pop() {
    let node = first();
    if node.is_null() {
        return;
    }
    // SAFETY: the innermost node is live, this thread's own, and unlinked before it is released.
    unsafe {
        let outer = (*node).outer;
        *head() = outer;
        arch::release(node.cast());
        Nest::load().with_private(!outer.is_null()).store();
    }
}

/// Ends what belongs to regions deeper than `nest`, and leaves the thread there: as it was before it entered
/// the region, private state included. (One store at the end of every path, so that the optimiser sees that a
/// region changes nothing.)
#[inline(always)]
pub fn leave_to(nest: Nest) {
    if Nest::load().has_private() {
        unwind(nest.depth());
    }
    nest.store();
}

#[cold]
#[inline(never)]
fn unwind(depth: u32) {
    // SAFETY: as in `find`.
    while !first().is_null() && unsafe { (*first()).depth } > depth {
        pop();
    }
}

/// Ends everything: the kernel is over.
#[inline(always)]
pub fn leave_all() {
    if Nest::load().has_private() {
        while !first().is_null() {
            pop();
        }
    }
}
