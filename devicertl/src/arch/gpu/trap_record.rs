//! What an NVIDIA GPU's host learns of a trap.
//!
//! The driver says only that there was one, and afterwards the device answers nothing. So the reason goes to host
//! memory, if the host has passed some (docs/abi.md, "Trap record"). Every kernel that can end with a message has this
//! code, and hardly any executes it: it is short.

use core::ffi::c_char;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicU32, Ordering};

use super::assembly::omptarget_arch_trap;
use super::grid::{block_index, thread_index};
use super::memory::{fence_system, pause};

/// Bytes of the texts.
const TEXT: usize = 992;
/// A thread is writing.
const TAKEN: u32 = 1;
/// The record is whole and has the runtime's own words.
const OWN_WORDS: u32 = 2;
/// The record is whole and of an assertion.
const ASSERTION: u32 = 3;

/// The record.
#[repr(C, align(16))]
pub struct TrapRecord {
    state: AtomicU32,
    line: u32,
    block: [u32; 3],
    thread: [u32; 3],
    /// The runtime's own message; or condition, file and function of an assertion. Each ends with its null character,
    /// and is cut where the record ends.
    text: [u8; TEXT],
}

/// Written by the host after loading, if it wants to know.
#[unsafe(no_mangle)]
pub static mut __omptarget_trap_record: *mut TrapRecord = null_mut();

/// Leaves the runtime's own words, with a number or 0, and traps, if the host wants to know; returns if not.
///
/// # Safety
/// `message` is a C string.
#[inline(always)]
pub unsafe fn leave(message: *const c_char, number: u32) {
    // SAFETY: caller.
    leave_with(OWN_WORDS, number, |room| unsafe {
        room.copy(message);
    });
}

/// The same of a failed assertion.
///
/// # Safety
/// The texts are C strings.
#[inline(always)]
pub unsafe fn leave_assertion(
    condition: *const c_char,
    file: *const c_char,
    function: *const c_char,
    line: u32,
) {
    // SAFETY: caller.
    leave_with(ASSERTION, line, |room| unsafe {
        room.copy(condition).copy(file).copy(function);
    });
}

#[inline(always)]
fn leave_with(written: u32, line: u32, texts: impl FnOnce(Room)) {
    // SAFETY: only the host writes it, before the kernel runs. Volatile, because the optimiser does not see the host
    // and would fold the initial value.
    let record = unsafe { (&raw const __omptarget_trap_record).read_volatile() };
    if record.is_null() {
        return;
    }
    // SAFETY: the host's record; the field is only used as an atomic.
    let state = unsafe { &(*record).state };
    if state.compare_exchange(0, TAKEN, Ordering::Relaxed, Ordering::Relaxed) == Ok(0) {
        let [block_x, block_y, block_z] = block_index();
        let [thread_x, thread_y, thread_z] = thread_index();
        // SAFETY: nobody else writes now, and the record is as long as its type. Wide words make few stores.
        unsafe {
            let head = record.cast::<u128>();
            head.write(four(TAKEN, line, block_x, block_y));
            head.add(1)
                .write(four(block_z, thread_x, thread_y, thread_z));
            texts(Room {
                record: record.cast(),
                place: core::mem::offset_of!(TrapRecord, text) as u32,
            });
        }
        fence_system();
        // The trap depends on the result, so it comes after all writes. (A plain exchange would have the scope of the
        // device: LLVM 22.1 drops the wider one.)
        let whole = state.compare_exchange(TAKEN, written, Ordering::Relaxed, Ordering::Relaxed);
        if whole == Ok(TAKEN) {
            omptarget_arch_trap()
        }
    }
    // A trap here would also end the thread that is writing. That thread traps soon, which ends this one.
    loop {
        pause();
    }
}

/// Four words as memory has them.
fn four(first: u32, second: u32, third: u32, fourth: u32) -> u128 {
    let two = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
    u128::from(two(first, second)) | u128::from(two(third, fourth)) << 64
}

/// What is left of the record for texts.
#[derive(Clone, Copy)]
struct Room {
    record: *mut u8,
    place: u32,
}

impl Room {
    /// Copies a text as far as there is room; the room behind it.
    ///
    /// # Safety
    /// A C string.
    #[inline(always)]
    unsafe fn copy(mut self, mut text: *const c_char) -> Room {
        while self.place < size_of::<TrapRecord>() as u32 {
            // SAFETY: the string does not end before its null character (caller), and the place is in the record.
            let byte = unsafe {
                let byte = text.read();
                self.record.add(self.place as usize).write(byte as u8);
                byte
            };
            self.place += 1;
            text = text.wrapping_add(1);
            if byte == 0 {
                break;
            }
        }
        self
    }
}
