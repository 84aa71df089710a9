//! LLVM bitcode. Its magic identifies it. A walk over the blocks of the top level finds bitcode that was cut off: each
//! block carries its length (LLVM's "Bitcode File Format").

use crate::image::ImageError;
use crate::image_parser::{range, read, truncated};

const MAGIC: &[u8] = b"BC\xc0\xde";
/// Magic of the wrapper that some producers put around bitcode. The wrapper is magic, version, offset, size, CPU.
const WRAPPER_MAGIC: &[u8] = &0x0b17_c0deu32.to_le_bytes();

/// Abbreviation id width outside of blocks.
const TOP_WIDTH: u64 = 2;
/// Abbreviation id of the start of a block.
const ENTER_SUBBLOCK: u64 = 1;

/// Whether `bytes` claim to be bitcode.
pub fn is_bitcode(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC) || bytes.starts_with(WRAPPER_MAGIC)
}

/// Checks that every block of the bitcode is complete.
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

/// The triples of images.
const TRIPLES: [&str; 2] = ["nvptx64-nvidia-cuda", "amdgcn-amd-amdhsa"];
/// The block a module is in, and its record for the target triple.
const MODULE_BLOCK: u64 = 8;
const TRIPLE_RECORD: u64 = 2;
/// Abbreviation id of an unabbreviated record.
const UNABBREVIATED_RECORD: u64 = 3;
/// Limit on a record's operands. No record that LLVM writes before the triple has so many.
const MOST_OPERANDS: u64 = 1 << 16;

/// The module's target triple if it is a GPU's; empty for any other, and if the bitcode does not show it.
///
/// LLVM writes it as the first of the module's own records, spelt out, after a few inner blocks.
pub fn triple(bytes: &[u8]) -> &'static str {
    let found = module_triple(bytes).ok().flatten().unwrap_or_default();
    let known = TRIPLES
        .iter()
        .find(|triple| triple.as_bytes() == found.as_slice());
    known.copied().unwrap_or_default()
}

fn module_triple(bytes: &[u8]) -> Result<Option<Vec<u8>>, ImageError> {
    if !bytes.starts_with(MAGIC) {
        return Ok(None);
    }
    let mut at = MAGIC.len();
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let mut bits = Bits { bytes: rest, at: 0 };
        bits.fixed(TOP_WIDTH)?;
        let block = bits.variable(8)?;
        let width = bits.variable(4)?;
        bits.align();
        bits.fixed(32)?;
        if block == MODULE_BLOCK {
            return triple_in(&mut bits, width);
        }
        at += block_length(rest)? as usize;
    }
    Ok(None)
}

/// Looks for the triple among the records of a module. Gives up at anything that LLVM does not write before it.
fn triple_in(bits: &mut Bits<'_>, width: u64) -> Result<Option<Vec<u8>>, ImageError> {
    loop {
        match bits.fixed(width)? {
            ENTER_SUBBLOCK => {
                bits.variable(8)?;
                bits.variable(4)?;
                bits.align();
                let words = bits.fixed(32)?;
                bits.at += words * 32;
            }
            UNABBREVIATED_RECORD => {
                let code = bits.variable(6)?;
                let count = bits.variable(6)?;
                if count > MOST_OPERANDS {
                    return Ok(None);
                }
                let operands: Result<Vec<u64>, _> = (0..count).map(|_| bits.variable(6)).collect();
                if code == TRIPLE_RECORD {
                    return Ok(operands?
                        .into_iter()
                        .map(|byte| u8::try_from(byte).ok())
                        .collect());
                }
                operands?;
            }
            _ => return Ok(None),
        }
    }
}

/// Length in bytes, header included, of the top-level block at the start of `bytes`.
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
            // Only a cut exactly between two blocks goes unnoticed. With less than the magic, the bytes are not
            // bitcode.
            if cut != bitcode(3).len() {
                assert!(outcome.is_err() || cut < 4, "cut at {cut} not noticed");
            }
        }
    }

    /// A bit stream as LLVM writes it.
    struct Writer(Vec<bool>);

    impl Writer {
        fn fixed(&mut self, value: u64, width: u32) {
            self.0.extend((0..width).map(|bit| value >> bit & 1 != 0));
        }
        fn variable(&mut self, mut value: u64, width: u32) {
            let more = 1 << (width - 1);
            while value >= more {
                self.fixed(value & (more - 1) | more, width);
                value >>= width - 1;
            }
            self.fixed(value, width);
        }
        fn align(&mut self) {
            self.0.resize(self.0.len().next_multiple_of(32), false);
        }
        fn bytes(mut self) -> Vec<u8> {
            self.align();
            let byte = |bits: &[bool]| {
                bits.iter()
                    .rev()
                    .fold(0, |byte, &bit| byte << 1 | u8::from(bit))
            };
            self.0.chunks(8).map(byte).collect()
        }
    }

    /// A module with an inner block, a version record and a triple record.
    fn module(triple: &str) -> Vec<u8> {
        let mut records = Writer(Vec::new());
        records.fixed(UNABBREVIATED_RECORD, 3);
        [1, 1, 2]
            .into_iter()
            .for_each(|value| records.variable(value, 6));
        records.fixed(ENTER_SUBBLOCK, 3);
        records.variable(17, 8);
        records.variable(4, 4);
        records.align();
        records.fixed(2, 32);
        records.fixed(!0, 64);
        records.fixed(UNABBREVIATED_RECORD, 3);
        records.variable(TRIPLE_RECORD, 6);
        records.variable(triple.len() as u64, 6);
        triple
            .bytes()
            .for_each(|byte| records.variable(byte.into(), 6));
        let records = records.bytes();
        let mut header = Writer(Vec::new());
        header.fixed(ENTER_SUBBLOCK, 2);
        header.variable(MODULE_BLOCK, 8);
        header.variable(3, 4);
        header.align();
        header.fixed(records.len() as u64 / 4, 32);
        [bitcode(3), header.bytes(), records].concat()
    }

    #[test]
    fn triples_of_gpus_are_told() {
        for known in TRIPLES {
            assert_eq!(triple(&module(known)), known);
        }
        assert_eq!(triple(&module("x86_64-unknown-linux-gnu")), "");
        assert_eq!(triple(&bitcode(3)), "");
        let whole = module(TRIPLES[1]);
        (0..whole.len()).for_each(|cut| assert_eq!(triple(&whole[..cut]), ""));
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
