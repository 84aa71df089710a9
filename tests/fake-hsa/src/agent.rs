//! The agents: the CPU, and GPUs, each of which is a virtual GPU.

use std::sync::{Arc, OnceLock};

use fake_driver::handle::{self, Handle};
use plugin_vgpu::{Config, VirtualGpu};

use crate::call::{settings, tell};
use crate::isa::Isa;
use crate::pool::{Pool, Segment};
use crate::status::{Failure, Outcome};

/// Flags of a pool: `HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_*`.
pub const KERNARG: u32 = 1;
const FINE_GRAINED: u32 = 2;
const COARSE_GRAINED: u32 = 4;

/// An agent.
pub struct Agent {
    /// Its number: 0 is the CPU.
    pub number: usize,
    /// What only GPUs have.
    pub gpu: Option<Gpu>,
    /// Its memory pools.
    pub pools: Vec<(Handle, Arc<Pool>)>,
    /// The virtual GPU that provides its memory, and runs its kernels.
    machine: OnceLock<Outcome<Arc<VirtualGpu>>>,
}

/// A GPU.
pub struct Gpu {
    /// What it runs.
    pub isa: &'static Isa,
    /// The same as a handle.
    pub isa_handle: Handle,
}

/// An instruction set architecture with a handle.
pub struct IsaObject(pub &'static Isa);

/// The agents and their handles, the CPU first.
pub fn all() -> Outcome<&'static [(Handle, Arc<Agent>)]> {
    static AGENTS: OnceLock<Vec<(Handle, Arc<Agent>)>> = OnceLock::new();
    let isas = &settings()?.isas;
    let make = || {
        let gpus = isas.iter().enumerate();
        let gpus = gpus.map(|(index, isa)| new_gpu(index + 1, isa));
        let agents = std::iter::once(new_cpu()).chain(gpus);
        agents
            .map(Arc::new)
            .map(|agent| (handle::add(agent.clone()), agent))
            .collect()
    };
    Ok(AGENTS.get_or_init(make))
}

/// The agent of a handle.
pub fn get(raw: Handle) -> Outcome<Arc<Agent>> {
    handle::get(raw).map_err(|_| Failure::ERROR_INVALID_AGENT)
}

/// The handle of an agent.
pub fn handle_of(agent: usize) -> Outcome<Handle> {
    Ok(all()?[agent].0)
}

fn pools(owner: usize, flags: &[u32]) -> Vec<(Handle, Arc<Pool>)> {
    let global = flags.iter().map(|&flags| (Segment::Global, flags));
    let group = (owner > 0).then_some((Segment::Group, 0));
    global
        .chain(group)
        .map(|(segment, flags)| {
            let pool = Arc::new(Pool {
                owner,
                segment,
                flags,
            });
            (handle::add(pool.clone()), pool)
        })
        .collect()
}

fn new_cpu() -> Agent {
    let kinds = [FINE_GRAINED, FINE_GRAINED | KERNARG, COARSE_GRAINED];
    Agent {
        number: 0,
        gpu: None,
        pools: pools(0, &kinds),
        machine: OnceLock::new(),
    }
}

fn new_gpu(number: usize, isa: &'static Isa) -> Agent {
    Agent {
        number,
        gpu: Some(Gpu {
            isa,
            isa_handle: handle::add(Arc::new(IsaObject(isa))),
        }),
        pools: pools(number, &[COARSE_GRAINED]),
        machine: OnceLock::new(),
    }
}

/// The configuration of the virtual GPU behind each agent, from `OMPTARGET_VGPU_*`.
pub fn description() -> Outcome<Config> {
    let config = Config::from_environment().map_err(|why| {
        tell(&why);
        Failure::ERROR
    })?;
    // Code objects have kernels for constructors and destructors, which the program launches.
    Ok(Config {
        runs_constructors: false,
        ..config
    })
}

impl Agent {
    /// The virtual GPU behind it. The CPU's provides memory only.
    pub fn machine(&self) -> Outcome<Arc<VirtualGpu>> {
        let make = || {
            let gpu = VirtualGpu::new(&description()?);
            gpu.map(Arc::new).map_err(|error| {
                tell(&error.to_string());
                Failure::ERROR_OUT_OF_RESOURCES
            })
        };
        self.machine.get_or_init(make).clone()
    }

    /// What only GPUs have.
    pub fn gpu(&self) -> Outcome<&Gpu> {
        self.gpu.as_ref().ok_or(Failure::ERROR_INVALID_AGENT)
    }
}
