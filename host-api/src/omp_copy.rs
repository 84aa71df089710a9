//! `omp_target_memcpy` and its kin (OpenMP 5.2, 18.8.5 to 18.8.8; 6.0, `omp_target_memset`).

use std::ffi::c_void;

use plugin_api::DevicePtr;

use crate::device::OmpDevice;
use crate::error::{Error, Result};
use crate::host_task::{Dependences, wait_for};
use crate::memcpy_rect::{Rectangle, runs};
use crate::ompt::{self, Operation, Side};
use crate::place::{Place, answer, fail, place, place_or_fail};
use crate::trace::{self, Kind};

/// Copies `length` bytes between any two places.
///
/// # Safety
/// Host ranges are readable or writable as used.
unsafe fn copy(
    (to, destination): (&Place, u64),
    (from, source): (&Place, u64),
    length: usize,
) -> plugin_api::Result<()> {
    let _event = event((to, destination), (from, source), length);
    let span = |kind, device: &OmpDevice| {
        trace::span(kind, device.number, length as u64, || {
            "omp_target_memcpy".into()
        })
    };
    match (to, from) {
        // SAFETY: caller; the ranges may overlap.
        (Place::Host, Place::Host) => unsafe {
            std::ptr::copy(source as *const u8, destination as *mut u8, length);
            Ok(())
        },
        // SAFETY: caller.
        (Place::Device(device), Place::Host) => unsafe {
            let _span = span(Kind::ToDevice, device);
            device
                .device
                .write(DevicePtr(destination), source as *const u8, length)
        },
        // SAFETY: caller.
        (Place::Host, Place::Device(device)) => unsafe {
            let _span = span(Kind::ToHost, device);
            device
                .device
                .read(destination as *mut u8, DevicePtr(source), length)
        },
        (Place::Device(to), Place::Device(from)) if std::ptr::eq(*to, *from) => {
            let _span = span(Kind::OnDevice, to);
            to.device
                .copy(DevicePtr(destination), DevicePtr(source), length)
        }
        (Place::Device(to), Place::Device(from)) => {
            let _span = span(Kind::OnDevice, to);
            let mut bytes = vec![0u8; length];
            // SAFETY: `bytes` is `length` bytes, readable and writable.
            unsafe {
                from.device
                    .read(bytes.as_mut_ptr(), DevicePtr(source), length)?;
                to.device
                    .write(DevicePtr(destination), bytes.as_ptr(), length)
            }
        }
    }
}

/// The event of a copy, if a device takes part.
fn event(
    (to, destination): (&Place, u64),
    (from, source): (&Place, u64),
    length: usize,
) -> Option<ompt::DataOperation> {
    let side = |place: &Place, address| match place {
        Place::Host => Side::host(address),
        Place::Device(device) => Side::device(device.number, address),
    };
    let kind = match (to, from) {
        (Place::Host, Place::Host) => return None,
        (Place::Host, Place::Device(_)) => Operation::FromDevice,
        (Place::Device(_), _) => Operation::ToDevice,
    };
    let sides = || (side(from, source), side(to, destination));
    Some(ompt::operation(kind, length as u64, sides))
}

/// Copies bytes between devices; 0 on success.
///
/// # Safety
/// Host memory named by the arguments is readable or writable as used.
pub unsafe extern "C" fn omp_target_memcpy(
    destination: *mut c_void,
    source: *const c_void,
    length: usize,
    destination_offset: usize,
    source_offset: usize,
    destination_device: i32,
    source_device: i32,
) -> i32 {
    let outcome = || -> Result<()> {
        if length == 0 {
            return Ok(());
        }
        if destination.is_null() || source.is_null() {
            return Err(Error::Routine("a pointer is null".into()));
        }
        let (to, from) = (place(destination_device)?, place(source_device)?);
        let destination = (destination as u64).wrapping_add(destination_offset as u64);
        let source = (source as u64).wrapping_add(source_offset as u64);
        // SAFETY: caller.
        unsafe { copy((&to, destination), (&from, source), length) }.map_err(|source| {
            Error::Device {
                what: format!("copying {length} bytes"),
                source,
            }
        })
    };
    answer("omp_target_memcpy", outcome())
}

/// Copies a box between devices; 0 on success. With null pointers: how many dimensions it can do.
///
/// # Safety
/// As [`omp_target_memcpy`]; the five arrays have `dimensions` elements.
pub unsafe extern "C" fn omp_target_memcpy_rect(
    destination: *mut c_void,
    source: *const c_void,
    element: usize,
    dimensions: i32,
    volume: *const usize,
    destination_offsets: *const usize,
    source_offsets: *const usize,
    destination_dimensions: *const usize,
    source_dimensions: *const usize,
    destination_device: i32,
    source_device: i32,
) -> i32 {
    if destination.is_null() && source.is_null() {
        return i32::MAX;
    }
    let outcome = || -> Result<()> {
        let wrong = |why: &str| Error::Routine(why.into());
        let arrays = [
            volume,
            destination_offsets,
            source_offsets,
            destination_dimensions,
            source_dimensions,
        ];
        let count = usize::try_from(dimensions).ok().filter(|count| *count > 0);
        let count = count.ok_or_else(|| wrong("the number of dimensions is not positive"))?;
        if destination.is_null()
            || source.is_null()
            || element == 0
            || arrays.iter().any(|array| array.is_null())
        {
            return Err(wrong("a pointer is null or the element size 0"));
        }
        let [volume, destination_offsets, source_offsets, destination_dimensions, source_dimensions] =
            // SAFETY: caller.
            arrays.map(|array| unsafe { std::slice::from_raw_parts(array, count) });
        let rectangle = Rectangle {
            element,
            volume,
            destination_offsets,
            source_offsets,
            destination_dimensions,
            source_dimensions,
        };
        let runs = runs(&rectangle).ok_or_else(|| wrong("the box leaves one of the arrays"))?;
        let (to, from) = (place(destination_device)?, place(source_device)?);
        for run in runs {
            let destination = (destination as u64).wrapping_add(run.destination as u64);
            let source = (source as u64).wrapping_add(run.source as u64);
            // SAFETY: caller.
            unsafe { copy((&to, destination), (&from, source), run.length) }.map_err(|source| {
                Error::Device {
                    what: format!("copying {} bytes", run.length),
                    source,
                }
            })?;
        }
        Ok(())
    };
    answer("omp_target_memcpy_rect", outcome())
}

/// Sets device memory; gives the pointer back.
///
/// # Safety
/// On the host, `pointer` is writable for `length` bytes.
pub unsafe extern "C" fn omp_target_memset(
    pointer: *mut c_void,
    byte: i32,
    length: usize,
    device: i32,
) -> *mut c_void {
    if pointer.is_null() || length == 0 {
        return pointer;
    }
    match place_or_fail("omp_target_memset", device) {
        // SAFETY: caller.
        Place::Host => unsafe { std::ptr::write_bytes(pointer.cast::<u8>(), byte as u8, length) },
        Place::Device(target) => {
            if let Err(source) = target
                .device
                .fill(DevicePtr(pointer as u64), byte as u8, length)
            {
                fail(
                    "omp_target_memset",
                    device,
                    &Error::Device {
                        what: format!("setting {length} bytes"),
                        source,
                    },
                );
            }
        }
    }
    pointer
}

/// Waits for the tasks `depobj`s name; the routine then runs to its end.
///
/// # Safety
/// `objects` has `count` depend objects of libomp.
unsafe fn wait_for_objects(count: i32, objects: *const *const c_void) {
    /// Size of libomp's `kmp_depend_info`.
    const DEPENDENCE: usize = 24;
    let count = usize::try_from(count).unwrap_or(0);
    if count == 0 || objects.is_null() {
        return;
    }
    let mut list = vec![0u64; count * DEPENDENCE / 8];
    for (index, place) in list.chunks_exact_mut(DEPENDENCE / 8).enumerate() {
        // SAFETY: caller; each object points at its `kmp_depend_info`.
        unsafe {
            std::ptr::copy_nonoverlapping(
                (*objects.add(index)).cast::<u64>(),
                place.as_mut_ptr(),
                place.len(),
            )
        };
    }
    wait_for(Dependences {
        count: count as i32,
        list: list.as_ptr().cast(),
        noalias_count: 0,
        noalias_list: std::ptr::null(),
    });
}

/// [`omp_target_memcpy`] after the tasks it depends on; complete on return.
///
/// # Safety
/// As [`omp_target_memcpy`]; `objects` has `count` depend objects.
pub unsafe extern "C" fn omp_target_memcpy_async(
    destination: *mut c_void,
    source: *const c_void,
    length: usize,
    destination_offset: usize,
    source_offset: usize,
    destination_device: i32,
    source_device: i32,
    count: i32,
    objects: *const *const c_void,
) -> i32 {
    // SAFETY: caller.
    unsafe {
        wait_for_objects(count, objects);
        omp_target_memcpy(
            destination,
            source,
            length,
            destination_offset,
            source_offset,
            destination_device,
            source_device,
        )
    }
}

/// [`omp_target_memcpy_rect`] after the tasks it depends on; complete on return.
///
/// # Safety
/// As [`omp_target_memcpy_rect`]; `objects` has `count` depend objects.
pub unsafe extern "C" fn omp_target_memcpy_rect_async(
    destination: *mut c_void,
    source: *const c_void,
    element: usize,
    dimensions: i32,
    volume: *const usize,
    destination_offsets: *const usize,
    source_offsets: *const usize,
    destination_dimensions: *const usize,
    source_dimensions: *const usize,
    destination_device: i32,
    source_device: i32,
    count: i32,
    objects: *const *const c_void,
) -> i32 {
    // SAFETY: caller.
    unsafe {
        wait_for_objects(count, objects);
        omp_target_memcpy_rect(
            destination,
            source,
            element,
            dimensions,
            volume,
            destination_offsets,
            source_offsets,
            destination_dimensions,
            source_dimensions,
            destination_device,
            source_device,
        )
    }
}

/// [`omp_target_memset`] after the tasks it depends on; complete on return.
///
/// # Safety
/// As [`omp_target_memset`]; `objects` has `count` depend objects.
pub unsafe extern "C" fn omp_target_memset_async(
    pointer: *mut c_void,
    byte: i32,
    length: usize,
    device: i32,
    count: i32,
    objects: *const *const c_void,
) -> *mut c_void {
    // SAFETY: caller.
    unsafe {
        wait_for_objects(count, objects);
        omp_target_memset(pointer, byte, length, device)
    }
}
