//! What the device provides: memory, output, and an end with a message. On the host, for tests, the C library and Rust
//! provide the same.

/// A text of a message, put together where a kernel gives up.
#[derive(Debug)]
pub struct Message {
    text: [u8; 256],
    length: usize,
}

impl Message {
    /// Begins with a text.
    pub fn new(text: &str) -> Message {
        Message {
            text: [0; 256],
            length: 0,
        }
        .text(text.as_bytes())
    }

    /// Goes on with a text. What does not fit is left out.
    pub fn text(mut self, text: &[u8]) -> Message {
        for &byte in text {
            // The last byte stays null.
            if byte != 0 && self.length + 1 < self.text.len() {
                self.text[self.length] = byte;
                self.length += 1;
            }
        }
        self
    }

    /// Goes on with a C string; null is none.
    ///
    /// # Safety
    /// `text` is null or a C string.
    pub unsafe fn c_string(self, text: *const u8) -> Message {
        let mut length = 0;
        if text.is_null() {
            return self;
        }
        // SAFETY: up to the null character.
        unsafe {
            while text.add(length).read() != 0 {
                length += 1;
            }
            self.text(core::slice::from_raw_parts(text, length))
        }
    }

    /// Goes on with a number.
    pub fn number(self, number: i64) -> Message {
        let mut room = [0; 40];
        let sign: &[u8] = if number < 0 { b"-" } else { b"" };
        let digits = crate::list_output::digits_of(number.unsigned_abs().into(), &mut room);
        self.text(sign).text(digits)
    }

    /// Ends the kernel with it.
    pub fn give_up(self) -> ! {
        give_up(&self)
    }
}

/// Ends the kernel with a message.
#[cold]
pub fn fail(message: &str) -> ! {
    Message::new(message).give_up()
}

/// Memory of the device heap; the kernel ends where there is none. The purpose is a part of the message.
pub fn allocate(bytes: usize, purpose: &str) -> *mut u8 {
    match try_allocate(bytes) {
        Some(memory) => memory,
        None => Message::new("out of device heap for ")
            .text(purpose.as_bytes())
            .text(b" in Fortran code; run fewer teams at a time, or give the device a larger heap")
            .text(b" (virtual GPU: OMPTARGET_VGPU_HEAP)")
            .give_up(),
    }
}

/// Memory of the device heap, if there is some.
pub fn try_allocate(bytes: usize) -> Option<*mut u8> {
    // SAFETY: any number of bytes.
    let memory = unsafe { heap::malloc(bytes.max(1)) };
    (!memory.is_null()).then_some(memory.cast())
}

/// Gives memory of the device heap back; null is none.
///
/// # Safety
/// `memory` is null, or came from the heap and is not used again.
pub unsafe fn release(memory: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe { heap::free(memory.cast()) }
}

mod heap {
    use core::ffi::c_void;

    unsafe extern "C" {
        pub fn malloc(bytes: usize) -> *mut c_void;
        pub fn free(memory: *mut c_void);
    }
}

#[cfg(any(target_arch = "nvptx64", target_arch = "amdgpu"))]
mod gpu {
    use core::ffi::{c_char, c_int, c_void};

    unsafe extern "C" {
        fn vprintf(format: *const c_char, arguments: *mut c_void) -> c_int;
        /// The `error` directive: severity 2 ends the kernel with the message.
        fn __kmpc_error(location: *const c_void, severity: i32, message: *const c_char);
    }

    /// Ends the kernel.
    pub fn give_up(message: &super::Message) -> ! {
        // SAFETY: the text ends with a null character.
        unsafe { __kmpc_error(core::ptr::null(), 2, message.text.as_ptr().cast()) }
        // Not reached.
        loop {}
    }

    /// Sends a text to the program's standard output, as one record.
    ///
    /// # Safety
    /// `text` is a C string.
    pub unsafe fn print(text: *const u8) {
        let mut arguments = text;
        // SAFETY: a packed argument buffer with one pointer.
        unsafe { vprintf(c"%s".as_ptr(), (&raw mut arguments).cast()) };
    }
}
#[cfg(any(target_arch = "nvptx64", target_arch = "amdgpu"))]
use gpu::give_up;
#[cfg(any(target_arch = "nvptx64", target_arch = "amdgpu"))]
pub use gpu::print;

#[cfg(not(any(target_arch = "nvptx64", target_arch = "amdgpu")))]
mod soft {
    /// Ends the test.
    pub fn give_up(message: &super::Message) -> ! {
        panic!(
            "{}",
            String::from_utf8_lossy(&message.text[..message.length])
        )
    }

    /// Prints a text.
    ///
    /// # Safety
    /// `text` is a C string.
    pub unsafe fn print(text: *const u8) {
        // SAFETY: the caller's promise.
        let text = unsafe { std::ffi::CStr::from_ptr(text.cast()) };
        print!("{}", text.to_string_lossy());
    }
}
#[cfg(not(any(target_arch = "nvptx64", target_arch = "amdgpu")))]
use soft::give_up;
#[cfg(not(any(target_arch = "nvptx64", target_arch = "amdgpu")))]
pub use soft::print;
