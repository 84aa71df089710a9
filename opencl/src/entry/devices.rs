//! Devices.

use std::ffi::c_void;

use crate::codes::{Code, Result};
use crate::compile::spirv;
use crate::completion::now;
use crate::device::{ALIGNMENT, C_VERSIONS, Device, FEATURES, MAX_ITEMS};
use crate::entry::answer;
use crate::entry::platforms::{extensions, extensions_with_versions};
use crate::handle::{Raw, Ref, get};
use crate::image::{MAX_BUFFER, MAX_LAYERS, MAX_PLANE, MAX_VOLUME};
use crate::platform::{Platform, platform};
use crate::query::{Answer, names_with_versions, version};
use crate::queue::Properties;

/// `CL_DEVICE_TYPE_…`.
const DEFAULT: u64 = 1;
const CPU: u64 = 2;
const GPU: u64 = 4;
const ACCELERATOR: u64 = 8;
const CUSTOM: u64 = 16;
const ALL: u64 = 0xffff_ffff;

/// `CL_FP_…` of double precision: denormals, infinities, every way of rounding, a fused multiply-add.
const DOUBLE: u64 = 0x3f;
/// The same of single precision: rounding to nearest; division and square root are rounded correctly.
const SINGLE: u64 = 0xa7;
/// The same of half precision: denormals, infinities, rounding to nearest.
const HALF: u64 = 0x7;

/// The devices of a type.
pub fn of_type(kind: u64) -> Result<Vec<Ref<Device>>> {
    if kind != ALL && (kind == 0 || kind & !(DEFAULT | CPU | GPU | ACCELERATOR | CUSTOM) != 0) {
        return Err(Code::INVALID_DEVICE_TYPE);
    }
    let devices = platform().devices();
    let is_of_type = |(index, device): &(usize, &Ref<Device>)| {
        let own = if device.is_gpu() { GPU } else { CPU };
        kind == ALL || kind & own != 0 || (kind & DEFAULT != 0 && *index == 0)
    };
    let found: Vec<_> = devices
        .iter()
        .enumerate()
        .filter(is_of_type)
        .map(|(_, device)| device.clone())
        .collect();
    match found.is_empty() {
        true => Err(Code::DEVICE_NOT_FOUND),
        false => Ok(found),
    }
}

/// Lists devices.
///
/// # Safety
/// `devices` has room for `count` handles or is null, `found` is writable or null.
pub unsafe extern "C" fn clGetDeviceIDs(
    raw: Raw,
    kind: u64,
    count: u32,
    devices: *mut Raw,
    found: *mut u32,
) -> i32 {
    let list = || -> Result<()> {
        if !raw.is_null() {
            get::<Platform>(raw)?;
        }
        if (count == 0 && !devices.is_null()) || (devices.is_null() && found.is_null()) {
            return Err(Code::INVALID_VALUE);
        }
        let all = of_type(kind)?;
        if !devices.is_null() {
            for (index, device) in all.iter().take(count as usize).enumerate() {
                // SAFETY: there is room for `count`.
                unsafe { *devices.add(index) = device.raw() };
            }
        }
        if !found.is_null() {
            // SAFETY: caller.
            unsafe { *found = all.len() as u32 };
        }
        Ok(())
    };
    answer(list())
}

/// Says what a device is.
///
/// # Safety
/// `value` is writable for `size` bytes or null, `needed` is writable or null.
pub unsafe extern "C" fn clGetDeviceInfo(
    raw: Raw,
    name: u32,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> i32 {
    let asked = get::<Device>(raw).and_then(|device| info(&device, name));
    // SAFETY: caller.
    answer(asked.and_then(|answer| unsafe { answer.give(size, value, needed) }))
}

fn info(device: &Ref<Device>, name: u32) -> Result<Answer> {
    let limits = device.info();
    Ok(match name {
        0x1000 => Answer::of(if device.is_gpu() { GPU } else { CPU }),
        // CL_DEVICE_VENDOR_ID: no maker of hardware has this number.
        0x1001 => Answer::of(0x1_0000u32),
        0x1002 => Answer::of(limits.multiprocessors),
        0x1003 => Answer::of(3u32),
        0x1004 => Answer::of(device.max_group()),
        0x1005 => Answer::list(&MAX_ITEMS.map(|items| items.min(device.max_group()))),
        // Vectors: the compiler takes scalars of many work-items together.
        0x1006..=0x100a | 0x1036..=0x103b => Answer::of(1u32),
        0x100b | 0x1034 | 0x103c => Answer::of(1u32),
        // CL_DEVICE_MAX_CLOCK_FREQUENCY: not known.
        0x100c => Answer::of(1000u32),
        0x100d => Answer::of(64u32),
        0x1010 => Answer::of(device.max_allocation()),
        0x1017 => Answer::of(4352usize),
        0x1019 => Answer::of(ALIGNMENT as u32 * 8),
        0x101a => Answer::of(ALIGNMENT as u32),
        0x101b => Answer::of(SINGLE),
        0x1032 => Answer::of(DOUBLE),
        0x1033 => Answer::of(HALF),
        // The processor's caches.
        0x101c => Answer::of(2u32),
        0x101d => Answer::of(64u32),
        0x101e => Answer::of(1u64 << 20),
        0x101f => Answer::of(limits.total_memory),
        0x1020 => Answer::of(device.max_allocation()),
        0x1021 => Answer::of(64u32),
        0x1022 => Answer::of(if device.is_gpu() { 1u32 } else { 2 }),
        0x1023 => Answer::of(device.local_memory()),
        0x1024 => Answer::truth(false),
        0x1025 => Answer::of(1usize),
        // Little endian; available, compiler and linker, too.
        0x1026..=0x1028 | 0x103e => Answer::truth(true),
        // Images: software reads them, so limits are those that the specification wants at least, or more.
        0x1016 => Answer::truth(true),
        // Arguments of a kernel: images that it reads, writes, both; samplers.
        0x100e => Answer::of(128u32),
        0x100f | 0x104c => Answer::of(64u32),
        0x1018 => Answer::of(16u32),
        0x1011 | 0x1012 => Answer::of(MAX_PLANE),
        0x1013..=0x1015 => Answer::of(MAX_VOLUME),
        0x1040 => Answer::of(MAX_BUFFER),
        0x1041 => Answer::of(MAX_LAYERS),
        // Alignments of images of buffers, in texels: of rows, of the buffer.
        0x104a | 0x104b => Answer::of(1u32),
        // CL_EXEC_KERNEL, CL_EXEC_NATIVE_KERNEL.
        0x1029 => Answer::of(3u64),
        // Queues: both properties, none on the device.
        0x102a => Answer::of(3u64),
        0x104e => Answer::of(0u64),
        0x104f..=0x1052 => Answer::of(0u32),
        0x102b => Answer::text(&limits.name),
        0x102c => Answer::text("omptarget"),
        0x102d => Answer::text(env!("CARGO_PKG_VERSION")),
        0x102e => Answer::text("FULL_PROFILE"),
        0x102f => Answer::text(&format!(
            "OpenCL 3.0 omptarget {}",
            env!("CARGO_PKG_VERSION")
        )),
        0x1030 => Answer::text(&extensions()),
        0x1031 => Answer::raw(platform().raw()),
        0x1035 => Answer::truth(!device.is_gpu()),
        0x103d => Answer::text("OpenCL C 1.2 omptarget"),
        // Built-in kernels: none.
        0x103f => Answer::text(""),
        0x1062 => Answer::bytes(Vec::new()),
        // CL_DEVICE_IL_VERSION, CL_DEVICE_ILS_WITH_VERSION.
        0x105b => Answer::text(&intermediate_languages().join(" ")),
        0x1061 => names_with_versions(
            spirv_versions().map(|(major, minor)| ("SPIR-V".to_owned(), version(major, minor, 0))),
        ),
        // Partitions: none.
        0x1042 => Answer::raw(std::ptr::null_mut()),
        0x1043 => Answer::of(0u32),
        0x1044 => Answer::list(&[0isize]),
        0x1045 => Answer::of(0u64),
        0x1046 => Answer::bytes(Vec::new()),
        0x1047 => Answer::of(1u32),
        0x1048 => Answer::truth(true),
        0x1049 => Answer::of(1usize << 20),
        // Variables at program scope.
        0x104d | 0x1054 => Answer::of(64usize << 10),
        // CL_DEVICE_SVM_CAPABILITIES: coarse and fine buffers, with atomics; not the whole system's memory.
        0x1053 => Answer::of(0b1011u64),
        // Pipes: none.
        0x1055..=0x1057 => Answer::of(0u32),
        0x1071 => Answer::truth(false),
        // Alignments that atomic operations prefer: those of their types.
        0x1058..=0x105a => Answer::of(0u32),
        // Sub-groups: warps.
        0x105c => Answer::of((device.max_group() / limits.warp_size.max(1) as usize) as u32),
        // A warp that waits on memory lets others run.
        0x105d => Answer::truth(true),
        0x105e => Answer::of(version(3, 0, 0)),
        0x1060 => extensions_with_versions(),
        // Command buffers: kernels may print; queues may have all properties, and need none.
        0x12a9 => Answer::of(1u64),
        0x129a => Answer::of(Properties::all().bits()),
        0x12aa => Answer::of(0u64),
        // Atomic operations: every order, scopes from work-groups to all devices; fences: of work-items, too.
        0x1063 => Answer::of(0b111_0111u64),
        0x1064 => Answer::of(0b111_1111u64),
        0x1065 => Answer::truth(false),
        0x1066 => names_with_versions(
            C_VERSIONS.map(|(major, minor)| ("OpenCL C".to_owned(), version(major, minor, 0))),
        ),
        0x1067 => Answer::of(limits.warp_size as usize),
        0x1068 | 0x1069 => Answer::truth(true),
        0x106f => names_with_versions(
            FEATURES
                .iter()
                .map(|name| ((*name).to_owned(), version(3, 0, 0))),
        ),
        // CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES: none.
        0x1070 => Answer::of(0u64),
        // CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED: what OpenCL has devices say that passed none.
        0x1072 => Answer::text("v0000-01-01-00"),
        _ => return Err(Code::INVALID_VALUE),
    })
}

/// The versions of SPIR-V that can be read on this machine.
fn spirv_versions() -> impl Iterator<Item = (u32, u32)> {
    spirv::VERSIONS
        .into_iter()
        .filter(|_| spirv::is_available())
}

fn intermediate_languages() -> Vec<String> {
    spirv_versions()
        .map(|(major, minor)| format!("SPIR-V_{major}.{minor}"))
        .collect()
}

/// Devices are there as long as the process.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn clRetainDevice(raw: Raw) -> i32 {
    answer(get::<Device>(raw).map(drop))
}

/// The same.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn clReleaseDevice(raw: Raw) -> i32 {
    answer(get::<Device>(raw).map(drop))
}

/// Devices cannot be partitioned.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn clCreateSubDevices(
    raw: Raw,
    _properties: *const isize,
    _count: u32,
    _devices: *mut Raw,
    _found: *mut u32,
) -> i32 {
    answer(get::<Device>(raw).and(Err(Code::INVALID_VALUE)))
}

/// The time of the host, which is the device's, too.
///
/// # Safety
/// Both are writable or null.
pub unsafe extern "C" fn clGetDeviceAndHostTimer(
    raw: Raw,
    device: *mut u64,
    host: *mut u64,
) -> i32 {
    let give = || -> Result<()> {
        get::<Device>(raw)?;
        if device.is_null() || host.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        let time = now();
        // SAFETY: caller.
        unsafe { (*device, *host) = (time, time) };
        Ok(())
    };
    answer(give())
}

/// The time of the host.
///
/// # Safety
/// `host` is writable or null.
pub unsafe extern "C" fn clGetHostTimer(raw: Raw, host: *mut u64) -> i32 {
    let give = || -> Result<()> {
        get::<Device>(raw)?;
        if host.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: caller.
        unsafe { *host = now() };
        Ok(())
    };
    answer(give())
}
