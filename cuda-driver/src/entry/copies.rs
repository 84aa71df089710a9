//! Copies.

use std::ffi::{c_int, c_void};

use cudart::abi::{CopyBox, PitchedPointer, Size};
use cudart::copy::{self, Direction, Extent, Side, Waits};
use cudart::entry::arrays::array;
use cudart::error::{Code, Result};
use cudart::graph::described::DriversCopy;
use cudart::own_stream::OwnStream;
use cudart::runtime::runtime;

use crate::contexts;
use crate::entry::{per_thread, per_thread_waiting};
use crate::status::answer;

/// The default stream.
const DEFAULT: *mut c_void = std::ptr::null_mut();

/// # Safety
/// As for [`copy::copy`].
unsafe fn bytes(
    (to, from, len): (u64, u64, usize),
    direction: Direction,
    stream: *mut c_void,
    waits: Waits,
) -> i32 {
    let copy = || {
        contexts::current()?;
        let own = runtime().stream(stream as usize)?;
        // SAFETY: caller.
        unsafe { copy::copy(runtime(), &own, (to, from, len), direction, waits) }
    };
    answer(copy())
}

/// Copies from one address to another, which say where they are.
///
/// # Safety
/// Both ranges are valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy(to: u64, from: u64, len: usize) -> i32 {
    // SAFETY: caller.
    unsafe { bytes((to, from, len), Direction::Default, DEFAULT, Waits::Always) }
}

/// The same in a stream's order.
///
/// # Safety
/// As for [`cuMemcpy`]; pinned memory until the stream has passed the copy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAsync(to: u64, from: u64, len: usize, stream: *mut c_void) -> i32 {
    // SAFETY: caller.
    unsafe {
        bytes(
            (to, from, len),
            Direction::Default,
            stream,
            Waits::ForPageable,
        )
    }
}

/// Copies to the device.
///
/// # Safety
/// The host's memory is readable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoD_v2(to: u64, from: *const c_void, len: usize) -> i32 {
    let way = Direction::HostToDevice;
    // SAFETY: caller.
    unsafe { bytes((to, from as u64, len), way, DEFAULT, Waits::Always) }
}

/// The same in a stream's order.
///
/// # Safety
/// As for [`cuMemcpyHtoD_v2`]; pinned memory until the stream has passed the copy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoDAsync_v2(
    to: u64,
    from: *const c_void,
    len: usize,
    stream: *mut c_void,
) -> i32 {
    let way = Direction::HostToDevice;
    // SAFETY: caller.
    unsafe { bytes((to, from as u64, len), way, stream, Waits::ForPageable) }
}

/// Copies from the device.
///
/// # Safety
/// The host's memory is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, len: usize) -> i32 {
    let way = Direction::DeviceToHost;
    // SAFETY: caller.
    unsafe { bytes((to as u64, from, len), way, DEFAULT, Waits::Always) }
}

/// The same in a stream's order.
///
/// # Safety
/// As for [`cuMemcpyDtoH_v2`]; pinned memory until the stream has passed the copy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoHAsync_v2(
    to: *mut c_void,
    from: u64,
    len: usize,
    stream: *mut c_void,
) -> i32 {
    let way = Direction::DeviceToHost;
    // SAFETY: caller.
    unsafe { bytes((to as u64, from, len), way, stream, Waits::ForPageable) }
}

/// Copies within the device.
///
/// # Safety
/// Both ranges are of the device's memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoD_v2(to: u64, from: u64, len: usize) -> i32 {
    let way = Direction::DeviceToDevice;
    // SAFETY: caller.
    unsafe { bytes((to, from, len), way, DEFAULT, Waits::Always) }
}

/// The same in a stream's order.
///
/// # Safety
/// As for [`cuMemcpyDtoD_v2`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoDAsync_v2(
    to: u64,
    from: u64,
    len: usize,
    stream: *mut c_void,
) -> i32 {
    let way = Direction::DeviceToDevice;
    // SAFETY: caller.
    unsafe { bytes((to, from, len), way, stream, Waits::ForPageable) }
}

/// Copies from one context's memory to another's. The addresses say where they are.
///
/// # Safety
/// Both ranges are of devices' memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyPeer(
    to: u64,
    to_context: *mut c_void,
    from: u64,
    from_context: *mut c_void,
    len: usize,
) -> i32 {
    // SAFETY: caller.
    unsafe { cuMemcpyPeerAsync(to, to_context, from, from_context, len, DEFAULT) }
}

/// The same when the work of a stream is done.
///
/// # Safety
/// As for [`cuMemcpyPeer`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyPeerAsync(
    to: u64,
    to_context: *mut c_void,
    from: u64,
    from_context: *mut c_void,
    len: usize,
    stream: *mut c_void,
) -> i32 {
    let known = || {
        contexts::started()?;
        contexts::context(to_context as usize)?;
        contexts::context(from_context as usize).map(drop)
    };
    match known() {
        // SAFETY: caller.
        Ok(()) => unsafe {
            bytes(
                (to, from, len),
                Direction::DeviceToDevice,
                stream,
                Waits::Always,
            )
        },
        Err(code) => answer(Err(code)),
    }
}

/// One side of `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PlaneSide {
    x: usize,
    y: usize,
    kind: c_int,
    host: *mut c_void,
    device: u64,
    array: *mut c_void,
    pitch: usize,
}

/// `CUDA_MEMCPY2D`.
#[repr(C)]
pub struct PlaneCopy {
    from: PlaneSide,
    to: PlaneSide,
    width: usize,
    height: usize,
}

/// One side of `CUDA_MEMCPY3D`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct BoxSide {
    x: usize,
    y: usize,
    z: usize,
    level: usize,
    kind: c_int,
    host: *mut c_void,
    device: u64,
    array: *mut c_void,
    reserved: *mut c_void,
    pitch: usize,
    height: usize,
}

/// `CUDA_MEMCPY3D`.
#[repr(C)]
pub struct BoxCopy {
    from: BoxSide,
    to: BoxSide,
    width: usize,
    height: usize,
    depth: usize,
}

const _: () = assert!(size_of::<PlaneCopy>() == 128 && size_of::<BoxCopy>() == 200);

impl BoxCopy {
    /// The same as words, by which a graph keeps it.
    pub fn words(&self) -> DriversCopy {
        // SAFETY: it has as many bytes, and words may be unwritten.
        unsafe { std::ptr::from_ref(self).cast::<DriversCopy>().read() }
    }

    /// The copy that these words are.
    pub fn of_words(words: &DriversCopy) -> BoxCopy {
        // SAFETY: the words are a copy's (`words`).
        unsafe { std::ptr::from_ref(words).cast::<BoxCopy>().read() }
    }

    /// The runtime's copy of memory that is no array.
    pub fn of_runtimes(copy: &CopyBox) -> Result<BoxCopy> {
        if !copy.from_array.is_null() || !copy.to_array.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // `cudaMemcpyKind`: to and from the host are its odd and even numbers.
        let (from, to) = match copy.kind {
            0 => (HOST, HOST),
            1 => (HOST, DEVICE),
            2 => (DEVICE, HOST),
            3 => (DEVICE, DEVICE),
            _ => (UNIFIED, UNIFIED),
        };
        let side = |position: &Size, of: &PitchedPointer, kind: c_int| BoxSide {
            x: position.x,
            y: position.y,
            z: position.z,
            level: 0,
            kind,
            host: if kind == HOST {
                of.address
            } else {
                std::ptr::null_mut()
            },
            device: if kind == HOST { 0 } else { of.address as u64 },
            array: std::ptr::null_mut(),
            reserved: std::ptr::null_mut(),
            pitch: of.pitch,
            height: of.height,
        };
        Ok(BoxCopy {
            from: side(&copy.from_position, &copy.from, from),
            to: side(&copy.to_position, &copy.to, to),
            width: copy.extent.x,
            height: copy.extent.y,
            depth: copy.extent.z,
        })
    }
}

impl From<&PlaneCopy> for BoxCopy {
    fn from(plane: &PlaneCopy) -> BoxCopy {
        let side = |side: PlaneSide| BoxSide {
            x: side.x,
            y: side.y,
            z: 0,
            level: 0,
            kind: side.kind,
            host: side.host,
            device: side.device,
            array: side.array,
            reserved: std::ptr::null_mut(),
            pitch: side.pitch,
            height: 0,
        };
        BoxCopy {
            from: side(plane.from),
            to: side(plane.to),
            width: plane.width,
            height: plane.height,
            depth: 1,
        }
    }
}

/// `CUmemorytype`.
const HOST: c_int = 1;
const DEVICE: c_int = 2;
const ARRAY: c_int = 3;
const UNIFIED: c_int = 4;

impl BoxSide {
    /// Whether the side is on the device. `None`: the address says it.
    fn is_on_device(&self) -> Result<Option<bool>> {
        match self.kind {
            HOST => Ok(Some(false)),
            DEVICE | ARRAY => Ok(Some(true)),
            UNIFIED => Ok(None),
            _ => Err(Code::INVALID_VALUE),
        }
    }

    /// The rows of the copy.
    fn rows(&self, extent: Extent) -> Result<Side> {
        if self.kind == ARRAY {
            let size = Size {
                x: extent.width,
                y: extent.height,
                z: extent.depth,
            };
            let at = Size {
                x: self.x,
                y: self.y,
                z: self.z,
            };
            return array(self.array)?.side(at, size);
        }
        let pitch = if self.pitch == 0 {
            extent.width
        } else {
            self.pitch
        };
        let height = if self.height == 0 {
            extent.height
        } else {
            self.height
        };
        // Rows may begin behind the pitch: Dr.Jit counts on it.
        if extent.height > 1 && extent.width > pitch {
            return Err(Code::INVALID_VALUE);
        }
        let plane = pitch.checked_mul(height).ok_or(Code::INVALID_VALUE)?;
        let begin = if self.kind == HOST {
            self.host as u64
        } else {
            self.device
        };
        let before = self.y.checked_mul(pitch).zip(self.z.checked_mul(plane));
        let before =
            before.and_then(|(rows, planes)| rows.checked_add(planes)?.checked_add(self.x));
        let address = begin.checked_add(before.ok_or(Code::INVALID_VALUE)? as u64);
        Ok(Side {
            address: address.ok_or(Code::INVALID_VALUE)?,
            pitch,
            plane,
        })
    }
}

/// # Safety
/// As for [`copy::copy_rows`].
unsafe fn box_of(copy: &BoxCopy, stream: *mut c_void, waits: Waits) -> Result<()> {
    contexts::current()?;
    let own = runtime().stream(stream as usize)?;
    // SAFETY: caller.
    unsafe { box_on(&own, copy, waits) }
}

/// Copies a box on a stream.
///
/// # Safety
/// As for [`copy::copy_rows`].
pub unsafe fn box_on(own: &OwnStream, copy: &BoxCopy, waits: Waits) -> Result<()> {
    let extent = Extent {
        width: copy.width,
        height: copy.height,
        depth: copy.depth,
    };
    let direction = match (copy.from.is_on_device()?, copy.to.is_on_device()?) {
        (Some(false), Some(false)) => Direction::HostToHost,
        (Some(false), Some(true)) => Direction::HostToDevice,
        (Some(true), Some(false)) => Direction::DeviceToHost,
        (Some(true), Some(true)) => Direction::DeviceToDevice,
        _ => Direction::Default,
    };
    if copy.from.level != 0 || copy.to.level != 0 {
        return Err(Code::INVALID_VALUE);
    }
    let sides = (copy.to.rows(extent)?, copy.from.rows(extent)?);
    // SAFETY: caller.
    unsafe { copy::copy_rows(runtime(), own, sides, extent, direction, waits) }
}

/// # Safety
/// The address is null or valid, and so is the memory.
unsafe fn plane(copy: *const PlaneCopy, stream: *mut c_void, waits: Waits) -> i32 {
    // SAFETY: caller.
    let copy = unsafe { copy.as_ref() }.ok_or(Code::INVALID_VALUE);
    // SAFETY: caller.
    answer(copy.and_then(|copy| unsafe { box_of(&copy.into(), stream, waits) }))
}

/// # Safety
/// The address is null or valid, and so is the memory.
unsafe fn whole_box(copy: *const BoxCopy, stream: *mut c_void, waits: Waits) -> i32 {
    // SAFETY: caller.
    let copy = unsafe { copy.as_ref() }.ok_or(Code::INVALID_VALUE);
    // SAFETY: caller.
    answer(copy.and_then(|copy| unsafe { box_of(copy, stream, waits) }))
}

/// Copies a rectangle.
///
/// # Safety
/// The address is null or valid, and so is the memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy2D_v2(copy: *const PlaneCopy) -> i32 {
    // SAFETY: caller.
    unsafe { plane(copy, DEFAULT, Waits::Always) }
}

/// The same with any pitch.
///
/// # Safety
/// As for [`cuMemcpy2D_v2`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy2DUnaligned_v2(copy: *const PlaneCopy) -> i32 {
    // SAFETY: caller.
    unsafe { plane(copy, DEFAULT, Waits::Always) }
}

/// The same in a stream's order.
///
/// # Safety
/// As for [`cuMemcpy2D_v2`]; pinned memory until the stream has passed the copy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy2DAsync_v2(copy: *const PlaneCopy, stream: *mut c_void) -> i32 {
    // SAFETY: caller.
    unsafe { plane(copy, stream, Waits::ForPageable) }
}

/// Copies a box between contexts: all reach the same memory.
///
/// # Safety
/// As for [`cuMemcpy2D_v2`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3DPeer(copy: *const BoxCopy) -> i32 {
    // SAFETY: caller.
    unsafe { whole_box(copy, DEFAULT, Waits::Always) }
}

/// The same in a stream's order.
///
/// # Safety
/// As for [`cuMemcpy2DAsync_v2`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3DPeerAsync(copy: *const BoxCopy, stream: *mut c_void) -> i32 {
    // SAFETY: caller.
    unsafe { whole_box(copy, stream, Waits::ForPageable) }
}

/// Copies a box.
///
/// # Safety
/// As for [`cuMemcpy2D_v2`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3D_v2(copy: *const BoxCopy) -> i32 {
    // SAFETY: caller.
    unsafe { whole_box(copy, DEFAULT, Waits::Always) }
}

/// The same in a stream's order.
///
/// # Safety
/// As for [`cuMemcpy2DAsync_v2`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3DAsync_v2(copy: *const BoxCopy, stream: *mut c_void) -> i32 {
    // SAFETY: caller.
    unsafe { whole_box(copy, stream, Waits::ForPageable) }
}

per_thread! {
    cuMemcpyAsync_ptsz = cuMemcpyAsync(to: u64, from: u64, len: usize; stream);
    cuMemcpyHtoDAsync_v2_ptsz = cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, len: usize; stream);
    cuMemcpyDtoHAsync_v2_ptsz = cuMemcpyDtoHAsync_v2(to: *mut c_void, from: u64, len: usize; stream);
    cuMemcpyDtoDAsync_v2_ptsz = cuMemcpyDtoDAsync_v2(to: u64, from: u64, len: usize; stream);
    cuMemcpyPeerAsync_ptsz = cuMemcpyPeerAsync(
        to: u64, to_context: *mut c_void, from: u64, from_context: *mut c_void, len: usize; stream
    );
    cuMemcpy2DAsync_v2_ptsz = cuMemcpy2DAsync_v2(copy: *const PlaneCopy; stream);
    cuMemcpy3DPeerAsync_ptsz = cuMemcpy3DPeerAsync(copy: *const BoxCopy; stream);
    cuMemcpy3DAsync_v2_ptsz = cuMemcpy3DAsync_v2(copy: *const BoxCopy; stream);
}

per_thread_waiting! {
    cuMemcpy_ptds = cuMemcpyAsync(to: u64, from: u64, len: usize);
    cuMemcpyHtoD_v2_ptds = cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, len: usize);
    cuMemcpyDtoH_v2_ptds = cuMemcpyDtoHAsync_v2(to: *mut c_void, from: u64, len: usize);
    cuMemcpyDtoD_v2_ptds = cuMemcpyDtoDAsync_v2(to: u64, from: u64, len: usize);
    cuMemcpyPeer_ptds = cuMemcpyPeerAsync(
        to: u64, to_context: *mut c_void, from: u64, from_context: *mut c_void, len: usize
    );
    cuMemcpy2D_v2_ptds = cuMemcpy2DAsync_v2(copy: *const PlaneCopy);
    cuMemcpy2DUnaligned_v2_ptds = cuMemcpy2DAsync_v2(copy: *const PlaneCopy);
    cuMemcpy3D_v2_ptds = cuMemcpy3DAsync_v2(copy: *const BoxCopy);
    cuMemcpy3DPeer_ptds = cuMemcpy3DPeerAsync(copy: *const BoxCopy);
}
