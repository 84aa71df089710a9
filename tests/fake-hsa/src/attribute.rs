//! Values of attributes. Each has the size that the header gives it.

use std::ffi::c_void;

use crate::status::{Failure, Outcome};

/// The bytes of a value.
pub type Value = Vec<u8>;

/// `bool` and `uint8_t`.
pub fn byte(value: impl Into<u8>) -> Value {
    vec![value.into()]
}

/// `uint16_t` values.
pub fn halves(values: &[u16]) -> Value {
    values
        .iter()
        .flat_map(|value| value.to_ne_bytes())
        .collect()
}

/// `uint32_t` values, and enumerations.
pub fn words(values: &[u32]) -> Value {
    values
        .iter()
        .flat_map(|value| value.to_ne_bytes())
        .collect()
}

/// A `uint64_t`, a `size_t` or a handle.
pub fn long(value: u64) -> Value {
    value.to_ne_bytes().into()
}

/// A `char` array of this length, filled with NULs.
pub fn text(value: &str, length: usize) -> Value {
    let mut bytes = value.as_bytes().to_vec();
    bytes.resize(length, 0);
    bytes
}

/// Writes a value.
pub fn store(at: *mut c_void, value: &Value) -> Outcome {
    if at.is_null() {
        return Err(Failure::ERROR_INVALID_ARGUMENT);
    }
    // SAFETY: the caller's contract: a buffer for this attribute.
    unsafe { at.cast::<u8>().copy_from(value.as_ptr(), value.len()) };
    Ok(())
}
