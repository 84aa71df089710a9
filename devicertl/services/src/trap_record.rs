//! Why a kernel ended, for the host (docs/abi.md, "Trap record").
//!
//! The record is memory of the host. Not every GPU can do atomic operations there, so a variable of the image says
//! which thread may write it.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed, Ordering::Release, fence};

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

/// The address of the record, and whether a thread writes it already.
#[repr(C)]
#[derive(Debug)]
pub struct TrapRecordPlace {
    /// Written by the host after loading, if it wants to know.
    pub address: AtomicU64,
    taken: AtomicU32,
}

/// What `__assertfail` is told.
pub struct Reason {
    /// The condition, or the runtime's own words.
    pub message: *const u8,
    /// The file of an assertion.
    pub file: *const u8,
    /// Its line; with the runtime's own words a number, or 0.
    pub line: u32,
    /// The function of an assertion; empty with the runtime's own words.
    pub function: *const u8,
}

impl TrapRecordPlace {
    /// No record.
    #[expect(
        clippy::new_without_default,
        reason = "an initial value for a static, which needs a const function"
    )]
    pub const fn new() -> TrapRecordPlace {
        TrapRecordPlace {
            address: AtomicU64::new(0),
            taken: AtomicU32::new(0),
        }
    }

    /// Leaves a reason, if the host wants to know and no other thread was faster.
    ///
    /// # Safety
    /// The strings are C strings, and the address is that of a record or 0.
    // Inlined, so that nothing goes through the stack, which kernels would have to provide.
    #[inline(always)]
    pub unsafe fn leave(&self, reason: &Reason, block: [u32; 3], thread: [u32; 3]) {
        let record = self.address.load(Relaxed) as *mut TrapRecord;
        if record.is_null() || self.taken.swap(1, Relaxed) != 0 {
            return;
        }
        // SAFETY: caller; nobody else writes now. The state is only used as an atomic.
        unsafe {
            (*record).state.store(TAKEN, Relaxed);
            (&raw mut (*record).line).write(reason.line);
            (&raw mut (*record).block).write(block);
            (&raw mut (*record).thread).write(thread);
            let room = Room(0).copy(record, reason.message);
            let written = match *reason.function {
                0 => OWN_WORDS,
                _ => {
                    room.copy(record, reason.file).copy(record, reason.function);
                    ASSERTION
                }
            };
            fence(Release);
            (*record).state.store(written, Release);
        }
    }
}

/// The first byte of the texts that is not taken.
#[derive(Clone, Copy)]
struct Room(usize);

impl Room {
    /// Copies a text as far as there is room; the room behind it.
    ///
    /// # Safety
    /// A record that nobody else writes, and a C string.
    #[inline(always)]
    unsafe fn copy(mut self, record: *mut TrapRecord, mut text: *const u8) -> Room {
        while self.0 < TEXT {
            // SAFETY: the string does not end before its null character (caller), and the place is in the record.
            let byte = unsafe {
                let byte = text.read();
                (&raw mut (*record).text)
                    .cast::<u8>()
                    .add(self.0)
                    .write(byte);
                byte
            };
            self.0 += 1;
            text = text.wrapping_add(1);
            if byte == 0 {
                break;
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(
        message: &core::ffi::CStr,
        line: u32,
        function: &core::ffi::CStr,
    ) -> (u32, u32, Vec<u8>) {
        let mut record = TrapRecord {
            state: AtomicU32::new(0),
            line: 0,
            block: [0; 3],
            thread: [0; 3],
            text: [0; TEXT],
        };
        let place = TrapRecordPlace::new();
        let reason = Reason {
            message: message.as_ptr().cast(),
            file: c"a.c".as_ptr().cast(),
            line,
            function: function.as_ptr().cast(),
        };
        // SAFETY: C strings, and a record or none.
        unsafe {
            place.leave(&reason, [1; 3], [2; 3]);
            assert_eq!(record.state.load(Relaxed), 0);
            place.address.store((&raw mut record) as u64, Relaxed);
            place.leave(&reason, [3, 0, 0], [0, 7, 0]);
            // The first one stays.
            place.leave(&reason, [4, 0, 0], [0, 8, 0]);
        }
        assert_eq!((record.block, record.thread), ([3, 0, 0], [0, 7, 0]));
        let text = record.text.to_vec();
        (record.state.load(Relaxed), record.line, text)
    }

    #[test]
    fn reasons() {
        assert_eq!(size_of::<TrapRecord>(), 1024);
        let (state, line, text) = left(c"i < n", 12, c"f");
        assert_eq!(
            (state, line, &text[..13]),
            (3, 12, &b"i < n\0a.c\0f\0\0"[..])
        );
        let (state, line, text) = left(c"out of device heap", 480, c"");
        assert_eq!(
            (state, line, &text[..19]),
            (2, 480, &b"out of device heap\0"[..])
        );
        let long = std::ffi::CString::new(vec![b'x'; 2000]).expect("no null character");
        let (state, _, text) = left(&long, 1, c"f");
        assert_eq!((state, text), (3, vec![b'x'; TEXT]));
    }
}
