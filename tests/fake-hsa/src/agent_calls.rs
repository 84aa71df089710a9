//! Agents, their instruction sets and pools.

use std::ffi::c_void;

use fake_driver::handle::{self, Handle};

use crate::agent::{self, Agent, IsaObject, description};
use crate::attribute::{self, Value, byte, halves, long, text, words};
use crate::call::{refuse, settings};
use crate::pool::Segment;
use crate::status::{Failure, Outcome};

/// Called for each element of a list. Anything but success ends the traversal.
type Visit = Option<unsafe extern "C" fn(Handle, *mut c_void) -> u32>;

/// LDS of a work-group.
pub const GROUP_SEGMENT: u32 = 64 << 10;
/// Work-items of a work-group.
pub const MOST_WORK_ITEMS: u32 = 1024;

/// "If the callback returns a status other than HSA_STATUS_SUCCESS for a particular iteration, the traversal stops and
/// that status value is returned."
fn visit(elements: impl Iterator<Item = Handle>, visit: Visit, data: *mut c_void) -> Outcome {
    let callback = visit.ok_or(Failure::ERROR_INVALID_ARGUMENT)?;
    for element in elements {
        // SAFETY: the caller's contract.
        let status = unsafe { callback(element, data) };
        if status != 0 {
            return Err(Failure(status));
        }
    }
    Ok(())
}

/// The value of an agent's attribute.
fn value(agent: &Agent, attribute: u32) -> Outcome<Value> {
    let gpu = agent.gpu.as_ref();
    let of_gpu = |value: Value| match gpu {
        Some(_) => Ok(value),
        None => Err(Failure::ERROR_INVALID_ARGUMENT),
    };
    let multiprocessors = description()?.multiprocessors;
    let (name, product) = match gpu {
        Some(gpu) => (gpu.isa.name(), format!("Fake GPU {}", agent.number - 1)),
        None => ("fake CPU", "Fake CPU".into()),
    };
    let value = match attribute {
        // NAME, VENDOR_NAME, FEATURE (kernel dispatch), MACHINE_MODEL (large), PROFILE (base; CPUs: full)
        0 => text(name, 64),
        1 => text("AMD", 64),
        2 => words(&[gpu.is_some().into()]),
        3 => words(&[1]),
        4 => words(&[gpu.is_none().into()]),
        // DEFAULT_FLOAT_ROUNDING_MODE (near), WAVEFRONT_SIZE, WORKGROUP_MAX_DIM, …_MAX_SIZE
        5 => words(&[2]),
        6 => of_gpu(words(&[gpu.map_or(0, |gpu| gpu.isa.wave())]))?,
        7 => of_gpu(halves(&[1024; 3]))?,
        8 => of_gpu(words(&[MOST_WORK_ITEMS]))?,
        // GRID_MAX_DIM, GRID_MAX_SIZE
        9 => of_gpu(words(&[u32::MAX; 3]))?,
        10 => of_gpu(words(&[u32::MAX]))?,
        // QUEUES_MAX, QUEUE_MIN_SIZE, QUEUE_MAX_SIZE, QUEUE_TYPE (multi)
        12 => words(&[128 * u32::from(gpu.is_some())]),
        13 => words(&[64 * u32::from(gpu.is_some())]),
        14 => words(&[if gpu.is_some() {
            settings()?.queue_size
        } else {
            0
        }]),
        15 => words(&[0]),
        // NODE, DEVICE (CPU 0, GPU 1), VERSION_MAJOR, VERSION_MINOR
        16 => words(&[agent.number as u32]),
        17 => words(&[gpu.is_some().into()]),
        21 | 22 => halves(&[1]),
        // CHIP_ID, CACHELINE_SIZE, COMPUTE_UNIT_COUNT, MAX_CLOCK_FREQUENCY in MHz, DRIVER_NODE_ID, BDFID
        0xa000 => words(&[0x740f]),
        0xa001 => words(&[64]),
        0xa002 => words(&[multiprocessors]),
        0xa003 => words(&[1000]),
        0xa004 => words(&[agent.number as u32]),
        0xa006 => words(&[(agent.number as u32) << 8]),
        // PRODUCT_NAME, MAX_WAVES_PER_CU, NUM_SIMDS_PER_CU, DOMAIN, UUID
        0xa009 => text(&product, 64),
        0xa00a => of_gpu(words(&[32]))?,
        0xa00b => of_gpu(words(&[4]))?,
        0xa00f => words(&[0]),
        0xa011 => text(&format!("GPU-{:016x}", 0xfa4e + agent.number), 21),
        // SVM_DIRECT_HOST_ACCESS
        0xa013 => byte(false),
        _ => {
            let what = format!("agent attribute {attribute:#x} is not emulated");
            return Err(refuse(Failure::ERROR_INVALID_ARGUMENT, &what));
        }
    };
    Ok(value)
}

fake_driver::functions! {
    /// The agents, the CPU first.
    fn hsa_iterate_agents(callback: Visit, data: *mut c_void) in running {
        visit(agent::all()?.iter().map(|(handle, _)| *handle), callback, data)
    }

    /// A property of an agent.
    fn hsa_agent_get_info(of: Handle, attribute: u32, result: *mut c_void) in running {
        attribute::store(result, &value(&*agent::get(of)?, attribute)?)
    }

    /// What it runs: one architecture.
    fn hsa_agent_iterate_isas(of: Handle, callback: Visit, data: *mut c_void) in running {
        let agent = agent::get(of)?;
        visit(agent.gpu.iter().map(|gpu| gpu.isa_handle), callback, data)
    }

    /// A property of an architecture.
    fn hsa_isa_get_info_alt(of: Handle, attribute: u32, value: *mut c_void) in running {
        let isa = handle::get::<IsaObject>(of).map_err(|_| Failure::ERROR_INVALID_ISA)?;
        let name = isa.0.full_name();
        let own = match attribute {
            // NAME_LENGTH (with the NUL, as ROCm counts it), NAME
            0 => words(&[name.len() as u32 + 1]),
            1 => text(&name, name.len() + 1),
            // WORKGROUP_MAX_DIM, WORKGROUP_MAX_SIZE, GRID_MAX_DIM, GRID_MAX_SIZE
            12 => halves(&[1024; 3]),
            13 => words(&[MOST_WORK_ITEMS]),
            14 => words(&[u32::MAX; 3]),
            16 => long(u32::MAX.into()),
            _ => {
                let what = format!("ISA attribute {attribute} is not emulated");
                return Err(refuse(Failure::ERROR_INVALID_ARGUMENT, &what));
            }
        };
        attribute::store(value, &own)
    }

    /// Its memory pools.
    fn hsa_amd_agent_iterate_memory_pools(of: Handle, callback: Visit, data: *mut c_void) in running {
        visit(agent::get(of)?.pools.iter().map(|(handle, _)| *handle), callback, data)
    }

    /// How an agent can access a pool (`HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS`): its own memory is accessible by
    /// default, other memory when allowed, LDS never.
    fn hsa_amd_agent_memory_pool_get_info(
        of: Handle, memory: Handle, attribute: u32, value: *mut c_void,
    ) in running {
        let (agent, pool) = (agent::get(of)?, crate::pool::get(memory)?);
        let access = match (pool.segment, pool.owner == agent.number) {
            (Segment::Group, _) => 0,
            (Segment::Global, true) => 1,
            (Segment::Global, false) => 2,
        };
        match attribute {
            0 => attribute::store(value, &words(&[access])),
            _ => {
                let what = format!("attribute {attribute} of agent and pool is not emulated");
                Err(refuse(Failure::ERROR_INVALID_ARGUMENT, &what))
            }
        }
    }
}
