//! One construct that the program executes: its name, its location, and its error reports.

use findings::{Note, Origin};

use crate::check::misuse;
use crate::device::mapping_report::report_table;
use crate::device::omp_device::{OmpDevice, Target};
use crate::mapping::map_item::MapItem;
use crate::report::error::{Error, Report, die};
use crate::report::info::{self, Info};
use crate::report::source_location::{SourceIdent, SourceLocation};
use crate::runtime::Runtime;
use crate::trace::{self, Span};

/// A construct on its way through the runtime.
#[derive(Clone, Copy)]
pub struct Construct {
    name: &'static str,
    ident: SourceIdent,
    region: Option<u64>,
}

impl Construct {
    /// The construct called `name` at the location that `ident` names.
    pub fn new(name: &'static str, ident: SourceIdent) -> Construct {
        Construct {
            name,
            ident,
            region: None,
        }
    }

    /// Adds the region's id. The region's symbol tells the location if the `ident_t` does not.
    pub fn of_region(self, region: u64) -> Construct {
        Construct {
            region: Some(region),
            ..self
        }
    }

    /// Its location.
    pub fn location(&self, runtime: &Runtime) -> SourceLocation {
        let known = self.ident.location();
        if !known.is_unknown() {
            return known;
        }
        let symbol = self.region.and_then(|id| runtime.registry.symbol(id));
        symbol
            .and_then(|symbol| SourceLocation::of_region(&symbol))
            .unwrap_or_default()
    }

    /// The target that it runs on. An error ends the program.
    pub fn target<'a>(&self, runtime: &'a Runtime, number: i64) -> Target<'a> {
        runtime
            .target(number)
            .unwrap_or_else(|error| self.fail(&error, runtime, number))
    }

    /// While the result lives, what the thread does belongs to the construct, in findings.
    pub fn origin(&self, runtime: &Runtime) -> Origin {
        findings::set_origin(|| Note {
            text: self.name.to_owned(),
            location: self.location(runtime).in_source(),
        })
    }

    /// The construct's span on the timeline.
    pub fn span(&self, runtime: &Runtime, device: usize) -> Span {
        trace::construct(device, self.name, || self.location(runtime).to_string())
    }

    /// Reports `error` and ends the program.
    pub fn fail(&self, error: &Error, runtime: &Runtime, number: i64) -> ! {
        let report = self.report(error, runtime, number);
        misuse::failed(&report);
        die(&report)
    }

    /// The report on `error`, with the construct's location.
    pub fn report<'e>(&self, error: &'e Error, runtime: &Runtime, number: i64) -> Report<'e> {
        let number = runtime.resolve(number);
        let device = runtime
            .device(number)
            .ok()
            .map(|device| (device.number, device.name().to_owned()));
        let location = self.location(runtime);
        // Routines never have a location.
        let wants_debug_information = self.ident.is_given() && location.file.is_empty();
        Report {
            error,
            construct: self.name,
            location,
            device,
            wants_debug_information,
        }
    }

    /// Reports what is mapped after the construct, for `LIBOMPTARGET_INFO`.
    pub fn report_table(&self, runtime: &Runtime, device: &OmpDevice) {
        if info::wants(Info::DUMP_TABLE) {
            let (name, location) = (self.name, self.location(runtime));
            report_table(device, format_args!("after {name} at {location}"));
        }
    }

    /// Reports what the construct maps, for `LIBOMPTARGET_INFO`.
    pub fn report_items(&self, runtime: &Runtime, device: usize, items: &[MapItem]) {
        if !info::wants(Info::KERNEL_ARGS) {
            return;
        }
        let (name, location) = (self.name, self.location(runtime));
        info::log(
            Info::KERNEL_ARGS,
            device,
            format_args!("entering {name} at {location} with {} items", items.len()),
        );
        for item in items {
            info::log(
                Info::KERNEL_ARGS,
                device,
                format_args!("  {}: {item}", item.kind),
            );
        }
    }
}
