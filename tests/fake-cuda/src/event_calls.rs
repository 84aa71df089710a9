//! Events.

use std::ffi::c_uint;
use std::sync::Arc;

use bitflags::bitflags;
use parking_lot::Mutex;

use crate::context::{current, expect_current};
use crate::event::{Event, Mark, Record};
use crate::result::Failure;
use crate::stream_calls::stream;
use fake_driver::handle::{self, Handle};
use fake_driver::pointer::store;

bitflags! {
    /// The flags of an event that are emulated.
    struct EventFlags: c_uint {
        /// `CU_EVENT_BLOCKING_SYNC`
        const BLOCKING_SYNC = 1;
        /// `CU_EVENT_DISABLE_TIMING`
        const DISABLE_TIMING = 2;
    }
}

fake_driver::functions! {
    /// Creates an event. No event records a time.
    fn cuEventCreate(created: *mut Handle, flags: c_uint) in with_context {
        EventFlags::from_bits(flags).ok_or(Failure::INVALID_VALUE)?;
        let event = Event {
            context: current()?,
            last: Mutex::default(),
        };
        store(created, handle::add(Arc::new(event)))
    }

    /// Invalidates the handle.
    fn cuEventDestroy_v2(ended: Handle) in with_context {
        handle::remove::<Event>(ended)?;
        Ok(())
    }

    /// Records the event in a stream of its own context.
    fn cuEventRecord(recorded: Handle, on: Handle) in with_context {
        let stream = stream(on)?;
        let event = handle::get::<Event>(recorded)?;
        expect_current(&event.context)?;
        let record = Arc::new(Record::default());
        let mark = Mark(record.clone());
        *event.last.lock() = Some(record);
        stream.enqueue(move || {
            drop(mark);
            Ok(())
        })
    }

    /// Whether its last record has passed. Yes if there is none.
    fn cuEventQuery(asked: Handle) in with_context {
        let event = handle::get::<Event>(asked)?;
        let last = event.last.lock().clone();
        match last.is_none_or(|record| record.has_passed()) {
            true => event.context.check(),
            false => Err(Failure::NOT_READY),
        }
    }

    /// Waits for the last record.
    fn cuEventSynchronize(awaited: Handle) in with_context {
        let event = handle::get::<Event>(awaited)?;
        let last = event.last.lock().clone();
        if let Some(record) = last {
            record.wait();
        }
        event.context.check()
    }
}
