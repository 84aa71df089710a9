//! AMDGCN bitcode to a code object, for AMD's GPUs: a shared object with the kernels' descriptors and metadata ("AMDGPU
//! Back-end User Guide", Code Object).

use anyhow::{Result, bail};
use codegen::PROVENANCE;
use object::elf::FileHeader64;
use object::read::elf::FileHeader as _;
use sha2::{Digest, Sha256};

use crate::analysis::release;
use crate::analysis::target::{self, AMDGCN};
use crate::device::pipeline::{self, Image, Output};
use crate::ir::{Context, Machine, MachineOptions, Module};
use crate::linker;
use crate::pass_manager::Instrumentation;

/// Options of `omptarget-codegen amdgcn`.
pub struct CodeObjectOptions<'a> {
    /// The processor.
    pub processor: &'a Processor,
    /// Optimisation level, 0 to 3.
    pub level: u8,
    /// Whether LLVM's OpenMP optimiser runs.
    pub openmp_opt: bool,
    /// What to print and verify between passes.
    pub instrumentation: Instrumentation,
}

/// A processor and its settings: `gfx90a:sramecc+:xnack-` ("AMDGPU Back-end User Guide", Target ID).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Processor {
    /// `gfx90a`.
    name: String,
    /// Error correction of its memories; `None`: code for both.
    sramecc: Option<bool>,
    /// Whether it replays instructions after page faults; `None`: code for both.
    xnack: Option<bool>,
}

impl std::str::FromStr for Processor {
    type Err = String;

    fn from_str(text: &str) -> Result<Processor, String> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let is_sane = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if !name.starts_with("gfx") || !name.bytes().all(is_sane) {
            return Err("expected a processor such as gfx90a or gfx90a:sramecc+:xnack-".to_owned());
        }
        let mut processor = Processor {
            name: name.to_owned(),
            sramecc: None,
            xnack: None,
        };
        for part in parts {
            let (setting, value) = match part {
                "sramecc+" => (&mut processor.sramecc, true),
                "sramecc-" => (&mut processor.sramecc, false),
                "xnack+" => (&mut processor.xnack, true),
                "xnack-" => (&mut processor.xnack, false),
                _ => {
                    return Err(format!(
                        "`{part}` is none of sramecc+, sramecc-, xnack+, xnack-"
                    ));
                }
            };
            if setting.replace(value).is_some() {
                return Err(format!("`{part}` comes after another such setting"));
            }
        }
        Ok(processor)
    }
}

impl Processor {
    /// LLVM's features for the settings and for waves of a size.
    fn features(&self, wave_size: Option<u32>) -> String {
        let settings = [("sramecc", self.sramecc), ("xnack", self.xnack)];
        let mut features: Vec<String> = settings
            .iter()
            .filter_map(|(name, value)| {
                Some(format!("{}{name}", if (*value)? { '+' } else { '-' }))
            })
            .collect();
        features.extend(wave_size.map(|size| format!("+wavefrontsize{size}")));
        features.join(",")
    }

    /// Refuses a processor that LLVM does not know, or that has not the settings. LLVM itself only warns. The flags of
    /// an object without code tell.
    fn check(&self, context: Context) -> Result<()> {
        let text = format!("target triple = \"{TRIPLE}\"");
        let nothing = Module::parse(context, &text, "an empty module")?;
        let flags = flags(&self.machine(None, 0)?.emit_object(&nothing)?)?;
        if flags & PROCESSOR_FLAGS == 0 {
            bail!("this LLVM does not know the processor {}", self.name);
        }
        for (name, value, mask) in [
            ("sramecc", self.sramecc, SRAMECC_FLAGS),
            ("xnack", self.xnack, XNACK_FLAGS),
        ] {
            if value.is_some() && flags & mask == 0 {
                bail!("{} has no setting {name}", self.name);
            }
        }
        Ok(())
    }

    fn machine(&self, wave_size: Option<u32>, level: u8) -> Result<Machine> {
        Machine::new(&MachineOptions {
            triple: TRIPLE,
            cpu: &self.name,
            features: &self.features(wave_size),
            level,
        })
    }

    /// The size to ask LLVM for where the processor has a choice. An image has its size of waves built in.
    fn wave_size(&self, of_image: u32) -> Result<Option<u32>> {
        match target::wave_sizes(&self.name) {
            Some(sizes) if !sizes.contains(&of_image) => bail!(
                "the image was compiled for waves of {of_image} lanes, and {} has only waves of {}: compile with \
                 --offload-arch={}",
                self.name,
                sizes[0],
                self.name
            ),
            Some([_]) => Ok(None),
            _ => Ok(Some(of_image)),
        }
    }
}

/// The bits of an object's flags that name its processor ("AMDGPU Back-end User Guide", Header).
const PROCESSOR_FLAGS: u32 = 0xff;
/// The bits for `xnack`, all 0 where the processor has no such setting.
const XNACK_FLAGS: u32 = 0x300;
/// The bits for `sramecc`.
const SRAMECC_FLAGS: u32 = 0xc00;

/// The only target triple of code objects for HSA.
const TRIPLE: &str = "amdgcn-amd-amdhsa";

/// The oldest version of code objects whose implicit arguments the device runtime reads: hundreds, as in the module's
/// flag.
const OLDEST_VERSION: u64 = 500;

/// Compiles an image to a code object.
pub fn compile(
    context: Context,
    bitcode: &[u8],
    options: &CodeObjectOptions<'_>,
) -> Result<Vec<u8>> {
    let module = Module::read(context, bitcode)?;
    release::report_difference(&module);
    let triple = module.triple();
    if triple != TRIPLE {
        bail!("the image's target triple is `{triple}`, code objects need {TRIPLE}");
    }
    module.verify("as it stands in the image")?;
    options.processor.check(context)?;
    let version = module.flag("amdhsa_code_object_version");
    if let Some(version) = version.filter(|version| *version < OLDEST_VERSION) {
        bail!(
            "the image is for code objects of version {}, and the device runtime needs 5 or newer: compile with \
             -mcode-object-version=6",
            version / 100
        );
    }
    let wave_size = options.processor.wave_size((AMDGCN.warp_size)(&module))?;
    let machine = options.processor.machine(wave_size, options.level)?;
    let mut image = Image {
        module,
        machine,
        output: Output::CodeObject,
        level: options.level,
        openmp_opt: options.openmp_opt,
    };
    pipeline::run(&mut image, &options.instrumentation)?;
    options.instrumentation.tell("machine code");
    // The back end writes this to the section `.comment`.
    let hash = hex::encode(Sha256::digest(bitcode));
    image
        .module
        .add_named_string("llvm.ident", &format!("{PROVENANCE}{hash}"));
    linker::link(&image.machine.emit_object(&image.module)?)
}

/// The flags in an object's header.
fn flags(object: &[u8]) -> Result<u32> {
    let header = FileHeader64::<object::Endianness>::parse(object)?;
    Ok(header.e_flags(header.endian()?).0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn processor(text: &str) -> Result<Processor, String> {
        text.parse()
    }

    #[test]
    fn processors_are_target_ids() {
        let features = |text| processor(text).unwrap().features(Some(64));
        assert_eq!(features("gfx90a"), "+wavefrontsize64");
        assert_eq!(
            features("gfx90a:sramecc+:xnack-"),
            "+sramecc,-xnack,+wavefrontsize64"
        );
        for wrong in [
            "",
            "sm_80",
            "gfx90a:",
            "gfx90a:xnack",
            "gfx90a:xnack+:xnack-",
            "gfx90a xnack+",
            "90a",
        ] {
            assert!(processor(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn waves_are_the_images() {
        let size = |text, of_image| processor(text).unwrap().wave_size(of_image);
        assert_eq!(size("gfx90a", 64).unwrap(), None);
        assert_eq!(size("gfx1100", 64).unwrap(), Some(64));
        assert_eq!(size("gfx1100", 32).unwrap(), Some(32));
        let refused = size("gfx90a", 32).unwrap_err().to_string();
        assert!(refused.contains("--offload-arch=gfx90a"), "{refused}");
    }
}
