//! One GPU: the resources that its streams, modules and allocations share.
//!
//! They are created on first use, because that takes the runtime long and most processes use one of several GPUs.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use plugin_api::{Error, Result};
use vendor_driver::{InFlight, LaunchesInFlight, ObjectPool, PinnedMemory, Staging};

use crate::driver::{
    ACCESS_BY_DEFAULT, ACCESS_NEVER, CONDITION_LESS, Failure, HsaAgent, HsaAgentPoolInfo, HsaPool,
    HsaSignal, Outcome, WAIT_BLOCKED,
};
use crate::failure;
use crate::host_thread::HostThread;
use crate::memory::Memory;
use crate::properties::Properties;
use crate::queue::Queue;
use crate::runtime::Runtime;
use crate::settings::Settings;
use crate::signal::Signal;
use crate::trap_record::TrapRecord;
use crate::troubles::{self, Trouble, Troubles};

/// Queues of the device, which its streams share. The hardware runs a few at a time.
const QUEUES: usize = 4;
/// Bytes of pinned memory that a stream may take for arguments and small writes.
const STAGING: usize = 4 << 20;
/// How often in a second a thread that waits looks whether the device is lost.
const WAITS_PER_SECOND: u64 = 100;

/// A GPU.
pub struct Gpu {
    /// The runtime.
    pub runtime: Arc<Runtime>,
    /// The runtime's handle.
    pub agent: HsaAgent,
    /// Its properties.
    pub properties: Properties,
    /// Its settings.
    pub settings: Settings,
    /// Its memory that is in use.
    pub memory: Memory,
    /// What the runtime has reported of it.
    pub troubles: Arc<Troubles>,
    opened: OnceLock<Resources>,
    opening: Mutex<()>,
    /// Why the device is lost, if it is.
    lost: OnceLock<String>,
    /// The launches in flight of each stream.
    running: LaunchesInFlight,
}

/// The resources of a device in use.
pub struct Resources {
    queues: Vec<Arc<Queue>>,
    /// Where a kernel that traps leaves the reason.
    pub trap_record: TrapRecord,
    /// Idle signals.
    pub signals: ObjectPool<HsaSignal>,
    /// Idle streams.
    pub streams: ObjectPool<RawStream>,
}

/// What a stream needs and the next one can use.
pub struct RawStream {
    /// Where its packets go.
    pub queue: Arc<Queue>,
    /// Memory that the device reads.
    pub staging: Staging,
    /// A thread for what the host does in stream order, once there is something.
    pub thread: Option<HostThread>,
}

impl Gpu {
    /// A GPU that has not been used yet.
    pub fn new(
        runtime: Arc<Runtime>,
        agent: HsaAgent,
        properties: Properties,
        settings: Settings,
    ) -> Gpu {
        Gpu {
            runtime,
            agent,
            properties,
            settings,
            memory: Memory::default(),
            troubles: Arc::default(),
            opened: OnceLock::new(),
            opening: Mutex::default(),
            lost: OnceLock::new(),
            running: LaunchesInFlight::default(),
        }
    }

    /// The resources. Fails if the device is lost.
    pub fn opened(&self) -> Result<&Resources> {
        self.alive()?;
        if let Some(opened) = self.opened.get() {
            return Ok(opened);
        }
        let _one = self.opening.lock();
        if let Some(opened) = self.opened.get() {
            return Ok(opened);
        }
        troubles::watch(self.agent, &self.troubles);
        let mut queues = Vec::with_capacity(QUEUES);
        for _ in 0..QUEUES {
            match Queue::new(self) {
                Ok(queue) => queues.push(Arc::new(queue)),
                // One will do, if other processes have the rest.
                Err(why) if !queues.is_empty() => {
                    log::debug!("{} queues: {why}", queues.len());
                    break;
                }
                Err(why) => return Err(why),
            }
        }
        let trap_record = TrapRecord::new(self).inspect_err(|_| {
            // SAFETY: nothing has used them.
            queues
                .iter()
                .for_each(|queue| unsafe { queue.destroy(self) });
        })?;
        Ok(self.opened.get_or_init(|| Resources {
            queues,
            trap_record,
            signals: ObjectPool::default(),
            streams: ObjectPool::default(),
        }))
    }

    /// The resources, if the device is in use and not lost. For callers that only return something.
    pub fn in_use(&self) -> Option<&Resources> {
        match self.lost.get() {
            Some(_) => None,
            None => self.opened.get(),
        }
    }

    /// An idle stream, or a new one on the queue with the fewest users.
    pub fn take_stream(&self) -> Result<RawStream> {
        let opened = self.opened()?;
        let raw = match opened.streams.take() {
            Some(raw) => raw,
            None => {
                let users = |queue: &&Arc<Queue>| queue.users.load(Ordering::Relaxed);
                let queue = opened.queues.iter().min_by_key(users).cloned();
                let queue = queue.ok_or_else(|| Error::Load("the device has no queue".into()))?;
                RawStream {
                    queue,
                    staging: Staging::new(STAGING),
                    thread: None,
                }
            }
        };
        raw.queue.users.fetch_add(1, Ordering::Relaxed);
        Ok(raw)
    }

    /// A list of launches in flight for a new stream.
    pub fn running(&self) -> Arc<InFlight> {
        self.running.list()
    }

    /// Waits until a signal's operation is complete. An error means that the device is lost.
    pub fn wait(&self, signal: &Signal) -> Result<()> {
        let ticks = self.properties.wait_frequency / WAITS_PER_SECOND;
        loop {
            // SAFETY: the signal lives as long as the call.
            let value = unsafe {
                self.runtime.driver.signal_wait(
                    signal.handle,
                    CONDITION_LESS,
                    1,
                    ticks,
                    WAIT_BLOCKED,
                )
            };
            if value == 0 {
                return Ok(());
            }
            if value < 0 || signal.waits_for_failure() {
                return Err(self.copy_failed());
            }
            self.alive()?;
        }
    }

    /// Whether the device still answers. The first to learn that it does not gets the reason in full. All others
    /// learn that the device is lost, and why.
    pub fn alive(&self) -> Result<()> {
        if let Some(cause) = self.lost.get() {
            return Err(Error::Lost {
                cause: cause.clone(),
            });
        }
        let Some(trouble) = self.troubles.worst() else {
            return Ok(());
        };
        let record = match (trouble, self.opened.get()) {
            (Trouble::Queue(_), Some(opened)) => opened.trap_record.read(),
            _ => None,
        };
        let launches = self.running.launches();
        let fault = failure::fault(self.runtime.driver, trouble, record, &launches);
        Err(match self.lost.set(fault.to_string()) {
            Ok(()) => Error::Fault(Box::new(fault)),
            Err(cause) => Error::Lost {
                cause: self.lost.get().cloned().unwrap_or(cause),
            },
        })
    }

    /// A copy has failed: what waits for it would wait for ever, so the device is given up.
    fn copy_failed(&self) -> Error {
        match self.alive() {
            Err(error) => error,
            Ok(()) => self.lose(failure::copy_failed()),
        }
    }

    /// An operation that nobody waits for has failed, and with it what comes after.
    pub fn give_up(&self, failure: Failure) {
        let error = self.error(failure);
        log::error!("{error}");
        self.lose(error);
    }

    fn lose(&self, error: Error) -> Error {
        match self.lost.set(error.to_string()) {
            Ok(()) => error,
            Err(cause) => Error::Lost { cause },
        }
    }

    /// The runtime's result.
    pub fn check(&self, outcome: Outcome) -> Result<()> {
        outcome.map_err(|failure| self.error(failure))
    }

    /// The error for a failed call.
    pub fn error(&self, failure: Failure) -> Error {
        match self.alive() {
            Err(error) => error,
            Ok(()) => failure::error(self.runtime.driver, failure),
        }
    }

    /// How an agent may use a pool.
    pub fn access(&self, agent: HsaAgent, pool: HsaPool) -> std::result::Result<u32, Failure> {
        let mut access = ACCESS_NEVER;
        // SAFETY: `access` is writable; agent and pool exist.
        unsafe {
            self.runtime.driver.agent_pool_get_info(
                agent,
                pool,
                HsaAgentPoolInfo::ACCESS,
                (&raw mut access).cast(),
            )
        }?;
        Ok(access)
    }

    /// Allocates from a pool and lets the device use it, and memory of the host all devices.
    pub fn allocate(
        &self,
        pool: HsaPool,
        size: usize,
    ) -> std::result::Result<*mut c_void, Failure> {
        let driver = self.runtime.driver;
        let mut address = null_mut();
        // SAFETY: `address` is writable, the pool exists.
        unsafe { driver.pool_allocate(pool, size, 0, &mut address) }?;
        // SAFETY: allocated above.
        let allowed = unsafe { self.allow(pool, address) };
        if let Err(failure) = allowed {
            // SAFETY: allocated above, and nothing knows it.
            let _freed = unsafe { driver.pool_free(address) };
            return Err(failure);
        }
        Ok(address)
    }

    /// # Safety
    /// `address` is an allocation of the pool.
    unsafe fn allow(&self, pool: HsaPool, address: *mut c_void) -> Outcome {
        if self.access(self.agent, pool)? == ACCESS_BY_DEFAULT {
            return Ok(());
        }
        let is_own = pool == self.properties.pools.coarse;
        let agents = match is_own {
            true => std::slice::from_ref(&self.agent),
            false => self.runtime.gpus.as_slice(),
        };
        // SAFETY: caller. Of an agent that may never use the pool, the runtime refuses this.
        unsafe {
            let count = agents.len() as u32;
            let driver = self.runtime.driver;
            driver.agents_allow_access(count, agents.as_ptr(), std::ptr::null(), address)
        }
    }
}

/// Arguments of kernels, and what copies read.
impl PinnedMemory for Gpu {
    fn allocate(&self, size: usize) -> Result<*mut u8> {
        let memory = Gpu::allocate(self, self.runtime.pools.arguments, size);
        memory
            .map(|memory| memory.cast())
            .map_err(|failure| self.error(failure))
    }
}

impl Drop for Gpu {
    /// Frees the resources. Those of a lost device stay as they are: the runtime may hang on them.
    fn drop(&mut self) {
        let Some(opened) = self.in_use() else { return };
        let driver = self.runtime.driver;
        self.memory.release_kept(self);
        // SAFETY: nothing uses the device any more.
        unsafe {
            for mut stream in opened.streams.take_all() {
                for block in stream.staging.take_blocks() {
                    let _freed = driver.pool_free(block.cast());
                }
            }
            for queue in &opened.queues {
                queue.destroy(self);
            }
            opened.trap_record.free(driver);
            for signal in opened.signals.take_all() {
                let _destroyed = driver.signal_destroy(signal);
            }
        }
    }
}
