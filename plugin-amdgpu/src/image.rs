//! Which images a GPU can run, and which of several it prefers.

use device_image::{Image, ImageKind};

use crate::arch::Arch;
use crate::code_object;

/// The cost of running an image. Lower is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LoadCost {
    /// Machine code for exactly this processor.
    Exact,
    /// Machine code for the processor's family.
    Generic,
    /// Compilation by this project's compiler.
    Bitcode,
}

/// The cost of running `image` on `device`, or a message that says why that is impossible.
pub fn load_cost(image: &Image<'_>, device: &Arch) -> Result<LoadCost, String> {
    if !image.triple.is_empty() && !image.triple.starts_with("amdgcn") {
        return Err(format!("{image}, which is not for AMD GPUs"));
    }
    match image.kind {
        ImageKind::Bitcode => Ok(LoadCost::Bitcode),
        ImageKind::Object => {
            let arch = code_object::arch(image.bytes).map_err(|why| format!("{image}, {why}"))?;
            if !arch.code_runs_on(device) {
                return Err(format!(
                    "machine code for {arch}, but the device is {device}"
                ));
            }
            Ok(match arch.is_processor_of(device) {
                true => LoadCost::Exact,
                false => LoadCost::Generic,
            })
        }
        ImageKind::Ptx | ImageKind::Fatbinary => Err(format!("{image}, which is not for AMD GPUs")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(kind: ImageKind, triple: &str, bytes: &[u8], device: &str) -> Result<LoadCost, String> {
        let image = Image {
            kind,
            triple,
            arch: "",
            bytes,
        };
        load_cost(&image, &Arch::parse(device).unwrap())
    }

    #[test]
    fn machine_code_before_bitcode() {
        const TRIPLE: &str = "amdgcn-amd-amdhsa";
        let exact = code_object::tests::header(0x53f);
        let generic = code_object::tests::header(0x0100_0054);
        let code = |bytes: &[u8], device| on(ImageKind::Object, TRIPLE, bytes, device);
        assert_eq!(code(&exact, "gfx90a:xnack-"), Ok(LoadCost::Exact));
        assert_eq!(code(&generic, "gfx1101"), Ok(LoadCost::Generic));
        assert_eq!(
            on(ImageKind::Bitcode, TRIPLE, b"", "gfx1030"),
            Ok(LoadCost::Bitcode)
        );
        assert!(LoadCost::Exact < LoadCost::Generic && LoadCost::Generic < LoadCost::Bitcode);
        let why = code(&exact, "gfx1100").unwrap_err();
        assert!(why.contains("gfx90a") && why.contains("gfx1100"), "{why}");
        let old = code_object::tests::header(0x2a);
        assert!(code(&old, "gfx90a").unwrap_err().contains("not support"));
        let nvidia = on(ImageKind::Ptx, "nvptx64-nvidia-cuda", b"", "gfx90a");
        assert!(nvidia.unwrap_err().contains("not for AMD"));
    }
}
