//! `ctype.h`, in the C locale: the functions, and the tables that glibc's macros look into.

use core::ffi::c_int;

use super::c_functions;

/// A character, if it is one of ASCII.
fn ascii(character: c_int) -> Option<u8> {
    u8::try_from(character).ok().filter(u8::is_ascii)
}

macro_rules! classes {
    ($($name:ident = $class:expr;)*) => {
        c_functions! {
            $(#[doc = concat!("`", stringify!($name), "` (ISO C17, §7.4.1; `isascii`: POSIX).")]
            fn $name(character: c_int) -> c_int {
                let class: fn(&u8) -> bool = $class;
                ascii(character).is_some_and(|byte| class(&byte)).into()
            })*
        }
    };
}

const fn is_space(byte: &u8) -> bool {
    matches!(*byte, b' ' | 9..=13)
}

const fn is_print(byte: &u8) -> bool {
    matches!(*byte, b' '..=b'~')
}

const fn is_blank(byte: &u8) -> bool {
    matches!(*byte, b' ' | b'\t')
}

classes! {
    isalnum = u8::is_ascii_alphanumeric;
    isalpha = u8::is_ascii_alphabetic;
    isblank = is_blank;
    iscntrl = u8::is_ascii_control;
    isdigit = u8::is_ascii_digit;
    isgraph = u8::is_ascii_graphic;
    islower = u8::is_ascii_lowercase;
    isprint = is_print;
    ispunct = u8::is_ascii_punctuation;
    isspace = is_space;
    isupper = u8::is_ascii_uppercase;
    isxdigit = u8::is_ascii_hexdigit;
    isascii = u8::is_ascii;
}

/// Characters that tables have: -128 (for a signed `char`) to 255.
const FIRST: i32 = -128;
const COUNT: usize = 384;

/// The bits of a character in glibc's table (`ctype.h`, little endian).
const fn bits(byte: u8) -> u16 {
    let classes = [
        (byte.is_ascii_uppercase(), 0x100),
        (byte.is_ascii_lowercase(), 0x200),
        (byte.is_ascii_alphabetic(), 0x400),
        (byte.is_ascii_digit(), 0x800),
        (byte.is_ascii_hexdigit(), 0x1000),
        (is_space(&byte), 0x2000),
        (is_print(&byte), 0x4000),
        (byte.is_ascii_graphic(), 0x8000),
        (is_blank(&byte), 0x1),
        (byte.is_ascii_control(), 0x2),
        (byte.is_ascii_punctuation(), 0x4),
        (byte.is_ascii_alphanumeric(), 0x8),
    ];
    let (mut bits, mut i) = (0, 0);
    while i < classes.len() {
        if classes[i].0 {
            bits |= classes[i].1;
        }
        i += 1;
    }
    bits
}

/// A table by `$of`, which gets an ASCII character; others have `$other`.
macro_rules! table {
    ($type:ty, $of:expr, $other:expr) => {{
        let mut table = [0 as $type; COUNT];
        let mut i = 0;
        while i < COUNT {
            let character = i as i32 + FIRST;
            table[i] = if character >= 0 && character < 128 {
                $of(character as u8) as $type
            } else {
                $other(character) as $type
            };
            i += 1;
        }
        table
    }};
}

const fn none(_character: i32) -> u16 {
    0
}

const fn itself(character: i32) -> i32 {
    character
}

const fn to_lower(byte: u8) -> u8 {
    byte.to_ascii_lowercase()
}

const fn to_upper(byte: u8) -> u8 {
    byte.to_ascii_uppercase()
}

static CLASSES: [u16; COUNT] = table!(u16, bits, none);
static LOWER: [i32; COUNT] = table!(i32, to_lower, itself);
static UPPER: [i32; COUNT] = table!(i32, to_upper, itself);

/// A pointer to character 0 of a table, in memory of its own as glibc has it.
#[repr(transparent)]
struct Zero<T>(*const T);
// SAFETY: points to constants.
unsafe impl<T> Sync for Zero<T> {}

const ZERO: usize = -FIRST as usize;
static CLASSES_ZERO: Zero<u16> = Zero(&raw const CLASSES[ZERO]);
static LOWER_ZERO: Zero<i32> = Zero(&raw const LOWER[ZERO]);
static UPPER_ZERO: Zero<i32> = Zero(&raw const UPPER[ZERO]);

c_functions! {
    /// `tolower` (ISO C17, §7.4.2.1).
    fn tolower(character: c_int) -> c_int {
        ascii(character).map_or(character, |byte| to_lower(byte).into())
    }
    /// `toupper` (ISO C17, §7.4.2.2).
    fn toupper(character: c_int) -> c_int {
        ascii(character).map_or(character, |byte| to_upper(byte).into())
    }
    /// Behind `isalpha` and the like (ISO C17, §7.4.1) of glibc's header.
    fn __ctype_b_loc() -> *const *const u16 { &raw const CLASSES_ZERO.0 }
    /// Behind `tolower` (ISO C17, §7.4.2.1) of glibc's header.
    fn __ctype_tolower_loc() -> *const *const i32 { &raw const LOWER_ZERO.0 }
    /// Behind `toupper` (ISO C17, §7.4.2.2) of glibc's header.
    fn __ctype_toupper_loc() -> *const *const i32 { &raw const UPPER_ZERO.0 }
}
