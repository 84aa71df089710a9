//! The runtime in use: between `hsa_init` and `hsa_shut_down`.

use std::sync::Arc;

use crate::driver::{DEVICE_TYPE_CPU, DEVICE_TYPE_GPU, Driver, Failure, HsaAgent, HsaAgentInfo};
use crate::pools::{HostPools, host_pools};
use crate::{query, troubles};

/// The runtime and the host's processor.
pub struct Runtime {
    /// Its functions.
    pub driver: &'static Driver,
    /// The first of the host's processors.
    pub host: HsaAgent,
    /// The host's memory.
    pub pools: HostPools,
    /// The GPUs, in the runtime's order.
    pub gpus: Vec<HsaAgent>,
}

impl Runtime {
    /// Starts the runtime. `Ok(None)`: it knows no GPU.
    pub fn start(driver: &'static Driver) -> Result<Option<Arc<Runtime>>, Failure> {
        // SAFETY: there is no precondition.
        unsafe { driver.init() }?;
        let runtime = look(driver);
        if !matches!(runtime, Ok(Some(_))) {
            // SAFETY: started above; nothing of the runtime is in use.
            let _ended = unsafe { driver.shut_down() };
        }
        let runtime = runtime?;
        if runtime.is_some() {
            troubles::register_handler(driver);
        }
        Ok(runtime.map(Arc::new))
    }
}

fn look(driver: &'static Driver) -> Result<Option<Runtime>, Failure> {
    let (mut host, mut gpus) = (None, Vec::new());
    for agent in query::agents(driver)? {
        match query::agent::<u32>(driver, agent, HsaAgentInfo::DEVICE)? {
            DEVICE_TYPE_CPU => host = host.or(Some(agent)),
            DEVICE_TYPE_GPU => gpus.push(agent),
            _ => {}
        }
    }
    let Some(host) = host.filter(|_| !gpus.is_empty()) else {
        return Ok(None);
    };
    Ok(host_pools(driver, host)?.map(|pools| Runtime {
        driver,
        host,
        pools,
        gpus,
    }))
}

impl Drop for Runtime {
    fn drop(&mut self) {
        troubles::forget_handler();
        // SAFETY: started once, and every user of it keeps it alive.
        let _ended = unsafe { self.driver.shut_down() };
    }
}
