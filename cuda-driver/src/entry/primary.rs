//! Primary contexts: one for each device, which the runtime's interface uses, too.

use std::ffi::{c_int, c_void};

use cudart::error::{Code, Result};
use cudart::runtime::runtime;

use crate::contexts::{self, Context};
use crate::entry::place;
use crate::status::answer;

fn primary(device: c_int) -> Result<usize> {
    contexts::started()?;
    contexts::primary(device)
}

/// Uses the primary context of a device.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxRetain(context: *mut *mut c_void, device: c_int) -> i32 {
    let retain = || {
        let handle = primary(device)?;
        // SAFETY: caller.
        *unsafe { place(context)? } = handle as *mut c_void;
        contexts::change(handle, |context| context.users += 1)
    };
    answer(retain())
}

/// Ends the use. The last user's end frees what belongs to the context.
#[unsafe(no_mangle)]
pub extern "C" fn cuDevicePrimaryCtxRelease_v2(device: c_int) -> i32 {
    let release = || {
        let handle = primary(device)?;
        let left = contexts::change(handle, |context| {
            context.users = context.users.checked_sub(1)?;
            Some(context.users)
        })?;
        match left {
            None => Err(Code::DEVICE_UNINITIALIZED),
            Some(0) => runtime().reset(&contexts::context(handle)?.device),
            Some(_) => Ok(()),
        }
    };
    answer(release())
}

/// Frees what belongs to the context. Its users go on.
#[unsafe(no_mangle)]
pub extern "C" fn cuDevicePrimaryCtxReset_v2(device: c_int) -> i32 {
    let reset = || runtime().reset(&contexts::context(primary(device)?)?.device);
    answer(reset())
}

/// Flags of the context: how the host waits.
#[unsafe(no_mangle)]
pub extern "C" fn cuDevicePrimaryCtxSetFlags_v2(device: c_int, flags: u32) -> i32 {
    let set = || {
        let handle = primary(device)?;
        super::contexts::check_flags(flags)?;
        contexts::change(handle, |context| context.flags = flags)
    };
    answer(set())
}

/// The flags of the context, and whether anybody uses it.
///
/// # Safety
/// The addresses are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxGetState(
    device: c_int,
    flags: *mut u32,
    active: *mut c_int,
) -> i32 {
    let ask = || {
        let Context {
            users,
            flags: known,
            device,
            ..
        } = contexts::context(primary(device)?)?;
        let by_runtime = runtime()
            .context()
            .is_some_and(|current| current.id == device.id);
        // SAFETY: caller.
        *unsafe { place(flags)? } = known;
        // SAFETY: caller.
        *unsafe { place(active)? } = (users > 0 || by_runtime).into();
        Ok(())
    };
    answer(ask())
}
