//! Work in the order of a stream: `cudaLaunchHostFunc` runs it when what was enqueued before is complete, and what is
//! enqueued later waits for it.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::cudart::cudart;
use crate::report;

/// A stream by its handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream(pub usize);

/// `libcudart` refused: the stream is none, or its device has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused;

type Work = Box<dyn FnOnce() + Send>;

impl Stream {
    /// Runs work when the stream's earlier work is complete.
    pub fn run(self, work: impl FnOnce() + Send + 'static) -> Result<(), Refused> {
        let cudart = cudart().ok_or(Refused)?;
        let work: Box<Work> = Box::new(Box::new(work));
        let data = Box::into_raw(work);
        // SAFETY: `perform` takes the box back, once, on whatever thread.
        let code = unsafe {
            (cudart.launch_host_func)(self.0 as *mut c_void, perform, data.cast::<c_void>())
        };
        if code == 0 {
            return Ok(());
        }
        // SAFETY: it was not enqueued, so nobody else has it.
        drop(unsafe { Box::from_raw(data) });
        Err(Refused)
    }

    /// Waits for the stream.
    pub fn synchronize(self) -> Result<(), Refused> {
        let cudart = cudart().ok_or(Refused)?;
        // SAFETY: any handle may be passed.
        match unsafe { (cudart.stream_synchronize)(self.0 as *mut c_void) } {
            0 => Ok(()),
            _ => Err(Refused),
        }
    }
}

/// Runs work that was enqueued. A panic must not get into the thread of the stream.
///
/// # Safety
/// `data` is a box that nobody else has.
unsafe extern "C" fn perform(data: *mut c_void) {
    // SAFETY: caller.
    let work = unsafe { Box::from_raw(data.cast::<Work>()) };
    if catch_unwind(AssertUnwindSafe(work)).is_err() {
        report("omptarget", &"an operation of a CUDA library ended early");
    }
}
