//! Memory pools and what is allocated from them.

use std::collections::BTreeSet;
use std::ffi::{c_int, c_void};

use fake_driver::handle::Handle;
use fake_driver::pointer::{element, store, store_if_wanted};
use plugin_api::{Device as _, DevicePtr};

use crate::agent::{self, description};
use crate::attribute::{self, byte, long, words};
use crate::call::refuse;
use crate::memory::{Kind, memory};
use crate::pool::{self, GRANULE, Segment};
use crate::status::{Failure, Outcome};

/// `hsa_amd_pointer_info_t`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PointerInfo {
    size: u32,
    kind: u32,
    agent_base: u64,
    host_base: u64,
    bytes: usize,
    user_data: usize,
    owner: Handle,
    global_flags: u32,
}

fn agents(count: usize, list: *const Handle) -> Outcome<BTreeSet<usize>> {
    (0..count)
        .map(|index| Ok(agent::get(element(list, index)?)?.number))
        .collect()
}

fake_driver::functions! {
    /// A property of a pool.
    fn hsa_amd_memory_pool_get_info(of: Handle, attribute: u32, value: *mut c_void) in running {
        let pool = pool::get(of)?;
        let global = pool.segment == Segment::Global;
        let size = match global {
            true => description()?.memory,
            false => crate::agent_calls::GROUP_SEGMENT.into(),
        };
        let own = match attribute {
            // SEGMENT, GLOBAL_FLAGS, SIZE
            0 => words(&[pool.segment as u32]),
            1 if global => words(&[pool.flags]),
            2 => long(size),
            // RUNTIME_ALLOC_ALLOWED, …_GRANULE, …_ALIGNMENT
            5 => byte(global),
            6 | 7 if global => long(GRANULE),
            // ACCESSIBLE_BY_ALL, ALLOC_MAX_SIZE
            15 => byte(global),
            16 if global => long(size),
            _ => {
                let what = format!("attribute {attribute} of this memory pool is not emulated");
                return Err(refuse(Failure::ERROR_INVALID_ARGUMENT, &what));
            }
        };
        attribute::store(value, &own)
    }

    /// Allocates memory. "size: must not be zero", "flags: reserved parameter, must be 0".
    fn hsa_amd_memory_pool_allocate(from: Handle, size: usize, flags: u32, address: *mut *mut c_void) in running {
        let pool = pool::get(from)?;
        if size == 0 || flags != 0 || address.is_null() {
            return Err(Failure::ERROR_INVALID_ARGUMENT);
        }
        if pool.segment != Segment::Global {
            return Err(Failure::ERROR_INVALID_ALLOCATION);
        }
        store(address, memory().allocate(&pool, size as u64)? as *mut c_void)
    }

    /// Frees it. Null is ignored.
    fn hsa_amd_memory_pool_free(address: *mut c_void) in running {
        match address.is_null() {
            true => Ok(()),
            false => memory().free(address as u64),
        }
    }

    /// "Upon return, only the listed agents and the agent associated with the buffer's memory pool have direct access".
    fn hsa_amd_agents_allow_access(
        count: u32, list: *const Handle, flags: *const u32, address: *const c_void,
    ) in running {
        let mut allowed = agents(count as usize, list)?;
        if count == 0 || !flags.is_null() {
            return Err(Failure::ERROR_INVALID_ARGUMENT);
        }
        let mut memory = memory();
        let block = memory.enclosing(address as u64, 1);
        let block = block.filter(|block| block.start == address as u64 && block.kind == Kind::Pool);
        let block = block.ok_or_else(|| {
            let what = format!("access is allowed to {address:?}, which is not an allocation");
            refuse(Failure::ERROR_INVALID_ARGUMENT, &what)
        })?;
        allowed.insert(block.owner);
        block.access = allowed;
        Ok(())
    }

    /// Pins host memory. "If this parameter is NULL and the num_agent is 0, all agents in the platform will gain
    /// access".
    fn hsa_amd_memory_lock(
        host: *mut c_void, size: usize, list: *const Handle, count: c_int, address: *mut *mut c_void,
    ) in running {
        let count = usize::try_from(count).map_err(|_| Failure::ERROR_INVALID_ARGUMENT)?;
        if host.is_null() || size == 0 || address.is_null() || list.is_null() != (count == 0) {
            return Err(Failure::ERROR_INVALID_ARGUMENT);
        }
        let access = match count {
            0 => (0..agent::all()?.len()).collect(),
            _ => agents(count, list)?,
        };
        memory().lock(host as u64, size as u64, access);
        store(address, host)
    }

    /// Unpins it.
    fn hsa_amd_memory_unlock(host: *mut c_void) in running {
        memory().unlock(host as u64)
    }

    /// Sets `count` words of memory of this runtime.
    fn hsa_amd_memory_fill(address: *mut c_void, value: u32, count: usize) in running {
        let (start, length) = (address as u64, count as u64 * 4);
        if address.is_null() || start % 4 != 0 {
            return Err(Failure::ERROR_INVALID_ARGUMENT);
        }
        if count == 0 {
            return Ok(());
        }
        let owner = memory().enclosing(start, length).map(|block| block.owner).ok_or_else(|| {
            let what = format!("{length} bytes at {start:#x} are filled, which are not in an allocation");
            refuse(Failure::ERROR_INVALID_ALLOCATION, &what)
        })?;
        let _in_use = memory().used_by(start, length, owner).map_err(|why| refuse(Failure::ERROR_INVALID_ALLOCATION, &why))?;
        let words = vec![value; count];
        let machine = agent::all()?[owner].1.machine()?;
        // SAFETY: as many bytes as the words have.
        let written = unsafe { machine.write(DevicePtr(start), words.as_ptr().cast(), length as usize) };
        written.map_err(|error| refuse(Failure::ERROR, &error.to_string()))
    }

    /// What a pointer refers to. The list of agents is not emulated.
    fn hsa_amd_pointer_info(
        address: *const c_void, info: *mut PointerInfo, _alloc: usize, count: *mut u32, list: *mut *mut Handle,
    ) in running {
        let asked = element(info, 0)?;
        if address.is_null() || (asked.size as usize) < size_of::<PointerInfo>() {
            return Err(Failure::ERROR_INVALID_ARGUMENT);
        }
        if !list.is_null() {
            return Err(refuse(Failure::ERROR_INVALID_ARGUMENT, "hsa_amd_pointer_info gives no list of agents"));
        }
        let found = memory().enclosing(address as u64, 1).cloned();
        store_if_wanted(count, found.as_ref().map_or(0, |block| block.access.len() as u32));
        let unknown = PointerInfo { kind: 0, size: size_of::<PointerInfo>() as u32, ..asked };
        store(info, match found {
            None => unknown,
            Some(block) => PointerInfo {
                kind: if block.kind == Kind::Locked { 2 } else { 1 },
                agent_base: block.start,
                host_base: block.start,
                bytes: block.size as usize,
                user_data: 0,
                owner: agent::handle_of(block.owner)?,
                global_flags: block.flags,
                ..unknown
            },
        })
    }
}
