//! Answers to `clGet…Info`.

use std::ffi::c_void;

use crate::codes::{Code, Result};
use crate::handle::Raw;

/// An answer's bytes.
pub struct Answer(Vec<u8>);

impl Answer {
    /// A text, with its end.
    pub fn text(text: &str) -> Answer {
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        Answer(bytes)
    }

    /// A handle, or the address of something of the program's.
    pub fn raw(raw: Raw) -> Answer {
        Answer::of(raw as usize)
    }

    /// `cl_bool`.
    pub fn truth(value: bool) -> Answer {
        Answer::of(u32::from(value))
    }

    /// A number.
    pub fn of<T: Number>(value: T) -> Answer {
        Answer(value.bytes())
    }

    /// A list of numbers.
    pub fn list<T: Number>(values: &[T]) -> Answer {
        Answer(values.iter().flat_map(|value| value.bytes()).collect())
    }

    /// Bytes as they are.
    pub fn bytes(bytes: Vec<u8>) -> Answer {
        Answer(bytes)
    }

    /// Gives the answer to the program, and its size.
    ///
    /// # Safety
    /// `value` is writable for `size` bytes unless it is null, `needed` for a size.
    pub unsafe fn give(self, size: usize, value: *mut c_void, needed: *mut usize) -> Result<()> {
        if !value.is_null() {
            if size < self.0.len() {
                return Err(Code::INVALID_VALUE);
            }
            // SAFETY: the caller's contract, and the size was compared.
            unsafe { std::ptr::copy_nonoverlapping(self.0.as_ptr(), value.cast(), self.0.len()) };
        }
        if !needed.is_null() {
            // SAFETY: the caller's contract.
            unsafe { *needed = self.0.len() };
        }
        Ok(())
    }
}

/// A number of the interface.
pub trait Number: Copy {
    /// As the program reads it.
    fn bytes(self) -> Vec<u8>;
}

macro_rules! numbers {
    ($($number:ty)*) => {
        $(impl Number for $number {
            fn bytes(self) -> Vec<u8> {
                self.to_ne_bytes().to_vec()
            }
        })*
    };
}

numbers!(u32 u64 usize i32 isize);

/// A version as OpenCL 3.0 packs it (`CL_MAKE_VERSION`).
pub const fn version(major: u32, minor: u32, patch: u32) -> u32 {
    major << 22 | minor << 12 | patch
}

/// Names with versions (`cl_name_version`).
pub fn names_with_versions(names: impl IntoIterator<Item = (String, u32)>) -> Answer {
    let mut bytes = Vec::new();
    for (name, version) in names {
        let mut field = [0; 64];
        let length = name.len().min(63);
        field[..length].copy_from_slice(&name.as_bytes()[..length]);
        bytes.extend(version.to_ne_bytes());
        bytes.extend(field);
    }
    Answer(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_need_room() {
        let mut needed = 0;
        let mut room = [7u8; 4];
        let mut ask = |size| {
            // SAFETY: the room has four bytes.
            let given =
                unsafe { Answer::text("abc").give(size, room.as_mut_ptr().cast(), &mut needed) };
            given.map(|()| (room, needed))
        };
        assert_eq!(ask(3), Err(Code::INVALID_VALUE));
        assert_eq!(ask(4), Ok((*b"abc\0", 4)));
        assert_eq!(names_with_versions([("x".to_owned(), 1)]).0.len(), 68);
    }
}
