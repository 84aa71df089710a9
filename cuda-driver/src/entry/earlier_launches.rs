//! Launches as they were before CUDA 4: a kernel is told its block and its arguments first, and then launched.

use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::sync::LazyLock;

use cudart::error::{Code, Result};
use parking_lot::Mutex;

use crate::entry::launches::{BUFFER, END, SIZE, cuLaunchKernel};
use crate::entry::texture_references;
use crate::status::answer;
use crate::{contexts, modules};

/// What a kernel was told.
#[derive(Clone, Default)]
struct Told {
    block: [u32; 3],
    shared: u32,
    arguments: Vec<u8>,
    /// How many of the bytes are arguments, if the program said so.
    size: Option<usize>,
}

/// Bytes of arguments, at most.
const MOST: usize = 32 << 10;

static TOLD: LazyLock<Mutex<HashMap<usize, Told>>> = LazyLock::new(Mutex::default);

fn tell(function: *mut c_void, what: impl FnOnce(&mut Told) -> Result<()>) -> i32 {
    let tell = || {
        contexts::current()?;
        modules::kernel(function as usize)?;
        what(TOLD.lock().entry(function as usize).or_default())
    };
    answer(tell())
}

/// Threads of a block.
#[unsafe(no_mangle)]
pub extern "C" fn cuFuncSetBlockShape(function: *mut c_void, x: c_int, y: c_int, z: c_int) -> i32 {
    tell(function, |told| {
        let counts = [x, y, z].map(|count| u32::try_from(count).unwrap_or(0));
        if counts.contains(&0) {
            return Err(Code::INVALID_VALUE);
        }
        told.block = counts;
        Ok(())
    })
}

/// Bytes of dynamic shared memory.
#[unsafe(no_mangle)]
pub extern "C" fn cuFuncSetSharedSize(function: *mut c_void, bytes: u32) -> i32 {
    tell(function, |told| {
        told.shared = bytes;
        Ok(())
    })
}

/// Bytes of all arguments.
#[unsafe(no_mangle)]
pub extern "C" fn cuParamSetSize(function: *mut c_void, bytes: u32) -> i32 {
    tell(function, |told| {
        if bytes as usize > MOST {
            return Err(Code::INVALID_VALUE);
        }
        told.size = Some(bytes as usize);
        Ok(())
    })
}

fn put(function: *mut c_void, offset: c_int, bytes: &[u8]) -> i32 {
    tell(function, |told| {
        let begin = usize::try_from(offset).map_err(|_| Code::INVALID_VALUE)?;
        let end = begin.saturating_add(bytes.len());
        if end > MOST {
            return Err(Code::INVALID_VALUE);
        }
        if told.arguments.len() < end {
            told.arguments.resize(end, 0);
        }
        told.arguments[begin..end].copy_from_slice(bytes);
        Ok(())
    })
}

/// An argument of 32 bits.
#[unsafe(no_mangle)]
pub extern "C" fn cuParamSeti(function: *mut c_void, offset: c_int, value: u32) -> i32 {
    put(function, offset, &value.to_le_bytes())
}

/// An argument of single precision.
#[unsafe(no_mangle)]
pub extern "C" fn cuParamSetf(function: *mut c_void, offset: c_int, value: f32) -> i32 {
    put(function, offset, &value.to_le_bytes())
}

/// An argument of any size.
///
/// # Safety
/// The address is null or has so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuParamSetv(
    function: *mut c_void,
    offset: c_int,
    value: *const u8,
    bytes: u32,
) -> i32 {
    match value.is_null() {
        true => answer(Err(Code::INVALID_VALUE)),
        // SAFETY: caller.
        false => put(function, offset, unsafe {
            std::slice::from_raw_parts(value, bytes as usize)
        }),
    }
}

/// A texture of a kernel. A module's references are those of all its kernels.
#[unsafe(no_mangle)]
pub extern "C" fn cuParamSetTexRef(
    function: *mut c_void,
    _unit: c_int,
    reference: *mut c_void,
) -> i32 {
    tell(function, |_| texture_references::known(reference))
}

/// Launches one block.
///
/// # Safety
/// The arguments are those of the kernel.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunch(function: *mut c_void) -> i32 {
    // SAFETY: caller.
    unsafe { cuLaunchGrid(function, 1, 1) }
}

/// Launches a grid.
///
/// # Safety
/// The arguments are those of the kernel.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchGrid(function: *mut c_void, width: c_int, height: c_int) -> i32 {
    // SAFETY: caller.
    unsafe { cuLaunchGridAsync(function, width, height, std::ptr::null_mut()) }
}

/// The same in a stream's order.
///
/// # Safety
/// The arguments are those of the kernel.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchGridAsync(
    function: *mut c_void,
    width: c_int,
    height: c_int,
    stream: *mut c_void,
) -> i32 {
    let told = TOLD.lock().get(&(function as usize)).cloned();
    let mut told = told.unwrap_or_default();
    let sides = [width, height].map(|side| u32::try_from(side).unwrap_or(0));
    let mut size = told.size.unwrap_or(told.arguments.len());
    told.arguments.resize(size, 0);
    let mut list = [
        BUFFER as *mut c_void,
        told.arguments.as_mut_ptr().cast(),
        SIZE as *mut c_void,
        (&raw mut size).cast(),
        END as *mut c_void,
    ];
    let [x, y, z] = told.block;
    // SAFETY: caller; the list is what the driver's interface asks for.
    unsafe {
        cuLaunchKernel(
            function,
            sides[0],
            sides[1],
            1,
            x,
            y,
            z,
            told.shared,
            stream,
            std::ptr::null_mut(),
            list.as_mut_ptr(),
        )
    }
}
