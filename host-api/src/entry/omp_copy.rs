//! `omp_target_memcpy` and related routines (OpenMP 5.2, 18.8.5 to 18.8.8; 6.0, `omp_target_memset`).

use std::ffi::c_void;

use plugin_api::DevicePtr;

use crate::check::misuse;
use crate::device::omp_device::{OmpDevice, Target};
use crate::entry::memcpy_rect::{Rectangle, Run, runs};
use crate::entry::routine::{answer, fail, target_or_fail};
use crate::ompt::{self, Operation, Side};
use crate::report::error::{Error, Result};
use crate::report::info::{self, Info};
use crate::runtime::runtime;
use crate::trace::{self, Kind};

/// Copies `length` bytes between two targets.
///
/// # Safety
/// Host ranges are readable or writable as used.
pub(crate) unsafe fn copy(
    (to, destination): (&Target<'_>, u64),
    (from, source): (&Target<'_>, u64),
    length: usize,
) -> plugin_api::Result<()> {
    let _event = event((to, destination), (from, source), length);
    misuse::check_copy((to, destination), (from, source), length);
    let span = |kind, device: &OmpDevice| {
        info::log(
            Info::DATA_TRANSFER,
            device.number,
            format_args!(
                "omp_target_memcpy: copying {length} bytes at {source:#x} ({}) to {destination:#x} ({})",
                from.side(),
                to.side(),
            ),
        );
        trace::span(kind, device.number, length as u64, || {
            "omp_target_memcpy".into()
        })
    };
    match (to, from) {
        // SAFETY: caller; the ranges may overlap.
        (Target::Host, Target::Host) => unsafe {
            std::ptr::copy(source as *const u8, destination as *mut u8, length);
            Ok(())
        },
        // SAFETY: caller.
        (Target::Device(device), Target::Host) => unsafe {
            let _span = span(Kind::ToDevice, device);
            device
                .device
                .write(DevicePtr(destination), source as *const u8, length)
        },
        // SAFETY: caller.
        (Target::Host, Target::Device(device)) => unsafe {
            let _span = span(Kind::ToHost, device);
            device
                .device
                .read(destination as *mut u8, DevicePtr(source), length)
        },
        (Target::Device(to), Target::Device(from)) if std::ptr::eq(*to, *from) => {
            let _span = span(Kind::OnDevice, to);
            to.device
                .copy(DevicePtr(destination), DevicePtr(source), length)
        }
        (Target::Device(to), Target::Device(from)) => {
            let _span = span(Kind::OnDevice, to);
            let (there, here) = (DevicePtr(destination), DevicePtr(source));
            if to.device.copy_from(there, &*from.device, here, length)? {
                return Ok(());
            }
            let mut bytes = vec![0u8; length];
            // SAFETY: `bytes` is `length` bytes, readable and writable.
            unsafe {
                from.device.read(bytes.as_mut_ptr(), here, length)?;
                to.device.write(there, bytes.as_ptr(), length)
            }
        }
    }
}

/// The event of a copy, if a device takes part.
fn event(
    (to, destination): (&Target<'_>, u64),
    (from, source): (&Target<'_>, u64),
    length: usize,
) -> Option<ompt::DataOperation> {
    let side = |target: &Target<'_>, address| match target {
        Target::Host => Side::host(address),
        Target::Device(device) => Side::device(device.number, address),
    };
    let kind = match (to, from) {
        (Target::Host, Target::Host) => return None,
        // Between devices, LLVM's runtime reports what the source's side does.
        (_, Target::Device(_)) => Operation::FromDevice,
        (Target::Device(_), Target::Host) => Operation::ToDevice,
    };
    let sides = || (side(from, source), side(to, destination));
    Some(ompt::operation(kind, length as u64, sides))
}

/// Copies bytes between devices. Returns 0 on success.
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
    let _origin = findings::set_origin(|| findings::caller("omp_target_memcpy"));
    let outcome = || -> Result<()> {
        let to = (destination, destination_offset, destination_device);
        let from = (source, source_offset, source_device);
        // SAFETY: caller.
        copy_of(to, from, length)?.map_or(Ok(()), |copy| unsafe { copy.run() })
    };
    answer("omp_target_memcpy", outcome())
}

/// A copy whose arguments were checked.
pub(crate) struct Copy {
    to: Target<'static>,
    from: Target<'static>,
    runs: Vec<Run>,
}

impl Copy {
    /// Copies.
    ///
    /// # Safety
    /// Host memory named by the arguments is readable or writable as used.
    pub(crate) unsafe fn run(&self) -> Result<()> {
        for run in &self.runs {
            let to = (&self.to, run.destination as u64);
            let from = (&self.from, run.source as u64);
            // SAFETY: caller.
            unsafe { copy(to, from, run.length) }.map_err(|source| Error::Device {
                what: format!("copying {} bytes", run.length),
                source,
            })?;
        }
        Ok(())
    }
}

/// The copy for [`omp_target_memcpy`], from pointer, offset and device of each side. `None`: nothing to copy.
pub(crate) fn copy_of(
    (destination, destination_offset, to): (*mut c_void, usize, i32),
    (source, source_offset, from): (*const c_void, usize, i32),
    length: usize,
) -> Result<Option<Copy>> {
    if length == 0 {
        return Ok(None);
    }
    if destination.is_null() || source.is_null() {
        return Err(Error::Routine("a pointer is null".into()));
    }
    let run = Run {
        destination: (destination as usize).wrapping_add(destination_offset),
        source: (source as usize).wrapping_add(source_offset),
        length,
    };
    Ok(Some(Copy {
        to: runtime().routine_target(to)?,
        from: runtime().routine_target(from)?,
        runs: vec![run],
    }))
}

/// Copies a box between devices. Returns 0 on success. With null pointers: the largest number of dimensions.
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
    let arrays = [
        volume,
        destination_offsets,
        source_offsets,
        destination_dimensions,
        source_dimensions,
    ];
    let to = (destination, destination_device);
    let from = (source, source_device);
    // SAFETY: caller.
    let copy = unsafe { box_of(to, from, element, dimensions, arrays) };
    // SAFETY: caller.
    answer(
        "omp_target_memcpy_rect",
        copy.and_then(|copy| unsafe { copy.run() }),
    )
}

/// The copy for [`omp_target_memcpy_rect`], from pointer and device of each side.
///
/// # Safety
/// The arrays that are not null have `dimensions` elements.
pub(crate) unsafe fn box_of(
    (destination, to): (*mut c_void, i32),
    (source, from): (*const c_void, i32),
    element: usize,
    dimensions: i32,
    arrays: [*const usize; 5],
) -> Result<Copy> {
    let wrong = |why: &str| Error::Routine(why.into());
    let count = usize::try_from(dimensions).ok().filter(|count| *count > 0);
    let count = count.ok_or_else(|| wrong("the number of dimensions is not positive"))?;
    if destination.is_null()
        || source.is_null()
        || element == 0
        || arrays.iter().any(|array| array.is_null())
    {
        return Err(wrong("a pointer is null or the element size is 0"));
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
    let runs = runs.into_iter().map(|run| Run {
        destination: (destination as usize).wrapping_add(run.destination),
        source: (source as usize).wrapping_add(run.source),
        length: run.length,
    });
    Ok(Copy {
        to: runtime().routine_target(to)?,
        from: runtime().routine_target(from)?,
        runs: runs.collect(),
    })
}

/// Fills device memory. Returns the pointer.
///
/// # Safety
/// On the host, `pointer` is writable for `length` bytes.
pub unsafe extern "C" fn omp_target_memset(
    pointer: *mut c_void,
    byte: i32,
    length: usize,
    device: i32,
) -> *mut c_void {
    if !pointer.is_null() && length > 0 {
        let target = target_or_fail("omp_target_memset", device);
        // SAFETY: caller.
        if let Err(error) = unsafe { set(&target, pointer as u64, byte as u8, length) } {
            fail("omp_target_memset", device, &error);
        }
    }
    pointer
}

/// Fills `length` bytes at `address`.
///
/// # Safety
/// On the host, they are writable.
pub(crate) unsafe fn set(target: &Target<'_>, address: u64, byte: u8, length: usize) -> Result<()> {
    match target {
        Target::Host => {
            // SAFETY: caller.
            unsafe { std::ptr::write_bytes(address as *mut u8, byte, length) };
            Ok(())
        }
        Target::Device(device) => {
            let filled = device.device.fill(DevicePtr(address), byte, length);
            filled.map_err(|source| Error::Device {
                what: format!("setting {length} bytes"),
                source,
            })
        }
    }
}
