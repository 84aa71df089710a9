//! NVIDIA's formats: their architectures, and the entries of fat binaries.
//!
//! A cubin names its architecture in the flags of its ELF header (`EF_CUDA_SM…` in `llvm/BinaryFormat/ELF.h`), PTX with
//! `.target`. A fat binary is a header and a sequence of entries. Their layout is not documented; this reads what
//! `fatbinary` of CUDA 12 and 13 writes.

use crate::image::ImageError;
use crate::image_parser::{range, read};

/// Architectures by their number in machine code.
const ARCHITECTURES: &[(u32, &str)] = &[
    (50, "sm_50"),
    (52, "sm_52"),
    (53, "sm_53"),
    (60, "sm_60"),
    (61, "sm_61"),
    (62, "sm_62"),
    (70, "sm_70"),
    (72, "sm_72"),
    (75, "sm_75"),
    (80, "sm_80"),
    (86, "sm_86"),
    (87, "sm_87"),
    (88, "sm_88"),
    (89, "sm_89"),
    (90, "sm_90"),
    (100, "sm_100"),
    (101, "sm_101"),
    (103, "sm_103"),
    (110, "sm_110"),
    (120, "sm_120"),
    (121, "sm_121"),
];

/// The architecture's name; empty if it is newer than this list.
fn name(number: u32) -> &'static str {
    let known = ARCHITECTURES.iter().find(|(known, _)| *known == number);
    known.map_or("", |(_, name)| name)
}

/// First version of the ELF format that has the architecture in the second byte of the flags.
const SECOND_BYTE: u8 = 8;

/// The architecture of a cubin.
pub fn cubin_arch(elf: &[u8]) -> Result<&'static str, ImageError> {
    let [version] = read::<1>(elf, 8, "ELF identification")?;
    let flags = u32::from_le_bytes(read::<4>(elf, 48, "ELF header")?);
    let number = if version < SECOND_BYTE {
        flags & 0xff
    } else {
        flags >> 8 & 0xff
    };
    Ok(name(number))
}

/// The architecture PTX is for: the first word after `.target`.
pub fn ptx_arch(text: &[u8]) -> &str {
    let lines = text.split(|byte| *byte == b'\n');
    let target = lines
        .filter_map(|line| line.trim_ascii().strip_prefix(b".target"))
        .find(|rest| rest.first().is_some_and(u8::is_ascii_whitespace));
    let word = target.unwrap_or_default().trim_ascii_start();
    let end = word
        .iter()
        .position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
        .unwrap_or(word.len());
    std::str::from_utf8(&word[..end]).unwrap_or_default()
}

/// What an entry of a fat binary holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FatKind {
    /// PTX, for this architecture and newer ones.
    Ptx,
    /// Machine code.
    Cubin,
}

/// How an entry's content is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FatPacking {
    /// It is not packed.
    Plain,
    /// A block of LZ4, without a frame. CUDA 12's `fatbinary` makes it, and CUDA 13's with `--compress-mode=speed`.
    Lz4,
    /// A frame of Zstandard. CUDA 13's `fatbinary` makes it for PTX.
    Zstd,
}

/// An entry of a fat binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FatEntry<'a> {
    /// What it holds.
    pub kind: FatKind,
    /// Its architecture: the `80` of `sm_80`.
    pub arch: u32,
    /// How `content` is packed.
    pub packing: FatPacking,
    /// The content as it is packed; PTX may end with zeros.
    pub content: &'a [u8],
    /// Bytes of the content when it is unpacked.
    pub size: u64,
}

/// The known bytes of an entry's header. A longer header has more at its end.
const ENTRY_HEADER: u64 = 64;
/// Bits of an entry's flags.
const LZ4: u32 = 0x2000;
const ZSTD: u32 = 0x8000;

/// First word of a fat binary (`__cudaFatMAGIC`).
pub const FAT_MAGIC: u32 = 0xba55_ed50;
/// Bytes of the header that says how long a fat binary is.
pub const FAT_HEADER: usize = 16;

/// The bytes of the whole fat binary that has this header. `None`: it is the header of no fat binary.
pub fn fat_size(header: &[u8; FAT_HEADER]) -> Option<u64> {
    let (words, _) = header.as_chunks::<4>();
    let [magic, version, low, high] = [0, 1, 2, 3].map(|at: usize| u32::from_le_bytes(words[at]));
    let content = u64::from(high) << 32 | u64::from(low);
    // The upper half of the second word is the header's own size.
    let whole = u64::from(version >> 16).checked_add(content);
    whole.filter(|_| magic == FAT_MAGIC)
}

/// A fat binary around bytes that are not NVIDIA's: `OffloadBinary`s ([`crate::Image::wrap`]). `Image::parse` gives the
/// images in them.
pub fn fat_binary(content: &[u8]) -> Vec<u8> {
    let mut bytes = FAT_MAGIC.to_le_bytes().to_vec();
    bytes.extend(1u16.to_le_bytes());
    bytes.extend((FAT_HEADER as u16).to_le_bytes());
    bytes.extend((content.len() as u64).to_le_bytes());
    bytes.extend(content);
    bytes
}

/// What stands behind the header of a fat binary.
pub fn fat_content(bytes: &[u8]) -> Option<&[u8]> {
    let size = usize::try_from(fat_size(bytes.first_chunk()?)?).ok()?;
    bytes.get(FAT_HEADER..size)
}

/// The entries of a fat binary (`Image::bytes` of [`crate::ImageKind::Fatbinary`]); entries of other kinds are left
/// out.
pub fn fat_entries(bytes: &[u8]) -> Result<Vec<FatEntry<'_>>, ImageError> {
    let what = "fat binary header";
    let header = u64::from(u16::from_le_bytes(read::<2>(bytes, 6, what)?));
    let payload = u64::from_le_bytes(read::<8>(bytes, 8, what)?);
    let mut rest = range(bytes, header, payload, "fat binary payload")?;
    let mut entries = Vec::new();
    while !rest.is_empty() {
        let what = "fat binary entry";
        let word = |at| read::<4>(rest, at, what).map(u32::from_le_bytes);
        let long = |at| read::<8>(rest, at, what).map(u64::from_le_bytes);
        let (header, stored) = (u64::from(word(4)?), long(8)?);
        let whole = range(rest, header, stored, what)?;
        if header < ENTRY_HEADER {
            return Err(ImageError::Malformed(format!(
                "a fat binary entry has a header of {header} bytes, {ENTRY_HEADER} are expected"
            )));
        }
        let kind = match read::<2>(rest, 0, what).map(u16::from_le_bytes)? {
            1 => Some(FatKind::Ptx),
            2 => Some(FatKind::Cubin),
            _ => None,
        };
        let flags = word(40)?;
        let (packing, packed, size) = match flags & (LZ4 | ZSTD) {
            0 => (FatPacking::Plain, stored, stored),
            LZ4 => (FatPacking::Lz4, u64::from(word(16)?), long(56)?),
            ZSTD => (FatPacking::Zstd, u64::from(word(16)?), long(56)?),
            _ => {
                return Err(ImageError::Malformed(format!(
                    "a fat binary entry is packed in two ways (flags {flags:#x})"
                )));
            }
        };
        let content = range(whole, 0, packed, what)?;
        let arch = word(28)?;
        entries.extend(kind.map(|kind| FatEntry {
            kind,
            arch,
            packing,
            content,
            size,
        }));
        // Both were checked against the slice.
        rest = &rest[(header + stored) as usize..];
    }
    Ok(entries)
}

/// The architecture that clang compiles programs for unless they name one. Programs are tested with it.
const USUAL: u32 = 80;

/// The PTX for a virtual GPU: the newest that is not newer than usual, else the oldest.
pub fn preferred_ptx<'e, 'a>(entries: &'e [FatEntry<'a>]) -> Option<&'e FatEntry<'a>> {
    let ptx = || entries.iter().filter(|entry| entry.kind == FatKind::Ptx);
    let usual = ptx().filter(|entry| entry.arch <= USUAL);
    usual
        .max_by_key(|entry| entry.arch)
        .or_else(|| ptx().min_by_key(|entry| entry.arch))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ptx_of_the_usual_architecture_is_preferred() {
        let of = |kind, arch| FatEntry {
            kind,
            arch,
            packing: FatPacking::Plain,
            content: b"",
            size: 0,
        };
        let chosen = |archs: &[u32]| {
            let entries: Vec<_> = archs.iter().map(|arch| of(FatKind::Ptx, *arch)).collect();
            preferred_ptx(&entries).map(|entry| entry.arch)
        };
        assert_eq!(chosen(&[50, 75, 90]), Some(75));
        assert_eq!(chosen(&[90, 100]), Some(90));
        assert!(preferred_ptx(&[of(FatKind::Cubin, 80)]).is_none());
    }

    fn header(version: u8, flags: u32) -> Vec<u8> {
        let mut elf = vec![0; 64];
        elf[8] = version;
        elf[48..52].copy_from_slice(&flags.to_le_bytes());
        elf
    }

    #[test]
    fn cubins() {
        // The first as ELF.h describes it, the others as ptxas of CUDA 13 writes them.
        assert_eq!(cubin_arch(&header(7, 0x0050_0550)), Ok("sm_80"));
        assert_eq!(cubin_arch(&header(8, 0x0600_5004)), Ok("sm_80"));
        assert_eq!(cubin_arch(&header(8, 0x0600_7802)), Ok("sm_120"));
        assert_eq!(cubin_arch(&header(8, 0x0600_ff02)), Ok(""));
        assert!(cubin_arch(&[0; 20]).is_err());
    }

    #[test]
    fn ptx() {
        assert_eq!(
            ptx_arch(b"// .target\n.version 8.7\n .target sm_90a, debug\n"),
            "sm_90a"
        );
        assert_eq!(ptx_arch(b".version 8.7\n.targets sm_90\n"), "");
    }

    fn fat(entries: &[(u16, u32, u64)]) -> Vec<u8> {
        let mut payload = Vec::new();
        for (kind, arch, size) in entries {
            let mut header = [0u8; 64];
            header[..2].copy_from_slice(&kind.to_le_bytes());
            header[4..8].copy_from_slice(&64u32.to_le_bytes());
            header[8..16].copy_from_slice(&size.to_le_bytes());
            header[28..32].copy_from_slice(&arch.to_le_bytes());
            payload.extend(header);
            payload.extend(vec![0; *size as usize]);
        }
        let mut bytes = 0xba55_ed50u32.to_le_bytes().to_vec();
        bytes.extend([1, 0, 16, 0]);
        bytes.extend((payload.len() as u64).to_le_bytes());
        bytes.extend(payload);
        bytes
    }

    #[test]
    fn fat_binaries() {
        let bytes = fat(&[(2, 80, 24), (1, 90, 8), (77, 90, 0)]);
        let entry = |kind, arch, size: u64| FatEntry {
            kind,
            arch,
            packing: FatPacking::Plain,
            content: &[0; 24][..size as usize],
            size,
        };
        assert_eq!(
            fat_entries(&bytes).unwrap(),
            [entry(FatKind::Cubin, 80, 24), entry(FatKind::Ptx, 90, 8)]
        );
        assert!(fat_entries(&bytes[..bytes.len() - 1]).is_err());
        let mut endless = bytes;
        endless[16 + 4..16 + 16].fill(0);
        assert!(fat_entries(&endless).is_err());
    }

    #[test]
    fn containers_in_fat_binaries() {
        let image = crate::Image {
            kind: crate::ImageKind::Ptx,
            triple: "nvptx64-nvidia-cuda",
            arch: "sm_80",
            bytes: b".version 8.7\n.target sm_80\n",
        };
        let bytes = fat_binary(&image.wrap());
        assert_eq!(
            fat_size(bytes.first_chunk().unwrap()),
            Some(bytes.len() as u64)
        );
        assert_eq!(crate::Image::parse(&bytes).unwrap(), [image]);
        let truncated = &bytes[..bytes.len() - 9];
        assert!(crate::Image::parse(truncated).is_err());
        assert_eq!(fat_size(&[0; 16]), None);
        let nvidias = fat(&[(2, 80, 24)]);
        let kind = crate::Image::parse(&nvidias).unwrap()[0].kind;
        assert_eq!(kind, crate::ImageKind::Fatbinary);
    }

    #[test]
    fn packed_entries() {
        let mut bytes = fat(&[(1, 80, 16)]);
        bytes[16 + 16] = 13;
        bytes[16 + 56..16 + 64].copy_from_slice(&500u64.to_le_bytes());
        for (flag, packing) in [(LZ4, FatPacking::Lz4), (ZSTD, FatPacking::Zstd)] {
            bytes[16 + 40..16 + 44].copy_from_slice(&(flag | 0x11).to_le_bytes());
            let entry = fat_entries(&bytes).unwrap()[0];
            assert_eq!((entry.packing, entry.size), (packing, 500));
            assert_eq!(entry.content.len(), 13);
        }
        bytes[16 + 16] = 17;
        assert!(fat_entries(&bytes).is_err());
        bytes[16 + 40..16 + 44].copy_from_slice(&(LZ4 | ZSTD).to_le_bytes());
        assert!(fat_entries(&bytes).is_err());
    }

    proptest::proptest! {
        #[test]
        fn nothing_crashes(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
            let mut whole = fat(&[(2, 80, 24)]);
            let at = bytes.len() % whole.len();
            for (place, byte) in whole[at..].iter_mut().zip(&bytes) {
                *place = *byte;
            }
            let _outcome = (fat_entries(&whole), fat_entries(&bytes), ptx_arch(&bytes), cubin_arch(&bytes));
        }
    }
}
