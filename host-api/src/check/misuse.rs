//! Constructs and routines that do not do what their user seems to mean.

use findings::{Finding, Kind, Note, Severity};

use crate::check::known_mapping::KnownMapping;
use crate::check::mappings::{at_device_address, gone_at_host_address};
use crate::check::{routine_memory, wanted};
use crate::device::omp_device::{OmpDevice, Target};
use crate::mapping::map_item::MapItem;
use crate::mapping::map_type::MapType;
use crate::report::error::{Error, Report};

/// A finding about the calling thread's construct or routine.
fn finding(severity: Severity, what: String) -> Finding {
    Finding {
        location: findings::current_origin().and_then(|origin| origin.location),
        ..Finding::new(Kind::Host, severity, what)
    }
}

/// A warning about the calling thread's construct or routine.
pub fn warning(what: String) -> Finding {
    finding(Severity::Warning, what)
}

/// The name of the calling thread's construct or routine.
fn construct() -> String {
    findings::current_origin().map_or_else(|| "a construct".into(), |origin| origin.text)
}

fn quoted(item: &MapItem) -> String {
    match &*item.name.expression() {
        "" => format!("{} bytes", item.size),
        name => format!("'{name}' ({} bytes)", item.size),
    }
}

/// A construct removes or updates an item that is not mapped. OpenMP then does nothing.
pub fn not_mapped(device: &OmpDevice, item: &MapItem) {
    let kind = item.kind;
    let is_meant = item.size > 0 && item.begin != 0 && !kind.contains(MapType::IMPLICIT);
    if !wanted().host || !is_meant || kind.is_member() || device.unified_shared_memory() {
        return;
    }
    let gone = gone_at_host_address(item.begin);
    let what = format!(
        "{} of {}, which is not mapped on device {}: nothing happens",
        construct(),
        quoted(item),
        device.number
    );
    let is_counted =
        |known: &KnownMapping| known.mapped.as_ref().is_some_and(|by| by.text != "target");
    let hint = match &gone {
        Some(known) if is_counted(known) => {
            "each `target enter data` needs one `target exit data`; `delete` removes all references at once"
        }
        _ => "map it first with `target data` or `target enter data`, on the same device",
    };
    let notes = gone.map(|known| vec![known.mapped_by(), known.unmapped_by()]);
    findings::report(Finding {
        notes: notes.unwrap_or_default(),
        hint: Some(hint.into()),
        ..warning(what)
    });
}

/// An item is about to be mapped. Its address should be the host's.
pub fn check_mapped(item: &MapItem) {
    if !wanted().host {
        return;
    }
    let Some(origin) = routine_memory::origin_of(item.begin) else {
        return;
    };
    findings::report(Finding {
        notes: vec![origin],
        hint: Some("a device pointer belongs into is_device_ptr, not into a map clause".into()),
        ..finding(
            Severity::Error,
            format!(
                "{} maps {}, which is device memory",
                construct(),
                quoted(item)
            ),
        )
    });
}

/// `use_device_ptr` and `use_device_addr` give the host's address of an item that is not mapped.
pub fn not_translated(item: &MapItem) {
    let is_null = item.begin == 0 || item.base == 0;
    if !wanted().host || is_null || routine_memory::origin_of(item.begin).is_some() {
        return;
    }
    findings::report(Finding {
        hint: Some("map it first with `target data` or `target enter data`".into()),
        ..warning(format!(
            "{} asks for the device address of {}, which is not mapped: the address stays the host's",
            construct(),
            match &*item.name.expression() {
                "" => "an item".to_owned(),
                name => format!("'{name}'"),
            }
        ))
    });
}

/// Looks at a copy of a routine: device, address on each side, and bytes.
pub fn check_copy(
    (to, destination): (&Target<'_>, u64),
    (from, source): (&Target<'_>, u64),
    length: usize,
) {
    if !wanted().host {
        return;
    }
    let same = match (to, from) {
        (Target::Host, Target::Host) => true,
        (Target::Device(to), Target::Device(from)) => to.number == from.number,
        _ => false,
    };
    if same && destination.abs_diff(source) < length as u64 {
        let text = format!("{}: source and destination overlap", construct());
        findings::report(finding(Severity::Error, text));
    }
    for (side, target, address) in [("destination", to, destination), ("source", from, source)] {
        if matches!(target, Target::Host) {
            check_host_side(side, address);
        }
    }
}

/// The host's side of a copy should not be device memory.
fn check_host_side(side: &str, address: u64) {
    let mapped = || {
        let (known, relation) = at_device_address(address)?;
        let is_inside = relation.distance() == 0 && known.unmapped.is_none();
        is_inside.then(|| known.mapped_by())
    };
    let Some(origin) = routine_memory::origin_of(address).or_else(mapped) else {
        return;
    };
    let text = format!(
        "{}: the {side} is said to be on the host, but is device memory",
        construct()
    );
    findings::report(Finding {
        notes: vec![origin],
        hint: Some("check the order of the two device numbers".into()),
        ..finding(Severity::Error, text)
    });
}

/// A routine that answers with a number has failed.
pub fn routine_failed(routine: &str, error: &Error) {
    if wanted().host {
        findings::record(Finding {
            hint: error.hint().map(Into::into),
            ..finding(Severity::Error, format!("{routine} failed: {error}"))
        });
    }
}

/// An error ends the program. Faults of kernels were kept where they happened.
pub fn failed(report: &Report<'_>) {
    let is_fault = matches!(
        report.error,
        Error::Kernel {
            source: plugin_api::Error::Fault(_),
            ..
        }
    );
    if is_fault || !wanted().host {
        return;
    }
    // Routines have their caller's.
    let location = findings::current_origin().and_then(|origin| origin.location);
    findings::record(Finding {
        location: report.location.in_source().or(location),
        notes: vec![Note {
            text: format!("construct: {}", report.construct),
            location: None,
        }],
        hint: report.error.hint().map(Into::into),
        ..finding(Severity::Error, report.error.to_string())
    });
}
