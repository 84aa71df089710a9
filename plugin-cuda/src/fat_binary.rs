//! Fat binaries: finds the best entry for a device and decompresses it.
//!
//! The driver could choose and decompress by itself, but it does not report its choice. The variables and
//! constructors of the image are known only from the PTX or the symbol table.

use std::borrow::Cow;

use device_image::{FatEntry, FatKind, Image, fat_entries};
use plugin_api::{Error, Result};

use crate::arch::{Arch, Compatibility};
use crate::load_cost::{LoadCost, machine_code_cost};

/// Code for the device from a fat binary.
#[derive(Debug, PartialEq, Eq)]
pub struct Code<'a> {
    /// PTX or machine code.
    pub kind: FatKind,
    /// The code itself.
    pub bytes: Cow<'a, [u8]>,
}

/// The cost of running a fat binary on `device`, or a message that says why that is impossible.
pub fn load_cost(image: &Image<'_>, device: Arch) -> std::result::Result<LoadCost, String> {
    let entries = fat_entries(image.bytes).map_err(|error| error.to_string())?;
    let best = best(&entries, device);
    best.map(|(cost, _)| cost).ok_or_else(|| {
        format!(
            "a CUDA fat binary for NVIDIA GPUs with {}, but the device is {device}",
            contents(&entries)
        )
    })
}

/// The best code for `device`.
pub fn code<'a>(image: &Image<'a>, device: Arch) -> Result<Code<'a>> {
    let malformed = |why: String| Error::Load(format!("the fat binary is malformed: {why}"));
    let entries = fat_entries(image.bytes).map_err(|error| malformed(error.to_string()))?;
    let (_, entry) = best(&entries, device)
        .ok_or_else(|| Error::Load(format!("the fat binary has no code for {device}")))?;
    let bytes = entry.unpack().map_err(|why| {
        malformed(format!(
            "its code for {} cannot be decompressed: {why}",
            arch_of(entry)
        ))
    })?;
    Ok(Code {
        kind: entry.kind,
        bytes,
    })
}

/// Of entries with equal cost, takes the one for the newest architecture, and of those the first.
fn best<'e, 'a>(entries: &'e [FatEntry<'a>], device: Arch) -> Option<(LoadCost, &'e FatEntry<'a>)> {
    let fit = entries
        .iter()
        .filter_map(|entry| Some((of_entry(entry, device)?, entry)));
    fit.min_by_key(|(cost, entry)| (*cost, std::cmp::Reverse(entry.arch)))
}

fn of_entry(entry: &FatEntry<'_>, device: Arch) -> Option<LoadCost> {
    let arch = arch_of(entry);
    match entry.kind {
        FatKind::Cubin => machine_code_cost(arch, device),
        FatKind::Ptx => arch.ptx_runs_on(device).then_some(LoadCost::Ptx),
    }
}

fn arch_of(entry: &FatEntry<'_>) -> Arch {
    Arch {
        number: entry.arch,
        compatibility: Compatibility::Portable,
    }
}

/// `machine code for sm_80, PTX for sm_90`.
fn contents(entries: &[FatEntry<'_>]) -> String {
    let texts: Vec<_> = entries
        .iter()
        .map(|entry| {
            let kind = match entry.kind {
                FatKind::Cubin => "machine code",
                FatKind::Ptx => "PTX",
            };
            format!("{kind} for {}", arch_of(entry))
        })
        .collect();
    match texts.is_empty() {
        true => "no code".into(),
        false => texts.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Entries of kind, architecture, flags, packed content and size unpacked.
    fn fat(entries: &[(u16, u32, u32, &[u8], u64)]) -> Vec<u8> {
        let mut payload = Vec::new();
        for (kind, arch, flags, content, size) in entries {
            let mut header = [0u8; 64];
            header[..2].copy_from_slice(&kind.to_le_bytes());
            header[4] = 64;
            header[8..16].copy_from_slice(&(content.len() as u64).to_le_bytes());
            header[16..20].copy_from_slice(&(content.len() as u32).to_le_bytes());
            header[28..32].copy_from_slice(&arch.to_le_bytes());
            header[40..44].copy_from_slice(&flags.to_le_bytes());
            header[56..64].copy_from_slice(&size.to_le_bytes());
            payload.extend(header);
            payload.extend(*content);
        }
        let mut bytes = 0xba55_ed50u32.to_le_bytes().to_vec();
        bytes.extend([1, 0, 16, 0]);
        bytes.extend((payload.len() as u64).to_le_bytes());
        bytes.extend(payload);
        bytes
    }

    fn arch(name: &str) -> Arch {
        Arch::parse(name).unwrap()
    }

    #[test]
    fn the_best_entry_counts() {
        let bytes = fat(&[
            (1, 75, 0, b"old", 3),
            (2, 80, 0, b"code", 4),
            (1, 80, 0, b"text", 4),
            (2, 90, 0, b"new", 3),
        ]);
        let images = Image::parse(&bytes).unwrap();
        for (device, expected, content) in [
            ("sm_90", LoadCost::Exact, &b"new"[..]),
            ("sm_86", LoadCost::Compatible, b"code"),
            ("sm_100", LoadCost::Ptx, b"text"),
            ("sm_75", LoadCost::Ptx, b"old"),
        ] {
            assert_eq!(load_cost(&images[0], arch(device)), Ok(expected));
            let code = code(&images[0], arch(device)).unwrap();
            assert_eq!(&*code.bytes, content, "{device}");
        }
        let why = load_cost(&images[0], arch("sm_70")).unwrap_err();
        assert!(
            why.contains(
                "PTX for sm_75, machine code for sm_80, PTX for sm_80, machine code for sm_90"
            ) && why.contains("the device is sm_70"),
            "{why}"
        );
        assert!(code(&images[0], arch("sm_70")).is_err());
    }

    /// "abababababab" as a block of LZ4: two literals, a match of ten bytes two back, and no more literals.
    const LZ4: &[u8] = &[0x26, b'a', b'b', 2, 0, 0];
    /// The same as a frame of Zstandard with a raw block.
    const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd\x20\x0c\x61\x00\x00abababababab";

    #[test]
    fn packed_code_is_unpacked() {
        for (flags, content) in [(0x2000, LZ4), (0x8000, ZSTD)] {
            let of = |size| {
                let bytes = fat(&[(1, 80, flags, content, size)]);
                let images = Image::parse(&bytes).unwrap();
                code(&images[0], arch("sm_80")).map(|code| code.bytes.into_owned())
            };
            assert_eq!(of(12).unwrap(), b"abababababab");
            for wrong in [11, 13, u64::MAX] {
                let error = of(wrong).unwrap_err().to_string();
                assert!(error.contains("cannot be decompressed"), "{error}");
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn nothing_crashes(
            content in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200),
            size in 0u64..500,
            zstd: bool,
        ) {
            let flags = if zstd { 0x8000 } else { 0x2000 };
            let bytes = fat(&[(2, 80, flags, &content, size)]);
            let images = Image::parse(&bytes).unwrap();
            let _outcome = code(&images[0], arch("sm_80"));
        }
    }
}
