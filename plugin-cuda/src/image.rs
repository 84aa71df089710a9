//! Which images a GPU can run, and which of several it prefers.

use device_image::{Image, ImageKind};

use crate::arch::Arch;
use crate::fat_binary;
use crate::load_cost::{LoadCost, machine_code_cost};

/// The cost of running `image` on `device`, or a message that says why that is impossible.
pub fn load_cost(image: &Image<'_>, device: Arch) -> Result<LoadCost, String> {
    if !image.triple.is_empty() && !image.triple.starts_with("nvptx64") {
        return Err(format!("{image}, which is not for NVIDIA GPUs"));
    }
    match image.kind {
        ImageKind::Bitcode => Ok(LoadCost::Bitcode),
        ImageKind::Object => {
            let arch = Arch::parse(image.arch);
            arch.and_then(|arch| machine_code_cost(arch, device))
                .ok_or_else(|| wrong(image, device))
        }
        ImageKind::Ptx => {
            let arch = Arch::parse(image.arch).filter(|arch| arch.ptx_runs_on(device));
            arch.map(|_| LoadCost::Ptx)
                .ok_or_else(|| wrong(image, device))
        }
        ImageKind::Fatbinary => fat_binary::load_cost(image, device),
    }
}

fn wrong(image: &Image<'_>, device: Arch) -> String {
    format!("{image}, but the device is {device}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The triple of NVIDIA's GPUs.
    const TRIPLE: &str = "nvptx64-nvidia-cuda";

    fn image(kind: ImageKind, triple: &'static str, arch: &'static str) -> Image<'static> {
        Image {
            kind,
            triple,
            arch,
            bytes: b"",
        }
    }

    fn on(kind: ImageKind, arch: &'static str, device: &str) -> Result<LoadCost, String> {
        load_cost(&image(kind, TRIPLE, arch), Arch::parse(device).unwrap())
    }

    #[test]
    fn machine_code_before_bitcode_before_ptx() {
        use ImageKind::*;
        assert_eq!(on(Object, "sm_80", "sm_80"), Ok(LoadCost::Exact));
        assert_eq!(on(Object, "sm_80", "sm_86"), Ok(LoadCost::Compatible));
        assert_eq!(on(Bitcode, "sm_80", "sm_70"), Ok(LoadCost::Bitcode));
        assert_eq!(on(Ptx, "sm_80", "sm_90"), Ok(LoadCost::Ptx));
        assert!(LoadCost::Exact < LoadCost::Compatible && LoadCost::Compatible < LoadCost::Bitcode);
        assert!(LoadCost::Bitcode < LoadCost::Ptx);
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
        assert!(
            load_cost(&amd, device)
                .unwrap_err()
                .contains("not for NVIDIA")
        );
        let host = image(Object, "x86_64-pc-linux-gnu", "");
        assert!(load_cost(&host, device).is_err());
    }
}
