//! The memory pools of the host and of a GPU.

use crate::driver::{
    Driver, Failure, HsaAgent, HsaPool, HsaPoolFlags, HsaPoolInfo, SEGMENT_GLOBAL, SEGMENT_GROUP,
};
use crate::query;

/// The host's pools.
#[derive(Clone, Copy, Debug)]
pub struct HostPools {
    /// Memory that host and devices see alike while kernels run.
    pub fine: HsaPool,
    /// Memory for the arguments of kernels.
    pub arguments: HsaPool,
}

/// A GPU's pools.
#[derive(Clone, Copy, Debug)]
pub struct DevicePools {
    /// Its memory.
    pub coarse: HsaPool,
    /// Bytes of that.
    pub bytes: u64,
    /// Shared memory of a block, bytes.
    pub shared: u32,
}

struct Pool {
    handle: HsaPool,
    segment: u32,
    flags: HsaPoolFlags,
    bytes: usize,
    is_allocatable: bool,
}

fn pools(driver: &Driver, agent: HsaAgent) -> Result<Vec<Pool>, Failure> {
    let describe = |handle| {
        let segment = query::pool(driver, handle, HsaPoolInfo::SEGMENT)?;
        let is_global = segment == SEGMENT_GLOBAL;
        let flags = match is_global {
            true => query::pool(driver, handle, HsaPoolInfo::GLOBAL_FLAGS)?,
            false => 0u32,
        };
        Ok(Pool {
            handle,
            segment,
            flags: HsaPoolFlags::from_bits_retain(flags),
            bytes: query::pool(driver, handle, HsaPoolInfo::SIZE)?,
            is_allocatable: is_global
                && query::pool::<u8>(driver, handle, HsaPoolInfo::RUNTIME_ALLOC_ALLOWED)? != 0,
        })
    };
    query::pools(driver, agent)?
        .into_iter()
        .map(describe)
        .collect()
}

/// The host's pools. `None`: it has not what kernels need.
pub fn host_pools(driver: &Driver, host: HsaAgent) -> Result<Option<HostPools>, Failure> {
    let pools = pools(driver, host)?;
    let find = |flags: HsaPoolFlags, without: HsaPoolFlags| {
        let fits = |pool: &&Pool| {
            pool.is_allocatable && pool.flags.contains(flags) && !pool.flags.intersects(without)
        };
        pools.iter().find(fits).map(|pool| pool.handle)
    };
    let arguments = find(HsaPoolFlags::KERNARG_INIT, HsaPoolFlags::empty());
    let fine = find(HsaPoolFlags::FINE_GRAINED, HsaPoolFlags::KERNARG_INIT);
    Ok(arguments.map(|arguments| HostPools {
        fine: fine.unwrap_or(arguments),
        arguments,
    }))
}

/// A GPU's pools. `None`: it has no memory that can be allocated.
pub fn device_pools(driver: &Driver, gpu: HsaAgent) -> Result<Option<DevicePools>, Failure> {
    let pools = pools(driver, gpu)?;
    let group = pools.iter().find(|pool| pool.segment == SEGMENT_GROUP);
    let has = |flags: HsaPoolFlags| {
        let fits = move |pool: &&Pool| pool.is_allocatable && pool.flags.contains(flags);
        pools.iter().find(fits)
    };
    // A GPU that shares the host's memory may have a fine-grained pool alone.
    let memory = has(HsaPoolFlags::COARSE_GRAINED).or_else(|| has(HsaPoolFlags::FINE_GRAINED));
    Ok(memory.map(|memory| DevicePools {
        coarse: memory.handle,
        bytes: memory.bytes as u64,
        shared: group.map_or(0, |pool| u32::try_from(pool.bytes).unwrap_or(u32::MAX)),
    }))
}
