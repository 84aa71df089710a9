//! The unit of work: what passes work on, and what they pass to each other.

use anyhow::{Context as _, Result};
use llvm_sys::LLVMLinkage::LLVMInternalLinkage;
use vgpu_abi::artifact::{Manifest, Parameter, WarpForm};
use vgpu_abi::summary::ExecutionMode;

use super::dialect::Dialect;
use super::runtime_variables::RuntimeVariables;
use crate::analysis::source_locations::SourceLocations;
use crate::ir::{Context, Machine, MachineOptions, Module, Value};
use crate::pass_manager::{self, Instrumentation};

/// Options of `omptarget-codegen vgpu`.
#[derive(Clone, Debug)]
pub struct VgpuOptions {
    /// Optimisation level, 0 to 3.
    pub level: u8,
    /// Whether to check that accesses stay in the device window.
    pub window_check: bool,
    /// Whether to compile kernels in warp form, too.
    pub warp_forms: bool,
    /// Whether to count the image's instructions that threads execute.
    pub count: bool,
    /// A level of the x86-64 psABI to compile for, e.g. `x86-64-v3`, instead of the CPU at hand.
    pub cpu: Option<String>,
    /// What to print and verify between passes.
    pub instrumentation: Instrumentation,
}

/// A kernel found in the image.
pub struct Kernel {
    /// Its function. Optimisation may change or remove it, so it is valid only until then.
    pub function: Value,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Its name in the image.
    pub name: String,
    /// The largest number of threads of a block.
    pub max_threads: u32,
    /// The launch bound that the image states, if any. That of a generic kernel includes the master's warp
    /// (`device::launch_bounds`).
    pub bound: Option<u32>,
    /// How its threads begin.
    pub mode: ExecutionMode,
    /// Static shared memory in bytes, known after the pass `shared`.
    pub static_shared: u64,
    /// Its warp form, or why it has none; known after the pass `warp`.
    pub warp: WarpForm,
}

impl Kernel {
    /// Whether it is in generic mode: its block extends along y and has the master in the last warp (docs/abi.md).
    pub fn is_generic(&self) -> bool {
        self.mode == ExecutionMode::Generic
    }
}

/// One compilation.
pub struct Unit {
    /// The module in work.
    pub module: Module,
    /// The instruction set it was compiled for.
    pub dialect: &'static Dialect,
    /// The options.
    pub options: VgpuOptions,
    /// The host's back end.
    pub machine: Machine,
    /// The image's kernels.
    pub kernels: Vec<Kernel>,
    /// `sm_80` as 800, from the image's `target-cpu`; the value of `__nvvm_reflect("__CUDA_ARCH")`.
    pub cuda_arch: u32,
    /// Where the device runtime keeps its shared variables; known after the pass `shared`.
    pub runtime_variables: RuntimeVariables,
    /// The source locations that compiled code refers to so far.
    pub locations: SourceLocations,
    /// The manifest of the result, as far as it is known.
    pub manifest: Manifest,
}

impl pass_manager::Unit for Unit {
    fn module(&self) -> &Module {
        &self.module
    }
}

impl Unit {
    /// Starts a compilation.
    pub fn new(module: Module, options: VgpuOptions) -> Result<Unit> {
        let host = match &options.cpu {
            None => crate::ir::Host::detect(),
            Some(level) => crate::ir::Host::of_level(level),
        };
        let machine = Machine::new(&MachineOptions {
            triple: HOST_TRIPLE,
            cpu: &host.cpu,
            features: &host.features,
            level: options.level,
        })?;
        let dialect = Dialect::of(&module)?;
        let locations = SourceLocations::new(module.context);
        let manifest = Manifest {
            abi: vgpu_abi::VERSION,
            ..Manifest::default()
        };
        Ok(Unit {
            module,
            dialect,
            options,
            machine,
            kernels: Vec::new(),
            cuda_arch: 0,
            runtime_variables: RuntimeVariables::default(),
            locations,
            manifest,
        })
    }

    /// The LLVM context.
    pub fn context(&self) -> Context {
        self.module.context
    }

    /// The back end of the image's own triple, for passes that run before `retarget`.
    pub fn image_machine(&self) -> Result<Machine> {
        let triple = self.module.triple();
        Machine::new(&MachineOptions {
            triple: &triple,
            cpu: "",
            features: "",
            level: self.options.level,
        })
    }

    /// Links a piece of LLVM assembly in; what it defines becomes internal.
    pub fn add_library(&self, text: &str) -> Result<()> {
        let library = Module::parse(self.context(), text, "the virtual GPU's library")?;
        library.set_layout(&self.machine.layout());
        library.set_triple(HOST_TRIPLE);
        let names: Vec<_> = library.definitions().into_iter().map(Value::name).collect();
        self.module.link(library)?;
        let linked = names.iter().filter_map(|name| self.module.function(name));
        linked.for_each(|function| function.set_linkage(LLVMInternalLinkage));
        Ok(())
    }

    /// A function that [`Unit::add_library`] linked in.
    pub fn library_function(&self, name: &str) -> Result<Value> {
        self.module
            .function(name)
            .with_context(|| format!("internal error: {name} is missing"))
    }
}

/// The host: the virtual GPU's ABI is x86-64 Linux.
pub const HOST_TRIPLE: &str = "x86_64-unknown-linux-gnu";
