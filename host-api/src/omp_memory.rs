//! `omp_target_alloc` and the other device memory routines (OpenMP 5.2, 18.8).

use std::ffi::c_void;
use std::sync::Arc;

use plugin_api::{DevicePtr, MemoryKind};

use crate::construct::Construct;
use crate::device::OmpDevice;
use crate::error::{Error, Result};
use crate::host_task::{Dependences, wait_for};
use crate::mapping_table::{Mapping, Section};
use crate::memcpy_rect::{Rectangle, runs};
use crate::runtime::runtime;

/// What an `int` routine returns on failure.
const FAILED: i32 = 1;

/// The host, or a device that has everything registered loaded.
enum Place {
    Host,
    Device(Arc<OmpDevice>),
}

/// Ends the program with a report on `routine`.
fn fail(routine: &'static str, number: i32, error: &Error) -> ! {
    // SAFETY: no location.
    unsafe { Construct::new(routine, std::ptr::null()) }.fail(error, runtime(), number.into())
}

fn place(number: i32) -> Result<Place> {
    let runtime = runtime();
    if number == runtime.initial_device() || number == -1 {
        return Ok(Place::Host);
    }
    let device = runtime.device(number.into())?;
    device
        .program
        .catch_up(&device, &runtime.registry, runtime.devices().len())?;
    Ok(Place::Device(device))
}

fn place_or_fail(routine: &'static str, number: i32) -> Place {
    place(number).unwrap_or_else(|error| fail(routine, number, &error))
}

/// Allocation alignment OpenMP promises on the host.
const HOST_ALIGNMENT: usize = 64;

fn alloc(routine: &'static str, size: usize, number: i32, kind: MemoryKind) -> *mut c_void {
    if size == 0 {
        return std::ptr::null_mut();
    }
    match place_or_fail(routine, number) {
        Place::Host => {
            let mut pointer = std::ptr::null_mut();
            // SAFETY: `pointer` is writable; the alignment is a power of two.
            let status = unsafe { libc::posix_memalign(&mut pointer, HOST_ALIGNMENT, size) };
            if status == 0 {
                pointer
            } else {
                std::ptr::null_mut()
            }
        }
        Place::Device(device) => match device.device.alloc(size as u64, kind) {
            Ok(address) => address.0 as *mut c_void,
            // OpenMP 5.2, 18.8.1: null if the memory cannot be had.
            Err(plugin_api::Error::OutOfMemory { .. }) => std::ptr::null_mut(),
            Err(source) => fail(
                routine,
                number,
                &Error::Device {
                    what: format!("allocating {size} bytes"),
                    source,
                },
            ),
        },
    }
}

fn free(routine: &'static str, pointer: *mut c_void, number: i32) {
    if pointer.is_null() {
        return;
    }
    match place_or_fail(routine, number) {
        // SAFETY: the program says that `alloc` gave it this.
        Place::Host => unsafe { libc::free(pointer) },
        Place::Device(device) => {
            if let Err(source) = device.device.free(DevicePtr(pointer as u64)) {
                fail(
                    routine,
                    number,
                    &Error::Device {
                        what: format!("freeing {pointer:?}"),
                        source,
                    },
                );
            }
        }
    }
}

/// Allocates device memory.
pub extern "C" fn omp_target_alloc(size: usize, device: i32) -> *mut c_void {
    alloc("omp_target_alloc", size, device, MemoryKind::Device)
}

/// Frees what `omp_target_alloc` gave.
pub extern "C" fn omp_target_free(pointer: *mut c_void, device: i32) {
    free("omp_target_free", pointer, device);
}

/// Allocates memory only the device reaches.
pub extern "C" fn llvm_omp_target_alloc_device(size: usize, device: i32) -> *mut c_void {
    alloc(
        "llvm_omp_target_alloc_device",
        size,
        device,
        MemoryKind::Device,
    )
}

/// Allocates host memory the device reaches.
pub extern "C" fn llvm_omp_target_alloc_host(size: usize, device: i32) -> *mut c_void {
    alloc("llvm_omp_target_alloc_host", size, device, MemoryKind::Host)
}

/// Allocates memory both reach.
pub extern "C" fn llvm_omp_target_alloc_shared(size: usize, device: i32) -> *mut c_void {
    alloc(
        "llvm_omp_target_alloc_shared",
        size,
        device,
        MemoryKind::Shared,
    )
}

/// Frees what `llvm_omp_target_alloc_device` gave.
pub extern "C" fn llvm_omp_target_free_device(pointer: *mut c_void, device: i32) {
    free("llvm_omp_target_free_device", pointer, device);
}

/// Frees what `llvm_omp_target_alloc_host` gave.
pub extern "C" fn llvm_omp_target_free_host(pointer: *mut c_void, device: i32) {
    free("llvm_omp_target_free_host", pointer, device);
}

/// Frees what `llvm_omp_target_alloc_shared` gave.
pub extern "C" fn llvm_omp_target_free_shared(pointer: *mut c_void, device: i32) {
    free("llvm_omp_target_free_shared", pointer, device);
}

/// The team's dynamic shared memory: there is none on the host.
pub extern "C" fn llvm_omp_target_dynamic_shared_alloc() -> *mut c_void {
    std::ptr::null_mut()
}

/// Pins host memory for faster copies: nothing needs it, the address stays what it is.
pub extern "C" fn llvm_omp_target_lock_mem(
    pointer: *mut c_void,
    size: usize,
    device: i32,
) -> *mut c_void {
    match place_or_fail("llvm_omp_target_lock_mem", device) {
        Place::Device(_) if size > 0 => pointer,
        _ => std::ptr::null_mut(),
    }
}

/// Undoes `llvm_omp_target_lock_mem`.
pub extern "C" fn llvm_omp_target_unlock_mem(_pointer: *mut c_void, device: i32) {
    place_or_fail("llvm_omp_target_unlock_mem", device);
}

/// Whether host memory is mapped (on the host: always).
pub extern "C" fn omp_target_is_present(pointer: *const c_void, device: i32) -> i32 {
    if pointer.is_null() {
        return 0;
    }
    match place(device) {
        Ok(Place::Host) => 1,
        Ok(Place::Device(device)) => device
            .table
            .find(Section::inside(pointer as u64, 1))
            .is_some()
            .into(),
        Err(_) => 0,
    }
}

/// Whether the device can follow a host pointer as it is.
pub extern "C" fn omp_target_is_accessible(
    pointer: *const c_void,
    size: usize,
    device: i32,
) -> i32 {
    if pointer.is_null() || size == 0 {
        return 0;
    }
    match place(device) {
        Ok(Place::Host) => 1,
        Ok(Place::Device(device)) => device.unified_shared_memory().into(),
        Err(_) => 0,
    }
}

/// The device address of mapped host memory, or null.
pub extern "C" fn omp_get_mapped_ptr(pointer: *const c_void, device: i32) -> *mut c_void {
    match place(device) {
        Ok(Place::Host) => pointer.cast_mut(),
        Ok(Place::Device(device)) => {
            let found = device.table.find(Section::inside(pointer as u64, 1));
            found.map_or(std::ptr::null_mut(), |mapping| {
                mapping.device_address(pointer as u64).0 as *mut c_void
            })
        }
        Err(_) => std::ptr::null_mut(),
    }
}

/// Copies `length` bytes between any two places.
///
/// # Safety
/// Host ranges are readable or writable as used.
unsafe fn copy(
    (to, destination): (&Place, u64),
    (from, source): (&Place, u64),
    length: usize,
) -> plugin_api::Result<()> {
    match (to, from) {
        // SAFETY: caller; the ranges may overlap.
        (Place::Host, Place::Host) => unsafe {
            std::ptr::copy(source as *const u8, destination as *mut u8, length);
            Ok(())
        },
        // SAFETY: caller.
        (Place::Device(device), Place::Host) => unsafe {
            device
                .device
                .write(DevicePtr(destination), source as *const u8, length)
        },
        // SAFETY: caller.
        (Place::Host, Place::Device(device)) => unsafe {
            device
                .device
                .read(destination as *mut u8, DevicePtr(source), length)
        },
        (Place::Device(to), Place::Device(from)) if Arc::ptr_eq(to, from) => {
            to.device
                .copy(DevicePtr(destination), DevicePtr(source), length)
        }
        (Place::Device(to), Place::Device(from)) => {
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

/// The answer of an `int` routine; failures are told on stderr, for the number tells nothing.
fn answer(routine: &str, outcome: Result<()>) -> i32 {
    match outcome {
        Ok(()) => 0,
        Err(error) => {
            crate::error::warn(&format_args!("{routine} failed: {error}"));
            FAILED
        }
    }
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
            return Err(Error::Routine {
                routine: "omp_target_memcpy",
                why: "a pointer is null".into(),
            });
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
        let wrong = |why: &str| Error::Routine {
            routine: "omp_target_memcpy_rect",
            why: why.into(),
        };
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

/// Makes device memory the counterpart of host memory; 0 on success.
pub extern "C" fn omp_target_associate_ptr(
    host: *const c_void,
    device_pointer: *const c_void,
    size: usize,
    offset: usize,
    device: i32,
) -> i32 {
    let outcome = || -> Result<()> {
        let wrong = |why: String| Error::Routine {
            routine: "omp_target_associate_ptr",
            why,
        };
        if host.is_null() || device_pointer.is_null() || size == 0 {
            return Err(wrong("a pointer is null or the size 0".into()));
        }
        // On the host every pointer is its own counterpart (OpenMP 5.2, 18.8.9).
        let Place::Device(device) = place(device)? else {
            return Ok(());
        };
        let begin = host as u64;
        let address = DevicePtr((device_pointer as u64).wrapping_add(offset as u64));
        let mapping = Mapping::new(
            begin..begin.saturating_add(size as u64),
            begin,
            address,
            None,
            "",
        );
        let Err(known) = device.table.associate(mapping) else {
            return Ok(());
        };
        if known.device_address(begin) == address
            && known.host.end >= begin + size as u64
            && known.allocation.is_none()
        {
            return Ok(());
        }
        Err(wrong(format!(
            "the host memory is mapped or associated already, as {}",
            crate::data_begin::describe(&known)
        )))
    };
    answer("omp_target_associate_ptr", outcome())
}

/// Undoes [`omp_target_associate_ptr`]; 0 on success.
pub extern "C" fn omp_target_disassociate_ptr(host: *const c_void, device: i32) -> i32 {
    let outcome = || -> Result<()> {
        let wrong = |why: &str| Error::Routine {
            routine: "omp_target_disassociate_ptr",
            why: why.into(),
        };
        if host.is_null() {
            return Err(wrong("the pointer is null"));
        }
        let Place::Device(device) = place(device)? else {
            return Ok(());
        };
        device
            .table
            .disassociate(host as u64)
            .map(drop)
            .map_err(wrong)
    };
    answer("omp_target_disassociate_ptr", outcome())
}

/// Prints the mapping table of every device.
pub extern "C" fn ompx_dump_mapping_tables() {
    runtime()
        .devices()
        .iter()
        .for_each(|device| dump_mappings(device));
}

/// Prints a device's mapping table on stderr.
pub fn dump_mappings(device: &OmpDevice) {
    eprintln!(
        "omptarget device {} mapping table ({}):",
        device.number,
        device.name()
    );
    for line in device.table.snapshot() {
        let mapping = &line.mapping;
        eprintln!(
            "  host {:#018x} device {:#018x} size {:10} references {} hold {} {}",
            mapping.host.start,
            mapping.address.0,
            mapping.host.end - mapping.host.start,
            line.dynamic,
            line.hold,
            mapping.name,
        );
    }
}
