//! What a file of clang's says about its device code: images, and clauses of `requires`.
//!
//! clang wraps images in its `OffloadBinary` container and puts them into the ELF section `.llvm.offloading`. An object
//! has one image per translation unit, a program or shared library one linked image. A CUDA program has fat binaries in
//! `.nv_fatbin`, a HIP program bundles in `.hip_fatbin`. An archive has objects. A file may also be an
//! image itself. The host's table of offload entries lies in a section of its own (docs/abi.md).

use device_image::{Image, bundle_size, fat_size};
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection};

/// The section with images.
const IMAGES: &str = ".llvm.offloading";
/// The sections of a CUDA program with fat binaries, and of a HIP program with bundles.
const FAT_BINARIES: [&str; 2] = [".nv_fatbin", ".hip_fatbin"];

/// A section of offload entries: its name, the size of an entry, and where an entry's flags and value lie in it. clang
/// 20 and older has the second (docs/abi.md).
const ENTRIES: [(&str, usize, usize, usize); 2] = [
    ("llvm_offload_entries", 56, 12, 40),
    ("omp_offloading_entries", 32, 24, 28),
];
/// The flag of an entry whose value holds clauses of `requires`.
const REQUIRES: u32 = 0x10;
/// The clause `unified_shared_memory`.
const UNIFIED_SHARED_MEMORY: u32 = 0x08;

/// An image and the archive member it came from.
pub struct Found<'a> {
    /// The member's name.
    pub member: Option<String>,
    /// The image.
    pub image: Image<'a>,
}

/// The images in an ELF file or in an archive of such files, or the image that the bytes are.
pub fn find(data: &[u8]) -> Result<Vec<Found<'_>>, String> {
    find_as(data, None)
}

fn find_as<'a>(data: &'a [u8], member: Option<&str>) -> Result<Vec<Found<'a>>, String> {
    if data.starts_with(b"!<arch>\n") || data.starts_with(b"!<thin>\n") {
        return find_in_archive(data);
    }
    if !data.starts_with(b"\x7fELF") {
        return parse(data, member);
    }
    let elf = object::File::parse(data).map_err(|error| error.to_string())?;
    let mut found = Vec::new();
    for section in elf.sections() {
        let name = section.name().unwrap_or_default();
        if name != IMAGES && !FAT_BINARIES.contains(&name) {
            continue;
        }
        let content = section
            .data()
            .map_err(|error| format!("section {name}: {error}"))?;
        match name {
            IMAGES => found.extend(parse(content, member)?),
            _ => {
                for binary in fat_binaries(content)? {
                    found.extend(parse(binary, member)?);
                }
            }
        }
    }
    Ok(found)
}

/// The fat binaries that follow one another in a section, with zeros between them.
fn fat_binaries(mut content: &[u8]) -> Result<Vec<&[u8]>, String> {
    let mut all = Vec::new();
    while let Some(begin) = content.iter().position(|&byte| byte != 0) {
        let wrong = || "a section of fat binaries has something else in it".to_owned();
        content = &content[begin..];
        let size = content.first_chunk().and_then(fat_size);
        let size = size.or_else(|| bundle_size(content).ok());
        let size = size.ok_or_else(wrong)?;
        let size = usize::try_from(size).map_err(|_| wrong())?;
        let (binary, rest) = content.split_at_checked(size).ok_or_else(wrong)?;
        all.push(binary);
        content = rest;
    }
    Ok(all)
}

fn find_in_archive(data: &[u8]) -> Result<Vec<Found<'_>>, String> {
    let archive = ArchiveFile::parse(data).map_err(|error| error.to_string())?;
    if archive.is_thin() {
        return Err("thin archive: it names its members, look at those".into());
    }
    let mut all = Vec::new();
    for member in archive.members() {
        let member = member.map_err(|error| error.to_string())?;
        let name = String::from_utf8_lossy(member.name()).into_owned();
        let content = member
            .data(data)
            .map_err(|error| format!("member {name}: {error}"))?;
        all.extend(find_as(content, Some(&name)).map_err(|why| format!("member {name}: {why}"))?);
    }
    Ok(all)
}

fn parse<'a>(data: &'a [u8], member: Option<&str>) -> Result<Vec<Found<'a>>, String> {
    let images = Image::parse(data).map_err(|error| error.to_string())?;
    Ok(images
        .into_iter()
        .map(|image| Found {
            member: member.map(str::to_owned),
            image,
        })
        .collect())
}

/// Whether the file's program says `requires unified_shared_memory`.
pub fn requires_unified_shared_memory(data: &[u8]) -> bool {
    let Ok(elf) = object::File::parse(data) else {
        return false; // An archive or an image has no table.
    };
    ENTRIES.iter().any(|&(name, size, flags, value)| {
        let section = elf.section_by_name(name);
        let content = section.and_then(|section| section.data().ok());
        let requires = |entry: &[u8]| {
            let word = |at: usize| entry[at..at + 4].try_into().map_or(0, u32::from_le_bytes);
            word(flags) & REQUIRES != 0 && word(value) & UNIFIED_SHARED_MEMORY != 0
        };
        content.is_some_and(|content| content.chunks_exact(size).any(requires))
    })
}

#[cfg(test)]
mod tests {
    use device_image::fat_binary;

    use super::*;

    #[test]
    fn fat_binaries_follow_one_another() {
        let (one, other) = (fat_binary(b"one"), fat_binary(b"other"));
        let section = [&one[..], &[0; 5], &other, &[0; 3]].concat();
        assert_eq!(fat_binaries(&section), Ok(vec![&one[..], &other]));
        assert_eq!(fat_binaries(&[]), Ok(Vec::new()));
        assert!(fat_binaries(&one[..17]).is_err());
        assert!(fat_binaries(b"something else here").is_err());
    }
}
