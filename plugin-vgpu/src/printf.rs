//! `vprintf` of device code: C's conversions over a buffer of arguments, promoted as C does for variable
//! arguments, each aligned to its size (CUDA) or to 4 (AMDGCN).

use std::ffi::{CStr, CString, c_char, c_void};

use crate::sm::Sm;

unsafe extern "C" {
    /// The host program's own stream, so that its output and the kernels' come in order.
    static stdout: *mut libc::FILE;
}

/// Prints; returns the number of bytes like C's `vprintf`, or a negative number.
///
/// # Safety
/// `format` is a C string and `args` holds what it asks for, aligned to at most `alignment`, a power of two. The
/// caller runs on a fiber of `sm`.
pub unsafe fn vprintf(sm: &Sm, format: *const c_char, args: *const c_void, alignment: u32) -> i32 {
    if format.is_null() {
        return -1;
    }
    // SAFETY: used for this call only. The buffer belongs to the multiprocessor, so nothing leaks should
    // a bad string end this fiber in the middle of it.
    let text = unsafe { sm.printf_buffer() };
    text.clear();
    // SAFETY: the caller's contract.
    unsafe {
        format_into(
            text,
            CStr::from_ptr(format).to_bytes(),
            &mut Arguments {
                next: args.cast(),
                alignment: alignment as usize,
            },
        )
    };
    // SAFETY: one call, which C makes atomic.
    let written = unsafe { libc::fwrite(text.as_ptr().cast(), 1, text.len(), stdout) };
    if written == text.len() {
        i32::try_from(written).unwrap_or(i32::MAX)
    } else {
        -1
    }
}

/// The argument buffer.
struct Arguments {
    next: *const u8,
    /// Most that an argument is aligned to.
    alignment: usize,
}

impl Arguments {
    /// # Safety
    /// The buffer holds another argument of type `T`.
    unsafe fn take<T: Copy>(&mut self) -> T {
        let size = size_of::<T>();
        let at = self
            .next
            .wrapping_add(self.next.align_offset(size.min(self.alignment)));
        self.next = at.wrapping_add(size);
        // SAFETY: the caller's contract.
        unsafe { at.cast::<T>().read_unaligned() }
    }
}

/// One conversion, split up.
struct Conversion<'a> {
    /// Flags, as written.
    flags: &'a [u8],
    width: Option<i32>,
    precision: Option<i32>,
    /// Length modifier, as written.
    length: &'a [u8],
    kind: u8,
}

/// # Safety
/// `args` holds what `format` asks for.
unsafe fn format_into(out: &mut Vec<u8>, format: &[u8], args: &mut Arguments) {
    let mut rest = format;
    while let Some(at) = rest.iter().position(|&byte| byte == b'%') {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        // SAFETY: the caller's contract.
        let (conversion, len) = unsafe { parse(rest, args) };
        match conversion {
            // SAFETY: the caller's contract.
            Some(conversion) => unsafe { convert(out, &conversion, args) },
            // Not a conversion: shown as written, so that the mistake is seen.
            None => out.extend_from_slice(&rest[..len]),
        }
        rest = &rest[len..];
    }
    out.extend_from_slice(rest);
}

/// Splits the conversion `text` begins with; also its length in bytes.
///
/// # Safety
/// As for [`format_into`]: `*` takes arguments.
unsafe fn parse<'a>(text: &'a [u8], args: &mut Arguments) -> (Option<Conversion<'a>>, usize) {
    let mut at = 1;
    let run = |from: usize, set: &[u8]| {
        text[from..]
            .iter()
            .take_while(|byte| set.contains(byte))
            .count()
    };
    let flags = &text[at..at + run(at, b"-+ #0'")];
    at += flags.len();
    let mut number = |at: &mut usize| {
        if text.get(*at) == Some(&b'*') {
            *at += 1;
            // SAFETY: the caller's contract.
            return Some(unsafe { args.take::<i32>() });
        }
        let digits = run(*at, b"0123456789");
        let digits = &text[*at..*at + digits];
        *at += digits.len();
        std::str::from_utf8(digits).ok()?.parse().ok()
    };
    let width = number(&mut at);
    let mut precision = None;
    if text.get(at) == Some(&b'.') {
        at += 1;
        precision = Some(number(&mut at).unwrap_or(0));
    }
    let length = &text[at..at + run(at, b"hlqjztL")];
    at += length.len();
    match text.get(at) {
        Some(&kind) if b"diouxXcspaAeEfFgGn%".contains(&kind) => (
            Some(Conversion {
                flags,
                width,
                precision,
                length,
                kind,
            }),
            at + 1,
        ),
        Some(_) => (None, at + 1),
        None => (None, at),
    }
}

/// # Safety
/// As for [`format_into`].
unsafe fn convert(out: &mut Vec<u8>, conversion: &Conversion<'_>, args: &mut Arguments) {
    // SAFETY: the caller's contract, for every `take`; each value has the type its conversion names.
    unsafe {
        match conversion.kind {
            b'%' => out.push(b'%'),
            // CUDA has no %n; its pointer is skipped.
            b'n' => drop(args.take::<u64>()),
            b'd' | b'i' | b'o' | b'u' | b'x' | b'X' => {
                if matches!(conversion.length, b"" | b"h" | b"hh") {
                    print(out, conversion, args.take::<i32>());
                } else {
                    print(out, conversion, args.take::<i64>());
                }
            }
            b'c' => print(
                out,
                &Conversion {
                    length: b"",
                    ..*conversion
                },
                args.take::<i32>(),
            ),
            b'p' => print(
                out,
                &Conversion {
                    length: b"",
                    ..*conversion
                },
                args.take::<u64>(),
            ),
            b's' => {
                let text = args.take::<*const c_char>();
                let text = if text.is_null() {
                    c"(null)".as_ptr()
                } else {
                    text
                };
                print(
                    out,
                    &Conversion {
                        length: b"",
                        ..*conversion
                    },
                    text,
                );
            }
            // clang lays constants of type long double out as for the host.
            _ if conversion.length == b"L" => {
                print_long_double(out, conversion, &args.take::<LongDouble>());
            }
            _ => print(
                out,
                &Conversion {
                    length: b"",
                    ..*conversion
                },
                args.take::<f64>(),
            ),
        }
    }
}

/// A `long double` of x86-64 in memory: 80 bits and padding.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
struct LongDouble([u8; 16]);

/// x86-64's `va_list` (System V psABI, §3.5.7). Rust has no `long double` to pass, but one in memory can be pointed at.
#[repr(C)]
struct VaList {
    general_offset: u32,
    vector_offset: u32,
    overflow: *const c_void,
    saved: *const c_void,
}

unsafe extern "C" {
    fn vsnprintf(
        buffer: *mut c_char,
        size: usize,
        format: *const c_char,
        arguments: *mut VaList,
    ) -> i32;
}

/// Lets the C library convert a `long double`.
fn print_long_double(out: &mut Vec<u8>, conversion: &Conversion<'_>, value: &LongDouble) {
    let Some(spec) = specification(conversion) else {
        return;
    };
    let convert = |buffer: *mut c_char, size: usize| {
        let mut arguments = VaList {
            // Past all registers: what comes is in memory.
            general_offset: 48,
            vector_offset: 304,
            overflow: (&raw const *value).cast(),
            saved: std::ptr::null(),
        };
        // SAFETY: the list has what `spec` asks for; there is room for `size` bytes.
        unsafe { vsnprintf(buffer, size, spec.as_ptr(), &mut arguments) }
    };
    append(out, convert);
}

/// Appends what `convert` writes into a buffer of the size it is told; it gives the size it needs, less one.
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
/// `value` has the type `conversion` names.
unsafe fn print<T: Copy>(out: &mut Vec<u8>, conversion: &Conversion<'_>, value: T) {
    let Some(spec) = specification(conversion) else {
        return;
    };
    // SAFETY: the caller's contract; there is room for `size` bytes.
    append(out, |buffer, size| unsafe {
        libc::snprintf(buffer, size, spec.as_ptr(), value)
    });
}

/// The conversion as C writes it, with numbers for `*`.
fn specification(conversion: &Conversion<'_>) -> Option<CString> {
    let mut spec = vec![b'%'];
    spec.extend_from_slice(conversion.flags);
    if let Some(width) = conversion.width {
        // A negative width from `*` is a minus flag and its magnitude: as text it reads just so.
        spec.extend_from_slice(width.to_string().as_bytes());
    }
    // A negative precision from `*` counts as none.
    if let Some(precision) = conversion.precision.filter(|&precision| precision >= 0) {
        spec.extend_from_slice(format!(".{precision}").as_bytes());
    }
    spec.extend_from_slice(conversion.length);
    spec.push(conversion.kind);
    CString::new(spec).ok()
}

#[cfg(test)]
mod tests {
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
                format_into(
                    &mut out,
                    format.as_bytes(),
                    &mut Arguments {
                        next: words.as_ptr().cast(),
                        alignment: self.alignment,
                    },
                )
            };
            String::from_utf8(out).unwrap()
        }
    }

    macro_rules! like_c {
        ($format:expr, $value:expr) => {{
            let format = CString::new($format).unwrap();
            let mut buffer = [0_u8; 512];
            // SAFETY: the buffer is large enough for these tests and the value has the format's type.
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
        // 2.5 with 80 bits: its mantissa's upper bits 1010…, exponent 1.
        let long_double = (0x4000_u128 << 64 | 0xa000_0000_0000_0000).to_ne_bytes();
        let pack = Pack::default().int(1).push(&long_double).int(2);
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
