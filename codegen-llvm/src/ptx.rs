//! NVPTX bitcode to PTX text, for the GPU's driver or for `ptxas`.

use anyhow::{Result, bail};
use codegen::PROVENANCE;
use sha2::{Digest, Sha256};

use crate::analysis::target::cuda_arch;
use crate::analysis::{kernels, release};
use crate::device::pipeline::{self, Image, Output};
use crate::device::undefined::NVIDIAS_FUNCTIONS;
use crate::device::weak_references;
use crate::ir::{Context, Machine, MachineOptions, Module, set_llvm_options};
use crate::pass_manager::Instrumentation;

/// Options of `omptarget-codegen ptx`.
pub struct PtxOptions<'a> {
    /// Architecture, e.g. `sm_80`.
    pub arch: &'a str,
    /// Version of the PTX instruction set. Without one, the oldest that serves: a driver must know it or a newer one.
    pub version: Option<PtxVersion>,
    /// Optimisation level, 0 to 3.
    pub level: u8,
    /// Whether LLVM's OpenMP optimiser runs.
    pub openmp_opt: bool,
    /// What to print and verify between passes.
    pub instrumentation: Instrumentation,
}

/// A version of the PTX instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PtxVersion {
    /// 7 of 7.8.
    pub major: u8,
    /// 8 of 7.8.
    pub minor: u8,
}

/// The oldest version that device code may need: it has `stacksave` and `stackrestore` (PTX ISA 7.3; drivers since CUDA
/// 11.3), which variable-length arrays need.
const OLDEST: PtxVersion = PtxVersion { major: 7, minor: 3 };

/// Architectures whose oldest PTX version is older than [`OLDEST`]. LLVM knows those of the others ("Supported Targets"
/// of the PTX ISA).
const BEFORE_OLDEST: [&str; 6] = ["sm_60", "sm_70", "sm_72", "sm_75", "sm_80", "sm_86"];

/// The version that allows kernels more than 4 KiB of parameters (PTX ISA, "Kernel Function Parameters").
const LARGE_PARAMETERS: PtxVersion = PtxVersion { major: 8, minor: 1 };

impl PtxOptions<'_> {
    /// LLVM's feature for the version. Empty leaves the version to the architecture. `large`: kernels have more than 4
    /// KiB of parameters.
    fn feature(&self, large: bool) -> Result<String> {
        let of_architecture = match BEFORE_OLDEST.contains(&self.arch) {
            _ if large && self.is_before_blackwell() => Some(LARGE_PARAMETERS),
            true => Some(OLDEST),
            false => None,
        };
        let Some(version) = self.version.or(of_architecture) else {
            return Ok(String::new());
        };
        if version < OLDEST {
            bail!(
                "PTX {version} is asked for, but device code needs {OLDEST} or newer (a driver of CUDA 11.3 or newer)"
            );
        }
        Ok(format!("+ptx{}{}", version.major, version.minor))
    }

    /// Whether PTX of the architecture may be older than [`LARGE_PARAMETERS`].
    fn is_before_blackwell(&self) -> bool {
        cuda_arch(self.arch).is_some_and(|number| number < 1000)
    }
}

/// Whether a kernel has more parameters than fit into 4 KiB.
fn has_large_parameters(module: &Module) -> bool {
    let layout = module.layout();
    kernels::find(module).iter().any(|kernel| {
        let parameters = kernel.function.parameters();
        let sizes = parameters.iter().zip(1..).map(|(parameter, place)| {
            let by_value = kernel.function.type_attribute_at(place, "byval");
            layout.alloc_size(by_value.unwrap_or(parameter.ty()))
        });
        sizes.sum::<u64>() > 4096
    })
}

impl std::fmt::Display for PtxVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl std::str::FromStr for PtxVersion {
    type Err = String;

    fn from_str(text: &str) -> Result<PtxVersion, String> {
        let number = |digits: &str| digits.parse().ok().filter(|_| digits.len() == 1);
        text.split_once('.')
            .and_then(|(major, minor)| {
                let (major, minor) = (number(major)?, number(minor)?);
                Some(PtxVersion { major, minor })
            })
            .ok_or_else(|| "expected a version of PTX such as 7.8".to_owned())
    }
}

/// Compiles an image to PTX.
pub fn compile(context: Context, bitcode: &[u8], options: &PtxOptions<'_>) -> Result<Vec<u8>> {
    // The back end would call undefined functions for conversions between floating point and integers of more than 64
    // bits.
    set_llvm_options(&["-expand-fp-convert-bits=64"]);
    let module = Module::read(context, bitcode)?;
    release::report_difference(&module);
    let triple = module.triple();
    if !triple.starts_with("nvptx64") {
        bail!("the image's target triple is `{triple}`, PTX needs nvptx64");
    }
    module.verify("as it stands in the image")?;
    weak_references::run(&module, |name| NVIDIAS_FUNCTIONS.contains(&name));
    let machine = Machine::new(&MachineOptions {
        triple: &triple,
        cpu: options.arch,
        features: &options.feature(has_large_parameters(&module))?,
        level: options.level,
    })?;
    let mut image = Image {
        module,
        machine,
        output: Output::Ptx,
        level: options.level,
        openmp_opt: options.openmp_opt,
    };
    pipeline::run(&mut image, &options.instrumentation)?;
    options.instrumentation.tell("PTX");
    let text = image.machine.emit_assembly(&image.module)?;
    // LLVM only warns of an architecture that it does not know, and writes the PTX version of its oldest one.
    const UNKNOWN: &[u8] = b"\n.version 3.2\n";
    if text.windows(UNKNOWN.len()).any(|line| line == UNKNOWN) {
        bail!("this LLVM does not know {}", options.arch);
    }
    Ok([provenance(bitcode).as_bytes(), &text].concat())
}

/// The first line of the PTX: the hash of the image it was made of.
fn provenance(bitcode: &[u8]) -> String {
    let hash = hex::encode(Sha256::digest(bitcode));
    format!("// {PROVENANCE}{hash}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feature(arch: &str, version: Option<&str>) -> Result<String> {
        let options = PtxOptions {
            arch,
            version: version.map(|text| text.parse().unwrap()),
            level: 2,
            openmp_opt: true,
            instrumentation: Instrumentation::default(),
        };
        options.feature(false)
    }

    #[test]
    fn the_version_is_the_architectures_unless_one_is_asked_for() {
        assert_eq!(feature("sm_70", None).unwrap(), "+ptx73");
        assert_eq!(feature("sm_90", None).unwrap(), "");
        assert_eq!(feature("sm_90", Some("8.3")).unwrap(), "+ptx83");
        let refused = feature("sm_80", Some("7.2")).unwrap_err().to_string();
        assert!(
            refused.contains("7.2") && refused.contains("7.3"),
            "{refused}"
        );
    }

    #[test]
    fn versions_are_two_digits() {
        let version = "8.7".parse::<PtxVersion>().unwrap();
        assert_eq!(version.to_string(), "8.7");
        for wrong in ["", "8", "8.", ".7", "8.10", "8.7.1", "a.b", "+8.7", "8.-1"] {
            assert!(wrong.parse::<PtxVersion>().is_err(), "{wrong}");
        }
    }
}
