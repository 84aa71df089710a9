//! LLVM bitcode: recognised by its magic, and walked block by block at the top level, which finds
//! bitcode that was cut off (LLVM's "Bitcode File Format": blocks carry their length).

use crate::image::ImageError;
use crate::image_parser::{range, read, truncated};

const MAGIC: &[u8] = b"BC\xc0\xde";
/// Magic of the wrapper some producers put around bitcode: magic, version, offset, size, CPU.
const WRAPPER_MAGIC: &[u8] = &0x0b17_c0deu32.to_le_bytes();

/// Abbreviation id width outside of blocks.
const TOP_WIDTH: u64 = 2;
/// Abbreviation id of a block's begin.
const ENTER_SUBBLOCK: u64 = 1;

/// Whether `bytes` claim to be bitcode.
pub fn is_bitcode(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC) || bytes.starts_with(WRAPPER_MAGIC)
}

/// Checks that every block the bitcode begins is there to its end.
pub fn check(bytes: &[u8]) -> Result<(), ImageError> {
    let stream = if bytes.starts_with(WRAPPER_MAGIC) {
        let offset = u32::from_le_bytes(read::<4>(bytes, 8, "bitcode wrapper")?);
        let size = u32::from_le_bytes(read::<4>(bytes, 12, "bitcode wrapper")?);
        range(bytes, offset.into(), size.into(), "wrapped bitcode")?
    } else {
        bytes
    };
    if !stream.starts_with(MAGIC) {
        return Err(ImageError::Malformed(
            "the bitcode wrapper does not wrap bitcode".into(),
        ));
    }
    let mut at = MAGIC.len() as u64;
    let mut blocks = 0u32;
    while at < stream.len() as u64 {
        let rest = &stream[at as usize..];
        // Linkers pad sections with zeros.
        if rest.iter().all(|byte| *byte == 0) {
            break;
        }
        at += block_length(rest)?;
        blocks += 1;
    }
    match at > stream.len() as u64 {
        true => Err(truncated("bitcode block", at, stream.len() as u64)),
        false if blocks == 0 => Err(truncated("bitcode", at + 4, stream.len() as u64)),
        false => Ok(()),
    }
}

/// Length in bytes, header included, of the top-level block `bytes` begin with.
fn block_length(bytes: &[u8]) -> Result<u64, ImageError> {
    let mut bits = Bits { bytes, at: 0 };
    let abbreviation = bits.fixed(TOP_WIDTH)?;
    if abbreviation != ENTER_SUBBLOCK {
        return Err(ImageError::Malformed(format!(
            "bitcode has record {abbreviation} where a block must begin"
        )));
    }
    let _block_id = bits.variable(8)?;
    let _abbreviation_width = bits.variable(4)?;
    bits.align();
    let words = bits.fixed(32)?;
    Ok(bits.at / 8 + words * 4)
}

/// A reader of LLVM's bit stream.
struct Bits<'a> {
    bytes: &'a [u8],
    at: u64,
}

impl Bits<'_> {
    fn fixed(&mut self, width: u64) -> Result<u64, ImageError> {
        let mut value = 0;
        for bit in 0..width {
            let at = self.at + bit;
            let [byte] = read::<1>(self.bytes, at / 8, "bitcode block header")?;
            value |= u64::from(byte >> (at % 8) & 1) << bit;
        }
        self.at += width;
        Ok(value)
    }

    /// Variable-width integer in chunks of `width` bits.
    fn variable(&mut self, width: u64) -> Result<u64, ImageError> {
        let more = 1 << (width - 1);
        let mut value = 0u64;
        let mut shift = 0;
        loop {
            let chunk = self.fixed(width)?;
            if shift >= 64 {
                return Err(ImageError::Malformed(
                    "a number in a bitcode block header is too long".into(),
                ));
            }
            value |= (chunk & (more - 1)) << shift;
            if chunk & more == 0 {
                return Ok(value);
            }
            shift += width - 1;
        }
    }

    fn align(&mut self) {
        self.at = self.at.next_multiple_of(32);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Bitcode with one block of `words` empty words.
    pub(crate) fn bitcode(words: u32) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        // ENTER_SUBBLOCK, block id 13 (vbr8), width 5 (vbr4), then alignment to 32 bits.
        let header: u32 = 1 | 13 << 2 | 5 << 10;
        bytes.extend(header.to_le_bytes());
        bytes.extend(words.to_le_bytes());
        bytes.extend(vec![0xff; words as usize * 4]);
        bytes
    }

    #[test]
    fn whole_and_cut() {
        let whole = [bitcode(3), bitcode(2)[4..].to_vec()].concat();
        assert_eq!(check(&whole), Ok(()));
        assert_eq!(check(&[&whole[..], &[0; 7]].concat()), Ok(()));
        for cut in 0..whole.len() {
            let outcome = check(&whole[..cut]);
            // Only a cut exactly between two blocks goes unnoticed, and before the magic is whole
            // it is not bitcode.
            if cut != bitcode(3).len() {
                assert!(outcome.is_err() || cut < 4, "cut at {cut} not noticed");
            }
        }
    }

    #[test]
    fn wrapper() {
        let inner = bitcode(1);
        let mut wrapped = WRAPPER_MAGIC.to_vec();
        for word in [0u32, 20, inner.len() as u32, 7] {
            wrapped.extend(word.to_le_bytes());
        }
        wrapped.extend(&inner);
        assert!(is_bitcode(&wrapped));
        assert_eq!(check(&wrapped), Ok(()));
        assert!(check(&wrapped[..wrapped.len() - 1]).is_err());
        wrapped[8] = 16;
        assert!(matches!(check(&wrapped), Err(ImageError::Malformed(_))));
    }
}
