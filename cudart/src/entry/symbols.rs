//! Variables of the device, by the address of their host shadow.

use std::ffi::{c_int, c_void};

use plugin_api::{Global, MemoryKind};

use crate::allocations::Allocation;
use crate::copy::{self, Direction, Waits};
use crate::entry::place;
use crate::error::{Code, Result, answer};
use crate::runtime::runtime;

/// The variable on the current device.
fn variable(symbol: *const c_void) -> Result<Global> {
    let runtime = runtime();
    let device = runtime.device()?;
    device.check()?;
    let symbol = runtime.registry.variable(symbol as usize);
    let symbol = symbol.ok_or(Code::INVALID_SYMBOL)?;
    let global = device.variable(&runtime.registry, &symbol)?;
    // A managed variable is known to be one.
    runtime.variables.add_unknown(Allocation {
        begin: global.address.0,
        size: global.size,
        kind: MemoryKind::Device,
        device: device.number,
        context: device.id,
    });
    Ok(global)
}

/// The address of a part of a variable.
fn part(symbol: *const c_void, offset: usize, bytes: usize) -> Result<u64> {
    let global = variable(symbol)?;
    let end = offset.checked_add(bytes).ok_or(Code::INVALID_VALUE)?;
    match end as u64 > global.size {
        true => Err(Code::INVALID_VALUE),
        false => Ok(global.address.0 + offset as u64),
    }
}

/// Which way a copy goes.
#[derive(Clone, Copy)]
pub enum Way {
    /// From memory to the variable.
    To(u64),
    /// From the variable to memory.
    From(u64),
}

/// Copies to a part of a variable, or from it.
///
/// # Safety
/// As for [`copy::copy`].
pub unsafe fn transfer(
    symbol: *const c_void,
    way: Way,
    (bytes, offset): (usize, usize),
    kind: c_int,
    stream: *mut c_void,
    waits: Waits,
) -> Result<()> {
    let direction = Direction::of(kind)?;
    let contrary = match way {
        Way::To(_) => [Direction::HostToHost, Direction::DeviceToHost],
        Way::From(_) => [Direction::HostToHost, Direction::HostToDevice],
    };
    if contrary.contains(&direction) {
        return Err(Code::INVALID_DIRECTION);
    }
    let variable = part(symbol, offset, bytes)?;
    let ranges = match way {
        Way::To(from) => (variable, from, bytes),
        Way::From(to) => (to, variable, bytes),
    };
    let runtime = runtime();
    let own = runtime.stream(stream as usize)?;
    // SAFETY: caller.
    unsafe { copy::copy(runtime, &own, ranges, direction, waits) }
}

/// The default stream.
const DEFAULT: *mut c_void = std::ptr::null_mut();

/// Copies to a variable.
///
/// # Safety
/// The source is valid.
pub unsafe extern "C" fn cudaMemcpyToSymbol(
    symbol: *const c_void,
    from: *const c_void,
    bytes: usize,
    offset: usize,
    kind: c_int,
) -> i32 {
    // SAFETY: caller.
    answer(unsafe {
        let way = Way::To(from as u64);
        transfer(symbol, way, (bytes, offset), kind, DEFAULT, Waits::Always)
    })
}

/// The same in a stream's order.
///
/// # Safety
/// The source is valid; pinned memory until the stream has passed the copy.
pub unsafe extern "C" fn cudaMemcpyToSymbolAsync(
    symbol: *const c_void,
    from: *const c_void,
    bytes: usize,
    offset: usize,
    kind: c_int,
    stream: *mut c_void,
) -> i32 {
    // SAFETY: caller.
    answer(unsafe {
        let way = Way::To(from as u64);
        transfer(
            symbol,
            way,
            (bytes, offset),
            kind,
            stream,
            Waits::ForPageable,
        )
    })
}

/// Copies from a variable.
///
/// # Safety
/// The destination is valid.
pub unsafe extern "C" fn cudaMemcpyFromSymbol(
    to: *mut c_void,
    symbol: *const c_void,
    bytes: usize,
    offset: usize,
    kind: c_int,
) -> i32 {
    // SAFETY: caller.
    answer(unsafe {
        let way = Way::From(to as u64);
        transfer(symbol, way, (bytes, offset), kind, DEFAULT, Waits::Always)
    })
}

/// The same in a stream's order.
///
/// # Safety
/// The destination is valid; pinned memory until the stream has passed the copy.
pub unsafe extern "C" fn cudaMemcpyFromSymbolAsync(
    to: *mut c_void,
    symbol: *const c_void,
    bytes: usize,
    offset: usize,
    kind: c_int,
    stream: *mut c_void,
) -> i32 {
    // SAFETY: caller.
    answer(unsafe {
        let way = Way::From(to as u64);
        transfer(
            symbol,
            way,
            (bytes, offset),
            kind,
            stream,
            Waits::ForPageable,
        )
    })
}

/// The address of a variable.
///
/// # Safety
/// The address for the result is null or valid.
pub unsafe extern "C" fn cudaGetSymbolAddress(
    address: *mut *mut c_void,
    symbol: *const c_void,
) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(address) };
    answer(place.and_then(|place| {
        *place = variable(symbol)?.address.0 as *mut c_void;
        Ok(())
    }))
}

/// The size of a variable.
///
/// # Safety
/// The address for the result is null or valid.
pub unsafe extern "C" fn cudaGetSymbolSize(bytes: *mut usize, symbol: *const c_void) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(bytes) };
    answer(place.and_then(|place| {
        *place = variable(symbol)?.size as usize;
        Ok(())
    }))
}
