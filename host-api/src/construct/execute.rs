//! Executing the device work of a construct: blocking, or with `nowait`.

use plugin_api::Completion;

use crate::construct::by_helper;
use crate::construct::context::Construct;
use crate::construct::device_work::DeviceWork;
use crate::construct::in_flight;
use crate::device::omp_device::OmpDevice;
use crate::host_library;
use crate::report::error::{Error, Result};
use crate::runtime::runtime;

impl Construct {
    /// Executes the work that `body` queues on `device`. With `nowait`, the construct's task may wait for work that the
    /// device's threads do. Otherwise, and where the task cannot wait, the work is complete on return.
    pub fn execute<T>(
        &self,
        device: &'static OmpDevice,
        nowait: bool,
        body: impl FnOnce(&mut DeviceWork<'static>) -> Result<T>,
    ) -> Result<T> {
        let Some(task) = nowait.then(host_library::task_handle).flatten() else {
            return blocking(device, body);
        };
        let begun = by_helper::begin(device, host_library::task_helpers());
        let begun = begun.map_err(|source| Error::Device {
            what: "making a stream".into(),
            source,
        })?;
        let Some(_at_work) = begun else {
            return in_flight::begin(self, device, task, body);
        };
        // An error is reported while the helper is at work: the program may be ending, and waits for that only.
        match blocking(device, body) {
            Err(error) => self.fail(&error, runtime(), device.number as i64),
            done => done,
        }
    }
}

/// Executes work on the calling thread.
fn blocking<T>(
    device: &'static OmpDevice,
    body: impl FnOnce(&mut DeviceWork<'static>) -> Result<T>,
) -> Result<T> {
    let mut work = DeviceWork::new(device, Completion::Blocking)?;
    let outcome = body(&mut work);
    work.complete(outcome)
}
