//! `omp_target_associate_ptr` and the queries of the mapping table (OpenMP 5.2, 18.8.3, 18.8.4, 18.8.9 to 18.8.11).

use std::ffi::c_void;

use plugin_api::DevicePtr;

use crate::device::mapping_report::print_table;
use crate::device::omp_device::Target;
use crate::entry::routine::answer;
use crate::mapping::mapped_range::{Mapping, Storage};
use crate::mapping::table::Section;
use crate::ompt::{self, Operation, Side};
use crate::report::error::{Error, Result};
use crate::runtime::runtime;

/// Whether host memory is mapped (on the host: always).
pub extern "C" fn omp_target_is_present(pointer: *const c_void, device: i32) -> i32 {
    if pointer.is_null() {
        return 0;
    }
    match runtime().routine_target(device) {
        Ok(Target::Host) => 1,
        Ok(Target::Device(device)) => device
            .table
            .contains(Section::inside(pointer as u64, 1))
            .into(),
        Err(_) => 0,
    }
}

/// Whether the device can dereference a pointer to that many bytes: every one with unified shared memory, one into
/// memory that the device knows as its own otherwise.
pub extern "C" fn omp_target_is_accessible(
    pointer: *const c_void,
    size: usize,
    device: i32,
) -> i32 {
    if pointer.is_null() || size == 0 {
        return 0;
    }
    match runtime().routine_target(device) {
        Ok(Target::Host) => 1,
        Ok(Target::Device(device)) if device.unified_shared_memory() => 1,
        Ok(Target::Device(device)) => {
            let known = device.device.reaches(DevicePtr(pointer as u64), size);
            known.is_ok_and(|reaches| reaches).into()
        }
        Err(_) => 0,
    }
}

/// The device address of mapped host memory, or null.
pub extern "C" fn omp_get_mapped_ptr(pointer: *const c_void, device: i32) -> *mut c_void {
    match runtime().routine_target(device) {
        Ok(Target::Host) => pointer.cast_mut(),
        Ok(Target::Device(device)) => {
            let section = Section::inside(pointer as u64, 1);
            let found = device.table.device_address(section);
            found.map_or(std::ptr::null_mut(), |address| address.0 as *mut c_void)
        }
        Err(_) => std::ptr::null_mut(),
    }
}

/// Associates device memory with host memory. Returns 0 on success.
pub extern "C" fn omp_target_associate_ptr(
    host: *const c_void,
    device_pointer: *const c_void,
    size: usize,
    offset: usize,
    device: i32,
) -> i32 {
    let outcome = || -> Result<()> {
        let wrong = |why: String| Error::Routine(why);
        if host.is_null() || device_pointer.is_null() || size == 0 {
            return Err(wrong("a pointer is null or the size is 0".into()));
        }
        // On the host every pointer is its own counterpart (OpenMP 5.2, 18.8.9).
        let Target::Device(device) = runtime().routine_target(device)? else {
            return Ok(());
        };
        let begin = host as u64;
        let address = DevicePtr((device_pointer as u64).wrapping_add(offset as u64));
        let sides = || (Side::host(begin), Side::device(device.number, address.0));
        let _event = ompt::operation(Operation::Associate, size as u64, sides);
        let mapping = Mapping::new(
            begin..begin.saturating_add(size as u64),
            begin,
            address,
            Storage::Foreign,
            "",
        );
        let Err(known) = device.table.associate(mapping) else {
            return Ok(());
        };
        if known.device_address(begin) == address
            && known.host.end >= begin + size as u64
            && known.allocation().is_none()
        {
            return Ok(());
        }
        Err(wrong(format!(
            "the host memory is mapped or associated already, as {known}"
        )))
    };
    answer("omp_target_associate_ptr", outcome())
}

/// Removes an association. Returns 0 on success.
pub extern "C" fn omp_target_disassociate_ptr(host: *const c_void, device: i32) -> i32 {
    let outcome = || -> Result<()> {
        if host.is_null() {
            return Err(Error::Routine("the pointer is null".into()));
        }
        let Target::Device(device) = runtime().routine_target(device)? else {
            return Ok(());
        };
        let sides = || (Side::host(host as u64), Side::device(device.number, 0));
        let _event = ompt::operation(Operation::Disassociate, 0, sides);
        device
            .table
            .disassociate(host as u64)
            .map(drop)
            .map_err(|why| Error::Routine(why.to_string()))
    };
    answer("omp_target_disassociate_ptr", outcome())
}

/// Prints the mapping table of every device.
pub extern "C" fn ompx_dump_mapping_tables() {
    for device in runtime().devices() {
        print_table(device, "");
    }
}
