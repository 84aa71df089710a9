//! One construct the program executes: what it is, where it is, and how its errors end.

use std::ffi::CStr;

use crate::abi::Ident;
use crate::error::{Error, Report, die};
use crate::info;
use crate::map_item::MapItem;
use crate::runtime::{Runtime, Target};
use crate::source_location::SourceLocation;

/// A construct on its way through the runtime.
pub struct Construct {
    name: &'static str,
    location: *const Ident,
    symbol: Option<String>,
}

impl Construct {
    /// The construct called `name` at `location`.
    ///
    /// # Safety
    /// `location` is null or an `ident_t` that stays in place.
    pub unsafe fn new(name: &'static str, location: *const Ident) -> Construct {
        Construct {
            name,
            location,
            symbol: None,
        }
    }

    /// Adds the symbol of the target region, which tells its place where nothing else does.
    pub fn with_symbol(mut self, symbol: &str) -> Construct {
        self.symbol = Some(symbol.to_owned());
        self
    }

    /// Where it is.
    pub fn location(&self) -> SourceLocation {
        let known = self.ident_location();
        let of_symbol = || self.symbol.as_deref().and_then(SourceLocation::of_region);
        if known.is_unknown() {
            of_symbol().unwrap_or_default()
        } else {
            known
        }
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
    pub fn target(&self, runtime: &Runtime, number: i64) -> Target {
        runtime
            .target(number)
            .unwrap_or_else(|error| self.fail(&error, runtime, number))
    }

    /// Reports `error` and ends the program.
    pub fn fail(&self, error: &Error, runtime: &Runtime, number: i64) -> ! {
        let devices = runtime.devices();
        let index = usize::try_from(number).unwrap_or(0);
        let device = devices
            .get(index)
            .map(|device| (index, device.name().to_owned()));
        die(&Report {
            error,
            construct: self.name,
            location: self.location(),
            device,
        })
    }

    /// Tells what the construct maps, for `LIBOMPTARGET_INFO`.
    pub fn tell(&self, device: usize, items: &[MapItem]) {
        if !info::wants(info::KERNEL_ARGS) {
            return;
        }
        info::say(
            info::KERNEL_ARGS,
            device,
            format_args!(
                "entering {} at {} with {} items",
                self.name,
                self.location(),
                items.len()
            ),
        );
        for item in items {
            info::say(
                info::KERNEL_ARGS,
                device,
                format_args!("  {}: {item}", item.kind),
            );
        }
    }
}
