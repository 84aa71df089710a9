//! Machine code as `cuModuleLoadDataEx` receives it: an ELF file of unknown length.

use crate::result::{Failure, Outcome};
use fake_driver::pointer::{bytes, element};

/// Bytes of an ELF header, of a section header's fields and of a program header (ELF-64).
const HEADER: usize = 64;
/// `SHT_NOBITS`: a section without bytes in the file.
const NO_BITS: u32 = 8;

fn number<const N: usize>(header: &[u8], at: usize) -> u64 {
    let mut word = [0u8; 8];
    word[..N].copy_from_slice(&header[at..at + N]);
    u64::from_le_bytes(word)
}

/// Whether an image is an ELF file.
pub fn is_elf(image: *const u8) -> bool {
    bytes(image, 4).is_ok_and(|magic| magic == b"\x7fELF")
}

/// The whole file: it ends where the last of its tables or sections does.
pub fn whole<'a>(image: *const u8) -> Outcome<&'a [u8]> {
    let header = bytes(image, HEADER)?;
    let table = |offset, size, count| {
        (
            number::<8>(header, offset),
            number::<2>(header, size),
            number::<2>(header, count),
        )
    };
    let (programs, program_size, program_count) = table(32, 54, 56);
    let (sections, section_size, section_count) = table(40, 58, 60);
    let mut end =
        (programs + program_size * program_count).max(sections + section_size * section_count);
    for index in 0..section_count {
        let at = (sections + index * section_size) as usize;
        let entry = bytes(image.wrapping_add(at), HEADER)?;
        if number::<4>(entry, 4) != u64::from(NO_BITS) {
            end = end.max(number::<8>(entry, 24) + number::<8>(entry, 32));
        }
    }
    Ok(bytes(image, end as usize)?)
}

/// The compute capability of the code. Since ABI version 8 it is in the second byte of the flags, before that in
/// the first.
pub fn capability(file: &[u8]) -> Outcome<(u8, u8)> {
    const EM_CUDA: u64 = 190;
    if number::<2>(file, 18) != EM_CUDA {
        return Err(Failure::INVALID_IMAGE);
    }
    let abi = element(file.as_ptr(), 8)?;
    let number = file[if abi >= 8 { 49 } else { 48 }];
    Ok((number / 10, number % 10))
}
