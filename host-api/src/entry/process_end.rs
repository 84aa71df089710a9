//! The last action of the library, after the program's own destructors.

use crate::check;
use crate::device::omp_device::OmpDevice;
use crate::fork;
use crate::mapping::table::Count;
use crate::runtime::runtime;
use crate::trace::{self, DeviceState, StillMapped};

/// Writes the timeline and the summary.
extern "C" fn finish() {
    write();
    // A forked child has what its parent has.
    if !fork::happened() {
        check::at_exit();
    }
}

/// Sees to it that a program that a signal ends writes them, too.
pub fn watch_signals() {
    trace::when_interrupted(write);
}

fn write() {
    trace::finish(|| runtime().devices_found().iter().map(state).collect());
}

#[used]
#[unsafe(link_section = ".fini_array")]
static FINISH: extern "C" fn() = finish;

/// The state of a device, for the summary.
fn state(device: &OmpDevice) -> DeviceState {
    let mappings = device.table.snapshot().into_iter();
    let still_mapped = mappings
        .filter(|line| line.dynamic != Count::Infinite)
        .map(|line| StillMapped {
            mapping: line.mapping.to_string(),
            origin: line.mapping.origin(),
        });
    DeviceState {
        number: device.number,
        name: device.name().to_owned(),
        still_mapped: still_mapped.collect(),
    }
}

#[cfg(test)]
mod tests {
    use plugin_api::DevicePtr;

    use super::*;
    use crate::mapping::mapped_range::{Mapping, Storage};
    use crate::mapping::table::{Reference, Section};
    use crate::tests::fake_device::FakeDevice;

    #[test]
    fn what_is_associated_is_not_left_behind() {
        let (device, _fake) = FakeDevice::openmp(1 << 20);
        let mapping = |host: u64, name| {
            let range = host..host + 32;
            let mapping = Mapping::new(range, host, DevicePtr(64), Storage::Foreign, name);
            mapping.set_origin(Some("a.c:9:1 in main".into()));
            mapping
        };
        device.table.associate(mapping(128, "v")).unwrap();
        let acquired = device
            .table
            .acquire(Section::inside(16, 32), Reference::Dynamic, || {
                Ok(Some(mapping(16, "p[0:32]").into()))
            });
        assert!(acquired.unwrap().unwrap().created);
        let state = state(&device);
        let [left] = &*state.still_mapped else {
            panic!("one mapping is left");
        };
        assert_eq!(left.mapping, "'p[0:32]' [0x10, 0x30) (32 bytes)");
        assert_eq!(left.origin.as_deref(), Some("a.c:9:1 in main"));
    }
}
