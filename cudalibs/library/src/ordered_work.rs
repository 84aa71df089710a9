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

/// Work that is enqueued.
struct Enqueued {
    work: Box<dyn Fn() + Send>,
    /// Whether a graph has it, which may run it again and again.
    is_captured: bool,
}

impl Stream {
    /// Runs work when the stream's earlier work is complete. If the stream is being captured, the graph runs it.
    pub fn run(self, work: impl Fn() + Send + 'static) -> Result<(), Refused> {
        let cudart = cudart().ok_or(Refused)?;
        let mut capture = 0;
        // SAFETY: the address is valid.
        let asked = unsafe { (cudart.is_capturing)(self.0 as *mut c_void, &mut capture) };
        let enqueued = Enqueued {
            work: Box::new(work),
            is_captured: asked == 0 && capture != 0,
        };
        let data = Box::into_raw(Box::new(enqueued));
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
/// `data` is what `run` enqueued: of a graph for as long as the process runs, else for this call.
unsafe extern "C" fn perform(data: *mut c_void) {
    let data = data.cast::<Enqueued>();
    // SAFETY: caller.
    let enqueued = unsafe { &*data };
    if catch_unwind(AssertUnwindSafe(|| (enqueued.work)())).is_err() {
        report("omptarget", &"an operation of a CUDA library ended early");
    }
    if !enqueued.is_captured {
        // SAFETY: caller.
        drop(unsafe { Box::from_raw(data) });
    }
}
