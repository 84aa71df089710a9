//! Which images a GPU takes, and which of several it would rather have.

use plugin_api::{FatEntry, FatKind, Image, ImageKind, fat_entries};

use crate::arch::{Arch, Reach};

/// The triple of NVIDIA's GPUs.
const TRIPLE: &str = "nvptx64-nvidia-cuda";

/// What it takes to run an image: the less, the better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// Nothing: machine code for this very architecture.
    Exact,
    /// Nothing: machine code for an older one of the same family.
    Compatible,
    /// This project's compiler and the driver's.
    Bitcode,
    /// The driver's compiler. After bitcode, which this project's compiler optimises for the architecture.
    Ptx,
}

/// What it takes to run `image` on `device`, or why that is not possible, for the user.
pub fn effort(image: &Image<'_>, device: Arch) -> Result<Effort, String> {
    if !image.triple.is_empty() && !image.triple.starts_with("nvptx64") {
        return Err(format!("{image}, which is not for NVIDIA GPUs"));
    }
    match image.kind {
        ImageKind::Bitcode => Ok(Effort::Bitcode),
        ImageKind::Object => {
            let arch = Arch::parse(image.arch);
            arch.and_then(|arch| of_code(arch, device))
                .ok_or_else(|| wrong(image, device))
        }
        ImageKind::Ptx => {
            let arch = Arch::parse(image.arch).filter(|arch| arch.ptx_runs_on(device));
            arch.map(|_| Effort::Ptx)
                .ok_or_else(|| wrong(image, device))
        }
        ImageKind::Fatbinary => of_fat_binary(image, device),
    }
}

fn of_code(arch: Arch, device: Arch) -> Option<Effort> {
    arch.code_runs_on(device).then_some({
        if arch.number == device.number {
            Effort::Exact
        } else {
            Effort::Compatible
        }
    })
}

fn wrong(image: &Image<'_>, device: Arch) -> String {
    format!("{image}, but the device is {device}")
}

/// The best of what a fat binary holds.
fn of_fat_binary(image: &Image<'_>, device: Arch) -> Result<Effort, String> {
    let entries = fat_entries(image.bytes).map_err(|error| error.to_string())?;
    let best = entries.iter().filter_map(|entry| of_entry(entry, device));
    best.min().ok_or_else(|| {
        format!(
            "a CUDA fat binary for {TRIPLE} with {}, but the device is {device}",
            contents(&entries)
        )
    })
}

fn of_entry(entry: &FatEntry, device: Arch) -> Option<Effort> {
    let arch = arch_of(entry);
    match entry.kind {
        FatKind::Cubin => of_code(arch, device),
        FatKind::Ptx => arch.ptx_runs_on(device).then_some(Effort::Ptx),
    }
}

fn arch_of(entry: &FatEntry) -> Arch {
    Arch {
        number: entry.arch,
        reach: Reach::Usual,
    }
}

/// `machine code for sm_80, PTX for sm_90`.
fn contents(entries: &[FatEntry]) -> String {
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

    fn image(kind: ImageKind, triple: &'static str, arch: &'static str) -> Image<'static> {
        Image {
            kind,
            triple,
            arch,
            bytes: b"",
        }
    }

    fn on(kind: ImageKind, arch: &'static str, device: &str) -> Result<Effort, String> {
        effort(&image(kind, TRIPLE, arch), Arch::parse(device).unwrap())
    }

    #[test]
    fn machine_code_before_bitcode_before_ptx() {
        use ImageKind::*;
        assert_eq!(on(Object, "sm_80", "sm_80"), Ok(Effort::Exact));
        assert_eq!(on(Object, "sm_80", "sm_86"), Ok(Effort::Compatible));
        assert_eq!(on(Bitcode, "sm_80", "sm_70"), Ok(Effort::Bitcode));
        assert_eq!(on(Ptx, "sm_80", "sm_90"), Ok(Effort::Ptx));
        assert!(Effort::Exact < Effort::Compatible && Effort::Compatible < Effort::Bitcode);
        assert!(Effort::Bitcode < Effort::Ptx);
    }

    #[test]
    fn refusals_name_both_architectures() {
        use ImageKind::*;
        for (kind, arch, device) in [
            (Object, "sm_80", "sm_90"),
            (Ptx, "sm_90", "sm_80"),
            (Object, "", "sm_90"),
        ] {
            let why = on(kind, arch, device).unwrap_err();
            assert!(why.contains(arch) && why.contains(device), "{why}");
        }
        let device = Arch::parse("sm_80").unwrap();
        let amd = image(Bitcode, "amdgcn-amd-amdhsa", "gfx90a");
        assert!(effort(&amd, device).unwrap_err().contains("not for NVIDIA"));
        let host = image(Object, "x86_64-pc-linux-gnu", "");
        assert!(effort(&host, device).is_err());
    }

    fn fat(entries: &[(u16, u32)]) -> Vec<u8> {
        let mut bytes = 0xba55_ed50u32.to_le_bytes().to_vec();
        bytes.extend([1, 0, 16, 0]);
        bytes.extend((entries.len() as u64 * 64).to_le_bytes());
        for (kind, arch) in entries {
            let mut entry = [0u8; 64];
            entry[..2].copy_from_slice(&kind.to_le_bytes());
            entry[4] = 64;
            entry[28..32].copy_from_slice(&arch.to_le_bytes());
            bytes.extend(entry);
        }
        bytes
    }

    #[test]
    fn the_best_entry_of_a_fat_binary_counts() {
        let bytes = fat(&[(2, 80), (1, 80), (2, 90)]);
        let images = Image::parse(&bytes).unwrap();
        let on = |device| effort(&images[0], Arch::parse(device).unwrap());
        assert_eq!(on("sm_90"), Ok(Effort::Exact));
        assert_eq!(on("sm_86"), Ok(Effort::Compatible));
        assert_eq!(on("sm_100"), Ok(Effort::Ptx));
        let why = on("sm_75").unwrap_err();
        assert!(
            why.contains("machine code for sm_80, PTX for sm_80, machine code for sm_90")
                && why.contains("the device is sm_75"),
            "{why}"
        );
    }
}
