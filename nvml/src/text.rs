//! Texts for the program's buffers.

use std::ffi::{CStr, c_char, c_uint};

use crate::status::{Result, Status};

/// Writes a text and its end to a buffer of so many bytes.
///
/// # Safety
/// The address is null, or so many bytes are writable there.
pub unsafe fn write(buffer: *mut c_char, room: c_uint, text: &str) -> Result<()> {
    if buffer.is_null() {
        return Err(Status::INVALID_ARGUMENT);
    }
    if text.len() >= room as usize {
        return Err(Status::INSUFFICIENT_SIZE);
    }
    // SAFETY: the text and its end fit (caller).
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr(), buffer.cast(), text.len());
        buffer.add(text.len()).write(0);
    }
    Ok(())
}

/// The text that the program gives.
///
/// # Safety
/// The address is null or a string.
pub unsafe fn read<'a>(text: *const c_char) -> Result<&'a str> {
    if text.is_null() {
        return Err(Status::INVALID_ARGUMENT);
    }
    // SAFETY: caller.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map_err(|_| Status::NOT_FOUND)
}

/// A text in an array of a structure, which has room for it and its end.
pub fn array<const N: usize>(text: &str) -> [c_char; N] {
    let mut array = [0; N];
    // The last byte stays NUL.
    let bytes = text.bytes().take(N.saturating_sub(1));
    array
        .iter_mut()
        .zip(bytes)
        .for_each(|(place, byte)| *place = byte as c_char);
    array
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_fit_or_are_refused() {
        let mut buffer = [1; 4];
        // SAFETY: the buffer has the sizes.
        unsafe {
            assert_eq!(write(buffer.as_mut_ptr(), 4, "abc"), Ok(()));
            assert_eq!(read(buffer.as_ptr()), Ok("abc"));
            assert_eq!(
                write(buffer.as_mut_ptr(), 3, "abc"),
                Err(Status::INSUFFICIENT_SIZE)
            );
            assert_eq!(
                write(std::ptr::null_mut(), 3, ""),
                Err(Status::INVALID_ARGUMENT)
            );
        }
        assert_eq!(array::<3>("abc"), [b'a' as c_char, b'b' as c_char, 0]);
    }
}
