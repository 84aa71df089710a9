//! `string.h` and `strings.h`.

use core::ffi::{c_char, c_int, c_void};
use core::ptr::null_mut;

use super::c_functions;

/// The byte `at` bytes into a string, as `unsigned char`.
unsafe fn byte(text: *const c_char, at: usize) -> u8 {
    // SAFETY: the caller's promise. Volatile: no call of a function of this file is to come of a loop over it.
    unsafe { text.add(at).cast::<u8>().read_volatile() }
}

unsafe fn length(text: *const c_char, limit: usize) -> usize {
    let mut length = 0;
    // SAFETY: the caller's promise.
    while length < limit && unsafe { byte(text, length) } != 0 {
        length += 1;
    }
    length
}

unsafe fn copy(to: *mut c_char, from: *const c_char, bytes: usize) {
    for at in 0..bytes {
        // SAFETY: the caller's promise.
        unsafe { to.add(at).write_volatile(*from.add(at)) };
    }
}

fn lower(byte: u8) -> u8 {
    byte.to_ascii_lowercase()
}

/// The difference of the first bytes that `fold` makes different, over at most `limit`, to the strings' end.
unsafe fn compare(
    one: *const c_char,
    other: *const c_char,
    limit: usize,
    fold: fn(u8) -> u8,
) -> c_int {
    for at in 0..limit {
        // SAFETY: the caller's promise.
        let (a, b) = unsafe { (fold(byte(one, at)), fold(byte(other, at))) };
        if a != b || a == 0 {
            return c_int::from(a) - c_int::from(b);
        }
    }
    0
}

fn same(byte: u8) -> u8 {
    byte
}

/// How many bytes of `text` from its begin are all in `set`, or all not.
unsafe fn span(text: *const c_char, set: *const c_char, inside: bool) -> usize {
    let mut at = 0;
    // SAFETY: the caller's promise.
    unsafe {
        while byte(text, at) != 0 && has(set, byte(text, at)) == inside {
            at += 1;
        }
    }
    at
}

unsafe fn has(set: *const c_char, wanted: u8) -> bool {
    // SAFETY: the caller's promise.
    (0..unsafe { length(set, usize::MAX) }).any(|at| unsafe { byte(set, at) } == wanted)
}

/// Whether the `bytes` at both places are the same.
unsafe fn equal(one: *const c_char, other: *const c_char, bytes: usize) -> bool {
    // SAFETY: the caller's promise.
    (0..bytes).all(|at| unsafe { byte(one, at) == byte(other, at) })
}

/// Where `needle` begins in the `bytes` at `text`, or null.
unsafe fn find(
    text: *const c_char,
    bytes: usize,
    needle: *const c_char,
    needle_bytes: usize,
) -> *mut c_char {
    let Some(last) = bytes.checked_sub(needle_bytes) else {
        return null_mut();
    };
    (0..=last)
        // SAFETY: the caller's promise.
        .find(|&at| unsafe { equal(text.add(at), needle, needle_bytes) })
        .map_or(null_mut(), |at| text.wrapping_add(at).cast_mut())
}

unsafe fn duplicate(text: *const c_char, bytes: usize) -> *mut c_char {
    // SAFETY: the device heap; the caller's promise.
    unsafe {
        let memory = super::malloc(bytes + 1).cast::<c_char>();
        if !memory.is_null() {
            copy(memory, text, bytes);
            *memory.add(bytes) = 0;
        }
        memory
    }
}

c_functions! {
    /// `strlen` (ISO C17, §7.24.6.3).
    fn strlen(text: *const c_char) -> usize { length(text, usize::MAX) }
    /// `strnlen` (POSIX).
    fn strnlen(text: *const c_char, limit: usize) -> usize { length(text, limit) }

    /// `memcmp` (ISO C17, §7.24.4.1).
    fn memcmp(one: *const c_void, other: *const c_void, bytes: usize) -> c_int {
        for at in 0..bytes {
            let (a, b) = (byte(one.cast(), at), byte(other.cast(), at));
            if a != b {
                return c_int::from(a) - c_int::from(b);
            }
        }
        0
    }
    /// `bcmp` (BSD): clang turns `memcmp` into it where only equality matters.
    fn bcmp(one: *const c_void, other: *const c_void, bytes: usize) -> c_int {
        (!equal(one.cast(), other.cast(), bytes)).into()
    }
    /// `memchr` (ISO C17, §7.24.5.1).
    fn memchr(memory: *const c_void, wanted: c_int, bytes: usize) -> *mut c_void {
        let text: *const c_char = memory.cast();
        (0..bytes)
            .find(|&at| byte(text, at) == wanted as u8)
            .map_or(null_mut(), |at| text.wrapping_add(at).cast_mut().cast())
    }
    /// `memrchr` (GNU).
    fn memrchr(memory: *const c_void, wanted: c_int, bytes: usize) -> *mut c_void {
        let text: *const c_char = memory.cast();
        (0..bytes)
            .rev()
            .find(|&at| byte(text, at) == wanted as u8)
            .map_or(null_mut(), |at| text.wrapping_add(at).cast_mut().cast())
    }
    /// `memmem` (GNU).
    fn memmem(memory: *const c_void, bytes: usize, needle: *const c_void, needle_bytes: usize) -> *mut c_void {
        find(memory.cast(), bytes, needle.cast(), needle_bytes).cast()
    }
    /// `memccpy` (POSIX).
    fn memccpy(to: *mut c_void, from: *const c_void, last: c_int, bytes: usize) -> *mut c_void {
        for at in 0..bytes {
            let one = byte(from.cast(), at);
            to.cast::<u8>().add(at).write(one);
            if one == last as u8 {
                return to.cast::<u8>().add(at + 1).cast();
            }
        }
        null_mut()
    }

    /// `strcmp` (ISO C17, §7.24.4.2).
    fn strcmp(one: *const c_char, other: *const c_char) -> c_int { compare(one, other, usize::MAX, same) }
    /// `strncmp` (ISO C17, §7.24.4.4).
    fn strncmp(one: *const c_char, other: *const c_char, limit: usize) -> c_int { compare(one, other, limit, same) }
    /// `strcoll` (ISO C17, §7.24.4.3), in the C locale.
    fn strcoll(one: *const c_char, other: *const c_char) -> c_int { compare(one, other, usize::MAX, same) }
    /// `strcasecmp` (POSIX).
    fn strcasecmp(one: *const c_char, other: *const c_char) -> c_int { compare(one, other, usize::MAX, lower) }
    /// `strncasecmp` (POSIX).
    fn strncasecmp(one: *const c_char, other: *const c_char, limit: usize) -> c_int {
        compare(one, other, limit, lower)
    }

    /// `stpcpy` (POSIX).
    fn stpcpy(to: *mut c_char, from: *const c_char) -> *mut c_char {
        let bytes = length(from, usize::MAX);
        copy(to, from, bytes + 1);
        to.add(bytes)
    }
    /// `strcpy` (ISO C17, §7.24.2.3).
    fn strcpy(to: *mut c_char, from: *const c_char) -> *mut c_char {
        copy(to, from, length(from, usize::MAX) + 1);
        to
    }
    /// `stpncpy` (POSIX).
    fn stpncpy(to: *mut c_char, from: *const c_char, bytes: usize) -> *mut c_char {
        let used = length(from, bytes);
        copy(to, from, used);
        for at in used..bytes {
            to.add(at).write_volatile(0);
        }
        to.add(used)
    }
    /// `strncpy` (ISO C17, §7.24.2.4).
    fn strncpy(to: *mut c_char, from: *const c_char, bytes: usize) -> *mut c_char {
        stpncpy(to, from, bytes);
        to
    }
    /// `strcat` (ISO C17, §7.24.3.1).
    fn strcat(to: *mut c_char, from: *const c_char) -> *mut c_char {
        copy(to.add(length(to, usize::MAX)), from, length(from, usize::MAX) + 1);
        to
    }
    /// `strncat` (ISO C17, §7.24.3.2).
    fn strncat(to: *mut c_char, from: *const c_char, limit: usize) -> *mut c_char {
        let (end, bytes) = (to.add(length(to, usize::MAX)), length(from, limit));
        copy(end, from, bytes);
        *end.add(bytes) = 0;
        to
    }
    /// `strlcpy` (BSD).
    fn strlcpy(to: *mut c_char, from: *const c_char, size: usize) -> usize {
        let bytes = length(from, usize::MAX);
        if size > 0 {
            let used = bytes.min(size - 1);
            copy(to, from, used);
            *to.add(used) = 0;
        }
        bytes
    }
    /// `strlcat` (BSD).
    fn strlcat(to: *mut c_char, from: *const c_char, size: usize) -> usize {
        let used = length(to, size);
        used + strlcpy(to.add(used), from, size - used)
    }
    /// `strdup` (POSIX).
    fn strdup(text: *const c_char) -> *mut c_char { duplicate(text, length(text, usize::MAX)) }
    /// `strndup` (POSIX).
    fn strndup(text: *const c_char, limit: usize) -> *mut c_char { duplicate(text, length(text, limit)) }

    /// `strchr` (ISO C17, §7.24.5.2).
    fn strchr(text: *const c_char, wanted: c_int) -> *mut c_char {
        memchr(text.cast(), wanted, length(text, usize::MAX) + 1).cast()
    }
    /// `strchrnul` (GNU).
    fn strchrnul(text: *const c_char, wanted: c_int) -> *mut c_char {
        let mut at = 0;
        while byte(text, at) != 0 && byte(text, at) != wanted as u8 {
            at += 1;
        }
        text.add(at).cast_mut()
    }
    /// `strrchr` (ISO C17, §7.24.5.5).
    fn strrchr(text: *const c_char, wanted: c_int) -> *mut c_char {
        memrchr(text.cast(), wanted, length(text, usize::MAX) + 1).cast()
    }
    /// `strstr` (ISO C17, §7.24.5.7).
    fn strstr(text: *const c_char, needle: *const c_char) -> *mut c_char {
        find(text, length(text, usize::MAX), needle, length(needle, usize::MAX))
    }
    /// `strspn` (ISO C17, §7.24.5.6).
    fn strspn(text: *const c_char, set: *const c_char) -> usize { span(text, set, true) }
    /// `strcspn` (ISO C17, §7.24.5.3).
    fn strcspn(text: *const c_char, set: *const c_char) -> usize { span(text, set, false) }
    /// `strpbrk` (ISO C17, §7.24.5.4).
    fn strpbrk(text: *const c_char, set: *const c_char) -> *mut c_char {
        let at = text.add(span(text, set, false));
        if byte(at, 0) == 0 { null_mut() } else { at.cast_mut() }
    }
    /// `strsep` (BSD).
    fn strsep(rest: *mut *mut c_char, set: *const c_char) -> *mut c_char {
        let begin = *rest;
        if !begin.is_null() {
            let end = begin.add(span(begin, set, false));
            *rest = if byte(end, 0) == 0 { null_mut() } else { end.add(1) };
            *end = 0;
        }
        begin
    }
    /// `strtok_r` (POSIX).
    fn strtok_r(text: *mut c_char, set: *const c_char, rest: *mut *mut c_char) -> *mut c_char {
        let text = if text.is_null() { *rest } else { text };
        let begin = text.add(span(text, set, true));
        let end = begin.add(span(begin, set, false));
        let more = byte(end, 0) != 0;
        *end = 0;
        *rest = if more { end.add(1) } else { end };
        if begin == end { null_mut() } else { begin }
    }
}
