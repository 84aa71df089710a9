//! Streams of the driver, with the resources that must live until their work is complete.

use std::any::Any;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use plugin_api::{DevicePtr, Error, Event, Kernel, Launch, Result, Stream};
use vendor_driver::{HostFunction, InFlight, LaunchInFlight};

use crate::driver::{CuResult, CuStream, Outcome};
use crate::event::CudaEvent;
use crate::gpu::{Entered, Gpu, RawStream};
use crate::host_function;
use crate::kernel::CudaKernel;

/// A stream.
pub struct CudaStream {
    gpu: Arc<Gpu>,
    handle: CuStream,
    running: Arc<InFlight>,
    state: Mutex<State>,
}

struct State {
    /// `None` only while the stream is dropped.
    raw: Option<RawStream>,
    /// Operations enqueued so far.
    enqueued: u64,
    /// How many of them are known to be complete.
    complete: u64,
    /// Whether the driver's handle was given out, so that others may enqueue work that is not counted.
    exposed: bool,
    /// Bytes that copies in flight read.
    kept: Vec<Box<[u8]>>,
    /// Functions that may not have been called yet.
    calls: Vec<Arc<HostFunction>>,
}

impl State {
    /// Whether all operations are known to be complete.
    fn is_complete(&self) -> bool {
        self.complete == self.enqueued && !self.exposed
    }
}

impl CudaStream {
    /// An empty stream.
    pub fn new(gpu: &Arc<Gpu>) -> Result<CudaStream> {
        let raw = gpu.take_stream()?;
        Ok(CudaStream {
            gpu: gpu.clone(),
            handle: raw.handle,
            running: gpu.running(),
            state: Mutex::new(State {
                raw: Some(raw),
                enqueued: 0,
                complete: 0,
                exposed: false,
                kept: Vec::new(),
                calls: Vec::new(),
            }),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Enqueues an operation with the context current. An operation that the driver refuses does not count.
    fn enqueue(
        &self,
        operation: impl FnOnce(&Entered<'_>, &mut State) -> Result<()>,
    ) -> Result<()> {
        let entered = self.gpu.enter()?;
        let mut state = self.lock();
        state.enqueued += 1;
        operation(&entered, &mut state)
    }

    /// The driver's result of a copy or fill. If it says "invalid value", the range may be the cause.
    fn checked(
        &self,
        outcome: Outcome,
        what: &'static str,
        ranges: &[DevicePtr],
        len: usize,
    ) -> Result<()> {
        if outcome.is_err_and(|failure| failure.result == CuResult::INVALID_VALUE) {
            let outside = ranges.iter().find(|each| !self.is_allocated(**each, len));
            if let Some(address) = outside {
                return Err(Error::InvalidAccess {
                    what,
                    address: *address,
                    len: len as u64,
                });
            }
        }
        self.gpu.check(outcome)
    }

    fn is_allocated(&self, address: DevicePtr, len: usize) -> bool {
        let (mut base, mut size) = (0, 0);
        // SAFETY: both variables are writable, the context is current.
        let found = unsafe {
            self.gpu
                .driver
                .mem_get_address_range(&mut base, &mut size, address.0)
        };
        let end = address.0.checked_add(len as u64);
        found.is_ok() && end.is_some_and(|end| end <= base + size as u64)
    }

    /// Runs a kernel of the device.
    pub fn run(&self, kernel: &CudaKernel, launch: &Launch<'_>) -> Result<()> {
        self.enqueue(|_, _| {
            self.running.launched(LaunchInFlight {
                kernel: kernel.name(),
                grid: launch.grid,
                block: launch.block,
            });
            kernel.enqueue(launch, self.handle)
        })
    }

    /// Copies from another device.
    pub fn copy_from(
        &self,
        dst: DevicePtr,
        source: &Gpu,
        src: DevicePtr,
        len: usize,
    ) -> Result<()> {
        if len == 0 {
            return Ok(());
        }
        let there = source.enter()?.context;
        self.enqueue(|entered, _| {
            // SAFETY: both contexts are retained. The driver checks both ranges.
            let copied = unsafe {
                self.gpu.driver.memcpy_peer_async(
                    dst.0,
                    entered.context,
                    src.0,
                    there,
                    len,
                    self.handle,
                )
            };
            self.checked(copied, "copy between devices", &[src, dst], len)
        })
    }

    /// Copies within the device, between ranges that do not overlap.
    fn copy_disjoint(&self, dst: DevicePtr, src: DevicePtr, len: usize) -> Result<()> {
        // SAFETY: the driver checks both ranges.
        let copied = unsafe {
            self.gpu
                .driver
                .memcpy_dtod_async(dst.0, src.0, len, self.handle)
        };
        self.checked(copied, "copy within the device", &[src, dst], len)
    }

    /// Copies between ranges that overlap, through temporary memory. The driver has no such copy.
    fn copy_overlapping(
        &self,
        entered: &Entered<'_>,
        dst: DevicePtr,
        src: DevicePtr,
        len: usize,
    ) -> Result<()> {
        let driver = self.gpu.driver;
        let mut between = DevicePtr::NULL;
        // SAFETY: `between` is writable, the context is current.
        self.gpu.check(unsafe {
            match entered.pool {
                Some(_) => driver.mem_alloc_async(&mut between.0, len, self.handle),
                None => driver.mem_alloc(&mut between.0, len),
            }
        })?;
        let copied = self
            .copy_disjoint(between, src, len)
            .and_then(|()| self.copy_disjoint(dst, between, len));
        // SAFETY: allocated above. The stream frees it after the copies.
        let freed = unsafe {
            match entered.pool {
                Some(_) => driver.mem_free_async(between.0, self.handle),
                None => driver
                    .stream_synchronize(self.handle)
                    .and_then(|()| driver.mem_free(between.0)),
            }
        };
        copied.and(self.gpu.check(freed))
    }

    /// Notes that everything enqueued up to `count` is complete.
    fn passed(&self, count: u64) {
        let mut state = self.lock();
        state.complete = state.complete.max(count);
        if state.enqueued > count {
            // Another thread has enqueued more meanwhile. It will wait or query for that.
            return;
        }
        state.kept.clear();
        state.calls.clear();
        if let Some(raw) = &mut state.raw {
            raw.staging.clear();
        }
        self.running.ended();
    }

    /// The stream will not run its remaining functions. Drops them, so that those who wait for them learn of it.
    fn abandon(&self) {
        let calls = std::mem::take(&mut self.lock().calls);
        calls.iter().for_each(|call| call.abandon());
    }
}

impl Stream for CudaStream {
    unsafe fn write(&self, dst: DevicePtr, src: *const u8, len: usize) -> Result<()> {
        if len == 0 {
            return Ok(());
        }
        self.enqueue(|_, _| {
            let driver = self.gpu.driver;
            // SAFETY: the source stays readable (caller). The driver checks the destination.
            let copied = unsafe { driver.memcpy_htod_async(dst.0, src.cast(), len, self.handle) };
            self.checked(copied, "copy to device", &[dst], len)
        })
    }

    fn write_copied(&self, dst: DevicePtr, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.enqueue(|_, state| {
            let staged = match &mut state.raw {
                Some(raw) => raw.staging.keep(&*self.gpu, bytes)?,
                None => None,
            };
            let source = staged.unwrap_or_else(|| {
                state.kept.push(bytes.into());
                state
                    .kept
                    .last()
                    .map_or(bytes.as_ptr(), |kept| kept.as_ptr())
            });
            let driver = self.gpu.driver;
            // SAFETY: the source stays valid until the copy is complete.
            let copied =
                unsafe { driver.memcpy_htod_async(dst.0, source.cast(), bytes.len(), self.handle) };
            self.checked(copied, "copy to device", &[dst], bytes.len())
        })
    }

    unsafe fn read(&self, dst: *mut u8, src: DevicePtr, len: usize) -> Result<()> {
        if len == 0 {
            return Ok(());
        }
        self.enqueue(|_, _| {
            let driver = self.gpu.driver;
            // SAFETY: the destination stays writable (caller). The driver checks the source.
            let copied = unsafe { driver.memcpy_dtoh_async(dst.cast(), src.0, len, self.handle) };
            self.checked(copied, "copy from device", &[src], len)
        })
    }

    fn copy(&self, dst: DevicePtr, src: DevicePtr, len: usize) -> Result<()> {
        if len == 0 || dst == src {
            return Ok(());
        }
        self.enqueue(|entered, _| {
            if dst.0.abs_diff(src.0) >= len as u64 {
                return self.copy_disjoint(dst, src, len);
            }
            self.copy_overlapping(entered, dst, src, len)
        })
    }

    fn fill(&self, dst: DevicePtr, byte: u8, len: usize) -> Result<()> {
        if len == 0 {
            return Ok(());
        }
        self.enqueue(|_, _| {
            // SAFETY: the driver checks the range.
            let filled = unsafe {
                self.gpu
                    .driver
                    .memset_d8_async(dst.0, byte, len, self.handle)
            };
            self.checked(filled, "fill", &[dst], len)
        })
    }

    fn launch(&self, kernel: &Arc<dyn Kernel>, launch: &Launch<'_>) -> Result<()> {
        let any: &dyn Any = &**kernel;
        let Some(kernel) = any.downcast_ref::<CudaKernel>() else {
            return Err(Error::InvalidLaunch {
                kernel: kernel.info().name.clone(),
                why: "it is not a kernel of an NVIDIA GPU".into(),
            });
        };
        self.run(kernel, launch)
    }

    fn call(&self, function: Box<dyn FnOnce() + Send>) -> Result<()> {
        self.enqueue(|_, state| {
            let call = HostFunction::new(function);
            // SAFETY: the stream is the device's.
            let enqueued = unsafe { host_function::enqueue(&call, self.gpu.driver, self.handle) };
            self.gpu.check(enqueued)?;
            state.calls.push(call);
            Ok(())
        })
    }

    fn record(&self) -> Result<Option<Arc<dyn Event>>> {
        let event = CudaEvent::new(&self.gpu)?;
        self.enqueue(|_, _| {
            // SAFETY: event and stream are the device's.
            self.gpu
                .check(unsafe { self.gpu.driver.event_record(event.handle, self.handle) })
        })?;
        Ok(Some(Arc::new(event)))
    }

    fn wait(&self, event: &Arc<dyn Event>) -> Result<()> {
        let any: &dyn Any = &**event;
        let Some(own) = any.downcast_ref::<CudaEvent>() else {
            let event = event.clone();
            // A failure is reported to whoever waits for that device. This stream continues
            // (`plugin_api::Event`).
            return self.call(Box::new(move || {
                if let Err(error) = event.synchronize() {
                    log::warn!("waiting for another device: {error}");
                }
            }));
        };
        self.enqueue(|_, _| {
            // SAFETY: the event lives as long as the call. The driver keeps the record that it stands for.
            self.gpu.check(unsafe {
                self.gpu
                    .driver
                    .stream_wait_event(self.handle, own.handle, 0)
            })
        })
    }

    fn foreign(&self) -> Option<usize> {
        self.lock().exposed = true;
        Some(self.handle.0.expose_provenance())
    }

    fn query(&self) -> Result<bool> {
        let enqueued = {
            let state = self.lock();
            if state.is_complete() {
                return Ok(true);
            }
            state.enqueued
        };
        let entered = self.gpu.enter().inspect_err(|_| self.abandon())?;
        // The driver prints the output of kernels when a thread synchronises, not when it queries.
        // SAFETY: the stream is the device's.
        let asked = unsafe {
            self.gpu
                .driver
                .stream_query(self.handle)
                .and_then(|()| self.gpu.driver.stream_synchronize(self.handle))
        };
        drop(entered);
        if asked.is_err_and(|failure| failure.result == CuResult::NOT_READY) {
            return Ok(false);
        }
        self.gpu.check(asked).inspect_err(|_| self.abandon())?;
        self.passed(enqueued);
        Ok(true)
    }

    fn synchronize(&self) -> Result<()> {
        let enqueued = {
            let state = self.lock();
            if state.is_complete() {
                return Ok(());
            }
            state.enqueued
        };
        let entered = self.gpu.enter().inspect_err(|_| self.abandon())?;
        // SAFETY: the stream is the device's.
        let waited = unsafe { self.gpu.driver.stream_synchronize(self.handle) };
        drop(entered);
        self.gpu.check(waited).inspect_err(|_| self.abandon())?;
        self.passed(enqueued);
        Ok(())
    }
}

impl Drop for CudaStream {
    /// Operations that are enqueued still run, and their resources live until then.
    fn drop(&mut self) {
        if let Err(error) = self.synchronize() {
            log::debug!("a stream that nobody waits for: {error}");
            self.abandon();
            // The driver may still be reading, so these bytes are never freed.
            let mut state = self.lock();
            std::mem::forget(std::mem::take(&mut state.kept));
            return;
        }
        let raw = self.lock().raw.take();
        if let (Some(raw), Some(opened)) = (raw, self.gpu.in_use()) {
            opened.streams.put_back(raw);
        }
    }
}
