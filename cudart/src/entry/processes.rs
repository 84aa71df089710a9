//! Memory and events of other processes.

use std::ffi::c_void;

use crate::entry::place;
use crate::error::{Code, Result, answer};
use crate::events::Event;
use crate::processes::event::SharedEvent;
use crate::processes::{Handle, memory};
use crate::runtime::runtime;

/// Gives the program a handle. It is of bytes, so its place may be anywhere.
///
/// # Safety
/// The address is null or valid.
unsafe fn put(to: *mut Handle, handle: Handle) -> Result<()> {
    if to.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    // SAFETY: caller.
    unsafe { to.write_unaligned(handle) };
    Ok(())
}

/// A handle of an event for other processes.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaIpcGetEventHandle(handle: *mut Handle, event: *mut c_void) -> i32 {
    let give = || {
        let event = runtime().event(event as usize)?;
        let shared = event.shared.as_ref().ok_or(Code::INVALID_HANDLE)?;
        // SAFETY: caller.
        unsafe { put(handle, shared.handle()?) }
    };
    answer(give())
}

/// An event of another process.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaIpcOpenEventHandle(event: *mut *mut c_void, handle: Handle) -> i32 {
    let open = || {
        // SAFETY: caller.
        let place = unsafe { place(event)? };
        let runtime = runtime();
        runtime.device()?.check()?;
        let event = Event::shared(SharedEvent::open(&handle)?);
        *place = runtime.events.add(event) as *mut c_void;
        Ok(())
    };
    answer(open())
}

/// A handle of memory for other processes.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaIpcGetMemHandle(handle: *mut Handle, memory: *mut c_void) -> i32 {
    let give = || {
        // SAFETY: caller.
        unsafe { put(handle, memory::share(memory as u64)?) }
    };
    answer(give())
}

/// Memory of another process.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaIpcOpenMemHandle(
    memory: *mut *mut c_void,
    handle: Handle,
    flags: u32,
) -> i32 {
    /// `cudaIpcMemLazyEnablePeerAccess`.
    const LAZY_PEERS: u32 = 1;
    let open = || -> Result<()> {
        // SAFETY: caller.
        let place = unsafe { place(memory)? };
        if flags & !LAZY_PEERS != 0 {
            return Err(Code::INVALID_VALUE);
        }
        *place = memory::open(handle)? as *mut c_void;
        Ok(())
    };
    answer(open())
}

/// Ends the use of memory of another process.
pub extern "C" fn cudaIpcCloseMemHandle(memory: *mut c_void) -> i32 {
    answer(memory::close(memory as u64))
}
