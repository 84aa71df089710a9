//! Streams: chains of operations, each with a signal that the next one waits for.
//!
//! A kernel is a packet in the stream's queue, a copy an order to the device's copy engines, and what the host does a
//! task of the stream's own thread. All of them wait for signals: a kernel by a barrier packet in front of it, unless
//! the operation before is a kernel of the same queue, which the packet's barrier bit waits for.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use parking_lot::{Mutex, MutexGuard};
use plugin_api::{DevicePtr, Error, Event, Kernel, Launch, MemoryKind, Result, Stream};
use vendor_driver::{HostFunction, InFlight, LaunchInFlight};

use crate::driver::HsaSignal;
use crate::event::AmdEvent;
use crate::gpu::Gpu;
use crate::host_thread::HostThread;
use crate::kernel::AmdKernel;
use crate::locked_memory::pinned;
use crate::operations::{Operations, kernels_ended};
use crate::queue::{DEPENDENCES, NewPacket};
use crate::signal::Signal;

/// Writes of up to so many bytes go through the stream's own pinned memory; locking takes longer.
const STAGED: usize = 16 << 10;

/// A stream.
pub struct AmdStream {
    gpu: Arc<Gpu>,
    running: Arc<InFlight>,
    state: Mutex<Operations>,
}

/// Memory of the device that is freed when this is dropped.
struct Temporary {
    gpu: Arc<Gpu>,
    address: DevicePtr,
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Err(error) = self.gpu.memory.free(&self.gpu, self.address) {
            log::debug!("{error}");
        }
    }
}

/// A place in memory, and whose it is.
#[derive(Clone, Copy)]
struct Place {
    address: u64,
    agent: crate::driver::HsaAgent,
}

impl AmdStream {
    /// An empty stream.
    pub fn new(gpu: &Arc<Gpu>) -> Result<AmdStream> {
        let raw = gpu.take_stream()?;
        Ok(AmdStream {
            gpu: gpu.clone(),
            running: gpu.running(),
            state: Mutex::new(Operations::new(raw)),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Operations> {
        self.state.lock()
    }

    /// Locks the stream for a new operation.
    fn begin(&self) -> Result<MutexGuard<'_, Operations>> {
        self.gpu.opened()?;
        let mut state = self.lock();
        kernels_ended(&state.retire());
        Ok(state)
    }

    /// The device's own memory at this address.
    fn own(&self, address: DevicePtr) -> Place {
        Place {
            address: address.0,
            agent: self.gpu.agent,
        }
    }

    /// Memory of the host at this address.
    fn host(&self, address: *const u8) -> Place {
        Place {
            address: address.expose_provenance() as u64,
            agent: self.gpu.runtime.host,
        }
    }

    /// Enqueues a copy.
    fn copy_bytes(
        &self,
        state: &mut Operations,
        dst: Place,
        src: Place,
        len: usize,
        kept: Vec<Box<dyn Send>>,
    ) -> Result<()> {
        let signal = Signal::new(&self.gpu)?;
        let dependences = state.dependences();
        let handles: Vec<HsaSignal> = dependences.iter().map(|each| each.handle).collect();
        // SAFETY: both ranges were checked or belong to the stream, and live until the copy is complete; so do the
        // signals.
        let copied = unsafe {
            self.gpu.runtime.driver.memory_async_copy(
                std::ptr::with_exposed_provenance_mut(dst.address as usize),
                dst.agent,
                std::ptr::with_exposed_provenance(src.address as usize),
                src.agent,
                len,
                handles.len() as u32,
                handles.as_ptr(),
                signal.handle,
            )
        };
        if let Err(failure) = copied {
            // The signal goes back to the pool, and what was to be waited for still is.
            signal.unused();
            state.waits.extend(dependences);
            return Err(self.gpu.error(failure));
        }
        signal.depends_on(dependences);
        state.push(signal, kept);
        Ok(())
    }

    /// Runs a kernel of the device.
    pub fn run(&self, kernel: &AmdKernel, launch: &Launch<'_>) -> Result<()> {
        kernel.check(launch)?;
        let mut state = self.begin()?;
        let arguments = self.room(&mut state, kernel.arguments_size())?;
        // SAFETY: the room has as many bytes, and nothing else uses it.
        unsafe { kernel.write_arguments(launch, arguments) };
        let signal = Signal::new(&self.gpu)?;
        let follows_kernel = state.follows_kernel();
        let dependences = match follows_kernel {
            true => Vec::new(),
            false => state.dependences(),
        };
        let mut packets: Vec<NewPacket> = dependences
            .chunks(DEPENDENCES)
            .map(|some| NewPacket::barrier(some, None, false))
            .collect();
        packets.push(kernel.packet(launch, arguments, &signal, follows_kernel));
        self.running.launched(LaunchInFlight {
            kernel: kernel.name(),
            grid: launch.grid,
            block: launch.block,
        });
        let code = kernel.code();
        if let Some(output) = code.output() {
            output.begin();
        }
        state.raw()?.queue.clone().submit(&self.gpu, &packets)?;
        signal.depends_on(dependences);
        state.push(signal, Vec::new());
        if let Some(last) = state.chain.back_mut() {
            last.code = Some(code);
        }
        state.ends_with_kernel = true;
        Ok(())
    }

    /// Room for `size` bytes that the device reads until the stream is empty.
    fn room(&self, state: &mut Operations, size: usize) -> Result<*mut u8> {
        let gpu = &*self.gpu;
        if let Some(room) = state.raw()?.staging.room(gpu, size, 64)? {
            return Ok(room);
        }
        // The stream has taken as much as it may: it goes on when it is empty.
        self.wait_for_all(state)?;
        let room = state.raw()?.staging.room(gpu, size, 64)?;
        room.ok_or_else(|| Error::Load(format!("{size} bytes of arguments are too many")))
    }

    fn wait_for_all(&self, state: &mut Operations) -> Result<()> {
        for signal in state.outstanding() {
            signal.wait()?;
        }
        kernels_ended(&state.retire());
        Ok(())
    }

    /// Bytes that the device reads until the copy is complete: in the stream's pinned memory, or in memory of their
    /// own.
    fn stage(&self, state: &mut Operations, bytes: &[u8]) -> Result<(Place, Vec<Box<dyn Send>>)> {
        if bytes.len() <= STAGED {
            let room = self.room(state, bytes.len())?;
            // SAFETY: the room has as many bytes, and nothing else uses it.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), room, bytes.len()) };
            return Ok((self.host(room), Vec::new()));
        }
        let pinned = self
            .gpu
            .memory
            .alloc(&self.gpu, bytes.len() as u64, MemoryKind::Host)?;
        let kept = self.temporary(pinned);
        let room = std::ptr::with_exposed_provenance_mut::<u8>(pinned.0 as usize);
        // SAFETY: memory of the host that was allocated with that many bytes.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), room, bytes.len()) };
        Ok((self.host(room), vec![Box::new(kept)]))
    }

    fn temporary(&self, address: DevicePtr) -> Temporary {
        Temporary {
            gpu: self.gpu.clone(),
            address,
        }
    }

    /// Copies from another device, whose memory this one can reach.
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
        self.gpu
            .memory
            .check(&self.gpu, "copy between devices", dst, len)?;
        let mut state = self.begin()?;
        let there = Place {
            address: src.0,
            agent: source.agent,
        };
        self.copy_bytes(&mut state, self.own(dst), there, len, Vec::new())
    }

    /// Does `work` on the stream's thread when everything before is complete.
    fn enqueue_work(&self, state: &mut Operations, work: Box<dyn FnOnce() + Send>) -> Result<()> {
        let raw = state.raw()?;
        if raw.thread.is_none() {
            raw.thread = Some(HostThread::start()?);
        }
        let signal = Signal::new(&self.gpu)?;
        let dependences = state.dependences();
        signal.depends_on(dependences.clone());
        if let Some(thread) = &state.raw()?.thread {
            thread.enqueue(dependences, work, signal.clone());
        }
        state.push(signal, Vec::new());
        Ok(())
    }

    /// Sets whole words on the stream's thread, because the runtime waits for that.
    fn fill_words(
        &self,
        state: &mut Operations,
        dst: DevicePtr,
        byte: u8,
        words: usize,
    ) -> Result<()> {
        let gpu = self.gpu.clone();
        let work = move || {
            let address = std::ptr::with_exposed_provenance_mut(dst.0 as usize);
            let value = u32::from_ne_bytes([byte; 4]);
            // SAFETY: the range was checked, and its address is aligned.
            let filled = unsafe { gpu.runtime.driver.memory_fill(address, value, words) };
            if let Err(failure) = filled {
                gpu.give_up(failure);
            }
        };
        self.enqueue_work(state, Box::new(work))
    }

    fn fill_bytes(
        &self,
        state: &mut Operations,
        dst: DevicePtr,
        byte: u8,
        len: usize,
    ) -> Result<()> {
        let (src, kept) = self.stage(state, &vec![byte; len])?;
        self.copy_bytes(state, self.own(dst), src, len, kept)
    }

    /// Enqueues a barrier behind everything that the stream does and waits for. With `in_order` it is behind all
    /// packets of the queue, too.
    fn barrier(&self, state: &mut Operations, in_order: bool) -> Result<()> {
        let signal = Signal::new(&self.gpu)?;
        let dependences = state.dependences();
        let (some, rest) = dependences.split_at(dependences.len().min(DEPENDENCES));
        let mut packets: Vec<_> = rest
            .chunks(DEPENDENCES)
            .map(|some| NewPacket::barrier(some, None, false))
            .collect();
        packets.push(NewPacket::barrier(some, Some(&signal), in_order));
        state.raw()?.queue.clone().submit(&self.gpu, &packets)?;
        signal.depends_on(dependences);
        state.push(signal, Vec::new());
        Ok(())
    }

    /// A barrier stands for the packets that others may have added to the stream's queue.
    fn mark_exposed(&self, only_if_empty: bool) -> Result<()> {
        let mut state = self.lock();
        if state.exposed && (state.chain.is_empty() || !only_if_empty) {
            self.gpu.alive()?;
            self.barrier(&mut state, true)?;
        }
        Ok(())
    }

    /// The stream will not run its remaining functions. Drops them, so that those who wait for them learn of it.
    fn abandon(&self) {
        let operations = &self.lock().chain;
        let calls = operations.iter().filter_map(|each| each.call.clone());
        let calls: Vec<_> = calls.collect();
        calls.iter().for_each(|call| call.abandon());
    }

    /// Waits until these are complete, which is all that the stream had to do.
    fn wait_for(&self, outstanding: Vec<Arc<Signal>>) -> Result<()> {
        for signal in outstanding {
            signal.wait().inspect_err(|_| self.abandon())?;
        }
        self.passed();
        Ok(())
    }

    /// Notes that the operations up to now may be complete.
    fn passed(&self) {
        let mut state = self.lock();
        state.waits.retain(|signal| !signal.has_happened());
        let codes = state.retire();
        if state.chain.is_empty() {
            self.running.ended();
        }
        drop(state);
        kernels_ended(&codes);
    }
}

impl Stream for AmdStream {
    unsafe fn write(&self, dst: DevicePtr, src: *const u8, len: usize) -> Result<()> {
        if len == 0 {
            return Ok(());
        }
        self.gpu
            .memory
            .check(&self.gpu, "copy to device", dst, len)?;
        let mut state = self.begin()?;
        if len > STAGED {
            // SAFETY: the source stays readable (caller).
            let pinned = unsafe { pinned(&self.gpu, src.cast_mut(), len) }?;
            if let Some((src, kept)) = pinned {
                return self.copy_bytes(&mut state, self.own(dst), self.host(src), len, kept);
            }
        }
        // SAFETY: the source is readable (caller).
        let bytes = unsafe { std::slice::from_raw_parts(src, len) };
        let (src, kept) = self.stage(&mut state, bytes)?;
        self.copy_bytes(&mut state, self.own(dst), src, len, kept)
    }

    fn write_copied(&self, dst: DevicePtr, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.gpu
            .memory
            .check(&self.gpu, "copy to device", dst, bytes.len())?;
        let mut state = self.begin()?;
        let (src, kept) = self.stage(&mut state, bytes)?;
        self.copy_bytes(&mut state, self.own(dst), src, bytes.len(), kept)
    }

    unsafe fn read(&self, dst: *mut u8, src: DevicePtr, len: usize) -> Result<()> {
        if len == 0 {
            return Ok(());
        }
        self.gpu
            .memory
            .check(&self.gpu, "copy from device", src, len)?;
        let mut state = self.begin()?;
        // SAFETY: the destination stays writable (caller).
        let pinned = unsafe { pinned(&self.gpu, dst, len) }?;
        let Some((own, kept)) = pinned else {
            return Err(Error::Driver {
                call: "hsa_amd_memory_lock",
                name: format!("{len} bytes at {dst:p} cannot be pinned"),
                text: String::new(),
                advice: "raise the limit of locked memory (`ulimit -l`)",
            });
        };
        self.copy_bytes(&mut state, self.host(own), self.own(src), len, kept)
    }

    fn copy(&self, dst: DevicePtr, src: DevicePtr, len: usize) -> Result<()> {
        if len == 0 || dst == src {
            return Ok(());
        }
        for address in [src, dst] {
            self.gpu
                .memory
                .check(&self.gpu, "copy within the device", address, len)?;
        }
        let mut state = self.begin()?;
        let (own_dst, own_src) = (self.own(dst), self.own(src));
        if dst.0.abs_diff(src.0) >= len as u64 {
            return self.copy_bytes(&mut state, own_dst, own_src, len, Vec::new());
        }
        // The runtime has no copy between ranges that overlap: through temporary memory.
        let between = self
            .gpu
            .memory
            .alloc(&self.gpu, len as u64, MemoryKind::Device)?;
        let kept = self.temporary(between);
        self.copy_bytes(&mut state, self.own(between), own_src, len, Vec::new())?;
        self.copy_bytes(
            &mut state,
            own_dst,
            self.own(between),
            len,
            vec![Box::new(kept)],
        )
    }

    fn fill(&self, dst: DevicePtr, byte: u8, len: usize) -> Result<()> {
        if len == 0 {
            return Ok(());
        }
        self.gpu.memory.check(&self.gpu, "fill", dst, len)?;
        let mut state = self.begin()?;
        if len <= STAGED {
            return self.fill_bytes(&mut state, dst, byte, len);
        }
        let head = (dst.0.next_multiple_of(4) - dst.0) as usize;
        let words = (len - head) / 4;
        let tail = len - head - 4 * words;
        if head > 0 {
            self.fill_bytes(&mut state, dst, byte, head)?;
        }
        self.fill_words(&mut state, dst.offset(head as i64), byte, words)?;
        if tail > 0 {
            let last = dst.offset((len - tail) as i64);
            self.fill_bytes(&mut state, last, byte, tail)?;
        }
        Ok(())
    }

    fn launch(&self, kernel: &Arc<dyn Kernel>, launch: &Launch<'_>) -> Result<()> {
        let any: &dyn Any = &**kernel;
        let Some(kernel) = any.downcast_ref::<AmdKernel>() else {
            return Err(Error::InvalidLaunch {
                kernel: kernel.info().name.clone(),
                why: "it is not a kernel of an AMD GPU".into(),
            });
        };
        self.run(kernel, launch)
    }

    fn call(&self, function: Box<dyn FnOnce() + Send>) -> Result<()> {
        let mut state = self.begin()?;
        let call = HostFunction::new(function);
        let own = call.clone();
        self.enqueue_work(&mut state, Box::new(move || own.call()))?;
        if let Some(last) = state.chain.back_mut() {
            last.call = Some(call);
        }
        Ok(())
    }

    fn record(&self) -> Result<Option<Arc<dyn Event>>> {
        let mut state = self.begin()?;
        if !state.waits.is_empty() {
            // The event is behind what the stream waits for, too: a barrier stands for all of it.
            self.barrier(&mut state, false)?;
        }
        let last = state.chain.back();
        Ok(last.map(|last| {
            let signal = last.signal.clone();
            Arc::new(AmdEvent { signal }) as Arc<dyn Event>
        }))
    }

    fn wait(&self, event: &Arc<dyn Event>) -> Result<()> {
        let any: &dyn Any = &**event;
        if let Some(own) = any.downcast_ref::<AmdEvent>() {
            let mut state = self.begin()?;
            if !own.signal.has_happened() {
                state.waits.push(own.signal.clone());
            }
            return Ok(());
        }
        let event = event.clone();
        // A failure is reported to whoever waits for that device. This stream continues (`plugin_api::Event`).
        self.call(Box::new(move || {
            if let Err(error) = event.synchronize() {
                log::warn!("waiting for another device: {error}");
            }
        }))
    }

    fn foreign(&self) -> Option<usize> {
        let mut state = self.lock();
        state.exposed = true;
        let queue = state.raw.as_ref()?.queue.address();
        Some(queue.expose_provenance())
    }

    fn query(&self) -> Result<bool> {
        self.mark_exposed(true)?;
        let outstanding = self.lock().outstanding();
        if !outstanding.iter().all(|signal| signal.has_happened()) {
            self.gpu.alive().inspect_err(|_| self.abandon())?;
            return Ok(false);
        }
        self.wait_for(outstanding)?;
        Ok(true)
    }

    fn synchronize(&self) -> Result<()> {
        self.mark_exposed(false)?;
        let outstanding = self.lock().outstanding();
        self.wait_for(outstanding)
    }
}

impl Drop for AmdStream {
    /// Operations that are enqueued still run, and their resources live until then.
    fn drop(&mut self) {
        let waited = self.synchronize();
        let mut state = self.lock();
        let operations = std::mem::take(&mut state.chain);
        let raw = state.raw.take();
        drop(state);
        if let Some(raw) = &raw {
            raw.queue.users.fetch_sub(1, Ordering::Relaxed);
        }
        if let Err(error) = waited {
            log::debug!("a stream that nobody waits for: {error}");
            operations
                .iter()
                .filter_map(|each| each.call.as_ref())
                .for_each(|call| call.abandon());
            // The device may still be using these, so they are never freed.
            std::mem::forget(operations);
        }
        if let (Some(raw), Some(opened)) = (raw, self.gpu.in_use()) {
            opened.streams.put_back(raw);
        }
    }
}
