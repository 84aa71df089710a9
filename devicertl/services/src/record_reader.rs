//! Records as the host reads them (see [`crate::output`]).

use crate::output::{Argument, Conversions, PRINT};

/// A `printf`.
#[derive(Debug, PartialEq)]
pub struct Print {
    /// The format, with its null character; `None`: a null pointer.
    pub format: Option<Vec<u8>>,
    /// What it takes.
    pub values: Vec<Value>,
}

/// The records at the start of a buffer.
#[derive(Debug, Default, PartialEq)]
pub struct Records {
    /// What they print.
    pub prints: Vec<Print>,
    /// The bytes that they take.
    pub bytes: usize,
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

/// The records in `bytes`, up to the first place without one.
pub fn records(bytes: &[u8]) -> Records {
    let mut records = Records::default();
    while let Some(size) = word(&bytes[records.bytes..]) {
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let Some(fields) = bytes[records.bytes..].get(8..size) else {
            break;
        };
        records.prints.extend(print(&mut Fields(fields)));
        records.bytes += size;
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
}

/// `None`: the record is malformed.
fn print(fields: &mut Fields<'_>) -> Option<Print> {
    if fields.word()? != PRINT {
        return None;
    }
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
    Some(Print { format, values })
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
                buffer.print(c"end".as_ptr().cast(), core::ptr::null());
            }
        });
        let read = records(&bytes);
        assert_eq!((read.prints.len(), read.bytes), (2, bytes.len()));
        let Print { format, values } = &read.prints[0];
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
    }

    #[test]
    fn nothing_is_read_beyond_the_end() {
        // SAFETY: the format takes nothing.
        let bytes = written(|buffer| unsafe {
            buffer.print(c"hello".as_ptr().cast(), core::ptr::null());
        });
        for length in 0..bytes.len() {
            assert_eq!(records(&bytes[..length]), Records::default());
        }
        assert_eq!(records(&[bytes.clone(), bytes].concat()).prints.len(), 2);
        assert_eq!(records(&[0; 64]), Records::default());
    }
}
