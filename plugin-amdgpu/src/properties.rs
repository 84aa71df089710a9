//! The properties of a GPU.

use plugin_api::DeviceInfo;

use crate::arch::Arch;
use crate::driver::{Driver, Failure, HsaAgent, HsaAgentInfo, HsaSystemInfo};
use crate::pools::DevicePools;
use crate::query;

/// The properties of a GPU.
#[derive(Clone, Debug)]
pub struct Properties {
    /// The properties that all devices have.
    pub info: DeviceInfo,
    /// Its architecture.
    pub arch: Arch,
    /// Its memory.
    pub pools: DevicePools,
    /// Most threads of a grid per dimension.
    pub max_grid: [u32; 3],
    /// Most packets of a queue.
    pub max_queue: u32,
    /// Most waves of a compute unit.
    pub max_waves: u32,
    /// SIMD units of a compute unit.
    pub simds: u32,
    /// Whether kernels may dereference any host pointer.
    pub host_pointers: bool,
    /// Ticks per second of the clock that waits are measured by.
    pub wait_frequency: u64,
}

/// The name for people, and the architecture: `gfx90a:sramecc+:xnack-`. `None`: the runtime names no architecture of a
/// GPU.
pub fn identity(driver: &Driver, agent: HsaAgent) -> Result<(String, Option<Arch>), Failure> {
    let product = query::agent_text(driver, agent, HsaAgentInfo::PRODUCT_NAME)?;
    let name = match product.is_empty() {
        true => query::agent_text(driver, agent, HsaAgentInfo::NAME)?,
        false => product,
    };
    let first = query::isas(driver, agent)?.into_iter().next();
    let arch = match first {
        Some(isa) => Arch::parse(&query::isa_name(driver, isa)?),
        None => None,
    };
    Ok((name, arch))
}

impl Properties {
    /// Queries the runtime.
    pub fn of(
        driver: &Driver,
        agent: HsaAgent,
        name: String,
        arch: Arch,
        pools: DevicePools,
    ) -> Result<Properties, Failure> {
        use HsaAgentInfo as Ask;
        let number = |attribute| query::agent::<u32>(driver, agent, attribute);
        let max_threads = number(Ask::WORKGROUP_MAX_SIZE)?.max(1);
        let grid: [u32; 3] = query::agent(driver, agent, Ask::GRID_MAX_DIM)?;
        Ok(Properties {
            info: DeviceInfo {
                name,
                arch: arch.to_string(),
                multiprocessors: number(Ask::COMPUTE_UNIT_COUNT)?,
                warp_size: number(Ask::WAVEFRONT_SIZE)?,
                max_threads_per_block: max_threads,
                // The hardware counts work-items. Only kernels of CUDA's languages have blocks along y and z.
                max_blocks: [grid[0] / max_threads, grid[1], grid[2]],
                max_shared_memory: pools.shared,
                total_memory: pools.bytes,
                clock_frequency: match driver.is_recent() {
                    true => query::agent(driver, agent, Ask::TIMESTAMP_FREQUENCY)?,
                    false => 0,
                },
                max_iterations_per_thread: 0,
                max_iterations_in_rows: 0,
                record_per_team: false,
                shares_cpus: false,
            },
            arch,
            pools,
            max_grid: grid,
            max_queue: number(Ask::QUEUE_MAX_SIZE)?,
            max_waves: number(Ask::MAX_WAVES_PER_CU)?,
            simds: number(Ask::SIMDS_PER_CU)?.max(1),
            host_pointers: system::<u8>(driver, HsaSystemInfo::SVM_ACCESSIBLE_BY_DEFAULT)? != 0,
            wait_frequency: system(driver, HsaSystemInfo::TIMESTAMP_FREQUENCY)?,
        })
    }
}

fn system<T: Copy + Default>(driver: &Driver, attribute: HsaSystemInfo) -> Result<T, Failure> {
    let mut value = T::default();
    // SAFETY: the value has the attribute's size.
    unsafe { driver.system_get_info(attribute, (&raw mut value).cast()) }?;
    Ok(value)
}
