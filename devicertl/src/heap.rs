//! The device heap, for what the runtime itself needs: memory, or an end of the kernel that says what was wanted.

use core::ffi::{CStr, c_char, c_void};

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
    let mut message = Message {
        text: [0; 256],
        length: 0,
    };
    let mut digits = [0; 20];
    message.append(b"out of device heap: ");
    message.append(decimal(bytes as u64, &mut digits));
    message.append(b" bytes for ");
    message.append(what.to_bytes());
    message.append(b"; run fewer teams at a time, or give the device a larger heap (virtual GPU: OMPTARGET_VGPU_HEAP)");
    // SAFETY: a C string: `append` leaves the last byte as it was.
    unsafe { arch::trap_with(message.text.as_ptr().cast::<c_char>()) }
}

/// A text that is put together; what does not fit is left out.
struct Message {
    text: [u8; 256],
    length: usize,
}

impl Message {
    fn append(&mut self, part: &[u8]) {
        for &byte in part {
            if self.length + 1 < self.text.len() {
                self.text[self.length] = byte;
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
        let mut message = Message {
            text: [0; 256],
            length: 0,
        };
        message.append(&[b'x'; 300]);
        message.append(b"y");
        assert_eq!(message.text[..255], [b'x'; 255]);
        assert_eq!(message.text[255], 0);
    }
}
