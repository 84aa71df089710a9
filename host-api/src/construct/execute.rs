//! Executing the device work of a construct: blocking, or with `nowait`.

use plugin_api::Completion;

use crate::construct::context::Construct;
use crate::construct::device_work::DeviceWork;
use crate::construct::in_flight;
use crate::device::omp_device::OmpDevice;
use crate::host_library;
use crate::report::error::Result;

impl Construct {
    /// Executes the work that `body` queues on `device`. With `nowait`, the construct's task may wait for it.
    /// Otherwise, and where the task cannot wait, the work is complete on return.
    pub fn execute<T>(
        &self,
        device: &'static OmpDevice,
        nowait: bool,
        body: impl FnOnce(&mut DeviceWork<'static>) -> Result<T>,
    ) -> Result<T> {
        match nowait.then(host_library::task_handle).flatten() {
            Some(task) => in_flight::begin(self, device, task, body),
            None => {
                let mut work = DeviceWork::new(device, Completion::Blocking)?;
                let outcome = body(&mut work);
                work.complete(outcome)
            }
        }
    }
}
