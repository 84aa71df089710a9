//! `printf` of device code, formatted by the host: C's conversions over a buffer of arguments. The arguments are
//! promoted as C does for variable arguments. Each is aligned to its size (CUDA) or to 4 (AMDGCN).

mod va_list;

use std::ffi::{CString, c_char};

use devicertl_text::conversion::Conversion;
use devicertl_text::format_parser::{Extensions, Format};

pub use devicertl_text::arguments::Arguments;

use va_list::VaList;

unsafe extern "C" {
    /// The host program's own stream, so that its output and the kernels' output come in order.
    static stdout: *mut libc::FILE;
}

/// Writes a text to standard output by one call, which C makes atomic. Gives how many bytes were written.
pub fn write_to_stdout(text: &[u8]) -> usize {
    // SAFETY: the text is readable for its length, and the stream is open as long as the process.
    unsafe { libc::fwrite(text.as_ptr().cast(), 1, text.len(), stdout) }
}

/// The extensions of C's conversion specifications that glibc accepts, and whether one has them.
#[derive(Clone, Copy, Default)]
struct Glibc {
    /// The flag `'`.
    grouping: bool,
    /// The length modifier `L`, which glibc also accepts for `ll`.
    long: bool,
}

impl Extensions for Glibc {
    fn accepts_flag(&mut self, letter: u8) -> bool {
        self.grouping |= letter == b'\'';
        letter == b'\''
    }

    fn accepts_length(&mut self, letter: u8) -> bool {
        self.long |= letter == b'L';
        letter == b'L'
    }
}

/// Appends the format with its arguments.
///
/// # Safety
/// `format` is a C string, and `arguments` holds the arguments that it needs.
pub unsafe fn format_into(out: &mut Vec<u8>, format: *const c_char, arguments: &mut Arguments) {
    // SAFETY: the caller's contract. `begin` is a position in the same string.
    unsafe {
        let mut format = Format::new(format);
        while format.peek() != 0 {
            let begin = format.position();
            if !format.accept(b'%') {
                out.push(format.peek());
                format.skip();
                continue;
            }
            let mut extensions = Glibc::default();
            let conversion = format.conversion(arguments, &mut extensions);
            if !convert(out, &conversion, extensions, arguments) {
                // Not a conversion. It is printed as written, so that the mistake is visible.
                out.extend_from_slice(format.since(begin));
            }
        }
    }
}

/// Converts one argument. Gives false if there is no such conversion.
///
/// # Safety
/// As for [`format_into`].
unsafe fn convert(
    out: &mut Vec<u8>,
    conversion: &Conversion,
    extensions: Glibc,
    arguments: &mut Arguments,
) -> bool {
    // SAFETY: the caller's contract, for every `take`. Each value has the type that its conversion names.
    unsafe {
        let with_length = |length| specification(conversion, extensions, length);
        match conversion.letter {
            b'%' => out.push(b'%'),
            // CUDA has no %n. The pointer is skipped.
            b'n' => drop(arguments.take::<u64>()),
            b'd' | b'i' | b'o' | b'u' | b'x' | b'X' => match conversion.bytes {
                _ if extensions.long => print(out, with_length("ll"), arguments.take::<i64>()),
                8 => print(out, with_length("ll"), arguments.take::<i64>()),
                2 => print(out, with_length("h"), arguments.take::<i32>()),
                1 => print(out, with_length("hh"), arguments.take::<i32>()),
                _ => print(out, with_length(""), arguments.take::<i32>()),
            },
            b'c' => print(out, with_length(""), arguments.take::<i32>()),
            b'p' => print(out, with_length(""), arguments.take::<u64>()),
            b's' => {
                let text = arguments.take::<*const c_char>();
                let text = if text.is_null() {
                    c"(null)".as_ptr()
                } else {
                    text
                };
                print(out, with_length(""), text);
            }
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => {
                if extensions.long {
                    // clang gives constants of type long double the host's layout.
                    print_long_double(out, with_length("L"), &arguments.take::<LongDouble>());
                } else {
                    print(out, with_length(""), arguments.take::<f64>());
                }
            }
            _ => return false,
        }
    }
    true
}

/// The host's `long double` in memory: 80 bits and padding on x86-64, 128 bits on 64-bit ARM.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
struct LongDouble([u8; 16]);

unsafe extern "C" {
    fn vsnprintf(
        buffer: *mut c_char,
        size: usize,
        format: *const c_char,
        arguments: *mut VaList,
    ) -> i32;
}

/// Lets the C library convert a `long double`.
fn print_long_double(out: &mut Vec<u8>, spec: CString, value: &LongDouble) {
    let convert = |buffer: *mut c_char, size: usize| {
        // Rust cannot pass a `long double`, but this list can point at one.
        let mut arguments = VaList::in_memory((&raw const *value).cast());
        // SAFETY: the list has the argument that `spec` needs. The buffer has room for `size` bytes.
        unsafe { vsnprintf(buffer, size, spec.as_ptr(), &mut arguments) }
    };
    append(out, convert);
}

/// Appends the output of `convert`, which writes into a buffer of a given size and gives the length it needs
/// without the null character.
fn append(out: &mut Vec<u8>, convert: impl Fn(*mut c_char, usize) -> i32) {
    let start = out.len();
    let Ok(needed) = usize::try_from(convert(std::ptr::null_mut(), 0)) else {
        return;
    };
    out.resize(start + needed + 1, 0);
    convert(out[start..].as_mut_ptr().cast(), needed + 1);
    out.truncate(start + needed);
}

/// Lets the C library convert one value.
///
/// # Safety
/// `value` has the type that `spec` names.
unsafe fn print<T: Copy>(out: &mut Vec<u8>, spec: CString, value: T) {
    // SAFETY: the caller's contract. The buffer has room for `size` bytes.
    append(out, |buffer, size| unsafe {
        libc::snprintf(buffer, size, spec.as_ptr(), value)
    });
}

/// The conversion in C's syntax, with numbers for `*` and this length modifier.
fn specification(conversion: &Conversion, extensions: Glibc, length: &str) -> CString {
    let mut spec = String::from("%");
    for (has, flag) in [
        (conversion.left, '-'),
        (conversion.plus, '+'),
        (conversion.space, ' '),
        (conversion.alternate, '#'),
        (conversion.zeros, '0'),
        (extensions.grouping, '\''),
    ] {
        spec.extend(has.then_some(flag));
    }
    if conversion.width > 0 {
        spec += &conversion.width.to_string();
    }
    if let Some(precision) = conversion.precision {
        spec += &format!(".{precision}");
    }
    spec += length;
    spec.push(conversion.letter.into());
    CString::new(spec).expect("no null character in flags, numbers and letters")
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    /// Packs arguments.
    struct Pack {
        bytes: Vec<u8>,
        alignment: usize,
    }

    /// As CUDA does.
    impl Default for Pack {
        fn default() -> Pack {
            Pack::aligned(8)
        }
    }

    impl Pack {
        fn aligned(alignment: usize) -> Pack {
            Pack {
                bytes: Vec::new(),
                alignment,
            }
        }
        fn push(mut self, bytes: &[u8]) -> Pack {
            let alignment = bytes.len().min(self.alignment);
            let at = self.bytes.len().next_multiple_of(alignment);
            self.bytes.resize(at, 0);
            self.bytes.extend_from_slice(bytes);
            self
        }
        fn int(self, value: i32) -> Pack {
            self.push(&value.to_ne_bytes())
        }
        fn long(self, value: i64) -> Pack {
            self.push(&value.to_ne_bytes())
        }
        fn double(self, value: f64) -> Pack {
            self.push(&value.to_ne_bytes())
        }
        fn text(self, value: &CStr) -> Pack {
            self.push(&(value.as_ptr() as u64).to_ne_bytes())
        }
        fn print(self, format: &str) -> String {
            // The buffer is 8-byte aligned like the stack slot clang makes for it.
            let words: Vec<u64> = self
                .bytes
                .chunks(8)
                .map(|chunk| {
                    chunk
                        .iter()
                        .rev()
                        .fold(0, |word, &byte| word << 8 | u64::from(byte))
                })
                .collect();
            let mut out = Vec::new();
            // SAFETY: the tests pack what their formats ask for.
            unsafe {
                let format = CString::new(format).unwrap();
                let mut arguments = Arguments::new(words.as_ptr().cast(), self.alignment);
                format_into(&mut out, format.as_ptr(), &mut arguments);
            };
            String::from_utf8(out).unwrap()
        }
    }

    macro_rules! like_c {
        ($format:expr, $value:expr) => {{
            let format = CString::new($format).unwrap();
            let mut buffer = [0_u8; 512];
            // SAFETY: the buffer is large enough for these tests, and the value has the format's type.
            let len = unsafe { libc::snprintf(buffer.as_mut_ptr().cast(), 512, format.as_ptr(), $value) };
            String::from_utf8(buffer[..len as usize].to_vec()).unwrap()
        }};
    }

    #[test]
    fn integers_like_c() {
        for format in [
            "%d", "%i", "%5d", "%-5d|", "%+d", "% d", "%05d", "%.3d", "%u", "%x", "%#X", "%o",
            "%hhd", "%hd", "%c",
        ] {
            for value in [0, 65, -1, 300, i32::MIN] {
                if format == "%c" && value != 65 {
                    continue;
                }
                assert_eq!(
                    Pack::default().int(value).print(format),
                    like_c!(format, value),
                    "{format} {value}"
                );
            }
        }
        for format in [
            "%ld", "%lld", "%zu", "%jd", "%td", "%lx", "%#llo", "%20lld", "%qd",
        ] {
            for value in [0_i64, -1, i64::MIN, 1 << 40] {
                assert_eq!(
                    Pack::default().long(value).print(format),
                    like_c!(format, value),
                    "{format} {value}"
                );
            }
        }
    }

    #[test]
    fn floats_like_c() {
        for format in [
            "%f", "%e", "%g", "%a", "%F", "%E", "%G", "%A", "%.0f", "%10.3f", "%-10.2e|", "%+g",
            "%#g",
        ] {
            for value in [0.0, -1.5, 1e300, f64::INFINITY, f64::NAN, 0.1] {
                assert_eq!(
                    Pack::default().double(value).print(format),
                    like_c!(format, value),
                    "{format} {value}"
                );
            }
        }
        // 2.5: exponent 1, mantissa 1.01. With 80 bits, the mantissa's first bit is explicit.
        let long_double = if cfg!(target_arch = "x86_64") {
            0x4000_u128 << 64 | 0xa000_0000_0000_0000
        } else {
            0x4000_u128 << 112 | 1 << 110
        };
        let pack = Pack::default()
            .int(1)
            .push(&long_double.to_ne_bytes())
            .int(2);
        assert_eq!(pack.print("%d %.3Lf %d"), "1 2.500 2");
    }

    #[test]
    fn strings_and_pointers() {
        assert_eq!(Pack::default().text(c"abc").print("[%s]"), "[abc]");
        assert_eq!(Pack::default().text(c"abc").print("[%5.2s]"), "[   ab]");
        assert_eq!(Pack::default().long(0).print("%s"), "(null)");
        assert_eq!(Pack::default().long(0x30_1234).print("%p"), "0x301234");
        assert_eq!(Pack::default().print("100%% %%"), "100% %");
    }

    #[test]
    fn arguments_are_aligned_and_in_order() {
        for alignment in [4, 8] {
            let pack = Pack::aligned(alignment)
                .int(1)
                .double(2.5)
                .int(3)
                .long(4)
                .text(c"five");
            assert_eq!(pack.print("%d %g %d %ld %s\n"), "1 2.5 3 4 five\n");
        }
    }

    #[test]
    fn stars() {
        assert_eq!(
            Pack::default().int(6).int(2).double(1.2345).print("%*.*f|"),
            "  1.23|"
        );
        assert_eq!(Pack::default().int(-6).int(42).print("%*d|"), "42    |");
        assert_eq!(
            Pack::default().int(-1).double(1.5).print("%.*f"),
            "1.500000"
        );
    }

    #[test]
    fn nonsense_is_shown() {
        assert_eq!(Pack::default().print("%y %"), "%y %");
        assert_eq!(Pack::default().print("%5"), "%5");
        assert_eq!(Pack::default().print(""), "");
    }
}
