//! What an NVIDIA GPU's host learns of a trap. The driver says only that there was one, and after it the device answers nothing
//! any more; so the reason goes to host memory, where the host has told us of some (docs/abi.md, "Trap record").

use core::ffi::c_char;
use core::ptr::{null, null_mut};
use core::sync::atomic::{AtomicU32, Ordering};

use super::{block_index, fence_system, pause, thread_index};

/// Bytes of the texts.
const TEXT: usize = 992;
/// A thread is writing.
const TAKEN: u32 = 1;
/// The record is whole.
const WRITTEN: u32 = 2;

/// The record.
#[repr(C)]
pub struct TrapRecord {
    state: AtomicU32,
    line: u32,
    block: [u32; 3],
    thread: [u32; 3],
    /// Message, file and function, each with its null character, cut to fit.
    text: [u8; TEXT],
}

/// Written by the host after loading, if it wants to know.
#[unsafe(no_mangle)]
pub static mut __omptarget_trap_record: *mut TrapRecord = null_mut();

/// Leaves the reason, if the host wants to know: whether it does. Does not return where another thread leaves its own.
///
/// # Safety
/// The texts are C strings.
#[cold]
#[inline(never)]
pub unsafe fn leave(
    message: *const c_char,
    file: *const c_char,
    function: *const c_char,
    line: u32,
) -> bool {
    // SAFETY: only the host writes it, before the kernel runs. Volatile, because the optimiser does not see the host and would
    // fold the initial value.
    let record = unsafe { (&raw const __omptarget_trap_record).read_volatile() };
    if record.is_null() {
        return false;
    }
    // SAFETY: the host's record; the field is only used as an atomic.
    let state = unsafe { &(*record).state };
    if state.compare_exchange(0, TAKEN, Ordering::Relaxed, Ordering::Relaxed) != Ok(0) {
        // A trap would end the thread that writes, too. It comes to its own trap soon, and ends this one.
        loop {
            pause();
        }
    }
    // SAFETY: nobody else writes now, and the record is as long as its type.
    unsafe {
        (*record).line = line;
        (*record).block = block_index();
        (*record).thread = thread_index();
        copy((&raw mut (*record).text).cast(), [message, file, function]);
    }
    fence_system();
    state.store(WRITTEN, Ordering::Relaxed);
    fence_system();
    true
}

/// Copies the texts one after the other, as far as there is room. Every kernel that can trap has this code, and next to none
/// executes it: one loop for all texts, and volatile, so that the optimiser does not make one of its own for each that it knows.
///
/// # Safety
/// They are C strings, and `room` is writable for [`TEXT`] bytes.
unsafe fn copy(room: *mut u8, texts: [*const c_char; 3]) {
    let [mut text, mut second, mut third] = texts;
    for place in 0..TEXT as u32 {
        // SAFETY: the string does not end before its null character, and the place is in the room (caller).
        let byte = unsafe {
            let byte = text.read_volatile();
            room.add(place as usize).write_volatile(byte as u8);
            byte
        };
        text = text.wrapping_add(1);
        if byte == 0 {
            (text, second, third) = (second, third, null());
            if text.is_null() {
                break;
            }
        }
    }
}
