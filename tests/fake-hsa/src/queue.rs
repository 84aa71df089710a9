//! Queues: rings of packets in memory.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU32, AtomicU64, Ordering};
use std::thread::JoinHandle;

use fake_driver::handle::{self, Handle};
use parking_lot::Mutex;

use crate::agent::Agent;
use crate::call::tell;
use crate::packet::{Raw, kind};
use crate::processor;
use crate::signal::{self, Signal};
use crate::status::{Failure, Outcome};

/// Called when a queue fails, with the reason.
pub type Callback = unsafe extern "C" fn(u32, *const Public, *mut c_void);

/// `hsa_queue_t`: the part that programs see.
#[repr(C)]
pub struct Public {
    kind: u32,
    features: u32,
    base: *const Raw,
    doorbell: Handle,
    size: u32,
    reserved: u32,
    id: u64,
}

/// A queue.
pub struct Queue {
    public: Public,
    ring: Box<[Raw]>,
    /// The agent that it belongs to.
    pub agent: Arc<Agent>,
    /// The next packet to be processed.
    pub read: AtomicU64,
    /// The next packet to be written.
    pub write: AtomicU64,
    /// The doorbell.
    pub doorbell: Arc<Signal>,
    /// Whether it is being destroyed.
    pub closing: AtomicBool,
    /// Whether it has failed, or was inactivated.
    pub inactive: AtomicBool,
    /// Kernels that run.
    pub running: AtomicU32,
    callback: Option<Callback>,
    data: usize,
    processor: Mutex<Option<JoinHandle<()>>>,
}

// SAFETY: the ring is memory that its processor reads after the producer's release store of the header, and that
// producers write while the header is INVALID. `data` belongs to the caller.
unsafe impl Send for Queue {}
// SAFETY: as above.
unsafe impl Sync for Queue {}

/// The queues, by the address of what programs see.
static QUEUES: Mutex<Option<HashMap<usize, Arc<Queue>>>> = Mutex::new(None);

/// The queue of an address.
pub fn get(public: *const Public) -> Outcome<Arc<Queue>> {
    let queues = QUEUES.lock();
    let found = queues
        .as_ref()
        .and_then(|queues| queues.get(&(public as usize)).cloned());
    found.ok_or(Failure::ERROR_INVALID_QUEUE)
}

/// How many there are.
pub fn count() -> usize {
    QUEUES.lock().as_ref().map_or(0, HashMap::len)
}

/// What a new queue is to be.
pub struct Wanted {
    /// Its agent.
    pub agent: Arc<Agent>,
    /// Packets.
    pub size: u32,
    /// `hsa_queue_type_t`
    pub kind: u32,
    /// The program's function for errors.
    pub callback: Option<Callback>,
    /// Its argument.
    pub data: *mut c_void,
}

impl Queue {
    /// A queue without packets. Its address stays the same until it is destroyed.
    pub fn create(wanted: Wanted) -> Outcome<*const Public> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let mut empty = Raw([0; 64]);
        empty.0[0] = kind::INVALID;
        let ring = vec![empty; wanted.size as usize].into_boxed_slice();
        let doorbell = Signal::doorbell();
        let public = Public {
            kind: wanted.kind,
            features: 1,
            base: ring.as_ptr(),
            doorbell: handle::add(doorbell.clone()),
            size: wanted.size,
            reserved: 0,
            id: NEXT.fetch_add(1, Ordering::Relaxed),
        };
        let queue = Arc::new(Queue {
            public,
            ring,
            agent: wanted.agent,
            read: AtomicU64::new(0),
            write: AtomicU64::new(0),
            doorbell,
            closing: AtomicBool::new(false),
            inactive: AtomicBool::new(false),
            running: AtomicU32::new(0),
            callback: wanted.callback,
            data: wanted.data as usize,
            processor: Mutex::default(),
        });
        let own = queue.clone();
        let thread = std::thread::Builder::new().name("fake HSA queue".into());
        let thread = thread.spawn(move || processor::run(&own));
        let thread = thread.map_err(|_| Failure::ERROR_OUT_OF_RESOURCES)?;
        *queue.processor.lock() = Some(thread);
        let address = &raw const queue.public;
        let mut queues = QUEUES.lock();
        queues
            .get_or_insert_default()
            .insert(address as usize, queue);
        Ok(address)
    }

    /// Ends it. Packets that were not processed are lost.
    pub fn destroy(self: Arc<Self>) -> Outcome {
        let idle = self.read.load(Ordering::Acquire) == self.write.load(Ordering::Acquire)
            && self.running.load(Ordering::Acquire) == 0;
        if !idle && !self.inactive.load(Ordering::Acquire) {
            tell("a queue is destroyed that still has packets to process");
        }
        let processor = self.processor.lock().take();
        let processor = processor.ok_or(Failure::ERROR_INVALID_QUEUE)?;
        if processor.thread().id() == std::thread::current().id() {
            tell("a queue is destroyed by its own callback");
            return Err(Failure::ERROR_INVALID_QUEUE);
        }
        signal::change(|| self.closing.store(true, Ordering::Release));
        let _panicked = processor.join();
        let mut queues = QUEUES.lock();
        let address = (&raw const self.public) as usize;
        queues.get_or_insert_default().remove(&address);
        handle::remove::<Signal>(self.public.doorbell)?;
        Ok(())
    }

    /// Packets.
    pub fn size(&self) -> u64 {
        self.public.size.into()
    }

    /// Its number, for messages.
    pub fn id(&self) -> u64 {
        self.public.id
    }

    fn slot(&self, index: u64) -> *const Raw {
        let at = index % self.size();
        &raw const self.ring[at as usize]
    }

    fn header(&self, index: u64) -> &AtomicU16 {
        // SAFETY: the slot begins with the header, and all accesses to it are atomic while others may write it.
        unsafe { AtomicU16::from_ptr(self.slot(index).cast_mut().cast()) }
    }

    /// The packet of an index, if the producer has released it.
    pub fn packet(&self, index: u64) -> Option<Raw> {
        let header = self.header(index).load(Ordering::Acquire);
        // SAFETY: the producer does not write to a packet after it has released its header.
        (header as u8 != kind::INVALID).then(|| unsafe { self.slot(index).read_volatile() })
    }

    /// Gives a packet's slot back to producers.
    pub fn consume(&self, index: u64) {
        self.header(index)
            .store(kind::INVALID.into(), Ordering::Release);
        signal::change(|| self.read.store(index + 1, Ordering::Release));
    }

    /// Ends processing for ever. The program's function learns why.
    pub fn fail(&self, why: Failure) {
        if signal::change(|| self.inactive.swap(true, Ordering::AcqRel)) {
            return;
        }
        if let Some(callback) = self.callback {
            // SAFETY: the caller's contract: the function may be called from a thread of the runtime.
            unsafe { callback(why.0, &raw const self.public, self.data as *mut c_void) };
        }
    }

    /// The same for a packet that breaks a rule.
    pub fn refuse(&self, index: u64, (failure, why): (Failure, String)) {
        tell(&format!("queue {}, packet {index}: {why}", self.id()));
        self.fail(failure);
    }
}
