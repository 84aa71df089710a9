//! The record that a kernel leaves for the host when it traps (docs/abi.md, "Trap record").
//!
//! After a trap the context is unusable, including device memory. So the record is in host memory that the device
//! can reach. A variable in each image gives the device runtime its address.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};

use plugin_api::{Result, SourceLocation};

use crate::driver::{CuDevicePtr, CuHostAllocFlags, Driver, Outcome};
use crate::gpu::Gpu;

/// The variable of an image that receives the record's address.
pub const VARIABLE: &str = "__omptarget_trap_record";

/// Bytes for the texts.
const TEXT: usize = 992;
/// [`Raw::state`] of a complete record with a message of the device runtime.
const MESSAGE: u32 = 2;
/// [`Raw::state`] of a complete record of an assertion.
const ASSERTION: u32 = 3;

/// The record as the device writes it.
#[repr(C)]
struct Raw {
    /// 0: empty. 1: a thread is writing. Otherwise complete.
    state: AtomicU32,
    /// Line of the assertion. With a message of the runtime: the bytes that it wanted, or 0.
    line: u32,
    block: [u32; 3],
    thread: [u32; 3],
    /// The runtime's message, or the condition, file and function of the assertion. Each ends with a null
    /// character and is cut to fit.
    text: [u8; TEXT],
}

/// The memory of the record.
pub struct TrapRecord {
    host: *mut Raw,
    /// Its device address.
    pub device: CuDevicePtr,
}

// SAFETY: the memory belongs to the process. It is only read, and `state` orders the reads.
unsafe impl Send for TrapRecord {}
// SAFETY: as above.
unsafe impl Sync for TrapRecord {}

/// Why a kernel trapped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trap {
    /// The device runtime's message, or the condition of the `assert` that failed.
    pub message: String,
    /// Where the assertion is. `None`: it was not an assertion of the program.
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
        // SAFETY: both variables are writable. The memory is fresh and large enough.
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

    /// The trap that a kernel has recorded, if any.
    pub fn read(&self) -> Option<Trap> {
        // SAFETY: the memory was allocated with this layout and zeroed. Once the record is complete, the device
        // writes only to `state`.
        let raw = unsafe { &*self.host };
        match raw.state.load(Ordering::Acquire) {
            MESSAGE => Some(raw.message_trap()),
            ASSERTION => Some(raw.assertion_trap()),
            _ => None,
        }
    }

    /// Frees the memory.
    ///
    /// # Safety
    /// No kernel that knows its address is running.
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

    fn message_trap(&self) -> Trap {
        let message = self.texts().next().unwrap_or_default();
        Trap {
            message: match self.line {
                0 => message,
                bytes => format!("{message} (bytes wanted: {bytes})"),
            },
            location: None,
            block: self.block,
            thread: self.thread,
        }
    }

    fn assertion_trap(&self) -> Trap {
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
        let trap = raw(12, b"i < n\0a.c\0f\0").assertion_trap();
        assert_eq!(trap.message, "assertion `i < n` failed");
        let location = trap.location.unwrap();
        assert_eq!(
            (location.to_string(), trap.block[0]),
            ("a.c:12 in f".into(), 3)
        );
    }

    #[test]
    fn the_runtimes_own_words_and_texts_that_were_cut() {
        let trap = raw(0, b"out of device heap\0").message_trap();
        assert_eq!(trap.message, "out of device heap");
        assert_eq!(trap.location, None);
        let said = raw(480, b"out of device heap\0").message_trap();
        assert_eq!(said.message, "out of device heap (bytes wanted: 480)");
        assert_eq!(said.location, None);
        let cut = raw(1, &[b'x'; TEXT]).assertion_trap();
        assert_eq!(cut.message.len(), TEXT + "assertion `` failed".len());
        assert_eq!(cut.location.unwrap().file, "");
    }
}
