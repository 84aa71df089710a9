//! What a task consists of: the runtime's part, then clang's.

use core::ffi::c_void;
use core::mem::MaybeUninit;

use crate::arch;
use crate::arch::atomic::{AtomicU32, Ordering::Relaxed};
use crate::memory::heap;
use crate::sticky_flag::StickyFlag;
use crate::tasking::dependence::Dependence;
use crate::team::thread_state::{Kind, Node, Payload};

/// The head of clang's task structure (`kmp_task_t`); private variables follow it.
#[repr(C)]
#[derive(Debug)]
pub struct Task {
    /// References to shared variables, in the same block of memory.
    pub shareds: *mut c_void,
    pub(super) routine: Option<Routine>,
    pub(super) part: i32,
    /// Destructor thunk, if the flags say so.
    pub(super) destructors: Option<Routine>,
    priority: *mut c_void,
    /// `taskloop` only: bounds, stride, whether this is the last.
    pub lower: u64,
    /// See `lower`.
    pub upper: u64,
    stride: i64,
    /// See `lower`.
    pub is_last: i32,
}

/// The code of a task, and the function that destroys its private variables.
pub type Routine = unsafe extern "C" fn(i32, *mut Task) -> i32;

/// How far a task has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Not begun.
    Created,
    /// A thread is in it.
    Running,
    /// Its routine asked to be called once more: clang cuts untied tasks into parts at scheduling points.
    Again,
    /// Its routine has returned.
    Done,
}

/// What the thread that runs a task keeps for it.
#[derive(Debug)]
pub struct CurrentTask {
    /// Whether the task is final.
    pub is_final: bool,
}

// SAFETY: the one payload of this kind.
unsafe impl Payload for CurrentTask {
    const KIND: Kind = Kind::Task;
}

/// What the runtime keeps before a task.
#[repr(C, align(16))]
#[derive(Debug)]
pub struct Header {
    /// The thread's thread state that says it runs the task.
    pub node: MaybeUninit<Node<CurrentTask>>,
    /// Whether there is such a thing, of a task with a false `if`.
    pub(super) has_node: bool,
    /// Of clang's structure with everything after it.
    pub bytes: usize,
    /// `kmp_tasking_flags`.
    pub flags: i32,
    /// How far it has come.
    pub stage: Stage,
    /// `detach`: see [`EVENT_OPEN`].
    pub event: AtomicU32,
    /// For [`incomplete_tasks`](super::incomplete_tasks), which writes it before anything reads it.
    pub entry: MaybeUninit<Entry>,
}

/// What a task has for the list of incomplete tasks.
#[derive(Debug)]
pub struct Entry {
    pub(super) next: *mut Header,
    /// The node of the explicit task that generated it; null for the implicit task.
    pub(super) parent: *const Node<CurrentTask>,
    pub(super) depends: *mut Dependence,
    pub(super) depend_count: usize,
    /// Its place among the tasks that ever were in the list.
    pub(super) number: u64,
}

impl Entry {
    /// # Safety
    /// `depends` are `count` live dependences.
    pub(super) unsafe fn conflicts(&self, depends: *const Dependence, count: usize) -> bool {
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

/// Whether there ever was a task with an event: without one, no task is incomplete. (The code that completes tasks
/// would be half of a small kernel's instructions.)
#[unsafe(export_name = "omptarget.sticky.detached")]
pub static DETACHED: StickyFlag = StickyFlag::new();

/// `kmp_tasking_flags`: `final`.
pub(super) const FINAL: i32 = 0x2;
/// `kmp_tasking_flags`: there is a destructor thunk.
pub(super) const DESTRUCTORS: i32 = 0x8;

/// Values of [`Header::event`]: not detachable, to be fulfilled, fulfilled.
pub(super) const EVENT_NONE: u32 = 0;
pub(super) const EVENT_OPEN: u32 = 1;
pub(super) const EVENT_FULFILLED: u32 = 2;

impl Header {
    /// Whether an event keeps the task from being complete.
    #[inline(always)]
    pub fn is_detached(&self) -> bool {
        if !DETACHED.get() {
            return false;
        }
        let open = self.event.load(Relaxed) == EVENT_OPEN;
        arch::fence_device();
        open
    }
}

/// Sizes of tasks are multiples of this, two words.
pub const COPIED_AT_ONCE: usize = size_of::<[u64; 2]>();

/// Memory for a task of `bytes`.
#[inline(always)]
pub fn allocate(bytes: usize, flags: i32) -> *mut Task {
    let block = heap::need(size_of::<Header>() + bytes, heap::purpose!("a task")).cast::<Header>();
    // SAFETY: fresh memory, large enough.
    unsafe {
        let task = block.add(1).cast();
        begin(task, bytes, flags);
        task
    }
}

/// Writes what every task begins with. (Field by field, because some fields need no value yet.)
///
/// # Safety
/// Memory of [`allocate`] for as many bytes; the task that was there, if any, has ended.
#[inline(always)]
pub unsafe fn begin(task: *mut Task, bytes: usize, flags: i32) {
    // SAFETY: the caller's promise.
    unsafe {
        let header = header_of(task);
        (&raw mut (*header).has_node).write(false);
        (&raw mut (*header).bytes).write(bytes);
        (&raw mut (*header).flags).write(flags);
        (&raw mut (*header).stage).write(Stage::Created);
        (&raw mut (*header).event).write(AtomicU32::new(EVENT_NONE));
    }
}

/// # Safety
/// A live task of [`allocate`].
#[inline(always)]
pub unsafe fn header_of(task: *mut Task) -> *mut Header {
    // SAFETY: `allocate` put it there.
    unsafe { task.cast::<Header>().sub(1) }
}

/// Gives back a task.
///
/// # Safety
/// A live task that is not used again.
#[inline(always)]
pub unsafe fn release(task: *mut Task) {
    // SAFETY: the caller's promise.
    unsafe { arch::release(header_of(task).cast()) }
}
