//! Streams.

use std::ffi::{c_uint, c_void};
use std::sync::Arc;

use crate::context::{current, expect_current};
use crate::event::Event;
use crate::result::{Failure, Outcome};
use crate::stream::Stream;
use fake_driver::handle::{self, Handle};
use fake_driver::pointer::store;

/// `CU_STREAM_NON_BLOCKING`
const NON_BLOCKING: c_uint = 1;

/// The stream of a handle, which must belong to the current context. The default stream (0) is not emulated.
pub fn stream(handle: Handle) -> Outcome<Arc<Stream>> {
    if handle == 0 {
        eprintln!("fake CUDA driver: the default stream is not emulated");
        return Err(Failure::NOT_SUPPORTED);
    }
    let stream = handle::get::<Stream>(handle)?;
    expect_current(&stream.context)?;
    Ok(stream)
}

/// A function of the caller, with its argument.
struct HostFunction {
    function: unsafe extern "C" fn(*mut c_void),
    data: *mut c_void,
}

// SAFETY: `cuLaunchHostFunc` calls functions on a thread of the driver, which the caller allows.
unsafe impl Send for HostFunction {}

impl HostFunction {
    fn call(self) {
        // SAFETY: the caller's contract.
        unsafe { (self.function)(self.data) };
    }
}

fake_driver::functions! {
    /// Creates a stream that does not wait for the default stream, which is not emulated.
    fn cuStreamCreate(created: *mut Handle, flags: c_uint) in with_context {
        if flags != NON_BLOCKING {
            eprintln!("fake CUDA driver: streams with flags {flags} are not emulated");
            return Err(Failure::NOT_SUPPORTED);
        }
        store(created, handle::add(Stream::new(current()?)?))
    }

    /// Invalidates the handle. Operations that are enqueued still run.
    fn cuStreamDestroy_v2(ended: Handle) in with_context {
        stream(ended)?;
        handle::remove::<Stream>(ended)?;
        Ok(())
    }

    /// Whether all of its work is complete.
    fn cuStreamQuery(asked: Handle) in with_context {
        let stream = stream(asked)?;
        match stream.is_idle() {
            true => stream.context.check(),
            false => Err(Failure::NOT_READY),
        }
    }

    /// Waits for all of its work.
    fn cuStreamSynchronize(awaited: Handle) in with_context {
        let stream = stream(awaited)?;
        stream.wait();
        stream.context.check()
    }

    /// Later operations wait for the event's last record. Events of other contexts are allowed.
    fn cuStreamWaitEvent(waiting: Handle, event: Handle, flags: c_uint) in with_context {
        let stream = stream(waiting)?;
        let event = handle::get::<Event>(event)?;
        if flags != 0 {
            return Err(Failure::INVALID_VALUE);
        }
        let last = event.last.lock().clone();
        match last {
            None => Ok(()),
            Some(record) => stream.enqueue(move || {
                record.wait();
                Ok(())
            }),
        }
    }

    /// Calls a function in stream order.
    fn cuLaunchHostFunc(
        on: Handle,
        function: Option<unsafe extern "C" fn(*mut c_void)>,
        data: *mut c_void,
    ) in with_context {
        let stream = stream(on)?;
        let function = function.ok_or(Failure::INVALID_VALUE)?;
        let function = HostFunction { function, data };
        stream.enqueue(move || {
            function.call();
            Ok(())
        })
    }
}
