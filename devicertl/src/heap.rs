//! The device heap, for what the runtime itself needs: memory, or an end of the kernel that says what was wanted.

use core::ffi::{CStr, c_char, c_void};
use core::mem::MaybeUninit;

use crate::arch;

/// Memory from the device heap for `what`; the kernel ends if there is none.
pub fn need(bytes: usize, what: &CStr) -> *mut c_void {
    let pointer = arch::allocate(bytes);
    if pointer.is_null() {
        exhausted(bytes, what);
    }
    pointer
}

/// Ends the kernel: the heap has no `bytes` for `what`.
#[cold]
#[inline(never)]
pub fn exhausted(bytes: usize, what: &CStr) -> ! {
    let mut text = MaybeUninit::uninit();
    let mut message = Message::new(&mut text);
    let mut digits = [0; 20];
    message.append(b"out of device heap: ");
    message.append(decimal(bytes as u64, &mut digits));
    message.append(b" bytes for ");
    message.append(what.to_bytes());
    message.append(b"; run fewer teams at a time, or give the device a larger heap (virtual GPU: OMPTARGET_VGPU_HEAP)");
    // SAFETY: a C string.
    unsafe { arch::trap_with(message.finish()) }
}

/// Bytes of a message, the null character included.
const TEXT: usize = 256;

/// A text that is put together; what does not fit is left out.
struct Message<'a> {
    /// Not initialised: GPUs would do that with an instruction per byte.
    text: &'a mut MaybeUninit<[u8; TEXT]>,
    length: usize,
}

impl Message<'_> {
    fn new(text: &mut MaybeUninit<[u8; TEXT]>) -> Message<'_> {
        Message { text, length: 0 }
    }

    /// The text so far, as a C string.
    fn finish(&mut self) -> *const c_char {
        // SAFETY: `append` keeps the length below the array's.
        unsafe {
            *self.end() = 0;
        }
        self.text.as_ptr().cast()
    }

    /// Where the text ends.
    fn end(&mut self) -> *mut u8 {
        self.text
            .as_mut_ptr()
            .cast::<u8>()
            .wrapping_add(self.length)
    }

    #[inline(never)]
    fn append(&mut self, part: &[u8]) {
        for &byte in part {
            if self.length + 1 < TEXT {
                // SAFETY: within the array.
                unsafe { *self.end() = byte };
                self.length += 1;
            }
        }
    }
}

fn decimal(mut number: u64, digits: &mut [u8; 20]) -> &[u8] {
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 || first == 0 {
            return &digits[first..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let mut digits = [0; 20];
        for number in [0, 7, 10, 4096, u64::MAX] {
            assert_eq!(
                decimal(number, &mut digits),
                number.to_string().as_bytes(),
                "{number}"
            );
        }
    }

    #[test]
    fn long_texts_are_cut() {
        let mut text = MaybeUninit::uninit();
        let mut message = Message::new(&mut text);
        message.append(&[b'x'; 300]);
        message.append(b"y");
        // SAFETY: a C string within `message`.
        let text = unsafe { CStr::from_ptr(message.finish()) };
        assert_eq!(text.to_bytes(), [b'x'; 255]);
    }
}
