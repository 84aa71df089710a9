//! `OffloadBinary`, clang's container of device images (layout: `llvm/Object/OffloadBinary.h`).
//!
//! Version 1 holds one image. Version 2 may hold several entries after one header. Several binaries may follow one
//! another, each padded to 8 bytes.

use crate::image::{Image, ImageError, ImageKind};
use crate::image_parser::{arch_of, kind_of, range, read};

const MAGIC: &[u8] = b"\x10\xff\x10\xad";
const VERSIONS: std::ops::RangeInclusive<u32> = 1..=2;
const HEADER: u64 = 32;
const ENTRY: u64 = 40;
const STRING_ENTRY: u64 = 16;
/// `ImageKind` of `OffloadBinary.h`: SPIR-V, which no device here takes.
const SPIRV: u16 = 6;

/// Whether `bytes` claim to be an `OffloadBinary`.
pub fn is_offload_binary(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The images of all binaries in `bytes`.
pub fn parse(mut bytes: &[u8]) -> Result<Vec<Image<'_>>, ImageError> {
    let mut images = Vec::new();
    while is_offload_binary(bytes) {
        let size = parse_one(bytes, &mut images)?;
        bytes = bytes.get(size.next_multiple_of(8)..).unwrap_or_default();
    }
    if bytes.iter().any(|byte| *byte != 0) {
        return Err(ImageError::Malformed(
            "an offload binary is followed by something else".into(),
        ));
    }
    Ok(images)
}

/// Parses the first binary and returns its size.
fn parse_one<'a>(bytes: &'a [u8], images: &mut Vec<Image<'a>>) -> Result<usize, ImageError> {
    let header = range(bytes, 0, HEADER, "offload binary header")?;
    let version = u32::from_le_bytes(read::<4>(header, 4, "offload binary header")?);
    if !VERSIONS.contains(&version) {
        return Err(ImageError::Malformed(format!(
            "offload binary version {version} is not known"
        )));
    }
    let word = |offset| read::<8>(header, offset, "offload binary header").map(u64::from_le_bytes);
    let (size, entries, extent) = (word(8)?, word(16)?, word(24)?);
    if size < HEADER {
        return Err(ImageError::Malformed(format!(
            "offload binary announces a size of {size} bytes"
        )));
    }
    let binary = range(bytes, 0, size, "offload binary")?;
    // Version 1 gives the size of its one entry here, version 2 the number of entries.
    let count = if version == 1 { 1 } else { extent };
    let table = range(
        binary,
        entries,
        count.saturating_mul(ENTRY),
        "offload binary entries",
    )?;
    for entry in table.chunks_exact(ENTRY as usize) {
        images.extend(parse_entry(binary, entry)?);
    }
    Ok(binary.len())
}

/// `OffloadKind` of `OffloadBinary.h`: OpenMP.
const OPENMP: u16 = 1;

/// Writes one image as a binary of its own, padded to 8 bytes.
pub fn write(image: &Image<'_>) -> Vec<u8> {
    let declared = match image.kind {
        ImageKind::Object if image.triple == "nvptx64-nvidia-cuda" => 3,
        ImageKind::Object => 1,
        ImageKind::Bitcode => 2,
        ImageKind::Fatbinary => 4,
        ImageKind::Ptx => 5,
    };
    let strings = [("arch", image.arch), ("triple", image.triple)];
    wrap(declared, &strings, image.bytes)
}

/// A binary as clang 22 writes it (version 1): header, entry, strings, image.
fn wrap(declared: u16, strings: &[(&str, &str)], image: &[u8]) -> Vec<u8> {
    let strings_at = HEADER + ENTRY;
    let text_at = strings_at + strings.len() as u64 * STRING_ENTRY;
    let (mut table, mut text) = (Vec::new(), Vec::new());
    for (key, value) in strings {
        for word in [key, value] {
            table.extend((text_at + text.len() as u64).to_le_bytes());
            text.extend(word.bytes().chain([0]));
        }
    }
    let image_at = (text_at + text.len() as u64).next_multiple_of(8);
    let size = (image_at + image.len() as u64).next_multiple_of(8);
    let mut bytes = MAGIC.to_vec();
    bytes.extend(1u32.to_le_bytes());
    for word in [size, HEADER, ENTRY] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(declared.to_le_bytes());
    bytes.extend(OPENMP.to_le_bytes());
    bytes.extend(0u32.to_le_bytes());
    for word in [
        strings_at,
        strings.len() as u64,
        image_at,
        image.len() as u64,
    ] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(table);
    bytes.extend(text);
    bytes.resize(image_at as usize, 0);
    bytes.extend(image);
    bytes.resize(size as usize, 0);
    bytes
}

/// `None` for an image that no plugin can use.
fn parse_entry<'a>(binary: &'a [u8], entry: &[u8]) -> Result<Option<Image<'a>>, ImageError> {
    let what = "offload binary entry";
    let declared = u16::from_le_bytes(read::<2>(entry, 0, what)?);
    let word = |offset| read::<8>(entry, offset, what).map(u64::from_le_bytes);
    let (strings, count) = (word(8)?, word(16)?);
    let bytes = range(binary, word(24)?, word(32)?, "image in an offload binary")?;
    let [mut triple, mut arch] = [""; 2];
    let table = range(
        binary,
        strings,
        count.saturating_mul(STRING_ENTRY),
        "string table of an offload binary",
    )?;
    for pair in table.chunks_exact(STRING_ENTRY as usize) {
        let offset =
            |at| read::<8>(pair, at, "string table of an offload binary").map(u64::from_le_bytes);
        let (key, value) = (string(binary, offset(0)?)?, string(binary, offset(8)?)?);
        match key {
            "triple" => triple = value,
            "arch" => arch = value,
            _ => {}
        }
    }
    if declared == SPIRV {
        return Ok(None);
    }
    let kind = kind_of(bytes)?;
    check_declared(declared, kind)?;
    if arch.is_empty() {
        arch = arch_of(kind, bytes)?;
    }
    Ok(Some(Image {
        kind,
        triple,
        arch,
        bytes,
    }))
}

/// Checks that the container's declaration of the image agrees with its content.
fn check_declared(declared: u16, kind: ImageKind) -> Result<(), ImageError> {
    let expected: &[ImageKind] = match declared {
        // With `--lto-emit-llvm` the device linker writes bitcode, but clang declares a linker's output as an object.
        1 => &[ImageKind::Object, ImageKind::Bitcode],
        3 => &[ImageKind::Object],
        2 => &[ImageKind::Bitcode],
        4 => &[ImageKind::Fatbinary],
        5 => &[ImageKind::Ptx],
        _ => return Ok(()),
    };
    if expected.contains(&kind) {
        return Ok(());
    }
    Err(ImageError::Malformed(format!(
        "an offload binary declares image kind {declared} but holds {kind:?}"
    )))
}

/// The NUL-terminated string at `offset`.
fn string(binary: &[u8], offset: u64) -> Result<&str, ImageError> {
    let rest = range(
        binary,
        offset,
        (binary.len() as u64).saturating_sub(offset),
        "string of an offload binary",
    )?;
    let end = rest.iter().position(|byte| *byte == 0);
    let end = end
        .ok_or_else(|| ImageError::Malformed("a string of an offload binary has no end".into()))?;
    std::str::from_utf8(&rest[..end])
        .map_err(|_| ImageError::Malformed("a string of an offload binary is not UTF-8".into()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::bitcode::tests::bitcode;

    fn example() -> Vec<u8> {
        wrap(
            2,
            &[
                ("triple", "nvptx64-nvidia-cuda"),
                ("arch", "sm_80"),
                ("x", ""),
            ],
            &bitcode(2),
        )
    }

    #[test]
    fn what_is_written_is_read() {
        let image = Image {
            kind: ImageKind::Bitcode,
            triple: "nvptx64-nvidia-cuda",
            arch: "sm_80",
            bytes: &bitcode(2),
        };
        let twice = write(&image).repeat(2);
        assert_eq!(parse(&twice), Ok(vec![image.clone(), image]));
    }

    #[test]
    fn one_and_several() {
        let two = [example(), wrap(5, &[], b".version 8.0\n")].concat();
        let images = parse(&two).unwrap();
        assert_eq!(images.len(), 2);
        assert_eq!(
            (images[0].triple, images[0].arch, images[0].kind),
            ("nvptx64-nvidia-cuda", "sm_80", ImageKind::Bitcode)
        );
        assert_eq!(images[0].bytes, bitcode(2));
        assert_eq!((images[1].kind, images[1].arch), (ImageKind::Ptx, ""));
    }

    #[test]
    fn what_a_linker_wrote_may_be_bitcode() {
        let bytes = wrap(1, &[("triple", "amdgcn-amd-amdhsa")], &bitcode(1));
        let images = parse(&bytes).unwrap();
        assert_eq!(images[0].kind, ImageKind::Bitcode);
        assert_eq!(images[0].to_string(), "bitcode for amdgcn-amd-amdhsa");
    }

    #[test]
    fn contradictions() {
        assert!(matches!(
            parse(&wrap(5, &[], &bitcode(1))),
            Err(ImageError::Malformed(_))
        ));
        let mut version = example();
        version[4] = 9;
        assert!(
            parse(&version)
                .unwrap_err()
                .to_string()
                .contains("version 9")
        );
        assert!(parse(&[example(), b"tail".to_vec()].concat()).is_err());
        assert_eq!(parse(&wrap(SPIRV, &[], b"whatever")), Ok(Vec::new()));
    }

    #[test]
    fn every_truncation_is_noticed() {
        let whole = example();
        for cut in 4..whole.len() {
            assert!(parse(&whole[..cut]).is_err(), "cut at {cut} not noticed");
        }
    }

    proptest! {
        #[test]
        fn damage_never_crashes(changes in proptest::collection::vec((0usize..400, any::<u8>()), 1..12)) {
            let mut bytes = example();
            for (at, value) in changes {
                let length = bytes.len();
                bytes[at % length] = value;
            }
            let _outcome = parse(&bytes);
        }

        #[test]
        fn wild_words_never_crash(
            at in 1usize..9,
            value in prop_oneof![any::<u64>(), Just(u64::MAX), Just(u64::MAX - 7)],
        ) {
            let mut bytes = example();
            bytes[at * 8..at * 8 + 8].copy_from_slice(&value.to_le_bytes());
            let _outcome = parse(&bytes);
        }
    }
}
