//! A loaded image.

use std::collections::HashMap;
use std::sync::Arc;

use codegen::KernelCompiler;
use plugin_api::{DevicePtr, Error, Global, Kernel, Launch, Module, Result, SourceLocation, Stage};
use vgpu_abi::artifact::{Artifact, KernelEntry, Manifest, Site};

use crate::block::WarpKind;
use crate::device::{Gpu, mismatch};
use crate::fault::{self, FaultLocation};
use crate::kernel::VirtualKernel;
use crate::kernel_groups::KernelGroups;
use crate::loader::Loaded;
use crate::window;

/// The kernels that run constructors and destructors in AMD's code objects.
const INITIALISE: &str = "amdgcn.device.init";
const FINALISE: &str = "amdgcn.device.fini";

/// A loaded object, and what its kernels share.
pub struct Code {
    /// The device.
    pub gpu: Arc<Gpu>,
    /// The object.
    pub loaded: Loaded,
    /// The program's warps.
    pub warp_kind: WarpKind,
    /// Block size for programs that specify none.
    pub default_threads: u32,
    /// Whether blocks of a grid synchronise.
    pub grid_workspace: bool,
    /// The source locations that compiled code refers to.
    pub sites: Arc<[Site]>,
    /// The object whose variables this one uses, besides its own.
    _base: Option<Arc<Code>>,
}

impl Code {
    /// Loads compiled code. What it does not define, `base` does. Gives the rest of the manifest, too.
    pub fn load(
        gpu: Arc<Gpu>,
        artifact: Artifact,
        base: Option<Arc<Code>>,
    ) -> Result<(Arc<Code>, Manifest)> {
        let mut manifest = artifact.manifest;
        if manifest.abi != vgpu_abi::VERSION {
            return Err(mismatch(manifest.abi));
        }
        if manifest.window != window::index()? {
            let compiled = manifest.window;
            return Err(Error::Load(format!(
                "code compiled for device memory in terabyte {compiled}, where this process has none"
            )));
        }
        let warp_kind = WarpKind::of(&manifest).ok_or_else(|| {
            let size = manifest.warp_size;
            Error::Load(format!(
                "code compiled for warps of {size} lanes; the virtual GPU has 32 or 64"
            ))
        })?;
        let loaded = Loaded::new(&artifact.object, base.as_ref().map(|base| &base.loaded))?;
        gpu.memory.register(loaded.data());
        if let Some(checker) = &gpu.checker {
            checker.loaded(loaded.data());
        }
        let code = Code {
            gpu,
            loaded,
            warp_kind,
            default_threads: manifest.default_threads,
            grid_workspace: manifest.grid_workspace,
            sites: std::mem::take(&mut manifest.sites).into(),
            _base: base,
        };
        Ok((Arc::new(code), manifest))
    }

    /// The location in the user's source.
    pub fn location(&self, place: FaultLocation) -> Option<SourceLocation> {
        match place {
            FaultLocation::Unknown => None,
            FaultLocation::Code { pc, caller } => self
                .loaded
                .source_location(pc)
                .or_else(|| self.loaded.source_location(caller?)),
            FaultLocation::Site(index) => fault::location_of(&self.sites, index),
        }
    }

    /// The address of a symbol that the manifest names.
    pub fn symbol(&self, name: &str) -> Result<u64> {
        self.loaded.symbol(name).ok_or_else(|| {
            Error::Load(format!(
                "compiled code lacks the symbol {name} of its manifest"
            ))
        })
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        self.gpu.memory.unregister(self.loaded.data());
        if let Some(checker) = &self.gpu.checker {
            checker.unloaded(self.loaded.data());
        }
    }
}

/// A loaded image. Its destructors run when it is dropped.
pub struct VirtualModule {
    kernels: HashMap<String, Arc<VirtualKernel>>,
    globals: HashMap<String, Global>,
    destructors: Option<VirtualKernel>,
    stages: Vec<Stage>,
    /// The memory of code and variables, also of an image without kernels.
    _code: Arc<Code>,
}

impl VirtualModule {
    /// Loads compiled code and runs its constructors. `later` compiles what the object lacks. `stages` are the stages
    /// so far.
    pub fn load(
        gpu: Arc<Gpu>,
        artifact: Artifact,
        later: Option<KernelCompiler>,
        mut stages: Vec<Stage>,
    ) -> Result<Arc<VirtualModule>> {
        let load = || Code::load(gpu, artifact, None);
        let (code, manifest) = Stage::of("load", &mut stages, load)?;
        let single = |symbol: String, name: &str| {
            let entry = KernelEntry {
                symbol,
                max_threads: 1,
                ..KernelEntry::default()
            };
            VirtualKernel::new(code.clone(), name, entry, None)
        };
        let constructors = manifest
            .constructors
            .map(|symbol| single(symbol, "global constructors"))
            .transpose()?;
        let destructors = manifest
            .destructors
            .map(|symbol| single(symbol, "global destructors"))
            .transpose()?;
        let later = later.map(|compiler| KernelGroups::new(compiler, code.clone()));
        let mut kernels = load_kernels(&code, manifest.kernels, later)?;
        let (constructors, destructors) = match code.gpu.config.runs_constructors {
            true => (constructors, destructors),
            false => {
                let named = [(INITIALISE, constructors), (FINALISE, destructors)];
                let named = named.into_iter();
                kernels.extend(
                    named.filter_map(|(name, kernel)| Some((name.into(), Arc::new(kernel?)))),
                );
                (None, None)
            }
        };
        let mut globals = HashMap::new();
        for entry in manifest.globals {
            let address = code.symbol(&entry.symbol)?;
            globals.insert(
                entry.name,
                Global {
                    address: DevicePtr(address),
                    size: entry.size,
                },
            );
        }
        if let Some(constructors) = constructors {
            Stage::of("constructors", &mut stages, || run_once(&constructors))?;
        }
        Ok(Arc::new(VirtualModule {
            kernels,
            globals,
            destructors,
            stages,
            _code: code,
        }))
    }
}

/// The kernels by name, each with its forms.
fn load_kernels(
    code: &Arc<Code>,
    entries: Vec<KernelEntry>,
    mut later: Option<KernelGroups>,
) -> Result<HashMap<String, Arc<VirtualKernel>>> {
    let mut group_of = |entry: &KernelEntry| match (entry.group, &mut later) {
        (None, _) => Ok(None),
        (Some(number), Some(groups)) => {
            let start = entry.start.as_ref().map(|it| it.object);
            Ok(Some(groups.get(number, start)))
        }
        (Some(_), None) => Err(Error::Load(format!(
            "the code of the kernel {} is missing",
            entry.name
        ))),
    };
    let mut forms: HashMap<String, Vec<(u32, VirtualKernel)>> = HashMap::new();
    let mut kernels = Vec::new();
    for mut entry in entries {
        let group = group_of(&entry)?;
        match entry.short_rows.take() {
            None => kernels.push((entry, group)),
            Some(rows) => {
                // Messages are about the kernel.
                let form = VirtualKernel::new(code.clone(), &rows.of, entry, group)?;
                forms.entry(rows.of).or_default().push((rows.columns, form));
            }
        }
    }
    let kernel = |(entry, group): (KernelEntry, _)| {
        let name = entry.name.clone();
        let forms = forms.remove(&name).unwrap_or_default();
        let kernel = VirtualKernel::new(code.clone(), &name, entry, group)?;
        Ok((name, Arc::new(kernel.with_short_rows(forms))))
    };
    kernels.into_iter().map(kernel).collect()
}

impl Module for VirtualModule {
    fn stages(&self) -> &[Stage] {
        &self.stages
    }

    fn global(&self, name: &str) -> Option<Global> {
        self.globals.get(name).copied()
    }

    fn globals(&self) -> Vec<(String, Global)> {
        let globals = self.globals.iter();
        globals
            .map(|(name, global)| (name.clone(), *global))
            .collect()
    }

    fn kernel(&self, name: &str) -> Option<Arc<dyn Kernel>> {
        Some(self.kernels.get(name)?.clone())
    }
}

impl Drop for VirtualModule {
    fn drop(&mut self) {
        if let Some(destructors) = &self.destructors
            && let Err(error) = run_once(destructors)
        {
            log::error!("{error}");
        }
    }
}

fn run_once(kernel: &VirtualKernel) -> Result<()> {
    kernel.launch(&Launch {
        grid: [1; 3],
        block: [1; 3],
        dynamic_shared: 0,
        cooperative: false,
        args: &[],
    })
}
