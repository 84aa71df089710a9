//! Links the modules of an OpenCL program, as clang leaves them for NVPTX, into an image that any device takes.
//!
//! | module | what it does |
//! |---|---|
//! | `spir`, `mangling` | makes modules of SPIR-V ones for NVPTX |
//! | `manifest` | reads what the kernels are, for the host |
//! | `divisions` | gives divisions by zero a value |
//! | `format` | rewrites `printf` |
//! | `builtins` | links the built-in functions that the program calls |
//! | `entries` | gives kernels the parameters that devices know |
//! | `index_space` | has the built-in functions on the index space read these parameters |
//! | `library` | makes the file that `builtins` reads, when omptarget is built |

mod builtins;
mod divisions;
mod entries;
mod format;
mod index_space;
pub mod library;
mod mangling;
mod manifest;
mod spir;

use anyhow::{Result, bail};
use codegen::opencl::{Program, decode_modules};
use llvm_sys::LLVMLinkage::LLVMInternalLinkage;

use crate::device::{runtime, undefined};
use crate::ir::{Context, Machine, MachineOptions, Module};

/// The triple that programs are compiled for.
const TRIPLE: &str = "nvptx64-nvidia-cuda";

/// Links a program: modules in the form of [`codegen::opencl::encode_modules`].
pub fn compile(context: Context, input: &[u8], level: u8) -> Result<Vec<u8>> {
    let module = linked(context, input)?;
    let machine = Machine::new(&MachineOptions {
        triple: TRIPLE,
        cpu: "sm_80",
        features: "+ptx78",
        level,
    })?;
    module.set_layout(&machine.layout());
    let manifest = manifest::read(&module);
    divisions::run(&module);
    format::run(&module)?;
    builtins::link(&module)?;
    let kernels = entries::run(&module)?;
    for function in module.definitions() {
        if !kernels.contains(&function) {
            function.set_linkage(LLVMInternalLinkage);
        }
        entries::drop_unit_attributes(function);
    }
    index_space::inline(&module, &machine)?;
    index_space::run(&module, &kernels)?;
    undefined::refuse_reached(&module)?;
    runtime::run(&module, &machine, level)?;
    machine.run_passes(&module, &format!("default<O{level}>,globaldce"))?;
    module.verify("after OpenCL's passes")?;
    let program = Program {
        manifest,
        image: module.bitcode(),
    };
    Ok(program.encode()?)
}

/// Links modules with each other and nothing else.
pub fn join(context: Context, input: &[u8]) -> Result<Vec<u8>> {
    Ok(linked(context, input)?.bitcode())
}

fn linked(context: Context, input: &[u8]) -> Result<Module> {
    let Some(parts) = decode_modules(input).filter(|parts| !parts.is_empty()) else {
        bail!("the input is not a list of modules");
    };
    let mut modules = parts.into_iter().map(|part| {
        let module = spir::retarget(Module::read(context, part)?)?;
        match module.triple() == TRIPLE {
            true => Ok(module),
            false => bail!("a module is for {}, not for {TRIPLE}", module.triple()),
        }
    });
    let first = modules.next().expect("the list is not empty")?;
    for module in modules {
        first.link(module?)?;
    }
    first.verify("when it is linked")?;
    Ok(first)
}
