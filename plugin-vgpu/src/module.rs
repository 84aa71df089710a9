//! A loaded image.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use plugin_api::{DevicePtr, Error, Global, Kernel, Launch, Module, Result, SourceLocation, Stage};
use vgpu_abi::artifact::{Artifact, KernelEntry, Site, WarpForm};

use crate::block::WarpKind;
use crate::device::{Gpu, mismatch};
use crate::fault::{self, FaultLocation};
use crate::kernel::VirtualKernel;
use crate::loader::Loaded;
use crate::window;

/// The kernels that run constructors and destructors in AMD's code objects.
const INITIALISE: &str = "amdgcn.device.init";
const FINALISE: &str = "amdgcn.device.fini";

/// The state that the kernels of an image share.
pub struct Code {
    /// The device.
    pub gpu: Arc<Gpu>,
    /// The loaded object.
    pub loaded: Loaded,
    /// The program's warps.
    pub warp_kind: WarpKind,
    /// Block size for programs that specify none.
    pub default_threads: u32,
    /// Whether blocks of a grid synchronise.
    pub grid_workspace: bool,
    /// The source locations that compiled code refers to.
    pub sites: Arc<[Site]>,
}

impl Code {
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
    /// Loads compiled code and runs its constructors. `stages` are the stages so far.
    pub fn load(
        gpu: Arc<Gpu>,
        artifact: Artifact,
        mut stages: Vec<Stage>,
    ) -> Result<Arc<VirtualModule>> {
        let begin = Instant::now();
        let manifest = artifact.manifest;
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
        let loaded = Loaded::new(&artifact.object)?;
        gpu.memory.register(loaded.data());
        if let Some(checker) = &gpu.checker {
            checker.loaded(loaded.data());
        }
        let code = Arc::new(Code {
            gpu,
            loaded,
            warp_kind,
            default_threads: manifest.default_threads,
            grid_workspace: manifest.grid_workspace,
            sites: manifest.sites.into(),
        });
        let single = |symbol: String, name: &str| {
            let entry = KernelEntry {
                name: name.to_owned(),
                symbol,
                parameters: Vec::new(),
                max_threads: 1,
                block: None,
                static_shared: 0,
                warp: WarpForm::default(),
                short_rows: None,
                refusal: None,
            };
            VirtualKernel::new(code.clone(), entry)
        };
        let constructors = manifest
            .constructors
            .map(|symbol| single(symbol, "global constructors"))
            .transpose()?;
        let destructors = manifest
            .destructors
            .map(|symbol| single(symbol, "global destructors"))
            .transpose()?;
        let mut kernels = load_kernels(&code, manifest.kernels)?;
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
            let address = crate::kernel::symbol(&code, &entry.symbol)?;
            globals.insert(
                entry.name,
                Global {
                    address: DevicePtr(address),
                    size: entry.size,
                },
            );
        }
        stages.push(Stage {
            name: "load",
            begin,
            end: Instant::now(),
        });
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
) -> Result<HashMap<String, Arc<VirtualKernel>>> {
    let mut forms: HashMap<String, Vec<(u32, VirtualKernel)>> = HashMap::new();
    let mut kernels = Vec::new();
    for mut entry in entries {
        match entry.short_rows.take() {
            None => kernels.push(entry),
            Some(rows) => {
                // Messages are about the kernel.
                entry.name = rows.of.clone();
                let form = VirtualKernel::new(code.clone(), entry)?;
                forms.entry(rows.of).or_default().push((rows.columns, form));
            }
        }
    }
    let kernel = |entry: KernelEntry| {
        let name = entry.name.clone();
        let forms = forms.remove(&name).unwrap_or_default();
        let kernel = VirtualKernel::new(code.clone(), entry)?;
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
