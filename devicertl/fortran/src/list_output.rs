//! One statement of list-directed output: its items as text (Fortran 2023, 13.10.4), with the spaces and the ends of
//! lines that flang's run-time library puts between them. Nothing is sent before the statement ends, so a statement's
//! lines stay together.

use crate::device;
use crate::real_text::{self, Real};
use crate::value::Complex;

/// Most characters of a line, as flang has it.
const LINE: usize = 79;
/// The buffer's first size.
const FIRST: usize = 128;

/// Digits of a number, at least one, in the end of `room`.
pub fn digits_of(mut number: u128, room: &mut [u8; 40]) -> &[u8] {
    let mut first = room.len();
    loop {
        first -= 1;
        // In 64 bits where that does: 128-bit division is a function of its own.
        let digit = match u64::try_from(number) {
            Ok(small) => {
                number = (small / 10).into();
                small % 10
            }
            Err(_) => {
                let digit = number % 10;
                number /= 10;
                digit as u64
            }
        };
        room[first] = b'0' + digit as u8;
        if number == 0 || first == 0 {
            return &room[first..];
        }
    }
}

/// A statement under way.
#[derive(Debug)]
pub struct Statement {
    text: *mut u8,
    length: usize,
    room: usize,
    /// Characters of the line so far.
    position: usize,
    /// The last item was of characters: the next such item follows without a space.
    after_characters: bool,
}

impl Statement {
    /// Begins one.
    pub fn new() -> Statement {
        Statement {
            text: device::allocate(FIRST, "a line of output"),
            length: 0,
            room: FIRST,
            position: 0,
            after_characters: false,
        }
    }

    fn append(&mut self, byte: u8) {
        // One byte stays for the null character.
        if self.length + 1 >= self.room {
            let more = device::allocate(self.room * 2, "a line of output");
            // SAFETY: both are on the heap, the new one is larger, and the old one is not used again.
            unsafe {
                more.copy_from_nonoverlapping(self.text, self.length);
                device::release(self.text);
            }
            (self.text, self.room) = (more, self.room * 2);
        }
        // SAFETY: within the buffer.
        unsafe { self.text.add(self.length).write(byte) };
        self.length += 1;
    }

    fn put(&mut self, text: &[u8]) {
        for &byte in text {
            // A null character would end the text on its way.
            if byte != 0 {
                self.append(byte);
            }
        }
        self.position += text.len();
    }

    fn end_line(&mut self) {
        self.append(b'\n');
        self.position = 0;
    }

    fn left(&self) -> usize {
        LINE.saturating_sub(self.position)
    }

    /// Begins a line if the present one has no room for as many characters.
    fn make_room(&mut self, characters: usize) {
        if self.position > 0 && characters > self.left() {
            self.end_line();
        }
    }

    /// A number, which always has a space in front.
    fn number(&mut self, before: &[u8], text: &[u8], behind: &[u8]) {
        self.make_room(before.len() + text.len() + behind.len());
        self.put(before);
        self.put(text);
        self.put(behind);
        self.after_characters = false;
    }

    /// An integer.
    pub fn integer(&mut self, value: i128) {
        let mut room = [0; 40];
        let before: &[u8] = if value < 0 { b" -" } else { b" " };
        self.number(before, digits_of(value.unsigned_abs(), &mut room), b"");
    }

    /// A real.
    pub fn real<R: Real>(&mut self, value: R) {
        self.number(b" ", real_text::text(value).bytes(), b"");
    }

    /// A complex number.
    pub fn complex<R: Real>(&mut self, value: Complex<R>) {
        self.number(b" (", real_text::text(value.re).bytes(), b",");
        self.number(b"", real_text::text(value.im).bytes(), b")");
    }

    /// A space in front of an item, or a new line instead.
    fn space(&mut self, characters: usize, of_characters: bool) {
        let needs_space = self.position == 0 || !(of_characters && self.after_characters);
        self.after_characters = false;
        let wanted = usize::from(needs_space) + characters;
        if self.position > 0 && wanted > self.left() {
            self.end_line();
        } else if needs_space {
            self.put(b" ");
        }
    }

    /// A logical.
    pub fn logical(&mut self, value: bool) {
        self.space(1, false);
        self.put(if value { b"T" } else { b"F" });
    }

    /// Characters, which may be cut at the end of a line.
    pub fn characters(&mut self, text: &[u8]) {
        self.space(text.len().min(1), true);
        let mut rest = text;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(self.left()));
            self.put(now);
            if !later.is_empty() {
                self.end_line();
                self.put(b" ");
            }
            rest = later;
        }
        self.after_characters = true;
    }

    /// The text so far.
    #[cfg(test)]
    fn text(&self) -> &[u8] {
        // SAFETY: as many bytes of the buffer were written.
        unsafe { core::slice::from_raw_parts(self.text, self.length) }
    }

    /// Ends it: its lines go out as one record.
    pub fn end(mut self) {
        self.end_line();
        // SAFETY: `append` leaves room for the null character; the buffer is not used again.
        unsafe {
            self.text.add(self.length).write(0);
            device::print(self.text);
            device::release(self.text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines that items make.
    fn lines(put: impl FnOnce(&mut Statement)) -> String {
        let mut statement = Statement::new();
        put(&mut statement);
        let text = String::from_utf8_lossy(statement.text()).into_owned();
        // SAFETY: not used again.
        unsafe { device::release(statement.text) };
        text
    }

    #[test]
    fn items_have_a_space_in_front_except_between_characters() {
        let text = lines(|statement| {
            statement.logical(true);
            statement.integer(-1);
            statement.characters(b"a");
            statement.characters(b"b");
            statement.integer(i128::MAX);
            statement.characters(b"c");
            statement.real(1.5f32);
            statement.complex(Complex { re: 1f64, im: -2.5 });
        });
        let expected = " T -1 ab 170141183460469231731687303715884105727 c 1.5 (1.,-2.5)";
        assert_eq!(text, expected);
        assert_eq!(lines(|statement| statement.characters(b"")), " ");
    }

    /// As flang 22.1.8 prints them on the host.
    #[test]
    fn lines_have_79_characters() {
        let text = lines(|statement| (1..=40).for_each(|i| statement.integer(i)));
        let (first, second) = text.split_once('\n').expect("two lines");
        assert!(first.ends_with(" 28 29") && second == " 30 31 32 33 34 35 36 37 38 39 40");
        let text = lines(|statement| (0..60).for_each(|_| statement.logical(true)));
        let (first, second) = text.split_once('\n').expect("two lines");
        assert!(first.len() == 78 && second.starts_with("T T"));
        let text = lines(|statement| statement.characters(&[b'x'; 100]));
        let (first, second) = text.split_once('\n').expect("two lines");
        assert_eq!((first.len(), second), (79, " xxxxxxxxxxxxxxxxxxxxxx"));
    }
}
