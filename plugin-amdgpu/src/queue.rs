//! Queues of the device: rings of packets in the Architected Queuing Language (HSA System Architecture 1.2, §2.8, 2.9).

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use plugin_api::Result;

use crate::driver::{BarrierAnd, Dispatch, HsaQueue, Packet, QUEUE_MULTI};
use crate::gpu::Gpu;
use crate::signal::Signal;
use crate::troubles;

/// `HSA_PACKET_TYPE_KERNEL_DISPATCH`
const KERNEL_DISPATCH: u32 = 2;
/// `HSA_PACKET_TYPE_BARRIER_AND`
const BARRIER_AND: u32 = 3;
/// The bit that lets a packet wait for all before it.
const BARRIER_BIT: u32 = 1 << 8;
/// Memory of the whole system: fences before and after the packet.
const SYSTEM_FENCES: u32 = 2 << 9 | 2 << 11;
/// The setup of a dispatch: three dimensions, in the upper half of a packet's head.
const THREE_DIMENSIONS: u32 = 3 << 16;
/// Signals of a barrier packet.
pub const DEPENDENCES: usize = 5;
/// Packets of a queue, if the device has so many.
const SIZE: u32 = 1024;

/// A queue. Any number of threads may add packets.
pub struct Queue {
    handle: *mut HsaQueue,
    /// Streams that use it.
    pub users: AtomicU32,
}

// SAFETY: the runtime's queues of several producers may be used from any thread.
unsafe impl Send for Queue {}
// SAFETY: as above.
unsafe impl Sync for Queue {}

/// A packet: its head and its body.
pub struct NewPacket {
    head: u32,
    body: [u32; 15],
}

impl NewPacket {
    /// The launch of a kernel. With `in_order` it begins when all packets before it are complete.
    pub fn dispatch(dispatch: Dispatch, in_order: bool) -> NewPacket {
        let barrier = if in_order { BARRIER_BIT } else { 0 };
        NewPacket {
            head: KERNEL_DISPATCH | barrier | SYSTEM_FENCES | THREE_DIMENSIONS,
            // SAFETY: plain numbers of the same size.
            body: unsafe { std::mem::transmute::<Dispatch, [u32; 15]>(dispatch) },
        }
    }

    /// A barrier: packets behind it begin when all of `dependences` are complete. With `in_order` all packets before
    /// it, too. Then `completion` is.
    pub fn barrier(
        dependences: &[Arc<Signal>],
        completion: Option<&Signal>,
        in_order: bool,
    ) -> NewPacket {
        let mut packet = BarrierAnd {
            reserved0: 0,
            dependences: [[0; 2]; DEPENDENCES],
            reserved1: [0; 2],
            completion: completion.map_or([0; 2], |signal| halves(signal.handle.0)),
        };
        for (place, signal) in packet.dependences.iter_mut().zip(dependences) {
            *place = halves(signal.handle.0);
        }
        let barrier = if in_order { BARRIER_BIT } else { 0 };
        NewPacket {
            head: BARRIER_AND | barrier | SYSTEM_FENCES,
            // SAFETY: plain numbers of the same size.
            body: unsafe { std::mem::transmute::<BarrierAnd, [u32; 15]>(packet) },
        }
    }
}

/// A number in two halves, as packets have it.
pub fn halves(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

impl Queue {
    /// A new queue of the device.
    pub fn new(gpu: &Gpu) -> Result<Queue> {
        let mut handle = std::ptr::null_mut();
        let size = SIZE.min(gpu.properties.max_queue);
        // SAFETY: `handle` is writable. The troubles outlive the queue, which the GPU destroys.
        gpu.check(unsafe {
            gpu.runtime.driver.queue_create(
                gpu.agent,
                size,
                QUEUE_MULTI,
                Some(troubles::queue_failed),
                Arc::as_ptr(&gpu.troubles).cast_mut().cast(),
                u32::MAX,
                u32::MAX,
                &mut handle,
            )
        })?;
        Ok(Queue {
            handle,
            users: AtomicU32::new(0),
        })
    }

    /// Adds packets, which stand behind one another in the ring. An error means that the device is lost.
    pub fn submit(&self, gpu: &Gpu, packets: &[NewPacket]) -> Result<()> {
        let driver = gpu.runtime.driver;
        // SAFETY: the queue lives as long as this.
        let (first, size) = unsafe {
            (
                driver.queue_claim(self.handle, packets.len() as u64),
                u64::from((*self.handle).size),
            )
        };
        // SAFETY: the queue lives as long as this.
        let ring = |number: u64| unsafe {
            driver.signal_store((*self.handle).doorbell, number as i64);
        };
        let mut last = None;
        for (number, packet) in (first..).zip(packets) {
            if !self.has_place(gpu, number, size) {
                // What this call has written must be taken before there is room.
                last.map(ring);
                self.wait_for_place(gpu, number, size)?;
            }
            // SAFETY: the place in the ring is this thread's, as the device has taken what was there.
            unsafe { write((*self.handle).base.add((number % size) as usize), packet) };
            last = Some(number);
        }
        last.map(ring);
        Ok(())
    }

    /// Whether the ring has a place for the packet of this number.
    fn has_place(&self, gpu: &Gpu, number: u64, size: u64) -> bool {
        // SAFETY: the queue lives as long as this.
        number < unsafe { gpu.runtime.driver.queue_taken(self.handle) } + size
    }

    /// Waits until it has.
    fn wait_for_place(&self, gpu: &Gpu, number: u64, size: u64) -> Result<()> {
        while !self.has_place(gpu, number, size) {
            gpu.alive()?;
            std::thread::yield_now();
        }
        Ok(())
    }

    /// Destroys the queue.
    ///
    /// # Safety
    /// Nothing of it is in flight, and it is not used any more.
    pub unsafe fn destroy(&self, gpu: &Gpu) {
        // SAFETY: caller.
        let destroyed = unsafe { gpu.runtime.driver.queue_destroy(self.handle) };
        if let Err(failure) = destroyed {
            log::debug!("{} failed: {:#x}", failure.call, failure.result.0);
        }
    }

    /// The queue's address, as other users of the runtime know it.
    pub fn address(&self) -> *mut HsaQueue {
        self.handle
    }
}

/// Writes a packet: the body, and then the head, which makes it valid.
///
/// # Safety
/// `place` is a place in a ring that the device does not read yet.
unsafe fn write(place: *mut Packet, packet: &NewPacket) {
    // SAFETY: caller. The head is only ever used as an atomic.
    unsafe {
        (&raw mut (*place).body).write_volatile(packet.body);
        (*place).head.store(packet.head, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads() {
        let dispatch = Dispatch {
            workgroup: [64, 1, 1],
            reserved0: 0,
            grid: [128, 1, 1],
            private_segment: 16,
            group_segment: 32,
            kernel: halves(0x1_0000_0002),
            arguments: halves(3),
            reserved1: [0; 2],
            completion: halves(4),
        };
        let packet = NewPacket::dispatch(dispatch, true);
        assert_eq!(packet.head, 0x0003_1502);
        assert_eq!(packet.body[0..3], [64 | 1 << 16, 1, 128]);
        assert_eq!(packet.body[7..11], [2, 1, 3, 0]);
        assert_eq!(NewPacket::dispatch(dispatch, false).head, 0x0003_1402);
        let barrier = NewPacket::barrier(&[], None, false);
        assert_eq!((barrier.head, barrier.body), (0x1403, [0; 15]));
    }
}
