//! Calls kernels: functions with as many 8-byte parameters as the target region has arguments.
//!
//! A file per architecture has `call`, which calls a kernel with at most `MAX_PARAMETERS` arguments.

#[cfg_attr(target_arch = "x86_64", path = "x86_64.rs")]
#[cfg_attr(target_arch = "aarch64", path = "aarch64.rs")]
mod architecture;

pub use architecture::{MAX_PARAMETERS, call};

#[cfg(test)]
mod tests {
    use std::ffi::c_void;

    use super::*;

    #[rustfmt::skip]
    unsafe extern "C" fn eight(out: *mut u64, b: u64, c: u64, d: u64, e: u64, f: u64, g: u64, h: u64) {
        // SAFETY: the test passes the address of one word.
        unsafe { *out = b + 10 * c + 100 * d + 1_000 * e + 10_000 * f + 100_000 * g + 1_000_000 * h };
    }

    #[test]
    fn parameters_arrive_in_registers_and_on_the_stack() {
        let mut out = 0u64;
        let kernel = eight as *const c_void;
        let arguments = [&raw mut out as u64, 1, 2, 3, 4, 5, 6, 7];
        // SAFETY: the arguments are those of `eight`.
        unsafe { call(kernel, &arguments) };
        assert_eq!(out, 7_654_321);
        let mut many = arguments.to_vec();
        many.resize(MAX_PARAMETERS, 9);
        out = 0;
        // SAFETY: more arguments than parameters do no harm.
        unsafe { call(kernel, &many) };
        assert_eq!(out, 7_654_321);
    }
}
