//! Characters of the default kind: comparison, search, `trim` and its like (Fortran 2023, 16.9).

use core::cmp::Ordering;
use core::ffi::{c_char, c_int};

use crate::descriptor::{Descriptor, Header};
use crate::device;

/// # Safety
/// `length` bytes at `text`.
unsafe fn bytes<'a>(text: *const u8, length: usize) -> &'a [u8] {
    if length == 0 {
        return b"";
    }
    // SAFETY: the caller's promise.
    unsafe { core::slice::from_raw_parts(text, length) }
}

/// Compares as if the shorter one were filled with spaces (Fortran 2023, 10.1.5.5.1).
fn compare(one: &[u8], other: &[u8]) -> Ordering {
    let at = |text: &[u8], place: usize| text.get(place).copied().unwrap_or(b' ');
    (0..one.len().max(other.len()))
        .map(|place| at(one, place).cmp(&at(other, place)))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

/// Characters without the spaces at the end.
fn trimmed(text: &[u8]) -> usize {
    text.iter()
        .rposition(|&byte| byte != b' ')
        .map_or(0, |last| last + 1)
}

/// The first place, or the last, from 1 on; 0 for none.
fn place(count: usize, back: bool, mut is_it: impl FnMut(usize) -> bool) -> usize {
    let found = if back {
        (0..count).rev().find(|&at| is_it(at))
    } else {
        (0..count).find(|&at| is_it(at))
    };
    found.map_or(0, |at| at + 1)
}

/// Makes a result of the same shape whose elements have `length` characters.
fn allocate(result: Descriptor, like: Descriptor, length: usize) {
    let mut extents = [0; crate::descriptor::MAX_RANK];
    for (at, extent) in extents.iter_mut().enumerate().take(like.rank()) {
        *extent = like.extent(at);
    }
    result.allocate(like, length, &extents[..like.rank()]);
}

/// `adjustl` and `adjustr`: the spaces of each element to the other end.
///
/// # Safety
/// A descriptor for the result, characters.
unsafe fn adjust(result: *mut Header, text: *mut Header, to_the_right: bool) {
    // SAFETY: the caller's promise.
    unsafe {
        let (result, text) = (Descriptor::at(result), Descriptor::at(text));
        let length = text.element();
        allocate(result, text, length);
        for number in 0..text.count() {
            let (from, to) = (text.nth(number), result.nth(number));
            let characters = bytes(from, length);
            let spaces = if to_the_right {
                length - trimmed(characters)
            } else {
                characters
                    .iter()
                    .position(|&byte| byte != b' ')
                    .unwrap_or(length)
            };
            let rest = length - spaces;
            let (source, target) = if to_the_right {
                (0, spaces)
            } else {
                (spaces, 0)
            };
            to.write_bytes(b' ', length);
            to.add(target)
                .copy_from_nonoverlapping(from.add(source), rest);
        }
    }
}

entries! {
    /// Comparison: below 0, 0, above 0.
    fn _FortranACharacterCompareScalar1(
        one: *const u8, other: *const u8, one_length: usize, other_length: usize,
    ) -> c_int {
        compare(bytes(one, one_length), bytes(other, other_length)) as c_int
    }
    /// `len_trim`
    fn _FortranALenTrim1(text: *const u8, length: usize) -> usize {
        trimmed(bytes(text, length))
    }
    /// `index`
    fn _FortranAIndex1(text: *const u8, length: usize, part: *const u8, part_length: usize, back: bool) -> usize {
        let (text, part) = (bytes(text, length), bytes(part, part_length));
        match (length + 1).checked_sub(part_length) {
            Some(places) => place(places, back, |at| text[at..].starts_with(part)),
            None => 0,
        }
    }
    /// `scan`
    fn _FortranAScan1(text: *const u8, length: usize, set: *const u8, set_length: usize, back: bool) -> usize {
        let (text, set) = (bytes(text, length), bytes(set, set_length));
        place(length, back, |at| set.contains(&text[at]))
    }
    /// `verify`
    fn _FortranAVerify1(text: *const u8, length: usize, set: *const u8, set_length: usize, back: bool) -> usize {
        let (text, set) = (bytes(text, length), bytes(set, set_length));
        place(length, back, |at| !set.contains(&text[at]))
    }
    /// `trim`
    fn _FortranATrim(result: *mut Header, text: *mut Header, _source: *const c_char, _line: c_int) {
        let (result, text) = (Descriptor::at(result), Descriptor::at(text));
        let length = trimmed(bytes(text.base(), text.element()));
        result.allocate(text, length, &[]);
        result.base().copy_from_nonoverlapping(text.base(), length);
    }
    /// `repeat`
    fn _FortranARepeat(
        result: *mut Header, text: *mut Header, copies: i64, _source: *const c_char, _line: c_int,
    ) {
        let (result, text) = (Descriptor::at(result), Descriptor::at(text));
        let (length, copies) = (text.element(), usize::try_from(copies).unwrap_or(0));
        result.allocate(text, length * copies, &[]);
        for number in 0..copies {
            result.base().add(number * length).copy_from_nonoverlapping(text.base(), length);
        }
    }
    /// `adjustl`
    fn _FortranAAdjustl(result: *mut Header, text: *mut Header, _source: *const c_char, _line: c_int) {
        adjust(result, text, false);
    }
    /// `adjustr`
    fn _FortranAAdjustr(result: *mut Header, text: *mut Header, _source: *const c_char, _line: c_int) {
        adjust(result, text, true);
    }
    /// `//`: the first operand becomes the result, and its memory goes.
    fn _FortranACharacterConcatenate(
        result: *mut Header, text: *mut Header, _source: *const c_char, _line: c_int,
    ) {
        let (result, text) = (Descriptor::at(result), Descriptor::at(text));
        let (before, behind) = (result.element(), text.element());
        let memory = device::allocate((before + behind) * result.count(), "characters");
        for number in 0..result.count() {
            let place = memory.add(number * (before + behind));
            place.copy_from_nonoverlapping(result.nth(number), before);
            let from = if text.rank() == 0 { text.base() } else { text.nth(number) };
            place.add(before).copy_from_nonoverlapping(from, behind);
        }
        device::release(result.base());
        result.change(|header| {
            header.base = memory;
            header.element = before + behind;
        });
        result.make_contiguous();
    }
}
