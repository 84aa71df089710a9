//! Images: programs give an address, and what is there says how long it is.
//!
//! A wrong address is told apart from an image by reading through `/proc/self/mem`, which fails where a load would end
//! the process.

use std::fs::File;
use std::os::unix::fs::FileExt;

use cudart::error::{Code, Result};
use device_image::{FAT_HEADER, FAT_MAGIC, Image, ImageKind, fat_entries, fat_size, preferred_ptx};

/// First word of the structure that `nvcc` puts before a fat binary (`__fatBinC_Wrapper_t`).
const WRAPPER_MAGIC: u32 = 0x4662_43b1;
/// Where that structure has the fat binary's address.
const WRAPPED: u64 = 8;
const ELF_MAGIC: [u8; 4] = *b"\x7fELF";
/// Longer images are no images.
const LONGEST: u64 = 1 << 31;
/// Texts are read in pieces that lie in one page each.
const PAGE: u64 = 4096;

/// The image at an address.
pub fn at(address: u64) -> Result<Vec<u8>> {
    if address == 0 {
        return Err(Code::INVALID_VALUE);
    }
    let memory = File::open("/proc/self/mem").map_err(|_| Code::OPERATING_SYSTEM)?;
    let bytes = whole(&memory, address);
    bytes.ok_or(Code::INVALID_IMAGE)
}

/// So many bytes at an address.
pub fn bytes_at(address: u64, size: u64) -> Result<Vec<u8>> {
    let memory = File::open("/proc/self/mem").map_err(|_| Code::OPERATING_SYSTEM)?;
    bytes(&memory, address, size).ok_or(Code::INVALID_VALUE)
}

/// The texts of PTX in an image.
pub fn ptx(bytes: &[u8]) -> Vec<String> {
    let images = Image::parse(bytes).unwrap_or_default();
    let texts = images.iter().filter_map(|image| match image.kind {
        ImageKind::Ptx => Some(image.bytes.to_vec()),
        ImageKind::Fatbinary => packed(image.bytes),
        _ => None,
    });
    let texts = texts.filter_map(|text| String::from_utf8(text).ok());
    texts
        .map(|text| text.trim_end_matches('\0').to_owned())
        .collect()
}

/// Whether an image is a fat binary whose entries cannot be read.
pub fn is_malformed(bytes: &[u8]) -> bool {
    let images = Image::parse(bytes).unwrap_or_default();
    let mut fat = images
        .iter()
        .filter(|image| image.kind == ImageKind::Fatbinary);
    fat.any(|image| fat_entries(image.bytes).is_err())
}

/// The one that runs, of those in a fat binary.
fn packed(bytes: &[u8]) -> Option<Vec<u8>> {
    let entries = fat_entries(bytes).ok()?;
    let text = preferred_ptx(&entries)?.unpack().ok()?;
    Some(text.into_owned())
}

fn whole(memory: &File, address: u64) -> Option<Vec<u8>> {
    let word = read::<4>(memory, address)?;
    match u32::from_le_bytes(word) {
        WRAPPER_MAGIC => {
            let inner = read::<8>(memory, address.checked_add(WRAPPED)?)?;
            let inner = u64::from_le_bytes(inner);
            let is_wrapper = read::<4>(memory, inner)? == word;
            // One around another would never end.
            (!is_wrapper).then(|| whole(memory, inner))?
        }
        FAT_MAGIC => bytes(
            memory,
            address,
            fat_size(&read::<FAT_HEADER>(memory, address)?)?,
        ),
        _ if word == ELF_MAGIC => bytes(memory, address, elf_size(&read::<64>(memory, address)?)?),
        _ => text(memory, address),
    }
}

fn read<const N: usize>(memory: &File, address: u64) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    memory.read_exact_at(&mut bytes, address).ok()?;
    Some(bytes)
}

fn bytes(memory: &File, address: u64, size: u64) -> Option<Vec<u8>> {
    let size = usize::try_from(size).ok().filter(|_| size <= LONGEST)?;
    let mut bytes = vec![0; size];
    memory.read_exact_at(&mut bytes, address).ok()?;
    Some(bytes)
}

/// The end of an ELF file's table of sections, which comes last in cubins.
fn elf_size(header: &[u8; 64]) -> Option<u64> {
    let table = u64::from_le_bytes(*header[40..].first_chunk()?);
    let entry = u64::from(u16::from_le_bytes(*header[58..].first_chunk()?));
    let entries = u64::from(u16::from_le_bytes(*header[60..].first_chunk()?));
    // Newer cubins have the table of segments behind it.
    let segments = u64::from_le_bytes(*header[32..].first_chunk()?);
    let segment = u64::from(u16::from_le_bytes(*header[54..].first_chunk()?));
    let count = u64::from(u16::from_le_bytes(*header[56..].first_chunk()?));
    let sections_end = table.checked_add(entry * entries)?;
    Some(sections_end.max(segments.checked_add(segment * count)?))
}

/// A text up to the NUL behind it.
fn text(memory: &File, address: u64) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    let mut next = address;
    while (text.len() as u64) < LONGEST {
        let mut piece = vec![0; (PAGE - next % PAGE) as usize];
        memory.read_exact_at(&mut piece, next).ok()?;
        let end = piece.iter().position(|byte| *byte == 0);
        text.extend(&piece[..end.unwrap_or(piece.len())]);
        if end.is_some() {
            return Some(text);
        }
        next = next.checked_add(piece.len() as u64)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_end_with_a_nul() {
        let long = format!(".version 8.0{}\0rest", " ".repeat(10_000));
        let read = at(long.as_ptr() as u64).unwrap();
        assert_eq!(read.len(), 12 + 10_000);
        assert_eq!(at(0), Err(Code::INVALID_VALUE));
        assert_eq!(at(16), Err(Code::INVALID_IMAGE));
    }

    #[test]
    fn fat_binaries_say_their_size() {
        let mut fat = device_image::fat_binary(b".version 8.0");
        let read = |bytes: &[u8]| at(bytes.as_ptr() as u64);
        assert_eq!(read(&fat).unwrap(), fat);
        let wrapper = [u64::from(WRAPPER_MAGIC) | 1 << 32, fat.as_ptr() as u64, 0];
        assert_eq!(at(wrapper.as_ptr() as u64).unwrap(), fat);
        let mut circle = wrapper;
        circle[1] = circle.as_ptr() as u64;
        assert_eq!(at(circle.as_ptr() as u64), Err(Code::INVALID_IMAGE));
        fat[12] = 0xff;
        assert_eq!(read(&fat), Err(Code::INVALID_IMAGE));
        fat[15] = 0xff;
        assert_eq!(read(&fat), Err(Code::INVALID_IMAGE));
    }
}
