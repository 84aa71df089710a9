//! The record that a kernel leaves for the host when it traps (docs/abi.md, "Trap record").
//!
//! The plugin provides the memory, which must be legible after the trap. A variable in each image gives the device
//! runtime its address.

use std::sync::atomic::{AtomicU32, Ordering};

use plugin_api::SourceLocation;

/// The variable of an image that receives the record's address.
pub const VARIABLE: &str = "__omptarget_trap_record";

/// Bytes of the record, which the host zeroes before it gives it to a kernel.
pub const RECORD_SIZE: usize = size_of::<Raw>();

/// Bytes for the texts.
const TEXT: usize = 992;
/// [`Raw::state`] while a thread is writing.
const TAKEN: u32 = 1;
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

impl Trap {
    /// Whether a thread is writing the record.
    ///
    /// # Safety
    /// As for [`Trap::read`].
    pub unsafe fn is_coming(record: *const u8) -> bool {
        // SAFETY: caller.
        unsafe { &*record.cast::<Raw>() }
            .state
            .load(Ordering::Acquire)
            == TAKEN
    }

    /// The trap that a kernel has recorded, if any.
    ///
    /// # Safety
    /// `record` is the address of [`RECORD_SIZE`] bytes, aligned to 16. They were zeroed, and only kernels write them.
    pub unsafe fn read(record: *const u8) -> Option<Trap> {
        // SAFETY: caller. Once the record is complete, the device writes only to `state`.
        let raw = unsafe { &*record.cast::<Raw>() };
        match raw.state.load(Ordering::Acquire) {
            MESSAGE => Some(raw.message_trap()),
            ASSERTION => Some(raw.assertion_trap()),
            _ => None,
        }
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
