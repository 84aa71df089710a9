//! Records as the host reads them (see [`crate::output`]).

use crate::output::{Argument, Conversions, FAILURE, PRINT};

/// A record of the buffer.
#[derive(Debug, PartialEq)]
pub enum Record {
    /// `printf`.
    Print {
        /// The format, with its null character; `None`: a null pointer.
        format: Option<Vec<u8>>,
        /// What it takes.
        values: Vec<Value>,
    },
    /// A failed assertion or a trap with a reason.
    Failure {
        /// The condition or the reason.
        message: Vec<u8>,
        /// The file; empty if there is none.
        file: Vec<u8>,
        /// Its line.
        line: u64,
        /// The function; empty if there is none.
        function: Vec<u8>,
    },
}

/// An argument of `printf`.
#[derive(Debug, PartialEq)]
pub enum Value {
    /// An argument of 4 bytes.
    Int(i32),
    /// An argument of 8 bytes.
    Wide(u64),
    /// A string with its null character; `None`: a null pointer.
    Text(Option<Vec<u8>>),
}

/// The records in `bytes`, up to the first that is malformed.
pub fn records(bytes: &[u8]) -> Vec<Record> {
    let mut records = Vec::new();
    let mut rest = bytes;
    while let Some(size) = word(rest) {
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let Some(fields) = rest.get(8..size) else {
            break;
        };
        match record(fields) {
            Some(record) => records.push(record),
            None => break,
        }
        rest = &rest[size..];
    }
    records
}

fn word(bytes: &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.first_chunk::<8>()?))
}

/// What has not been read of a record.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn word(&mut self) -> Option<u64> {
        let word = word(self.0)?;
        self.0 = &self.0[8..];
        Some(word)
    }

    /// A string with its null character; `Some(None)` for a null pointer.
    fn string(&mut self) -> Option<Option<Vec<u8>>> {
        let Some(length) = self.word()?.checked_sub(1) else {
            return Some(None);
        };
        let length = usize::try_from(length).ok()?;
        let mut text = self.0.get(..length)?.to_vec();
        self.0 = self.0.get(length.next_multiple_of(8)..)?;
        text.push(0);
        Some(Some(text))
    }

    /// A string without its null character.
    fn text(&mut self) -> Option<Vec<u8>> {
        let mut text = self.string()?.unwrap_or_default();
        text.pop();
        Some(text)
    }
}

fn record(fields: &[u8]) -> Option<Record> {
    let mut fields = Fields(fields);
    match fields.word()? {
        PRINT => print(&mut fields),
        FAILURE => Some(Record::Failure {
            message: fields.text()?,
            file: fields.text()?,
            line: fields.word()?,
            function: fields.text()?,
        }),
        _ => None,
    }
}

fn print(fields: &mut Fields<'_>) -> Option<Record> {
    let format = fields.string()?;
    let mut values = Vec::new();
    if let Some(text) = &format {
        for argument in Conversions::of(text.as_ptr()) {
            values.push(match argument {
                Argument::Int => Value::Int(fields.word()? as i32),
                Argument::Wide => Value::Wide(fields.word()?),
                Argument::Text => Value::Text(fields.string()?),
            });
        }
    }
    Some(Record::Print { format, values })
}

#[cfg(test)]
mod tests {
    use core::sync::atomic::Ordering::Relaxed;

    use super::*;
    use crate::output::Buffer;

    /// The bytes that `write` leaves in a buffer.
    fn written(write: impl FnOnce(&Buffer)) -> Vec<u8> {
        let mut memory = vec![0u64; 100];
        let buffer = Buffer::new();
        buffer.base.store(memory.as_mut_ptr() as u64, Relaxed);
        buffer.size.store(800, Relaxed);
        write(&buffer);
        let used = buffer.used.load(Relaxed) as usize;
        let bytes: Vec<u8> = memory.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes[..used].to_vec()
    }

    #[test]
    fn what_kernels_write_is_read() {
        let mut packed = 7i32.to_le_bytes().to_vec();
        packed.extend((c"text".as_ptr() as u64).to_le_bytes());
        packed.extend(0u64.to_le_bytes());
        packed.extend(2.5f64.to_le_bytes());
        let bytes = written(|buffer| {
            // SAFETY: the arguments are what the format takes.
            unsafe {
                buffer.print(c"%d %s %s %g".as_ptr().cast(), packed.as_ptr());
                let (message, file) = (c"i < n".as_ptr().cast(), c"a.c".as_ptr().cast());
                buffer.fail(message, file, 12, core::ptr::null());
            }
        });
        let read = records(&bytes);
        let Record::Print { format, values } = &read[0] else {
            panic!("{read:?}");
        };
        assert_eq!(format.as_deref(), Some(&b"%d %s %s %g\0"[..]));
        assert_eq!(
            values[..],
            [
                Value::Int(7),
                Value::Text(Some(b"text\0".to_vec())),
                Value::Text(None),
                Value::Wide(2.5f64.to_bits())
            ]
        );
        let failure = Record::Failure {
            message: b"i < n".to_vec(),
            file: b"a.c".to_vec(),
            line: 12,
            function: Vec::new(),
        };
        assert_eq!(read[1..], [failure]);
    }

    #[test]
    fn nothing_is_read_beyond_the_end() {
        // SAFETY: the format takes nothing.
        let bytes = written(|buffer| unsafe {
            buffer.print(c"hello".as_ptr().cast(), core::ptr::null());
        });
        for length in 0..bytes.len() {
            assert_eq!(records(&bytes[..length]), []);
        }
        assert_eq!(records(&[bytes.clone(), bytes].concat()).len(), 2);
        assert_eq!(records(&[0; 64]), []);
    }
}
