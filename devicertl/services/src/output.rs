//! What kernels print, as records in a buffer that the plugin reads when the kernel has ended. A record holds all it
//! needs, strings included, so that reading it takes no other device memory.
//!
//! A record: u64 its size in bytes, a multiple of 8; u64 [`PRINT`]; then *fields*. A string is u64 its length plus one,
//! 0 for a null pointer, and its bytes, padded to 8. The fields are the format, then each argument: a string for `%s`,
//! else u64 (for `double` its bits; signed integers sign-extended).

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Kind of a record: `printf`.
pub const PRINT: u64 = 0;

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
pub(crate) enum Argument {
    Int,
    Wide,
    Text,
}

/// The arguments that a format takes, in order (C23, 7.23.6.1), up to its end or to a conversion that C does not have.
pub(crate) struct Conversions {
    rest: *const u8,
    /// In a conversion: `*` may still come.
    inside: bool,
    wide: bool,
}

impl Conversions {
    /// Those of a format, a C string.
    pub(crate) fn of(format: *const u8) -> Conversions {
        Conversions {
            rest: format,
            inside: false,
            wide: false,
        }
    }
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
    let conversions = Conversions::of(format);
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
    fn record(&self, fields: u64) -> Option<Write> {
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
        write.word(PRINT);
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
            match self.record(count.0) {
                Some(mut write) => print_fields(&mut write, format, arguments),
                None => -1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixture {
        buffer: Buffer,
        memory: Vec<u64>,
    }

    fn buffer(words: usize) -> Fixture {
        let mut memory = vec![0xaaaa_aaaa_aaaa_aaaa; words];
        let buffer = Buffer::new();
        buffer.base.store(memory.as_mut_ptr() as u64, Relaxed);
        buffer.size.store(words as u64 * 8, Relaxed);
        Fixture { buffer, memory }
    }

    /// Arguments as LLVM packs them: aligned to 4.
    #[derive(Default)]
    struct Packed(Vec<u8>);

    impl Packed {
        fn int(mut self, value: i32) -> Packed {
            self.0.extend(value.to_ne_bytes());
            self
        }
        fn wide(mut self, value: u64) -> Packed {
            self.0.extend(value.to_ne_bytes());
            self
        }
    }

    /// The words of a string field.
    fn string(text: &str) -> Vec<u64> {
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        let words = bytes
            .chunks(8)
            .map(|chunk| u64::from_ne_bytes(chunk.try_into().expect("8 bytes")));
        core::iter::once(text.len() as u64 + 1)
            .chain(words)
            .collect()
    }

    fn print(fixture: &Fixture, format: &core::ffi::CStr, arguments: &Packed) -> i32 {
        // SAFETY: the tests pass what their formats take.
        unsafe {
            fixture
                .buffer
                .print(format.as_ptr().cast(), arguments.0.as_ptr())
        }
    }

    #[test]
    fn a_record_has_the_format_and_every_argument() {
        let fixture = buffer(100);
        let text = c"a string of 22 letters";
        let arguments = Packed::default()
            .int(-5)
            .wide(7)
            .wide(1.5f64.to_bits())
            .int(9)
            .int(3)
            .wide(text.as_ptr() as u64)
            .wide(0)
            .int(66)
            .wide(0x1234);
        let format = c"%d %5lu%% %+.3e|%*.*s|%s %hhx %p";
        assert_eq!(print(&fixture, format, &arguments), 9);
        let fields = [
            string("%d %5lu%% %+.3e|%*.*s|%s %hhx %p"),
            vec![-5i64 as u64, 7, 1.5f64.to_bits(), 9, 3],
            string("a string of 22 letters"),
            vec![0, 66, 0x1234],
        ]
        .concat();
        let bytes = (fields.len() as u64 + 2) * 8;
        assert_eq!(fixture.buffer.used.load(Relaxed), bytes);
        assert_eq!(fixture.memory[..2], [bytes, PRINT]);
        assert_eq!(fixture.memory[2..2 + fields.len()], fields);
        assert_eq!(fixture.memory[2 + fields.len()], 0xaaaa_aaaa_aaaa_aaaa);
    }

    #[test]
    fn every_length_and_conversion_takes_what_c_says() {
        let takes = |format: &core::ffi::CStr| -> Vec<Argument> {
            Conversions::of(format.as_ptr().cast()).collect()
        };
        use Argument::{Int, Text, Wide};
        assert_eq!(takes(c"plain %% text"), []);
        assert_eq!(takes(c"%d%i%u%o%x%X%c%hd%hhu"), [Int; 9]);
        assert_eq!(takes(c"%ld%lli%zu%jd%tx%f%F%e%E%g%G%a%A%Lf%p"), [Wide; 15]);
        assert_eq!(takes(c"%-*.*f%.*s%5s"), [Int, Int, Wide, Int, Text, Text]);
        // A conversion that C does not have takes no argument, nor does a format that breaks off.
        assert_eq!(takes(c"%d %y %d"), [Int]);
        assert_eq!(takes(c"%d %"), [Int]);
        assert_eq!(takes(c"%5.l"), []);
    }

    #[test]
    fn what_has_no_room_is_counted() {
        let fixture = buffer(8);
        assert_eq!(print(&fixture, c"1234567", &Packed::default()), 0);
        assert_eq!(
            print(&fixture, c"%d%d%d", &Packed::default().int(1).int(2).int(3)),
            -1
        );
        assert_eq!(print(&fixture, c"7654321", &Packed::default()), 0);
        assert_eq!(
            (
                fixture.buffer.used.load(Relaxed),
                fixture.buffer.lost.load(Relaxed)
            ),
            (64, 1)
        );
        assert_eq!(print(&buffer(0), c"", &Packed::default()), -1);
    }

    #[test]
    fn records_of_many_threads_do_not_mix() {
        let fixture = buffer(8 * 1000 * 8);
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let fixture = &fixture;
                scope.spawn(move || {
                    for iteration in 0..1000 {
                        assert_eq!(
                            print(
                                fixture,
                                c"%d %d",
                                &Packed::default().int(thread).int(iteration)
                            ),
                            2
                        );
                    }
                });
            }
        });
        let mut seen = [0; 8];
        let (mut at, used) = (0, fixture.buffer.used.load(Relaxed) as usize / 8);
        while at < used {
            let words = fixture.memory[at] as usize / 8;
            let (thread, iteration) = (
                fixture.memory[at + words - 2],
                fixture.memory[at + words - 1],
            );
            assert_eq!(
                iteration, seen[thread as usize],
                "each thread's records are in its order"
            );
            seen[thread as usize] += 1;
            at += words;
        }
        assert_eq!(seen, [1000; 8]);
    }
}
