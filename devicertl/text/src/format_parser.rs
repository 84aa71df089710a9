//! Reads the formats of `printf`: C 2017, §7.21.6.1. One parser for device code and for the virtual GPU on the host.

use core::ffi::c_char;

use crate::arguments::Arguments;
use crate::conversion::Conversion;

/// What a C library accepts in a conversion specification besides C's own.
pub trait Extensions {
    /// Whether it has this flag.
    fn accepts_flag(&mut self, _letter: u8) -> bool {
        false
    }

    /// Whether it has this length modifier.
    fn accepts_length(&mut self, _letter: u8) -> bool {
        false
    }
}

/// C without extensions.
#[derive(Debug)]
pub struct NoExtensions;

impl Extensions for NoExtensions {}

/// A format that is being read.
#[derive(Debug)]
pub struct Format {
    next: *const u8,
}

impl Format {
    /// The whole of a format.
    ///
    /// # Safety
    /// `format` is a C string that outlives this.
    pub unsafe fn new(format: *const c_char) -> Format {
        Format {
            next: format.cast(),
        }
    }

    /// Where the next byte is.
    pub fn position(&self) -> *const u8 {
        self.next
    }

    /// The bytes that have been read since `begin`.
    ///
    /// # Safety
    /// `begin` is an earlier [position](Format::position) in the same string, which outlives the slice.
    pub unsafe fn since<'a>(&self, begin: *const u8) -> &'a [u8] {
        // SAFETY: the caller's promise.
        unsafe { core::slice::from_raw_parts(begin, self.next.offset_from_unsigned(begin)) }
    }

    /// The next byte; 0 at the end, again and again.
    pub fn peek(&self) -> u8 {
        // SAFETY: not behind the string's end.
        unsafe { *self.next }
    }

    /// Goes on to the next byte, unless this is the end.
    pub fn skip(&mut self) {
        if self.peek() != 0 {
            self.next = self.next.wrapping_add(1);
        }
    }

    /// Skips the next byte if it is this one; whether it was.
    pub fn accept(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == byte;
        if is_next {
            self.skip();
        }
        is_next
    }

    fn number(&mut self) -> usize {
        let mut value = 0usize;
        while self.peek().is_ascii_digit() {
            value = value
                .saturating_mul(10)
                .saturating_add((self.peek() - b'0').into());
            self.skip();
        }
        value
    }

    /// A width or precision, which may be an argument: negative ones give `None` with their magnitude.
    unsafe fn amount(&mut self, arguments: &mut Arguments) -> (bool, usize) {
        if !self.accept(b'*') {
            return (false, self.number());
        }
        // SAFETY: the caller's promise.
        let value: i32 = unsafe { arguments.take() };
        (value < 0, value.unsigned_abs() as usize)
    }

    /// What follows a percent sign.
    ///
    /// # Safety
    /// `arguments` are what the format asks for.
    pub unsafe fn conversion(
        &mut self,
        arguments: &mut Arguments,
        extensions: &mut impl Extensions,
    ) -> Conversion {
        let mut this = Conversion::default();
        loop {
            match self.peek() {
                b'-' => this.left = true,
                b'+' => this.plus = true,
                b' ' => this.space = true,
                b'#' => this.alternate = true,
                b'0' => this.zeros = true,
                other if extensions.accepts_flag(other) => (),
                _ => break,
            }
            self.skip();
        }
        // SAFETY: the caller's promise.
        let (negative, width) = unsafe { self.amount(arguments) };
        this.left |= negative;
        this.width = width;
        if self.accept(b'.') {
            // SAFETY: the caller's promise.
            let (negative, precision) = unsafe { self.amount(arguments) };
            this.precision = (!negative).then_some(precision);
        }
        this.bytes = self.length();
        if this.bytes == 0 && extensions.accepts_length(self.peek()) {
            self.skip();
        }
        this.letter = self.peek();
        self.skip();
        this
    }

    fn length(&mut self) -> usize {
        if self.accept(b'h') {
            if self.accept(b'h') { 1 } else { 2 }
        } else if self.accept(b'l') {
            self.accept(b'l');
            8
        } else if [b'j', b'z', b't', b'q']
            .into_iter()
            .any(|letter| self.accept(letter))
        {
            8
        } else {
            0
        }
    }
}
