//! clang's offload bundles, as HIP programs carry them: a count, and for each image where it is, its size, and an
//! identifier such as `hipv4-amdgcn-amd-amdhsa--gfx90a` (the page "Clang Offload Bundler" of clang's documentation).

use crate::image::{Image, ImageError, ImageKind};
use crate::image_parser::{arch_of, kind_of, range, read};

/// First bytes of a bundle.
const MAGIC: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";
/// Bytes of an entry before its identifier.
const ENTRY: u64 = 24;
/// More entries, or longer identifiers, than any bundle has.
const MOST_ENTRIES: u64 = 1000;
const LONGEST_IDENTIFIER: u64 = 1000;

/// Whether bytes begin like a bundle.
pub fn is_bundle(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// An image in a bundle.
struct Entry<'a> {
    identifier: &'a str,
    begin: u64,
    size: u64,
}

/// The entries of a bundle.
fn entries(bytes: &[u8]) -> Result<Vec<Entry<'_>>, ImageError> {
    const WHAT: &str = "offload bundle";
    let word = |offset| read::<8>(bytes, offset, WHAT).map(u64::from_le_bytes);
    let mut offset = MAGIC.len() as u64;
    let count = word(offset)?;
    if count > MOST_ENTRIES {
        return Err(malformed(format!("an offload bundle with {count} entries")));
    }
    offset += 8;
    let mut entries = Vec::new();
    for _ in 0..count {
        let [begin, size, length] = [word(offset)?, word(offset + 8)?, word(offset + 16)?];
        if length > LONGEST_IDENTIFIER {
            return Err(malformed(format!(
                "an offload bundle with an identifier of {length} bytes"
            )));
        }
        let identifier = range(bytes, offset + ENTRY, length, WHAT)?;
        entries.push(Entry {
            identifier: std::str::from_utf8(identifier)
                .map_err(|_| malformed("an identifier of an offload bundle is no text".into()))?,
            begin,
            size,
        });
        offset += ENTRY + length;
    }
    Ok(entries)
}

fn malformed(what: String) -> ImageError {
    ImageError::Malformed(what)
}

/// The bytes of the bundle that begins here. [`ImageError::Truncated`] says how many bytes must be there to know.
pub fn bundle_size(beginning: &[u8]) -> Result<u64, ImageError> {
    let there = beginning.len().min(MAGIC.len());
    if beginning[..there] != MAGIC[..there] {
        let first = beginning.iter().take(8).copied().collect();
        return Err(ImageError::Unknown(first));
    }
    let entries = entries(beginning)?;
    let ends = entries
        .iter()
        .map(|entry| entry.begin.checked_add(entry.size));
    let ends: Option<Vec<u64>> = ends.collect();
    let ends = ends.ok_or_else(|| malformed("an offload bundle without an end".into()))?;
    // A bundle without entries is its header.
    Ok(ends.into_iter().max().unwrap_or(MAGIC.len() as u64 + 8))
}

/// Triple and architecture of an identifier, without the language before and features behind.
fn target(identifier: &str) -> (&str, &str) {
    let (_, target) = identifier.split_once('-').unwrap_or_default();
    // The environment, which is empty, stands between two dashes.
    let (triple, arch) = target.split_once("--").unwrap_or((target, ""));
    (triple, arch.split(':').next().unwrap_or_default())
}

/// The device images in a bundle. The host's entry is empty.
pub fn parse(bytes: &[u8]) -> Result<Vec<Image<'_>>, ImageError> {
    let mut images = Vec::new();
    for entry in entries(bytes)? {
        let image = range(bytes, entry.begin, entry.size, "image of an offload bundle")?;
        if image.is_empty() || entry.identifier.starts_with("host") {
            continue;
        }
        let kind = kind_of(image)?;
        let (triple, arch) = target(entry.identifier);
        images.push(Image {
            kind,
            triple,
            arch: match arch {
                "" => arch_of(kind, image)?,
                arch => arch,
            },
            bytes: image,
        });
    }
    Ok(images)
}

/// The host's entry, which comes first and is empty.
const HOST: &str = "host-x86_64-unknown-linux-gnu-";
/// Code objects begin on pages, as ROCm's runtime maps them.
const PAGE: u64 = 4096;

/// A bundle of images, as HIP programs carry it. ROCm's runtime looks for `hipv4-…` and takes machine code by that
/// name; what else there is, such as bitcode, has the older name.
pub fn bundle(images: &[Image<'_>]) -> Vec<u8> {
    let named = images.iter().map(|image| {
        let language = match image.kind {
            ImageKind::Object => "hipv4",
            _ => "hip",
        };
        let name = format!("{language}-{}--{}", image.triple, image.arch);
        (name, image.bytes)
    });
    let host = (HOST.to_owned(), &b""[..]);
    packed(
        &std::iter::once(host).chain(named).collect::<Vec<_>>(),
        PAGE,
    )
}

/// A bundle of named images, each aligned to so many bytes.
fn packed(entries: &[(String, &[u8])], alignment: u64) -> Vec<u8> {
    let names = entries.iter().map(|(name, _)| ENTRY + name.len() as u64);
    let mut begin = (MAGIC.len() as u64 + 8 + names.sum::<u64>()).next_multiple_of(alignment);
    let mut bytes = MAGIC.to_vec();
    bytes.extend((entries.len() as u64).to_le_bytes());
    for (name, image) in entries {
        for word in [begin, image.len() as u64, name.len() as u64] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(name.as_bytes());
        begin = (begin + image.len() as u64).next_multiple_of(alignment);
    }
    for (_, image) in entries {
        bytes.resize(bytes.len().next_multiple_of(alignment as usize), 0);
        bytes.extend(*image);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let owned: Vec<_> = entries
            .iter()
            .map(|(name, image)| ((*name).to_owned(), *image))
            .collect();
        packed(&owned, 1)
    }

    const PTX: &[u8] = b".version 8.7\n.target sm_80\n";

    #[test]
    fn images_have_the_target_of_their_identifier() {
        let bytes = bundle(&[
            ("host-x86_64-unknown-linux-gnu", b""),
            ("hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", PTX),
        ]);
        let images = Image::parse(&bytes).expect("a bundle");
        assert_eq!(images.len(), 1);
        assert_eq!(
            (images[0].triple, images[0].arch),
            ("amdgcn-amd-amdhsa", "gfx90a")
        );
        assert_eq!(images[0].bytes, PTX);
    }

    #[test]
    fn what_is_packed_is_found_again() {
        let image = Image {
            kind: crate::ImageKind::Ptx,
            triple: "amdgcn-amd-amdhsa",
            arch: "gfx90a",
            bytes: PTX,
        };
        let bytes = super::bundle(&[image.clone(), image.clone()]);
        assert_eq!(Image::parse(&bytes), Ok(vec![image.clone(), image]));
        assert_eq!(bundle_size(&bytes), Ok(bytes.len() as u64));
    }

    #[test]
    fn the_size_is_known_from_the_beginning() {
        let bytes = bundle(&[("hip-amdgcn-amd-amdhsa--gfx90a", PTX)]);
        let mut known = 32;
        let size = loop {
            match bundle_size(&bytes[..known]) {
                Err(ImageError::Truncated { needed, .. }) => known = needed as usize,
                size => break size,
            }
        };
        assert_eq!(size, Ok(bytes.len() as u64));
        assert!(bundle_size(PTX).is_err());
    }

    #[test]
    fn damaged_bundles_are_refused() {
        let bytes = bundle(&[("hip-amdgcn-amd-amdhsa--gfx90a", PTX)]);
        for len in MAGIC.len()..bytes.len() {
            assert!(Image::parse(&bytes[..len]).is_err(), "{len}");
        }
        for at in [24, 39, 47, 55] {
            let mut damaged = bytes.clone();
            damaged[at..at + 8.min(bytes.len() - at)].fill(0xff);
            assert!(Image::parse(&damaged).is_err(), "{at}");
        }
    }
}
