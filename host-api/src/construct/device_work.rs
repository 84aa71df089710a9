//! The work of one construct on its device: copies and kernels queued on one stream, and actions for when they are
//! complete.

use std::sync::Arc;

use plugin_api::{Completion, DevicePtr, Stream};
use smallvec::SmallVec;

use crate::check::{contents, mappings};
use crate::device::mapping_report::{neighbour, neighbour_of_page, report_table};
use crate::device::omp_device::OmpDevice;
use crate::device::reduction_buffer::ReductionBuffer;
use crate::device::stream_pool::StreamInUse;
use crate::mapping::mapped_range::Mapping;
use crate::ompt;
use crate::report::error::{Error, Result};
use crate::report::info::{self, Info};
use crate::trace::{self, Kind};

/// An action for when the work of a construct is complete.
pub enum OnCompletion {
    /// Remove a pin, and free the mapping's storage if that was the last use.
    Unpin(Arc<Mapping>),
    /// Free device memory that only this construct used.
    Free {
        /// The memory.
        address: DevicePtr,
        /// What it is, for messages: `freeing …`.
        what: &'static str,
    },
    /// Return the buffer of cross-team reductions.
    PutBack(ReductionBuffer),
}

/// The work of a construct.
pub struct DeviceWork<'a> {
    /// The device.
    pub device: &'a OmpDevice,
    stream: StreamInUse<'a>,
    on_completion: SmallVec<[OnCompletion; 4]>,
    /// An error that the stream has already reported.
    failure: Option<plugin_api::Error>,
}

impl<'a> DeviceWork<'a> {
    /// New, empty work. With [`Completion::Blocking`], the calling thread must call [`DeviceWork::complete`] next.
    #[inline]
    pub fn new(device: &'a OmpDevice, completion: Completion) -> Result<DeviceWork<'a>> {
        let stream = device.streams.take(&device.device, completion);
        Ok(DeviceWork {
            device,
            stream: stream.map_err(|source| Error::Device {
                what: "making a stream".into(),
                source,
            })?,
            on_completion: SmallVec::new(),
            failure: None,
        })
    }

    /// The stream that its operations are queued on.
    pub fn stream(&self) -> &dyn Stream {
        &*self.stream
    }

    /// Adds an action for when the work is complete.
    pub fn on_completion(&mut self, action: OnCompletion) {
        self.on_completion.push(action);
    }

    /// Queues what `enqueue` adds to the stream, with a span on the timeline.
    pub fn traced(
        &self,
        kind: Kind,
        bytes: u64,
        name: impl FnOnce() -> String,
        enqueue: impl FnOnce(&dyn Stream) -> plugin_api::Result<()>,
    ) -> plugin_api::Result<()> {
        trace::queued(
            &*self.stream,
            kind,
            self.device.number,
            bytes,
            name,
            enqueue,
        )
    }

    /// Whether the device is done or has failed. [`DeviceWork::complete`] then does not wait.
    pub fn is_done(&mut self) -> bool {
        match self.stream.query() {
            Ok(done) => done,
            Err(error) => {
                self.failure.get_or_insert(error);
                true
            }
        }
    }

    /// Waits for the device, then runs the actions. They run even after an error, so that no storage leaks. `outcome`
    /// is the result of queueing the work. The first error is returned.
    pub fn complete<T>(&mut self, outcome: Result<T>) -> Result<T> {
        let synchronized = self.stream.synchronize();
        let ended = self.failure.take().map_or(synchronized, Err);
        // Now, while everything is still mapped.
        let ended = ended.map_err(|source| queued_error(self.device, source));
        if outcome.is_err() || ended.is_err() {
            report_table(self.device, "at the failure");
        }
        let mut left = Ok(());
        for action in self.on_completion.drain(..) {
            left = left.and(run(self.device, action));
        }
        let value = outcome?;
        ended?;
        left.map(|()| value)
    }
}

fn run(device: &OmpDevice, action: OnCompletion) -> Result<()> {
    match action {
        OnCompletion::Unpin(mapping) => unpin(device, &mapping),
        OnCompletion::PutBack(buffer) => {
            device.reductions.put_back(buffer);
            Ok(())
        }
        OnCompletion::Free { address, what } => {
            let _event = ompt::deletion(device.number, address.0);
            device.device.free(address).map_err(|source| Error::Device {
                what: what.into(),
                source,
            })
        }
    }
}

/// Removes a pin and frees the storage if that was the last use.
fn unpin(device: &OmpDevice, mapping: &Mapping) -> Result<()> {
    if !device.table.unpin(mapping) {
        return Ok(());
    }
    info::log(
        Info::MAPPING_CHANGED,
        device.number,
        format_args!("removed the mapping of {mapping}"),
    );
    contents::check_device(device, mapping);
    mappings::removed(mapping);
    let Some(allocation) = mapping.allocation() else {
        return Ok(());
    };
    let _event = ompt::deletion(device.number, mapping.address.0);
    device
        .device
        .free(allocation)
        .map_err(|source| Error::Device {
            what: "freeing the device memory of a mapping".into(),
            source,
        })
}

/// The error for queued work that fails later.
fn queued_error(device: &OmpDevice, source: plugin_api::Error) -> Error {
    use plugin_api::Error as Device;
    match source {
        Device::Fault(_) | Device::InvalidLaunch { .. } => kernel_error(device, source),
        _ => Error::Device {
            what: "the work queued on the device".into(),
            source,
        },
    }
}

/// The error of a kernel, with the mapped section concerned. Must be made while that section is still mapped.
pub fn kernel_error(device: &OmpDevice, source: plugin_api::Error) -> Error {
    use plugin_api::FaultKind;
    let section = match &source {
        plugin_api::Error::Fault(fault) => match fault.kind {
            FaultKind::WildAccess { address, .. } => neighbour(device, address),
            FaultKind::WildPage { page } => neighbour_of_page(device, page),
            _ => None,
        },
        _ => None,
    };
    Error::Kernel { source, section }
}
