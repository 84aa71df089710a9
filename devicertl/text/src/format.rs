//! The formats of `printf`: C 2017, §7.21.6.1.

use core::ffi::c_char;

use crate::arguments::Arguments;
use crate::conversion::{Conversion, pad};
use crate::format_parser::{Format, NoExtensions};
use crate::sink::{Buffer, Sink};
use crate::{floats, integers};

/// Puts a format with its arguments.
///
/// # Safety
/// `format` is a C string, and `arguments` are what it asks for.
pub unsafe fn put(out: &mut Buffer, format: *const c_char, mut arguments: Arguments) {
    // SAFETY: the caller's promise.
    let mut format = unsafe { Format::new(format) };
    while format.peek() != 0 {
        let begin = format.position();
        if !format.accept(b'%') {
            out.put(format.peek());
            format.skip();
            continue;
        }
        // SAFETY: the caller's promise; `begin` and what follows are of one string.
        unsafe {
            let conversion = format.conversion(&mut arguments, &mut NoExtensions);
            if !convert(out, &conversion, &mut arguments) {
                // Not C's: shown as it is.
                out.put_all(format.since(begin));
            }
        }
    }
}

/// Puts one argument. False: C has no such conversion.
unsafe fn convert(out: &mut Buffer, conversion: &Conversion, arguments: &mut Arguments) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        match conversion.letter {
            b'd' | b'i' => {
                let value = signed(conversion.bytes, arguments);
                integers::put(out, conversion, value < 0, value.unsigned_abs());
            }
            b'u' | b'o' | b'x' | b'X' => {
                let value = signed(conversion.bytes, arguments) as u64;
                let unused = match conversion.bytes {
                    0 => 32,
                    bytes => 64 - 8 * bytes as u32,
                };
                integers::put(out, conversion, false, value << unused >> unused);
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                floats::put(out, conversion, arguments.take());
            }
            b'c' => {
                let character: i32 = arguments.take();
                pad(out, conversion, 1, |out| out.put(character as u8));
            }
            b's' => string(out, conversion, arguments.take()),
            b'p' => match arguments.take::<u64>() {
                0 => pad(out, conversion, 5, |out| out.put_all(b"(nil)")),
                address => integers::put(out, conversion, false, address),
            },
            b'n' => {
                let place: *mut u8 = arguments.take();
                let length = out.length as u64;
                let bytes = if conversion.bytes == 0 {
                    4
                } else {
                    conversion.bytes
                };
                place.copy_from_nonoverlapping(length.to_le_bytes().as_ptr(), bytes);
            }
            b'%' => out.put(b'%'),
            _ => return false,
        }
    }
    true
}

/// The next argument as an integer of so many bytes, sign-extended.
unsafe fn signed(bytes: usize, arguments: &mut Arguments) -> i64 {
    // SAFETY: the caller's promise.
    unsafe {
        match bytes {
            8 => arguments.take(),
            2 => (arguments.take::<i32>() as i16).into(),
            1 => (arguments.take::<i32>() as i8).into(),
            _ => arguments.take::<i32>().into(),
        }
    }
}

unsafe fn string(out: &mut Buffer, conversion: &Conversion, text: *const u8) {
    let text = if text.is_null() {
        c"(null)".as_ptr().cast()
    } else {
        text
    };
    let most = conversion.precision.unwrap_or(usize::MAX);
    let mut length = 0;
    // SAFETY: the caller's promise: a C string, or as many bytes as the precision says.
    unsafe {
        while length < most && *text.add(length) != 0 {
            length += 1;
        }
        let text = core::slice::from_raw_parts(text, length);
        pad(out, conversion, length, |out| out.put_all(text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::ALIGNMENT;
    use std::ffi::CString;

    /// What we make of a format with one argument, in a buffer of `size`.
    fn ours<T: Copy>(format: &str, width: Option<i32>, value: T, size: usize) -> (String, usize) {
        let format = CString::new(format).unwrap();
        let mut packed = [0u64; 2];
        let mut text = vec![b'!'; size];
        // SAFETY: a width before a value that may be aligned to 8, both in the buffer.
        unsafe {
            let at = packed.as_mut_ptr().cast::<u8>();
            if let Some(width) = width {
                at.cast::<i32>().write(width);
            }
            let offset = match width {
                Some(_) => 4usize.next_multiple_of(align_of::<T>()),
                None => 0,
            };
            at.add(offset).cast::<T>().write_unaligned(value);
            let mut out = Buffer::new(text.as_mut_ptr(), size);
            put(&mut out, format.as_ptr(), Arguments::new(at, ALIGNMENT));
            out.end();
            let length = out.length;
            let shown = text.split(|byte| *byte == 0).next().unwrap_or_default();
            (String::from_utf8_lossy(shown).into_owned(), length)
        }
    }

    /// The C library's text is ours, whole and cut.
    macro_rules! like_c {
        ($format:expr, $value:expr) => {{
            let format = CString::new($format).unwrap();
            for size in [2000, 5, 1] {
                let mut text = vec![b'!'; size];
                // SAFETY: one argument, which the format asks for.
                let length = unsafe {
                    libc::snprintf(text.as_mut_ptr().cast(), size, format.as_ptr(), $value)
                };
                let shown = text.split(|byte| *byte == 0).next().unwrap_or_default();
                let expected = (String::from_utf8_lossy(shown).into_owned(), length as usize);
                assert_eq!(
                    ours($format, None, $value, size),
                    expected,
                    "{} {:?}",
                    $format,
                    $value
                );
            }
        }};
    }

    const FLAGS: [&str; 12] = [
        "", "-", "+", " ", "#", "0", "-#", "+0", " 0#", "-+#", "-0", "+ ",
    ];
    const SIZES: [&str; 8] = ["", "1", "12", "30", ".0", ".3", "20.5", "9.17"];

    fn each_format(conversion: &str, check: impl Fn(&str)) {
        for flags in FLAGS {
            for size in SIZES {
                check(&format!("<%{flags}{size}{conversion}>"));
            }
        }
    }

    #[test]
    fn integers_like_c() {
        for conversion in ["d", "i", "u", "o", "x", "X"] {
            for value in [0, 1, -1, 42, i32::MIN, i32::MAX, 0x1234_5678] {
                each_format(conversion, |format| like_c!(format, value));
                each_format(&format!("h{conversion}"), |format| like_c!(format, value));
                each_format(&format!("hh{conversion}"), |format| like_c!(format, value));
            }
            for value in [0, -1, i64::MIN, i64::MAX, 1 << 40] {
                for length in ["l", "ll", "z", "j", "t"] {
                    each_format(&format!("{length}{conversion}"), |format| {
                        like_c!(format, value)
                    });
                }
            }
        }
    }

    #[test]
    fn floats_like_c() {
        let values = [
            0.0,
            -0.0,
            1.0,
            -1.5,
            0.1,
            2.5,
            3.5,
            9.995,
            99999.95,
            999999.5,
            1e6,
            123456.0,
            1e-4,
            1e-5,
            0.00012345,
            1e100,
            1.7976931348623157e308,
            4.9e-324,
            2.2250738585072014e-308,
            5e-310,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            1.9999999999999998,
            0.5,
            8.5,
        ];
        for conversion in ["f", "F", "e", "E", "g", "G", "a", "A"] {
            for value in values {
                each_format(conversion, |format| {
                    // glibc 2.36 loses the zeros of `%#g` where rounding gives a digit more.
                    let is_wrong_there =
                        format.contains('#') && conversion.eq_ignore_ascii_case("g");
                    if !(is_wrong_there && value.to_string().contains("99")) {
                        like_c!(format, value);
                    }
                });
            }
            like_c!(format!("%l{conversion}").as_str(), 1.25);
        }
        assert_eq!(ours("%#.5g", None, 99999.95, 100).0, "1.0000e+05");
        for value in values {
            like_c!("%.400f", value);
            like_c!("%.330e", value);
            like_c!("%.50g", value);
            like_c!("%#.1g", value);
        }
    }

    #[test]
    fn texts_like_c() {
        let (text, nothing) = (c"characters", std::ptr::null::<c_char>());
        for format in ["%s", "%20s|", "%-20s|", "%.4s", "%12.3s", "%.0s", "%.*s"] {
            if !format.contains('*') {
                like_c!(format, text.as_ptr());
            }
        }
        assert_eq!(ours("%s", None, nothing, 100), ("(null)".into(), 6));
        for format in ["%c", "%5c|", "%-5c|"] {
            like_c!(format, i32::from(b'x'));
        }
        for format in ["%p", "%20p|", "%-20p|"] {
            like_c!(format, 0x1234_5678_usize as *const u8);
            like_c!(format, std::ptr::null::<u8>());
        }
    }

    #[test]
    fn widths_that_are_arguments() {
        assert_eq!(ours("%*d|", Some(6), 42, 100).0, "    42|");
        assert_eq!(ours("%*d|", Some(-6), 42, 100).0, "42    |");
        assert_eq!(ours("%.*f|", Some(2), 1.005, 100).0, "1.00|");
        assert_eq!(ours("%.*f|", Some(-2), 1.5, 100).0, "1.500000|");
        assert_eq!(ours("%.*s|", Some(3), c"text".as_ptr(), 100).0, "tex|");
    }

    #[test]
    fn the_rest() {
        let mut counts = [-1i64; 2];
        ours("12345%n", None, counts.as_mut_ptr(), 3);
        assert_eq!(counts[0] as i32, 5);
        assert_eq!(counts[0] >> 32, -1, "an int");
        ours("1234567%ln", None, counts.as_mut_ptr(), 3);
        assert_eq!(counts, [7, -1]);
        assert_eq!(ours("100%%", None, 0, 100), ("100%".into(), 4));
        assert_eq!(ours("%5y and %", None, 0, 100), ("%5y and %".into(), 9));
        assert_eq!(ours("text", None, 0, 0), (String::new(), 4));
    }
}
