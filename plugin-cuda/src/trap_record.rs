//! What a kernel that gives up leaves for the host (docs/abi.md, "Trap record").
//!
//! After a trap the context answers nothing any more, device memory included. So the record is in host memory that the
//! device reaches, and the device runtime is told its address in a variable of each image.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};

use plugin_api::{Result, SourceLocation};

use crate::driver::{CuDevicePtr, CuHostAllocFlags, Driver, Outcome};
use crate::gpu::Gpu;

/// The variable of an image that gets the record's address.
pub const VARIABLE: &str = "__omptarget_trap_record";

/// Bytes of the texts.
const TEXT: usize = 992;
/// [`Raw::state`] of a record that is whole and has the device runtime's own words.
const OWN_WORDS: u32 = 2;
/// [`Raw::state`] of a record that is whole and of an assertion.
const ASSERTION: u32 = 3;

/// The record as the device writes it.
#[repr(C)]
struct Raw {
    /// 0: nothing; 1: a thread is writing; else it is whole.
    state: AtomicU32,
    /// Line of the assertion; with the runtime's own words, how many bytes it wanted, if it did.
    line: u32,
    block: [u32; 3],
    thread: [u32; 3],
    /// The runtime's words; or condition, file and function of the assertion. Each with a null character at its end, cut to fit.
    text: [u8; TEXT],
}

/// The memory of the record.
pub struct TrapRecord {
    host: *mut Raw,
    /// The device's address of it.
    pub device: CuDevicePtr,
}

// SAFETY: the memory is the process's; it is only read, and `state` orders that.
unsafe impl Send for TrapRecord {}
// SAFETY: as above.
unsafe impl Sync for TrapRecord {}

/// Why a kernel gave up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trap {
    /// The device runtime's words, or the condition that an `assert` found false.
    pub message: String,
    /// Where the assertion is; `None`: it was no assertion of the program's.
    pub location: Option<SourceLocation>,
    /// Block index in the grid.
    pub block: [u32; 3],
    /// Thread index in the block.
    pub thread: [u32; 3],
}

impl TrapRecord {
    /// An empty record, for the current context.
    pub fn new(gpu: &Gpu) -> Result<TrapRecord> {
        let mut host: *mut c_void = std::ptr::null_mut();
        let mut device = 0;
        let flags = CuHostAllocFlags::PORTABLE | CuHostAllocFlags::DEVICE_MAP;
        // SAFETY: both variables are writable; the memory is fresh and large enough.
        gpu.check(unsafe {
            gpu.driver
                .mem_host_alloc(&mut host, size_of::<Raw>(), flags)
                .and_then(|()| {
                    host.write_bytes(0, size_of::<Raw>());
                    gpu.driver.mem_host_get_device_pointer(&mut device, host, 0)
                })
        })?;
        Ok(TrapRecord {
            host: host.cast(),
            device,
        })
    }

    /// What a kernel has left, if one has.
    pub fn read(&self) -> Option<Trap> {
        // SAFETY: the memory was allocated with this layout and zeroed; the device writes only to `state` once it is whole.
        let raw = unsafe { &*self.host };
        match raw.state.load(Ordering::Acquire) {
            OWN_WORDS => Some(raw.own_words()),
            ASSERTION => Some(raw.assertion()),
            _ => None,
        }
    }

    /// Frees the memory.
    ///
    /// # Safety
    /// No kernel runs any more that knows of it.
    pub unsafe fn free(&self, driver: &Driver) -> Outcome {
        // SAFETY: allocated by `new`; caller.
        unsafe { driver.mem_free_host(self.host.cast()) }
    }
}

impl Raw {
    fn texts(&self) -> impl Iterator<Item = String> {
        self.text
            .split(|byte| *byte == 0)
            .map(|text| String::from_utf8_lossy(text).into_owned())
    }

    fn own_words(&self) -> Trap {
        let words = self.texts().next().unwrap_or_default();
        Trap {
            message: match self.line {
                0 => words,
                bytes => format!("{words} (bytes wanted: {bytes})"),
            },
            location: None,
            block: self.block,
            thread: self.thread,
        }
    }

    fn assertion(&self) -> Trap {
        let mut texts = self.texts();
        let mut next = || texts.next().unwrap_or_default();
        let condition = next();
        Trap {
            message: format!("assertion `{condition}` failed"),
            location: Some(SourceLocation {
                file: next(),
                line: self.line,
                column: 0,
                function: next(),
            }),
            block: self.block,
            thread: self.thread,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(line: u32, text: &[u8]) -> Raw {
        let mut raw = Raw {
            state: AtomicU32::new(0),
            line,
            block: [3, 0, 0],
            thread: [0, 7, 0],
            text: [0; TEXT],
        };
        raw.text[..text.len()].copy_from_slice(text);
        raw
    }

    #[test]
    fn the_record_has_the_layout_of_the_documentation() {
        assert_eq!(size_of::<Raw>(), 1024);
        let offsets = [
            std::mem::offset_of!(Raw, line),
            std::mem::offset_of!(Raw, block),
            std::mem::offset_of!(Raw, thread),
            std::mem::offset_of!(Raw, text),
        ];
        assert_eq!(offsets, [4, 8, 20, 32]);
    }

    #[test]
    fn assertions_have_a_place() {
        let trap = raw(12, b"i < n\0a.c\0f\0").assertion();
        assert_eq!(trap.message, "assertion `i < n` failed");
        let location = trap.location.unwrap();
        assert_eq!(
            (location.to_string(), trap.block[0]),
            ("a.c:12 in f".into(), 3)
        );
    }

    #[test]
    fn the_runtimes_own_words_and_texts_that_were_cut() {
        let trap = raw(0, b"out of device heap\0").own_words();
        assert_eq!(trap.message, "out of device heap");
        assert_eq!(trap.location, None);
        let said = raw(480, b"out of device heap\0").own_words();
        assert_eq!(said.message, "out of device heap (bytes wanted: 480)");
        assert_eq!(said.location, None);
        let cut = raw(1, &[b'x'; TEXT]).assertion();
        assert_eq!(cut.message.len(), TEXT + "assertion `` failed".len());
        assert_eq!(cut.location.unwrap().file, "");
    }
}
