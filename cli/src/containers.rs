//! The containers in which CUDA and HIP programs carry their device images, and how an object gets another one.

use device_image::{Image, bundle, fat_binary};
use object::SectionIndex;

/// How programs of a language carry images.
pub struct Language {
    /// The section of the container.
    pub section: &'static str,
    /// Makes a container.
    pub pack: fn(&[Image<'_>]) -> Vec<u8>,
}

/// The languages with a container.
pub const LANGUAGES: [Language; 2] = [
    Language {
        section: ".nv_fatbin",
        pack: fat,
    },
    Language {
        section: ".hip_fatbin",
        pack: bundle,
    },
];

/// CUDA's: a fat binary.
fn fat(images: &[Image<'_>]) -> Vec<u8> {
    let wrapped: Vec<_> = images.iter().map(Image::wrap).collect();
    fat_binary(&wrapped.concat())
}

/// Where the ELF header says where the table of sections is, and how long an entry is.
const TABLE: usize = 40;
const ENTRY_SIZE: usize = 58;
/// Where an entry says where its section is; behind it, how long.
const OFFSET: usize = 24;
/// Alignment that suits every container. HIP's are aligned to pages.
const PAGE: usize = 4096;

/// An object of 64-bit ELF with other bytes in a section. They are put behind all else, and the section's entry leads
/// there. The section is named by its beginning alone, so nothing else is to be changed.
pub fn replaced(object: &[u8], section: SectionIndex, content: &[u8]) -> Option<Vec<u8>> {
    let table = u64::from_le_bytes(*object.get(TABLE..)?.first_chunk()?);
    let size = u16::from_le_bytes(*object.get(ENTRY_SIZE..)?.first_chunk()?);
    let entry = usize::try_from(table).ok()? + section.0 * usize::from(size);
    let mut made = object.to_vec();
    made.resize(made.len().next_multiple_of(PAGE), 0);
    let place = [made.len() as u64, content.len() as u64].map(u64::to_le_bytes);
    made.get_mut(entry + OFFSET..)?
        .first_chunk_mut::<16>()?
        .copy_from_slice(place.as_flattened());
    made.extend(content);
    Some(made)
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::{Object as _, ObjectSection as _};

    /// An ELF object is the smallest that the reader takes: a header, a section's bytes, names, and the table.
    fn object_with(content: &[u8]) -> Vec<u8> {
        let names = b"\0.nv_fatbin\0";
        let (at, names_at) = (64, 64 + content.len());
        let table = (names_at + names.len()).next_multiple_of(8);
        let mut bytes = b"\x7fELF\x02\x01\x01".to_vec();
        bytes.resize(64, 0);
        bytes[16] = 1;
        bytes[18] = 62;
        bytes[20] = 1;
        bytes[TABLE..TABLE + 8].copy_from_slice(&(table as u64).to_le_bytes());
        bytes[52] = 64;
        bytes[ENTRY_SIZE] = 64;
        bytes[60] = 3;
        bytes[62] = 2;
        bytes.extend(content);
        bytes.extend(names);
        bytes.resize(table + 3 * 64, 0);
        let mut entry = |index: usize, name: u8, kind: u8, at: usize, size: usize| {
            let entry = &mut bytes[table + 64 * index..][..64];
            (entry[0], entry[4], entry[8]) = (name, kind, 2);
            entry[24..32].copy_from_slice(&(at as u64).to_le_bytes());
            entry[32..40].copy_from_slice(&(size as u64).to_le_bytes());
        };
        entry(1, 1, 1, at, content.len());
        entry(2, 0, 3, names_at, names.len());
        bytes
    }

    #[test]
    fn a_section_gets_other_bytes() {
        let object = object_with(b"short");
        let made = replaced(&object, SectionIndex(1), b"much longer than before").unwrap();
        let file = object::File::parse(&*made).expect("an object");
        let section = file.section_by_name(".nv_fatbin").expect("the section");
        assert_eq!(section.data(), Ok(&b"much longer than before"[..]));
        assert!(replaced(b"\x7fELF", SectionIndex(1), b"").is_none());
    }
}
