//! One construct the program executes: what it is, where it is, and how its errors end.

use std::ffi::CStr;

use plugin_api::Completion;

use crate::abi::Ident;
use crate::construct::device_work::DeviceWork;
use crate::construct::in_flight;
use crate::device::omp_device::OmpDevice;
use crate::host_library;
use crate::mapping::map_item::MapItem;
use crate::mapping::report::report_table;
use crate::report::error::{Error, Report, Result, die};
use crate::report::info;
use crate::report::source_location::SourceLocation;
use crate::runtime::{Runtime, Target};
use crate::trace::{self, Span};

/// A construct on its way through the runtime.
#[derive(Clone, Copy)]
pub struct Construct {
    name: &'static str,
    location: *const Ident,
    region: Option<u64>,
}

// SAFETY: the location is only read, and stays in place (`Construct::new`).
unsafe impl Send for Construct {}

impl Construct {
    /// The construct called `name` at `location`.
    ///
    /// # Safety
    /// `location` is null or an `ident_t` that stays in place.
    pub unsafe fn new(name: &'static str, location: *const Ident) -> Construct {
        Construct {
            name,
            location,
            region: None,
        }
    }

    /// Adds the region's id: its symbol tells its place where nothing else does.
    pub fn of_region(self, region: u64) -> Construct {
        Construct {
            region: Some(region),
            ..self
        }
    }

    /// Where it is.
    pub fn location(&self, runtime: &Runtime) -> SourceLocation {
        let known = self.ident_location();
        if !known.is_unknown() {
            return known;
        }
        let symbol = self.region.and_then(|id| runtime.registry.symbol(id));
        symbol
            .and_then(|symbol| SourceLocation::of_region(&symbol))
            .unwrap_or_default()
    }

    fn ident_location(&self) -> SourceLocation {
        if self.location.is_null() {
            return SourceLocation::default();
        }
        // SAFETY: a non-null location is a live `ident_t` (`Construct::new`).
        let text = unsafe { (*self.location).psource };
        if text.is_null() {
            return SourceLocation::default();
        }
        // SAFETY: `psource` is a NUL-terminated string.
        SourceLocation::parse(&unsafe { CStr::from_ptr(text) }.to_string_lossy())
    }

    /// Where it runs. An error ends the program.
    pub fn target<'a>(&self, runtime: &'a Runtime, number: i64) -> Target<'a> {
        runtime
            .target(number)
            .unwrap_or_else(|error| self.fail(&error, runtime, number))
    }

    /// Does the work that `body` queues on `device`. With `nowait` the task the construct runs in may have to wait
    /// for it; otherwise, and where that is not possible, it is complete on return.
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

    /// The construct's span on the timeline.
    pub fn span(&self, runtime: &Runtime, device: usize) -> Span {
        trace::construct(device, self.name, || self.location(runtime).to_string())
    }

    /// Reports `error` and ends the program.
    pub fn fail(&self, error: &Error, runtime: &Runtime, number: i64) -> ! {
        die(&self.report(error, runtime, number))
    }

    /// `error` with the construct's place.
    pub fn report<'e>(&self, error: &'e Error, runtime: &Runtime, number: i64) -> Report<'e> {
        let number = runtime.resolve(number);
        let device = runtime
            .device(number)
            .ok()
            .map(|device| (device.number, device.name().to_owned()));
        let location = self.location(runtime);
        // Routines have no location to begin with.
        let wants_debug_information = !self.location.is_null() && location.file.is_empty();
        Report {
            error,
            construct: self.name,
            location,
            device,
            wants_debug_information,
        }
    }

    /// Tells what is mapped after the construct, for `LIBOMPTARGET_INFO`.
    pub fn report_table(&self, runtime: &Runtime, device: &OmpDevice) {
        if info::wants(info::DUMP_TABLE) {
            let (name, location) = (self.name, self.location(runtime));
            report_table(device, format_args!("after {name} at {location}"));
        }
    }

    /// Tells what the construct maps, for `LIBOMPTARGET_INFO`.
    pub fn report_items(&self, runtime: &Runtime, device: usize, items: &[MapItem]) {
        if !info::wants(info::KERNEL_ARGS) {
            return;
        }
        let (name, location) = (self.name, self.location(runtime));
        info::log(
            info::KERNEL_ARGS,
            device,
            format_args!("entering {name} at {location} with {} items", items.len()),
        );
        for item in items {
            info::log(
                info::KERNEL_ARGS,
                device,
                format_args!("  {}: {item}", item.kind),
            );
        }
    }
}
