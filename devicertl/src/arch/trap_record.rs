//! What an NVIDIA GPU's host learns of a trap. The driver says only that there was one, and after it the device answers nothing
//! any more; so the reason goes to host memory, where the host has told us of some (docs/abi.md, "Trap record").

use core::ffi::c_char;
use core::ptr::{null, null_mut};
use core::sync::atomic::{AtomicU32, Ordering};

use super::gpu::end;
use super::{block_index, pause, thread_index};

/// Bytes of the texts.
const TEXT: usize = 992;
/// A thread is writing.
const TAKEN: u32 = 1;
/// The record is whole.
const WRITTEN: u32 = 2;

/// The record.
#[repr(C, align(16))]
pub struct TrapRecord {
    state: AtomicU32,
    line: u32,
    block_xy: [u32; 2],
    block_z: u32,
    thread: [u32; 3],
    /// Message, file and function, each with its null character, cut to fit.
    text: [u8; TEXT],
}

/// Written by the host after loading, if it wants to know.
#[unsafe(no_mangle)]
pub static mut __omptarget_trap_record: *mut TrapRecord = null_mut();

/// Leaves the reason and traps, if the host wants to know; returns if not.
///
/// Every kernel that can end with a message has this function, and next to none executes it: it is to be short. So
/// scripts/build-device keeps the device link from optimising it, which would make a loop of its own for each text that
/// it knows and unroll the first. Named for that.
///
/// # Safety
/// The texts are C strings.
#[cold]
#[inline(never)]
#[unsafe(export_name = "omptarget_leave_reason")]
pub unsafe fn leave(
    message: *const c_char,
    file: *const c_char,
    function: *const c_char,
    line: u32,
) {
    // SAFETY: only the host writes it, before the kernel runs. Volatile, because the optimiser does not see the host and would
    // fold the initial value.
    let record = unsafe { (&raw const __omptarget_trap_record).read_volatile() };
    if record.is_null() {
        return;
    }
    // SAFETY: the host's record; the field is only used as an atomic.
    let state = unsafe { &(*record).state };
    if state.compare_exchange(0, TAKEN, Ordering::Relaxed, Ordering::Relaxed) != Ok(0) {
        wait_for_the_end();
    }
    let [block_x, block_y, block_z] = block_index();
    let [thread_x, thread_y, thread_z] = thread_index();
    // SAFETY: nobody else writes now, and the record is as long as its type. As few stores as the sizes of registers allow.
    unsafe {
        (*record).line = line;
        (&raw mut (*record).block_xy)
            .cast::<u64>()
            .write(pair(block_x, block_y));
        let rest = u128::from(pair(block_z, thread_x)) | u128::from(pair(thread_y, thread_z)) << 64;
        (&raw mut (*record).block_z).cast::<u128>().write(rest);
        copy((&raw mut (*record).text).cast(), [message, file, function]);
    }
    // The trap depends on the answer, so it comes when all is written.
    if state.compare_exchange(TAKEN, WRITTEN, Ordering::Release, Ordering::Relaxed) != Ok(TAKEN) {
        wait_for_the_end();
    }
    end()
}

/// A trap would end the thread that writes, too. It comes to its own trap soon, and ends this one.
#[inline(always)]
fn wait_for_the_end() -> ! {
    loop {
        pause();
    }
}

/// Two words as memory has them.
fn pair(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// Copies the texts one after the other, as far as there is room.
///
/// # Safety
/// They are C strings, and `room` is writable for [`TEXT`] bytes.
#[inline(always)]
unsafe fn copy(room: *mut u8, texts: [*const c_char; 3]) {
    let [mut text, mut second, mut third] = texts;
    let mut place = 0;
    while place < TEXT as u32 {
        // SAFETY: the string does not end before its null character, and the place is in the room (caller).
        let byte = unsafe {
            let byte = text.read();
            room.add(place as usize).write(byte as u8);
            byte
        };
        place += 1;
        text = text.wrapping_add(1);
        if byte == 0 {
            (text, second, third) = (second, third, null());
            if text.is_null() {
                break;
            }
        }
    }
}
