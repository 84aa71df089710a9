//! What kernels say: `printf` and failed assertions, as records in a buffer that the plugin reads when the kernel has
//! ended. A record holds all it needs, strings included, so that reading it takes no other device memory.
//!
//! A record: u64 its size in bytes, a multiple of 8; u64 [`PRINT`] or [`FAILURE`]; then *fields*. A string is u64 its
//! length plus one, 0 for a null pointer, and its bytes, padded to 8. A print record's fields are the format, then
//! each argument: a string for `%s`, else u64 (for `double` its bits; signed integers sign-extended). A failure record's
//! are the message, the file, u64 the line, and the function.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Kind of a record: `printf`.
pub const PRINT: u64 = 0;
/// Kind of a record: a failed assertion or a trap with a reason.
pub const FAILURE: u64 = 1;

/// The buffer: `__omptarget_printf_buffer`. The plugin sets `base` and `size`, everything else is zero at the start
/// and again after each reading.
#[repr(C)]
#[derive(Debug)]
pub struct Buffer {
    /// Address of the records, aligned to 8.
    pub base: AtomicU64,
    /// Bytes for records.
    pub size: AtomicU64,
    /// Bytes of records there are.
    pub used: AtomicU64,
    /// Records that had no room.
    pub lost: AtomicU64,
}

/// Where a record's words go: counted first, written then.
trait Sink {
    fn word(&mut self, value: u64);
    /// # Safety
    /// `text` is null or a C string.
    unsafe fn string(&mut self, text: *const u8);
}

/// Counts bytes.
struct Count(u64);

/// Writes them.
struct Write(*mut u8);

/// # Safety
/// `text` is a C string.
unsafe fn length(text: *const u8) -> usize {
    let mut length = 0;
    // SAFETY: up to the NUL.
    while unsafe { *text.add(length) } != 0 {
        length += 1;
    }
    length
}

impl Sink for Count {
    fn word(&mut self, _: u64) {
        self.0 += 8;
    }

    unsafe fn string(&mut self, text: *const u8) {
        self.word(0);
        if !text.is_null() {
            // SAFETY: the caller's promise.
            self.0 += unsafe { length(text) }.next_multiple_of(8) as u64;
        }
    }
}

impl Sink for Write {
    fn word(&mut self, value: u64) {
        // SAFETY: the record was counted before with the same words.
        unsafe {
            self.0.cast::<u64>().write(value);
            self.0 = self.0.add(8);
        }
    }

    unsafe fn string(&mut self, text: *const u8) {
        if text.is_null() {
            return self.word(0);
        }
        // SAFETY: the caller's promise, and as in `word`.
        unsafe {
            let length = length(text);
            self.word(length as u64 + 1);
            for i in 0..length.next_multiple_of(8) {
                self.0
                    .add(i)
                    .write(if i < length { *text.add(i) } else { 0 });
            }
            self.0 = self.0.add(length.next_multiple_of(8));
        }
    }
}

/// What a conversion takes from the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Argument {
    Int,
    Wide,
    Text,
}

/// The arguments a format takes, in order (C23, 7.23.6.1), until its end or a conversion C has not.
struct Conversions {
    rest: *const u8,
    /// In a conversion: `*` may still come.
    inside: bool,
    wide: bool,
}

impl Iterator for Conversions {
    type Item = Argument;

    fn next(&mut self) -> Option<Argument> {
        loop {
            // SAFETY: `rest` never moves past the NUL.
            let byte = unsafe { *self.rest };
            if byte == 0 {
                return None;
            }
            self.rest = self.rest.wrapping_add(1);
            if !self.inside {
                (self.inside, self.wide) = (byte == b'%', false);
                continue;
            }
            let argument = match byte {
                b'-' | b'+' | b' ' | b'#' | b'.' | b'0'..=b'9' | b'h' | b'L' => continue,
                b'l' | b'q' | b'j' | b'z' | b't' => {
                    self.wide = true;
                    continue;
                }
                b'*' => return Some(Argument::Int),
                b'%' => {
                    self.inside = false;
                    continue;
                }
                b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'b' | b'B' | b'c' if !self.wide => {
                    Argument::Int
                }
                b's' if !self.wide => Argument::Text,
                b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'b' | b'B' | b'c' | b'f' | b'F'
                | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' | b'p' | b'n' | b's' => Argument::Wide,
                _ => return None,
            };
            self.inside = false;
            return Some(argument);
        }
    }
}

/// The fields of a print record; returns how many arguments.
///
/// # Safety
/// As for [`Buffer::print`].
unsafe fn print_fields(sink: &mut impl Sink, format: *const u8, arguments: *const u8) -> i32 {
    let (mut position, mut count) = (arguments, 0);
    let conversions = Conversions {
        rest: format,
        inside: false,
        wide: false,
    };
    // SAFETY: the caller's promise; arguments are aligned to 4.
    unsafe {
        sink.string(format);
        for argument in conversions {
            count += 1;
            if argument == Argument::Int {
                sink.word(i64::from(position.cast::<i32>().read_unaligned()) as u64);
                position = position.add(4);
                continue;
            }
            let value = position.cast::<u64>().read_unaligned();
            position = position.add(8);
            if argument == Argument::Text {
                sink.string(value as *const u8);
            } else {
                sink.word(value);
            }
        }
    }
    count
}

/// The fields of a failure record.
///
/// # Safety
/// The strings are null or C strings.
unsafe fn failure_fields(
    sink: &mut impl Sink,
    message: *const u8,
    file: *const u8,
    line: u32,
    function: *const u8,
) {
    // SAFETY: the caller's promise.
    unsafe {
        sink.string(message);
        sink.string(file);
        sink.word(line.into());
        sink.string(function);
    }
}

impl Buffer {
    /// A buffer without memory.
    #[expect(
        clippy::new_without_default,
        reason = "an initial value for a static, which needs a const function"
    )]
    pub const fn new() -> Buffer {
        Buffer {
            base: AtomicU64::new(0),
            size: AtomicU64::new(0),
            used: AtomicU64::new(0),
            lost: AtomicU64::new(0),
        }
    }

    /// Room for a record with that many bytes of fields; its head is written.
    fn record(&self, fields: u64, kind: u64) -> Option<Write> {
        let bytes = fields + 16;
        let size = self.size.load(Relaxed);
        let start = self.used.fetch_update(Relaxed, Relaxed, |used| {
            used.checked_add(bytes).filter(|&end| end <= size)
        });
        let Ok(start) = start else {
            self.lost.fetch_add(1, Relaxed);
            return None;
        };
        let mut write = Write((self.base.load(Relaxed) + start) as *mut u8);
        write.word(bytes);
        write.word(kind);
        Some(write)
    }

    /// `vprintf`: the number of arguments, as CUDA's returns; -1 if the buffer has no room.
    ///
    /// # Safety
    /// `format` is a C string, `arguments` what it takes, aligned to 4 bytes each; for `%s` null or C strings.
    pub unsafe fn print(&self, format: *const u8, arguments: *const u8) -> i32 {
        let mut count = Count(0);
        // SAFETY: the caller's promise.
        unsafe {
            print_fields(&mut count, format, arguments);
            match self.record(count.0, PRINT) {
                Some(mut write) => print_fields(&mut write, format, arguments),
                None => -1,
            }
        }
    }

    /// Records why the kernel ends.
    ///
    /// # Safety
    /// The strings are null or C strings.
    pub unsafe fn fail(&self, message: *const u8, file: *const u8, line: u32, function: *const u8) {
        let mut count = Count(0);
        // SAFETY: the caller's promise.
        unsafe {
            failure_fields(&mut count, message, file, line, function);
            if let Some(mut write) = self.record(count.0, FAILURE) {
                failure_fields(&mut write, message, file, line, function);
            }
        }
    }
}

#[cfg(test)]
mod tests;
