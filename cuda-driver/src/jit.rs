//! Options of compilation (`CUjit_option`), and the logs that a program gives room for.

use std::ffi::{c_char, c_int, c_void};
use std::time::Instant;

use cudart::error::{Code, Result};

/// The options that have an effect. The others are advice to NVIDIA's compiler.
const WALL_TIME: c_int = 2;
const INFO_LOG: c_int = 3;
const INFO_LOG_SIZE: c_int = 4;
const ERROR_LOG: c_int = 5;
const ERROR_LOG_SIZE: c_int = 6;
/// The number of options in CUDA 12.9 (`CU_JIT_NUM_OPTIONS`), and what later releases may add.
const KNOWN: std::ops::Range<c_int> = 0..64;

/// Room for a log.
#[derive(Clone, Copy)]
struct Log {
    buffer: *mut c_char,
    /// Where the program has the size, and gets how much was written.
    size: *mut *mut c_void,
}

impl Log {
    const NONE: Log = Log {
        buffer: std::ptr::null_mut(),
        size: std::ptr::null_mut(),
    };

    /// Whether there is room for a text, which is written there.
    ///
    /// # Safety
    /// The buffer is as long as the size says.
    unsafe fn write(self, text: &str) -> bool {
        if self.buffer.is_null() || self.size.is_null() {
            return false;
        }
        // SAFETY: the program's array of values has it. The size is an `unsigned int` in place of an address.
        let room = unsafe { *self.size } as usize & u32::MAX as usize;
        // A NUL ends the text.
        let len = text.len().min(room.saturating_sub(1));
        if room > 0 {
            // SAFETY: there is so much room (caller).
            unsafe {
                std::ptr::copy_nonoverlapping(text.as_ptr().cast(), self.buffer, len);
                self.buffer.add(len).write(0);
            }
        }
        // SAFETY: as above.
        unsafe { *self.size = (if room > 0 { len + 1 } else { 0 }) as *mut c_void };
        room > 0
    }
}

// SAFETY: the program promises that the addresses stay valid, and calls that use them come one after the other.
unsafe impl Send for Options {}

// SAFETY: as above.
unsafe impl Sync for Options {}

/// The options of a call.
pub struct Options {
    info: Log,
    error: Log,
    time: *mut *mut c_void,
    begin: Instant,
}

impl Options {
    /// None.
    pub fn none() -> Options {
        Options {
            info: Log::NONE,
            error: Log::NONE,
            time: std::ptr::null_mut(),
            begin: Instant::now(),
        }
    }

    /// Reads options.
    ///
    /// # Safety
    /// Both arrays have so many elements, and are valid as long as the result is used. The buffers of logs are as long
    /// as the options say.
    pub unsafe fn read(
        count: u32,
        options: *const c_int,
        values: *mut *mut c_void,
    ) -> Result<Options> {
        let mut read = Options::none();
        if count > 0 && (options.is_null() || values.is_null()) {
            return Err(Code::INVALID_VALUE);
        }
        for index in 0..count as usize {
            // SAFETY: caller.
            let (option, value) = unsafe { (*options.add(index), values.add(index)) };
            match option {
                WALL_TIME => read.time = value,
                // SAFETY: caller.
                INFO_LOG => read.info.buffer = unsafe { *value }.cast(),
                INFO_LOG_SIZE => read.info.size = value,
                // SAFETY: caller.
                ERROR_LOG => read.error.buffer = unsafe { *value }.cast(),
                ERROR_LOG_SIZE => read.error.size = value,
                _ if KNOWN.contains(&option) => {}
                _ => return Err(Code::INVALID_VALUE),
            }
        }
        Ok(read)
    }

    /// Notes how a compilation ended: an error's text, or nothing. Whether the program gave room for it.
    ///
    /// # Safety
    /// What [`Options::read`] was promised still holds.
    pub unsafe fn finish(&self, error: &str) -> bool {
        // SAFETY: caller.
        let logged = unsafe {
            self.info.write("");
            self.error.write(error)
        };
        if !self.time.is_null() {
            let milliseconds = self.begin.elapsed().as_secs_f32() * 1e3;
            // SAFETY: the program's array of values has it (caller). It holds a `float` in place of an address.
            unsafe { *self.time = milliseconds.to_bits() as usize as *mut c_void };
        }
        logged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The log and its size after an error, with room for so many bytes.
    fn log(room: usize, error: &str) -> (Vec<u8>, usize) {
        let mut buffer = vec![b'?'; 16];
        let options = [ERROR_LOG, ERROR_LOG_SIZE, 9];
        let mut values = [
            buffer.as_mut_ptr().cast(),
            room as *mut c_void,
            std::ptr::null_mut(),
        ];
        // SAFETY: both arrays have three elements, and the buffer is longer than what is said.
        let options = unsafe { Options::read(3, options.as_ptr(), values.as_mut_ptr()) };
        // SAFETY: as above.
        unsafe { options.unwrap().finish(error) };
        let size = values[1] as usize;
        (buffer[..size.max(1)].to_vec(), size)
    }

    #[test]
    fn logs_keep_to_their_room() {
        assert_eq!(log(16, "line 7"), (b"line 7\0".to_vec(), 7));
        assert_eq!(log(5, "line 7"), (b"line\0".to_vec(), 5));
        assert_eq!(log(0, "line 7"), (b"?".to_vec(), 0));
        assert_eq!(log(16, ""), (b"\0".to_vec(), 1));
    }

    #[test]
    fn absent_and_unknown_options_are_refused() {
        let (unknown, mut value) = (-1, std::ptr::null_mut());
        let null = std::ptr::null_mut();
        // SAFETY: the arrays are null or have one element.
        unsafe {
            assert!(Options::read(1, std::ptr::null(), null).is_err());
            assert!(Options::read(1, &unknown, &mut value).is_err());
            assert!(Options::read(0, std::ptr::null(), null).is_ok());
        }
    }
}
