//! Output. Everything goes through the device's `vprintf` to the program's standard output: a device has no other
//! stream, so `stderr` is the same one. clang turns `printf` into `vprintf` for NVIDIA GPUs; for AMD's it stands
//! in [`printf`](crate::libc::printf).

use core::ffi::{VaList, c_char, c_int, c_void};

use super::c_functions;

unsafe extern "C" {
    fn vprintf(format: *const c_char, arguments: *mut c_void) -> c_int;
}

/// A stream, which only its address tells apart.
#[repr(transparent)]
pub struct Stream(*const c_void);
// SAFETY: never dereferenced.
unsafe impl Sync for Stream {}

/// `stdout`.
#[unsafe(no_mangle)]
#[linkage = "weak"]
#[allow(non_upper_case_globals, reason = "C's name")]
pub static stdout: Stream = Stream(core::ptr::without_provenance(1));

/// `stderr`.
#[unsafe(no_mangle)]
#[linkage = "weak"]
#[allow(non_upper_case_globals, reason = "C's name")]
pub static stderr: Stream = Stream(core::ptr::without_provenance(2));

unsafe fn print_text(text: *const c_char, line_end: bool) -> c_int {
    let format = if line_end { c"%s\n" } else { c"%s" };
    let mut arguments = text;
    // SAFETY: a packed argument buffer with one pointer.
    unsafe { vprintf(format.as_ptr(), (&raw mut arguments).cast()) }
}

unsafe fn print_character(character: c_int) -> c_int {
    let mut arguments = character;
    // SAFETY: a packed argument buffer with one int.
    unsafe { vprintf(c"%c".as_ptr(), (&raw mut arguments).cast()) };
    character
}

c_functions! {
    /// `puts` (ISO C17, §7.21.7.9).
    fn puts(text: *const c_char) -> c_int { print_text(text, true) }
    /// `putchar` (ISO C17, §7.21.7.8).
    fn putchar(character: c_int) -> c_int { print_character(character) }
    /// `fputs` (ISO C17, §7.21.7.4).
    fn fputs(text: *const c_char, _stream: *mut c_void) -> c_int { print_text(text, false) }
    /// `fputc` (ISO C17, §7.21.7.3).
    fn fputc(character: c_int, _stream: *mut c_void) -> c_int { print_character(character) }
    /// `putc` (ISO C17, §7.21.7.7).
    fn putc(character: c_int, _stream: *mut c_void) -> c_int { print_character(character) }
    /// `fwrite` (ISO C17, §7.21.8.2).
    fn fwrite(data: *const c_void, bytes: usize, count: usize, _stream: *mut c_void) -> usize {
        for at in 0..bytes * count {
            print_character(data.cast::<u8>().add(at).read().into());
        }
        count
    }
    /// `fflush` (ISO C17, §7.21.5.2): nothing is held back.
    fn fflush(_stream: *mut c_void) -> c_int { 0 }
    /// `vfprintf` (ISO C17, §7.21.6.8): a `va_list` is the argument buffer.
    fn vfprintf(_stream: *mut c_void, format: *const c_char, arguments: *mut c_void) -> c_int {
        vprintf(format, arguments)
    }
}

/// `fprintf` (ISO C17, §7.21.6.1). LLVM turns it and its callers into functions that take a pointer to a buffer of the
/// arguments.
#[unsafe(no_mangle)]
#[linkage = "weak"]
pub unsafe extern "C" fn fprintf(
    _stream: *mut c_void,
    format: *const c_char,
    arguments: ...
) -> c_int {
    // SAFETY: `va_list` is one pointer on GPUs, and what it points at is what `vprintf` takes.
    unsafe {
        vprintf(
            format,
            core::mem::transmute::<VaList<'_>, *mut c_void>(arguments),
        )
    }
}
