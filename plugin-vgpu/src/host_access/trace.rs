//! What a signal handler records of an access.

use std::ffi::c_void;
use std::sync::Arc;

use findings::TaskClock;

/// Frames of the calling thread that are looked at, the handler's own included.
const FRAMES: usize = 32;

/// An access of the host.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Trace {
    /// Its address.
    pub address: u64,
    /// Whether it was a store.
    pub is_write: u64,
    /// Whether the memory is the host's, too.
    pub is_host_shared: u64,
    /// The clock of the task that the thread executes, with a reference of its own; 0 if it executes none.
    clock: u64,
    /// The instruction, and the return addresses of the calls that led there. 0: no more of them.
    pub frames: [u64; FRAMES],
}

impl Trace {
    /// The access to `address` at `pc`, in a signal handler on top of it.
    pub fn of_fault(address: u64, is_write: bool, pc: u64) -> Trace {
        let mut stack = [std::ptr::null_mut::<c_void>(); FRAMES];
        // SAFETY: the array has room for as many addresses. The function was called before (`prepare`), so it loads no
        // library now.
        let count = unsafe { libc::backtrace(stack.as_mut_ptr(), FRAMES as i32) };
        let known = &stack[..usize::try_from(count).unwrap_or(0)];
        // The handler's frames come before that of the instruction.
        let faulted = known.iter().position(|&at| at as u64 == pc);
        let callers = faulted.map_or(&[][..], |at| &known[at + 1..]);
        let mut frames = [0; FRAMES];
        frames[0] = pc;
        for (frame, &caller) in frames[1..].iter_mut().zip(callers) {
            *frame = caller as u64;
        }
        Trace {
            address,
            is_write: is_write.into(),
            is_host_shared: 0,
            clock: 0,
            frames,
        }
    }

    /// The same in memory that the host may access, too: it matters what its thread knows.
    pub fn of_shared_memory(self) -> Trace {
        let clock = findings::task_clock().map_or(0, |clock| Arc::into_raw(clock) as u64);
        Trace {
            is_host_shared: 1,
            clock,
            ..self
        }
    }

    /// The clock, once.
    pub fn take_clock(&mut self) -> Option<Arc<TaskClock>> {
        match std::mem::take(&mut self.clock) {
            0 => None,
            // SAFETY: `of_shared_memory` made it of a reference, which is taken once.
            clock => Some(unsafe { Arc::from_raw(clock as *const TaskClock) }),
        }
    }

    /// What tells accesses apart: the instruction and its nearest callers.
    pub fn key(&self) -> u64 {
        const NEAREST: usize = 6;
        let mix = |key: u64, frame: &u64| {
            (key ^ frame)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(29)
        };
        self.frames[..NEAREST].iter().fold(1, mix).max(1)
    }
}

/// Has what [`Trace::of_fault`] calls load its library. A signal handler must not.
pub fn prepare() {
    let mut one = [std::ptr::null_mut::<c_void>(); 1];
    // SAFETY: the array has room for one address.
    let _count = unsafe { libc::backtrace(one.as_mut_ptr(), 1) };
}
