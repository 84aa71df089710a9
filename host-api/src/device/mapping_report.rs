//! Messages about a device's mappings: `LIBOMPTARGET_INFO`'s lines, the mapping table, and the section next to a stray
//! address of a kernel.

use std::fmt::{self, Display};
use std::ops::Range;

use plugin_api::DevicePtr;

use crate::device::omp_device::OmpDevice;
use crate::host_memory::is_host_memory;
use crate::mapping::map_item::MapItem;
use crate::mapping::mapped_range::Mapping;
use crate::mapping::table::Snapshot;
use crate::report::info::{self, Info};

/// Bytes of a GPU's page, the unit in which some devices report addresses.
const PAGE: u64 = 4096;

/// An address further than this from the end of a mapping has nothing to do with it. A wrong 32-bit index of 8-byte
/// elements reaches this far.
const NEIGHBOURHOOD: u64 = 8 << 31;

/// The references of a mapping, as the messages write them.
struct References<'a>(&'a Snapshot);

impl Display for References<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "references {} hold {}", self.0.dynamic, self.0.hold)
    }
}

/// Reports that the construct created `mapping` for `item`.
pub fn report_created(device: &OmpDevice, item: &MapItem, mapping: &Mapping) {
    report(Info::MAPPING_CHANGED, "mapped", device, item, mapping);
}

/// Reports that the construct found `mapping` for `item`.
pub fn report_found(device: &OmpDevice, item: &MapItem, mapping: &Mapping) {
    report(
        Info::MAPPING_EXISTS,
        "is mapped already:",
        device,
        item,
        mapping,
    );
}

fn report(kind: Info, verb: &str, device: &OmpDevice, item: &MapItem, mapping: &Mapping) {
    if !info::wants(kind) {
        return;
    }
    let address = mapping.device_address(item.begin);
    // Another thread may have unmapped it meanwhile.
    let references = device.table.snapshot_of(mapping);
    let references = references.as_ref().map(References);
    let references = references.map_or(String::new(), |text| format!(", {text}"));
    info::log(
        kind,
        device.number,
        format_args!("{item} {verb} at {address:?}{references}"),
    );
}

/// Prints the mapping table if `LIBOMPTARGET_INFO` asks for it. `when` says at which point.
pub fn report_table(device: &OmpDevice, when: impl Display) {
    if info::wants(Info::DUMP_TABLE) {
        print_table(device, &format!(" {when}"));
    }
}

/// Prints a device's mapping table on stderr.
pub fn print_table(device: &OmpDevice, when: &str) {
    let lines = device.table.snapshot();
    let empty = if lines.is_empty() { " empty" } else { "" };
    let (number, name) = (device.number, device.name());
    // In one piece, because other threads print, too.
    let mut text = format!("omptarget device {number} mapping table ({name}){when}:{empty}");
    for line in lines {
        let mapping = &line.mapping;
        text += &format!(
            "\n  host {:#018x} device {:#018x} size {:10} {} {}",
            mapping.host.start,
            mapping.address.0,
            mapping.host.end - mapping.host.start,
            References(&line),
            mapping.name(),
        );
    }
    eprintln!("{text}");
}

/// How a kernel's stray `address` relates to the mapped sections, if at all.
pub fn neighbour(device: &OmpDevice, address: u64) -> Option<String> {
    let beside = beside(device, address..address + 1, &format!("{address:#x}"));
    beside.or_else(|| {
        is_host_memory(address).then(|| {
            format!(
                "{address:#x} is memory of the host that is not mapped: \
                 the region follows a pointer that was never attached, or a host pointer in is_device_ptr"
            )
        })
    })
}

/// The same for a page of the device, in which a kernel used some address.
pub fn neighbour_of_page(device: &OmpDevice, page: u64) -> Option<String> {
    let name = format!("the page at {page:#x}");
    beside(device, page..page.saturating_add(PAGE), &name)
}

/// The mapping that `range`, called `name`, lies in or behind.
fn beside(device: &OmpDevice, range: Range<u64>, name: &str) -> Option<String> {
    let mappings = device.table.snapshot();
    let mappings = || mappings.iter().map(|line| &*line.mapping);
    if let Some(mapping) =
        mappings().find(|mapping| mapping.host.start < range.end && range.start < mapping.host.end)
    {
        return Some(format!(
            "{name} lies in the host's copy of {mapping}; the device's is at {:?}: \
             the region uses a pointer to the host that no map clause translates",
            mapping.address
        ));
    }
    let end = |mapping: &Mapping| mapping.device_address(mapping.host.end).0;
    let distance = |mapping: &Mapping| range.start.saturating_sub(end(mapping));
    let below =
        mappings().filter(|mapping| end(mapping) < range.end && distance(mapping) < NEIGHBOURHOOD);
    let nearest = below.max_by_key(|mapping| end(mapping))?;
    let beyond = distance(nearest);
    let (first, end) = (nearest.address, DevicePtr(end(nearest)));
    Some(format!(
        "{name} is {beyond} bytes beyond the end of the device's copy, [{first:?}, {end:?}), of {nearest}"
    ))
}
