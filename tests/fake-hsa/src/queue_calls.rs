//! Queues.

use std::ffi::c_void;
use std::sync::atomic::Ordering;

use fake_driver::handle::Handle;
use fake_driver::pointer::store;

use crate::agent;
use crate::call::{refuse, settings, without_status};
use crate::queue::{self, Callback, Public, Queue, Wanted};
use crate::signal;
use crate::status::Failure;

fake_driver::functions! {
    /// A queue. Segment sizes are hints: "UINT32_MAX: the maximum is not known".
    fn hsa_queue_create(
        of: Handle, size: u32, kind: u32, callback: Option<Callback>, data: *mut c_void,
        _private: u32, _group: u32, created: *mut *const Public,
    ) in running {
        let agent = agent::get(of)?;
        if agent.gpu.is_none() {
            return Err(Failure::ERROR_INVALID_QUEUE_CREATION);
        }
        if !size.is_power_of_two() || kind > 1 || created.is_null() {
            return Err(Failure::ERROR_INVALID_ARGUMENT);
        }
        if size > settings()?.queue_size || size < 64 {
            let what = format!("a queue of {size} packets");
            return Err(refuse(Failure::ERROR_INVALID_QUEUE_CREATION, &what));
        }
        store(created, Queue::create(Wanted { agent, size, kind, callback, data })?)
    }

    /// Ends a queue.
    fn hsa_queue_destroy(ended: *const Public) in running {
        queue::get(ended)?.destroy()
    }

    /// Packets are not processed any more.
    fn hsa_queue_inactivate(ended: *const Public) in running {
        let queue = queue::get(ended)?;
        signal::change(|| queue.inactive.store(true, Ordering::Release));
        Ok(())
    }
}

/// Defines functions on a queue's indices, which have no status.
macro_rules! index_functions {
    ($($(#[$doc:meta])* fn $name:ident($queue:ident $(, $argument:ident: $type:ty)*) $(-> $result:ty)? $body:block)*) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(raw: *const Public $(, $argument: $type)*) $(-> $result)? {
            without_status(stringify!($name), Default::default(), || {
                let $queue = queue::get(raw)?;
                Ok($body)
            })
        }
    )*};
}

index_functions! {
    /// The next packet to be processed.
    fn hsa_queue_load_read_index_scacquire(queue) -> u64 { queue.read.load(Ordering::Acquire) }
    /// The next packet to be processed.
    fn hsa_queue_load_read_index_relaxed(queue) -> u64 { queue.read.load(Ordering::Relaxed) }
    /// The next packet to be written.
    fn hsa_queue_load_write_index_scacquire(queue) -> u64 { queue.write.load(Ordering::Acquire) }
    /// The next packet to be written.
    fn hsa_queue_load_write_index_relaxed(queue) -> u64 { queue.write.load(Ordering::Relaxed) }
    /// Reserves packets. Gives the index of the first.
    fn hsa_queue_add_write_index_relaxed(queue, count: u64) -> u64 { queue.write.fetch_add(count, Ordering::Relaxed) }
    /// Reserves packets. Gives the index of the first.
    fn hsa_queue_add_write_index_scacquire(queue, count: u64) -> u64 { queue.write.fetch_add(count, Ordering::Acquire) }
    /// Reserves packets. Gives the index of the first.
    fn hsa_queue_add_write_index_screlease(queue, count: u64) -> u64 { queue.write.fetch_add(count, Ordering::Release) }
    /// Reserves packets. Gives the index of the first.
    fn hsa_queue_add_write_index_scacq_screl(queue, count: u64) -> u64 { queue.write.fetch_add(count, Ordering::AcqRel) }
    /// Sets the index of the next packet to be written.
    fn hsa_queue_store_write_index_relaxed(queue, index: u64) { queue.write.store(index, Ordering::Relaxed) }
    /// Sets the index of the next packet to be written.
    fn hsa_queue_store_write_index_screlease(queue, index: u64) { queue.write.store(index, Ordering::Release) }
}
