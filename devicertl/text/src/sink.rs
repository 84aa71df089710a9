//! Where text goes.

use core::fmt;

/// Takes bytes.
pub trait Sink {
    /// Takes one.
    fn put(&mut self, byte: u8);

    /// Takes several.
    fn put_all(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.put(byte);
        }
    }

    /// Takes the same one several times.
    fn repeat(&mut self, byte: u8, times: usize) {
        for _ in 0..times {
            self.put(byte);
        }
    }
}

/// Counts what it is given.
#[derive(Debug, Default)]
pub struct Count(pub usize);

impl Sink for Count {
    fn put(&mut self, _byte: u8) {
        self.0 += 1;
    }
}

/// The caller's buffer of `snprintf`: takes what fits, counts all.
#[derive(Debug)]
pub struct Buffer {
    start: *mut u8,
    size: usize,
    /// Bytes given, whether they fit or not.
    pub length: usize,
}

impl Buffer {
    /// # Safety
    /// `size` bytes at `start` can be written.
    pub unsafe fn new(start: *mut u8, size: usize) -> Buffer {
        Buffer {
            start,
            size,
            length: 0,
        }
    }

    /// Ends the text with a null character, behind it or in place of the last byte that fits.
    pub fn end(&mut self) {
        if self.size > 0 {
            // SAFETY: within the buffer.
            unsafe { self.start.add(self.length.min(self.size - 1)).write(0) };
        }
    }
}

impl Sink for Buffer {
    fn put(&mut self, byte: u8) {
        if self.length < self.size {
            // SAFETY: within the buffer.
            unsafe { self.start.add(self.length).write(byte) };
        }
        self.length += 1;
    }
}

/// What `core` formats goes to a sink.
pub struct Through<'a, S: Sink>(pub &'a mut S);

impl<S: Sink> fmt::Write for Through<'_, S> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.put_all(text.as_bytes());
        Ok(())
    }
}
