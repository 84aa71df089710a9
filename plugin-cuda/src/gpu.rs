//! One GPU: its context and the resources that its streams, modules and allocations share.
//!
//! The context is the *primary* one, which CUDA code in the same process also uses. It is retained on first use,
//! because that takes the driver long and most processes use one of several GPUs. Calls make it the current
//! context of the calling thread. If the thread had another one (from CUDA code or another GPU), that one is
//! current again afterwards.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use plugin_api::{Error, Result};
use vendor_driver::{InFlight, LaunchesInFlight, ObjectPool, PinnedMemory, Staging};

use crate::driver::{
    CuContext, CuDevice, CuEvent, CuEventFlags, CuHostAllocFlags, CuLimit, CuMemPoolAttribute,
    CuMemoryPool, CuStream, CuStreamFlags, Driver, Failure, Outcome,
};
use crate::failure;
use crate::properties::Properties;
use crate::settings::Settings;
use crate::trap_record::TrapRecord;

/// A GPU.
pub struct Gpu {
    /// The driver.
    pub driver: &'static Driver,
    /// The driver's number for it.
    pub device: CuDevice,
    /// Its properties.
    pub properties: Properties,
    /// The limits that the environment sets.
    pub settings: Settings,
    opened: OnceLock<ContextResources>,
    opening: Mutex<()>,
    /// Why the device is lost, if it is.
    lost: OnceLock<String>,
    /// The launches in flight of each stream.
    running: LaunchesInFlight,
}

/// The resources of a device in use.
pub struct ContextResources {
    /// The primary context.
    pub context: CuContext,
    /// The pool that allocations come from, if the device has one.
    pub pool: Option<CuMemoryPool>,
    /// The stream that orders allocations and frees.
    pub memory: CuStream,
    /// Where a kernel that traps leaves the reason.
    pub trap_record: TrapRecord,
    /// Idle streams.
    pub streams: ObjectPool<RawStream>,
    /// Idle events.
    pub events: ObjectPool<CuEvent>,
}

/// Bytes of a stream's pinned memory. What is more takes a copy of its own.
const STAGING: usize = 16 << 10;

/// A stream of the driver.
pub struct RawStream {
    /// The driver's handle.
    pub handle: CuStream,
    /// Pinned memory of its own.
    pub staging: Staging,
}

/// A device whose context is current on this thread until this is dropped.
pub struct Entered<'a> {
    driver: &'static Driver,
    opened: &'a ContextResources,
    pop: bool,
}

impl std::ops::Deref for Entered<'_> {
    type Target = ContextResources;

    fn deref(&self) -> &ContextResources {
        self.opened
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        if self.pop {
            pop(self.driver);
        }
    }
}

impl Gpu {
    /// A GPU that has not been used yet.
    pub fn new(
        driver: &'static Driver,
        device: CuDevice,
        properties: Properties,
        settings: Settings,
    ) -> Gpu {
        Gpu {
            driver,
            device,
            properties,
            settings,
            opened: OnceLock::new(),
            opening: Mutex::default(),
            lost: OnceLock::new(),
            running: LaunchesInFlight::default(),
        }
    }

    /// Makes the device's context current. Fails if the device is lost.
    pub fn enter(&self) -> Result<Entered<'_>> {
        if let Some(lost) = self.lost_error() {
            return Err(lost);
        }
        let opened = match self.opened.get() {
            Some(opened) => opened,
            None => self.open()?,
        };
        let before = self.make_current(opened.context)?;
        Ok(Entered {
            driver: self.driver,
            opened,
            // A thread without a context keeps this one. That saves calls, and CUDA code sets its own context
            // before it does anything.
            pop: before.is_some_and(|before| before != CuContext::NULL),
        })
    }

    /// Makes `context` current. Gives the previous context, or none if it is the same.
    fn make_current(&self, context: CuContext) -> Result<Option<CuContext>> {
        let mut current = CuContext::NULL;
        // SAFETY: `current` is writable.
        self.check(unsafe { self.driver.ctx_get_current(&mut current) })?;
        if current == context {
            return Ok(None);
        }
        // SAFETY: the context is retained as long as the device lives.
        self.check(unsafe { self.driver.ctx_push_current(context) })?;
        Ok(Some(current))
    }

    fn open(&self) -> Result<&ContextResources> {
        let _one = self.opening.lock();
        if let Some(opened) = self.opened.get() {
            return Ok(opened);
        }
        let mut context = CuContext::NULL;
        // SAFETY: `context` is writable, the device exists.
        self.check(unsafe {
            self.driver
                .device_primary_ctx_retain(&mut context, self.device)
        })?;
        let made = self.make_current(context).and_then(|before| {
            let made = self.create_resources(context);
            if before.is_some() {
                pop(self.driver);
            }
            made
        });
        match made {
            Ok(opened) => Ok(self.opened.get_or_init(|| opened)),
            Err(error) => {
                // SAFETY: retained above.
                let _released = unsafe { self.driver.device_primary_ctx_release(self.device) };
                Err(error)
            }
        }
    }

    /// Sets the limits of the current context and creates its resources.
    fn create_resources(&self, context: CuContext) -> Result<ContextResources> {
        let heap = self.settings.heap_of(self.properties.info.total_memory);
        let limits = [
            (CuLimit::STACK_SIZE, Some(self.settings.stack)),
            (CuLimit::MALLOC_HEAP_SIZE, Some(heap)),
            (CuLimit::PRINTF_FIFO_SIZE, self.settings.printf),
        ];
        for (limit, value) in limits {
            if let Some(value) = value {
                self.set_limit(limit, value)?;
            }
        }
        Ok(ContextResources {
            context,
            pool: self.pool()?,
            memory: self.make_stream()?,
            trap_record: TrapRecord::new(self)?,
            streams: ObjectPool::default(),
            events: ObjectPool::default(),
        })
    }

    /// If CUDA code in the process has loaded a module already, the heap keeps its size.
    fn set_limit(&self, limit: CuLimit, value: usize) -> Result<()> {
        // SAFETY: the context is current.
        let outcome = unsafe { self.driver.ctx_set_limit(limit, value) };
        match outcome {
            Err(failure) if !failure::is_sticky(failure.result) => {
                let (name, text) = self.driver.describe(failure.result);
                log::warn!(
                    "{}: the driver refuses a {} of {value} bytes: {name} ({text})",
                    self.properties.info.name,
                    limit.name()
                );
                Ok(())
            }
            outcome => self.check(outcome),
        }
    }

    fn pool(&self) -> Result<Option<CuMemoryPool>> {
        if !self.properties.memory_pools {
            return Ok(None);
        }
        let mut pool = CuMemoryPool::NULL;
        let mut threshold = self.settings.release_threshold;
        // SAFETY: both variables are writable. The attribute has 64 bits.
        self.check(unsafe {
            self.driver
                .device_get_default_mem_pool(&mut pool, self.device)
                .and_then(|()| {
                    self.driver.mem_pool_set_attribute(
                        pool,
                        CuMemPoolAttribute::RELEASE_THRESHOLD,
                        (&raw mut threshold).cast(),
                    )
                })
        })?;
        Ok(Some(pool))
    }

    fn make_stream(&self) -> Result<CuStream> {
        let mut stream = CuStream::NULL;
        // SAFETY: `stream` is writable, the context is current.
        self.check(unsafe {
            self.driver
                .stream_create(&mut stream, CuStreamFlags::NON_BLOCKING)
        })?;
        Ok(stream)
    }

    /// An idle stream, or a new one.
    pub fn take_stream(&self) -> Result<RawStream> {
        let entered = self.enter()?;
        match entered.streams.take() {
            Some(stream) => Ok(stream),
            None => Ok(RawStream {
                handle: self.make_stream()?,
                staging: Staging::new(STAGING),
            }),
        }
    }

    /// An idle event, or a new one.
    pub fn take_event(&self) -> Result<CuEvent> {
        let entered = self.enter()?;
        if let Some(event) = entered.events.take() {
            return Ok(event);
        }
        let mut event = CuEvent(null_mut());
        // SAFETY: `event` is writable, the context is current.
        self.check(unsafe {
            self.driver
                .event_create(&mut event, CuEventFlags::DISABLE_TIMING)
        })?;
        Ok(event)
    }

    /// The resources, if the device is in use and not lost. For callers that only return something.
    pub fn in_use(&self) -> Option<&ContextResources> {
        match self.lost.get() {
            Some(_) => None,
            None => self.opened.get(),
        }
    }

    /// A list of launches in flight for a new stream.
    pub fn running(&self) -> Arc<InFlight> {
        self.running.list()
    }

    /// The driver's result. An error that destroys the context is reported in full to the first caller. All
    /// others learn that the device is lost, and why.
    pub fn check(&self, outcome: Outcome) -> Result<()> {
        outcome.map_err(|failure| self.error(failure))
    }

    /// The error for a failed call.
    pub fn error(&self, failure: Failure) -> Error {
        if let Some(lost) = self.lost_error() {
            return lost;
        }
        if !failure::is_sticky(failure.result) {
            return failure::error(self.driver, failure);
        }
        let record = self
            .opened
            .get()
            .and_then(|opened| opened.trap_record.read());
        let fault = failure::fault(self.driver, failure, record, &self.running.launches());
        match self.lost.set(fault.to_string()) {
            Ok(()) => Error::Fault(Box::new(fault)),
            Err(_) => self.error(failure),
        }
    }

    fn lost_error(&self) -> Option<Error> {
        let cause = self.lost.get()?.clone();
        Some(Error::Lost { cause })
    }
}

/// Pinned host memory stages small writes. A copy from pageable memory may first wait for the stream (CUDA Driver API,
/// "API synchronization behavior"), and the caller may change the bytes as soon as the call returns.
impl PinnedMemory for Gpu {
    fn allocate(&self, size: usize) -> Result<*mut u8> {
        let _entered = self.enter()?;
        let mut memory: *mut c_void = null_mut();
        // SAFETY: `memory` is writable, the context is current.
        self.check(unsafe {
            self.driver
                .mem_host_alloc(&mut memory, size, CuHostAllocFlags::PORTABLE)
        })?;
        Ok(memory.cast())
    }
}

impl Drop for Gpu {
    /// Destroys what belongs to the context and releases it. The context stays if CUDA code in the process uses
    /// it.
    fn drop(&mut self) {
        let Some(opened) = self.in_use() else { return };
        let Ok(_entered) = self.enter() else { return };
        // The process may be exiting, and the driver may have shut down before.
        // SAFETY: nothing uses the device any more.
        unsafe {
            for mut stream in opened.streams.take_all() {
                for block in stream.staging.take_blocks() {
                    let _freed = self.driver.mem_free_host(block.cast());
                }
                let _destroyed = self.driver.stream_destroy(stream.handle);
            }
            for event in opened.events.take_all() {
                let _destroyed = self.driver.event_destroy(event);
            }
            let _destroyed = self.driver.stream_destroy(opened.memory);
            let _freed = opened.trap_record.free(self.driver);
            let _released = self.driver.device_primary_ctx_release(self.device);
        }
    }
}

/// Makes the context current that was so before the last push.
fn pop(driver: &Driver) {
    let mut own = CuContext::NULL;
    // SAFETY: `own` is writable, and a context was pushed before.
    let _popped = unsafe { driver.ctx_pop_current(&mut own) };
}
