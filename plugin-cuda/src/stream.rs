//! Streams of the driver.

use std::any::Any;
use std::sync::Arc;

use plugin_api::{DevicePtr, Error, Event, Kernel, Launch, Result, Stream};
use vendor_driver::{HostFunction, LaunchInFlight};

use crate::driver::{CuResult, Outcome};
use crate::event::CudaEvent;
use crate::gpu::{Entered, Gpu};
use crate::host_function;
use crate::kernel::CudaKernel;
use crate::memory::Memory;
use crate::progress::{Progress, State};
use crate::staged_reads::LARGEST;

/// A stream.
pub struct CudaStream {
    gpu: Arc<Gpu>,
    /// The device's allocations. `None`: whoever enqueues waits before it does anything else.
    memory: Option<Arc<Memory>>,
    progress: Arc<Progress>,
}

impl CudaStream {
    /// An empty stream. `memory` are the device's allocations, if there may be several operations before a wait.
    pub fn new(gpu: &Arc<Gpu>, memory: Option<Arc<Memory>>) -> Result<CudaStream> {
        let raw = gpu.take_stream()?;
        Ok(CudaStream {
            gpu: gpu.clone(),
            memory,
            progress: Arc::new(Progress::new(raw, gpu.running())),
        })
    }

    /// Enqueues an operation with the context current, behind which all copies to the host have arrived.
    fn enqueue(
        &self,
        operation: impl FnOnce(&Entered<'_>, &mut State) -> Result<()>,
    ) -> Result<()> {
        self.deliver_reads()?;
        self.append(operation)
    }

    /// Enqueues an operation with the context current. An operation that the driver refuses does not count.
    fn append(&self, operation: impl FnOnce(&Entered<'_>, &mut State) -> Result<()>) -> Result<()> {
        let entered = self.gpu.enter()?;
        let mut state = self.progress.lock();
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
            self.progress.launched(LaunchInFlight {
                kernel: kernel.name(),
                grid: launch.grid,
                block: launch.block,
            });
            kernel.enqueue(launch, self.progress.handle)
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
                    self.progress.handle,
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
                .memcpy_dtod_async(dst.0, src.0, len, self.progress.handle)
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
                Some(_) => driver.mem_alloc_async(&mut between.0, len, self.progress.handle),
                None => driver.mem_alloc(&mut between.0, len),
            }
        })?;
        let copied = self
            .copy_disjoint(between, src, len)
            .and_then(|()| self.copy_disjoint(dst, between, len));
        // SAFETY: allocated above. The stream frees it after the copies.
        let freed = unsafe {
            match entered.pool {
                Some(_) => driver.mem_free_async(between.0, self.progress.handle),
                None => driver
                    .stream_synchronize(self.progress.handle)
                    .and_then(|()| driver.mem_free(between.0)),
            }
        };
        copied.and(self.gpu.check(freed))
    }

    /// Completes the copies to the host whose bytes are in pinned memory. Whatever follows them in the stream may need
    /// the bytes where they belong: a copy back, a function of the host's, whoever waits for an event.
    fn deliver_reads(&self) -> Result<()> {
        let have_arrived = self.progress.lock().reads.is_empty();
        if have_arrived {
            return Ok(());
        }
        self.synchronize()
    }

    /// Where a small copy to the host goes first. `None`: it goes to its destination at once, because that is pinned,
    /// or because others know the stream.
    fn room_for_read(
        &self,
        state: &mut State,
        dst: *mut u8,
        len: usize,
    ) -> Result<Option<*mut u8>> {
        let address = DevicePtr(dst.addr() as u64);
        let is_pinned = |memory: &Arc<Memory>| memory.holds(address, len as u64);
        if len > LARGEST || state.exposed || self.memory.as_ref().is_some_and(is_pinned) {
            return Ok(None);
        }
        match &mut state.raw {
            Some(raw) => raw.staging.room(&*self.gpu, len, 16),
            None => Ok(None),
        }
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
            let copied =
                unsafe { driver.memcpy_htod_async(dst.0, src.cast(), len, self.progress.handle) };
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
            let copied = unsafe {
                driver.memcpy_htod_async(dst.0, source.cast(), bytes.len(), self.progress.handle)
            };
            self.checked(copied, "copy to device", &[dst], bytes.len())
        })
    }

    unsafe fn read(&self, dst: *mut u8, src: DevicePtr, len: usize) -> Result<()> {
        if len == 0 {
            return Ok(());
        }
        self.append(|_, state| {
            let driver = self.gpu.driver;
            let room = self.room_for_read(state, dst, len)?;
            let to = room.unwrap_or(dst);
            // SAFETY: the destination stays writable (caller), and so does the room. The driver checks the source.
            let copied =
                unsafe { driver.memcpy_dtoh_async(to.cast(), src.0, len, self.progress.handle) };
            self.checked(copied, "copy from device", &[src], len)?;
            if let Some(room) = room {
                // SAFETY: the room is the copy's until the stream is empty, the destination stays writable (caller).
                unsafe { state.reads.add(state.enqueued, room, dst, len) };
            }
            Ok(())
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
                    .memset_d8_async(dst.0, byte, len, self.progress.handle)
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
            let enqueued =
                unsafe { host_function::enqueue(&call, self.gpu.driver, self.progress.handle) };
            self.gpu.check(enqueued)?;
            state.calls.push(call);
            Ok(())
        })
    }

    fn record(&self) -> Result<Option<Arc<dyn Event>>> {
        let event = CudaEvent::behind(&self.gpu, &self.progress);
        let _entered = self.gpu.enter()?;
        event.record()?;
        Ok(Some(Arc::new(event)))
    }

    fn position(&self) -> Result<Option<Arc<dyn Event>>> {
        // What others have enqueued is not counted, so only the driver knows a position among it.
        if self.progress.lock().exposed {
            return self.record();
        }
        let event = CudaEvent::behind(&self.gpu, &self.progress);
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
        if own.is_of(&self.progress) || own.is_passed() {
            return Ok(());
        }
        if own.awaits_reads() {
            // What follows here may copy those bytes back.
            return own.synchronize();
        }
        let entered = self.gpu.enter()?;
        let recorded = own.record()?;
        drop(entered);
        let Some(recorded) = recorded else {
            return Ok(());
        };
        self.enqueue(|_, _| {
            // SAFETY: the event lives as long as the call. The driver keeps the record that it stands for.
            self.gpu.check(unsafe {
                self.gpu
                    .driver
                    .stream_wait_event(self.progress.handle, recorded, 0)
            })
        })
    }

    fn foreign(&self) -> Option<usize> {
        self.progress.lock().exposed = true;
        if let Err(error) = self.deliver_reads() {
            log::debug!("copies before the stream was given out: {error}");
        }
        Some(self.progress.handle.0.expose_provenance())
    }

    fn query(&self) -> Result<bool> {
        let enqueued = {
            let state = self.progress.lock();
            if state.is_complete() {
                return Ok(true);
            }
            state.enqueued
        };
        let entered = self.gpu.enter().inspect_err(|_| self.progress.abandon())?;
        // The driver prints the output of kernels when a thread synchronises, not when it queries.
        // SAFETY: the stream is the device's.
        let asked = unsafe {
            self.gpu
                .driver
                .stream_query(self.progress.handle)
                .and_then(|()| self.gpu.driver.stream_synchronize(self.progress.handle))
        };
        drop(entered);
        if asked.is_err_and(|failure| failure.result == CuResult::NOT_READY) {
            return Ok(false);
        }
        self.gpu
            .check(asked)
            .inspect_err(|_| self.progress.abandon())?;
        self.progress.passed(enqueued);
        Ok(true)
    }

    fn synchronize(&self) -> Result<()> {
        let enqueued = {
            let state = self.progress.lock();
            if state.is_complete() {
                return Ok(());
            }
            state.enqueued
        };
        let entered = self.gpu.enter().inspect_err(|_| self.progress.abandon())?;
        // SAFETY: the stream is the device's.
        let waited = unsafe { self.gpu.driver.stream_synchronize(self.progress.handle) };
        drop(entered);
        self.gpu
            .check(waited)
            .inspect_err(|_| self.progress.abandon())?;
        self.progress.passed(enqueued);
        Ok(())
    }
}

impl Drop for CudaStream {
    /// Operations that are enqueued still run, and their resources live until then.
    fn drop(&mut self) {
        if let Err(error) = self.synchronize() {
            log::debug!("a stream that nobody waits for: {error}");
            self.progress.abandon();
            // The driver may still be reading, so these bytes are never freed.
            let mut state = self.progress.lock();
            std::mem::forget(std::mem::take(&mut state.kept));
            return;
        }
        let raw = self.progress.lock().raw.take();
        if let (Some(raw), Some(opened)) = (raw, self.gpu.in_use()) {
            opened.streams.put_back(raw);
        }
    }
}
