//! The unit of work: what passes work on, and what they pass to each other.

use std::collections::HashSet;

use anyhow::{Context as _, Result, bail};
use codegen::CpuLevel;
use llvm_sys::LLVMLinkage::LLVMInternalLinkage;
use vgpu_abi::Checks;
use vgpu_abi::artifact::{Manifest, Parameter, ShortRows, WarpForm};
use vgpu_abi::summary::ExecutionMode;

use super::dialect::Dialect;
use super::host::Architecture;
use super::lower::engine::context_function;
use super::runtime_variables::RuntimeVariables;
use crate::analysis::source_locations::SourceLocations;
use crate::ir::{Context, Host, Machine, MachineOptions, Module, Value};
use crate::pass_manager::{self, Instrumentation};

/// Options of `omptarget-codegen vgpu`.
#[derive(Clone, Debug)]
pub struct VgpuOptions {
    /// Optimisation level, 0 to 3.
    pub level: u8,
    /// Whether to check that accesses stay in the device window.
    pub window_check: bool,
    /// Index of the device window ([`vgpu_abi::WINDOWS`]).
    pub window: u64,
    /// In which forms to compile kernels.
    pub forms: Forms,
    /// Whether to count the image's instructions that threads execute.
    pub count: bool,
    /// What code checks.
    pub checks: Checks,
    /// The architecture to compile for.
    pub host: Architecture,
    /// A level of that architecture to compile for. `None`: the CPU at hand if it has that architecture, else the
    /// lowest level.
    pub cpu: Option<CpuLevel>,
    /// In how many parts to make machine code at the same time, each in a process; more than one needs a process with
    /// one thread. `None`: as many as there are CPUs for and pay.
    pub parts: Option<usize>,
    /// What to print and verify between passes.
    pub instrumentation: Instrumentation,
}

/// In which forms kernels are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forms {
    /// For single threads, each of which has a fiber.
    Threads,
    /// For single threads, one by one, what a kernel starts in (`vgpu::groups`).
    Start,
    /// For single threads, one by one and in warp form.
    All,
}

/// A kernel found in the image.
pub struct Kernel {
    /// Its function. Optimisation may change or remove it, so it is valid only until then.
    pub function: Value,
    /// Its parameters, as a launch passes them.
    pub parameters: Vec<Parameter>,
    /// The word of a launch's array at which each of the function's own parameters begins.
    pub places: Vec<u32>,
    /// Its name in the image.
    pub name: String,
    /// The largest number of threads of a block.
    pub max_threads: u32,
    /// The block that launches must have.
    pub block: Option<[u32; 3]>,
    /// The launch bound that the image states, if any. That of a generic kernel includes the master's warp
    /// (`device::launch_bounds`).
    pub bound: Option<u32>,
    /// How its threads begin.
    pub mode: ExecutionMode,
    /// Static shared memory in bytes, known after the pass `shared`.
    pub static_shared: u64,
    /// Its warp form, or why it has none; known after the pass `warp`.
    pub warp: WarpForm,
    /// Symbol of its loop over threads, if it has one; known after the pass `thread-loops`.
    pub threads: Option<String>,
    /// What it is a form of (`vgpu::short_rows`).
    pub short_rows: Option<ShortRows>,
    /// Why it cannot run (`vgpu::refusal`).
    pub refusal: Option<String>,
}

impl Kernel {
    /// Whether it is in generic mode: its block extends along y and has the master in the last warp (docs/abi.md).
    pub fn is_generic(&self) -> bool {
        self.mode == ExecutionMode::Generic
    }
}

/// `1 kernel`, `2 kernels`.
pub fn counted(number: usize, of: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {of}{plural}")
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
    /// The variables that are in another object (`vgpu::groups`).
    pub shared: HashSet<String>,
}

impl pass_manager::Unit for Unit {
    fn module(&self) -> &Module {
        &self.module
    }
}

impl Unit {
    /// Starts a compilation.
    pub fn new(module: Module, options: VgpuOptions) -> Result<Unit> {
        options.host.initialise();
        let host = match options.cpu {
            Some(level) if level.architecture() != options.host.name() => {
                bail!("{} is no level of {}", level.name(), options.host.name())
            }
            Some(level) => Host::of(level),
            None if options.host == Architecture::CURRENT => Host::detect(),
            None => Host::of(options.host.lowest_level()),
        };
        let machine = Machine::new(&MachineOptions {
            triple: options.host.triple(),
            cpu: &host.cpu,
            features: &host.features,
            level: options.level,
        })?;
        let dialect = Dialect::of(&module)?;
        let locations = SourceLocations::new(module.context);
        let manifest = Manifest {
            abi: vgpu_abi::VERSION,
            window: options.window,
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
            shared: HashSet::new(),
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

    /// Links a piece of LLVM assembly in; what it defines becomes internal. It may call `vgpu.context`.
    pub fn add_library(&self, text: &str) -> Result<()> {
        let mut text = text.to_owned();
        if text.contains("@vgpu.context()") {
            text += &context_function(self.options.host);
        }
        let library = Module::parse(self.context(), &text, "the virtual GPU's library")?;
        library.set_layout(&self.machine.layout());
        library.set_triple(self.options.host.triple());
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
