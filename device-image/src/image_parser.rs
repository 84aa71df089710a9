//! Recognises the formats of images, and checks the sizes that each announces.

use crate::image::{Image, ImageError, ImageKind};
use crate::{bitcode, bundle, nvidia, offload_binary};

const ELF_MAGIC: &[u8] = b"\x7fELF";
/// First bytes of the header that `fatbinary` writes.
const FATBINARY_MAGIC: &[u8] = &nvidia::FAT_MAGIC.to_le_bytes();

/// Parses bytes of any known format.
pub fn parse(bytes: &[u8]) -> Result<Vec<Image<'_>>, ImageError> {
    if offload_binary::is_offload_binary(bytes) {
        return offload_binary::parse(bytes);
    }
    if bundle::is_bundle(bytes) {
        return bundle::parse(bytes);
    }
    if let Some(content) =
        nvidia::fat_content(bytes).filter(|content| offload_binary::is_offload_binary(content))
    {
        return offload_binary::parse(content);
    }
    let kind = kind_of(bytes)?;
    let triple = match kind {
        ImageKind::Bitcode => bitcode::triple(bytes),
        ImageKind::Object => elf_triple(bytes)?,
        ImageKind::Ptx | ImageKind::Fatbinary => NVIDIA,
    };
    Ok(vec![Image {
        kind,
        triple,
        arch: arch_of(kind, bytes)?,
        bytes,
    }])
}

/// The triple of NVIDIA's GPUs.
const NVIDIA: &str = "nvptx64-nvidia-cuda";

/// The architecture that an image names; empty if it names none, or several.
pub fn arch_of(kind: ImageKind, bytes: &[u8]) -> Result<&str, ImageError> {
    match kind {
        ImageKind::Ptx => Ok(nvidia::ptx_arch(bytes)),
        ImageKind::Object if elf_triple(bytes)? == NVIDIA => nvidia::cubin_arch(bytes),
        _ => Ok(""),
    }
}

/// The format of an image that is not wrapped. Checks its outer structure.
pub fn kind_of(bytes: &[u8]) -> Result<ImageKind, ImageError> {
    if bitcode::is_bitcode(bytes) {
        bitcode::check(bytes)?;
        return Ok(ImageKind::Bitcode);
    }
    if bytes.starts_with(ELF_MAGIC) {
        check_elf(bytes)?;
        return Ok(ImageKind::Object);
    }
    if bytes.starts_with(FATBINARY_MAGIC) {
        check_fatbinary(bytes)?;
        return Ok(ImageKind::Fatbinary);
    }
    if is_ptx(bytes) {
        return Ok(ImageKind::Ptx);
    }
    Err(ImageError::Unknown(bytes.iter().take(8).copied().collect()))
}

/// Little-endian integer at `offset`, or an error that names the structure.
pub fn read<const N: usize>(
    bytes: &[u8],
    offset: u64,
    what: &'static str,
) -> Result<[u8; N], ImageError> {
    let part = range(bytes, offset, N as u64, what)?;
    part.first_chunk::<N>()
        .copied()
        .ok_or_else(|| truncated(what, N as u64, part.len() as u64))
}

/// `size` bytes at `offset`, or an error that names the structure.
pub fn range<'a>(
    bytes: &'a [u8],
    offset: u64,
    size: u64,
    what: &'static str,
) -> Result<&'a [u8], ImageError> {
    let available = bytes.len() as u64;
    let end = offset
        .checked_add(size)
        .ok_or_else(|| truncated(what, u64::MAX, available))?;
    if end > available {
        return Err(truncated(what, end, available));
    }
    // Both fit in usize: they are no larger than the length of a slice.
    Ok(&bytes[offset as usize..end as usize])
}

/// The error for bytes that end too early.
pub fn truncated(what: &'static str, needed: u64, available: u64) -> ImageError {
    ImageError::Truncated {
        what,
        needed,
        available,
    }
}

/// Checks that the tables that the ELF header announces are there. This finds only images that were cut off; the loader
/// parses the object in full.
fn check_elf(bytes: &[u8]) -> Result<(), ImageError> {
    let [class] = read::<1>(bytes, 4, "ELF identification")?;
    if class != 2 {
        return Err(ImageError::Malformed(format!(
            "ELF class {class} is not 64-bit"
        )));
    }
    range(bytes, 0, 64, "ELF header")?;
    let word = |offset| read::<8>(bytes, offset, "ELF header").map(u64::from_le_bytes);
    let half = |offset| read::<2>(bytes, offset, "ELF header").map(u16::from_le_bytes);
    for (table, entry_size, count, what) in [
        (32, 54, 56, "ELF program headers"),
        (40, 58, 60, "ELF section headers"),
    ] {
        let size = u64::from(half(entry_size)?) * u64::from(half(count)?);
        if size > 0 {
            range(bytes, word(table)?, size, what)?;
        }
    }
    Ok(())
}

/// The triple that clang uses for an ELF header's `e_machine`; empty for a machine that is no offload target.
fn elf_triple(bytes: &[u8]) -> Result<&'static str, ImageError> {
    Ok(
        match u16::from_le_bytes(read::<2>(bytes, 18, "ELF header")?) {
            62 => "x86_64-pc-linux-gnu",
            183 => "aarch64-unknown-linux-gnu",
            190 => NVIDIA,
            224 => "amdgcn-amd-amdhsa",
            _ => "",
        },
    )
}

/// The header is magic, u16 version, u16 header size, u64 payload size.
fn check_fatbinary(bytes: &[u8]) -> Result<(), ImageError> {
    let header = u64::from(u16::from_le_bytes(read::<2>(
        bytes,
        6,
        "fat binary header",
    )?));
    let payload = u64::from_le_bytes(read::<8>(bytes, 8, "fat binary header")?);
    range(bytes, header, payload, "fat binary payload").map(drop)
}

/// PTX is text whose first directive is `.version`.
fn is_ptx(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    loop {
        rest = rest.trim_ascii_start();
        if rest.starts_with(b"//") {
            let Some(end) = rest.iter().position(|byte| *byte == b'\n') else {
                return false;
            };
            rest = &rest[end..];
        } else if rest.starts_with(b"/*") {
            let Some(end) = rest.windows(2).position(|pair| pair == b"*/") else {
                return false;
            };
            rest = &rest[end + 2..];
        } else {
            return rest.starts_with(b".version");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats() {
        assert_eq!(
            kind_of(b"//\n// Generated by LLVM\n/* x */ .version 8.7\n.target sm_80\n"),
            Ok(ImageKind::Ptx)
        );
        assert!(matches!(kind_of(b"hello"), Err(ImageError::Unknown(_))));
        assert!(matches!(kind_of(b""), Err(ImageError::Unknown(_))));
        let mut fat = FATBINARY_MAGIC.to_vec();
        fat.extend([1, 0, 16, 0, 4, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]);
        assert_eq!(kind_of(&fat), Ok(ImageKind::Fatbinary));
        fat.pop();
        assert!(matches!(kind_of(&fat), Err(ImageError::Truncated { .. })));
    }

    #[test]
    fn elf_with_missing_sections() {
        let mut elf = vec![0u8; 64];
        elf[..5].copy_from_slice(b"\x7fELF\x02");
        assert_eq!(kind_of(&elf), Ok(ImageKind::Object));
        elf[40..48].copy_from_slice(&1000u64.to_le_bytes());
        elf[58..60].copy_from_slice(&64u16.to_le_bytes());
        elf[60..62].copy_from_slice(&2u16.to_le_bytes());
        assert_eq!(
            kind_of(&elf),
            Err(truncated("ELF section headers", 1128, 64))
        );
        assert!(matches!(
            kind_of(&elf[..20]),
            Err(ImageError::Truncated { .. })
        ));
    }

    /// The first bytes of every format, and of none.
    const MAGICS: [&[u8]; 6] = [
        b"",
        ELF_MAGIC,
        FATBINARY_MAGIC,
        b"BC\xc0\xde",
        b"\xde\xc0\x17\x0b",
        b"\x10\xff\x10\xad",
    ];

    proptest::proptest! {
        #[test]
        fn nothing_crashes(
            bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..300),
            magic in 0usize..6,
        ) {
            let _outcome = parse(&[MAGICS[magic], &bytes].concat());
        }
    }
}
