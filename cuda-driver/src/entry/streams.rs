//! Streams.

use std::ffi::{c_int, c_void};

use cudart::abi::AttributeValue;
use cudart::runtime::runtime;

use crate::contexts;
use crate::entry::{forward, in_context, parts, per_thread, place, started};
use crate::status::answer;

/// The context of a stream.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetCtx(stream: *mut c_void, context: *mut *mut c_void) -> i32 {
    let ask = || {
        contexts::current()?;
        let own = runtime().stream(stream as usize)?;
        // SAFETY: caller.
        *unsafe { place(context)? } = contexts::handle(&own.device) as *mut c_void;
        Ok(())
    };
    answer(ask())
}

/// The same, and the part of a device that the context has; null: the whole.
///
/// # Safety
/// The addresses are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetCtx_v2(
    stream: *mut c_void,
    context: *mut *mut c_void,
    part: *mut *mut c_void,
) -> i32 {
    // SAFETY: caller.
    unsafe {
        match parts::cuStreamGetGreenCtx(stream, part) {
            0 => cuStreamGetCtx(stream, context),
            code => code,
        }
    }
}

forward! {
    in_context;
    /// Makes a stream of the current context.
    cuStreamCreate = streams::cudaStreamCreateWithFlags(stream: *mut *mut c_void, flags: u32);
    /// The same with a priority.
    cuStreamCreateWithPriority = streams::cudaStreamCreateWithPriority(
        stream: *mut *mut c_void, flags: u32, priority: c_int
    );
    /// Its flags.
    cuStreamGetFlags = streams::cudaStreamGetFlags(stream: *mut c_void, flags: *mut u32);
    /// Its priority.
    cuStreamGetPriority = streams::cudaStreamGetPriority(stream: *mut c_void, priority: *mut c_int);
    /// A number that no other stream has.
    cuStreamGetId = streams::cudaStreamGetId(stream: *mut c_void, id: *mut u64);
    /// Its device.
    cuStreamGetDevice = streams::cudaStreamGetDevice(stream: *mut c_void, device: *mut c_int);
    /// Waits for it.
    cuStreamSynchronize = streams::cudaStreamSynchronize(stream: *mut c_void);
    /// Whether it has nothing left to do.
    cuStreamQuery = streams::cudaStreamQuery(stream: *mut c_void);
    /// Has it wait for an event.
    cuStreamWaitEvent = streams::cudaStreamWaitEvent(stream: *mut c_void, event: *mut c_void, flags: u32);
    /// Advice for its work.
    cuStreamSetAttribute = streams::cudaStreamSetAttribute(
        stream: *mut c_void, attribute: c_int, value: *const AttributeValue
    );
    /// The advice that holds.
    cuStreamGetAttribute = streams::cudaStreamGetAttribute(
        stream: *mut c_void, attribute: c_int, value: *mut AttributeValue
    );
    /// Gives a stream the advice of another one.
    cuStreamCopyAttributes = streams::cudaStreamCopyAttributes(to: *mut c_void, from: *mut c_void);
}

forward! {
    started;
    /// Destroys a stream. Its work goes on.
    cuStreamDestroy_v2 = streams::cudaStreamDestroy(stream: *mut c_void);
}

per_thread! {
    cuStreamGetCtx_ptsz = cuStreamGetCtx(; stream, context: *mut *mut c_void);
    cuStreamGetCtx_v2_ptsz = cuStreamGetCtx_v2(
        ; stream, context: *mut *mut c_void, part: *mut *mut c_void
    );
    cuStreamGetFlags_ptsz = cuStreamGetFlags(; stream, flags: *mut u32);
    cuStreamGetPriority_ptsz = cuStreamGetPriority(; stream, priority: *mut c_int);
    cuStreamGetId_ptsz = cuStreamGetId(; stream, id: *mut u64);
    cuStreamGetDevice_ptsz = cuStreamGetDevice(; stream, device: *mut c_int);
    cuStreamSynchronize_ptsz = cuStreamSynchronize(; stream);
    cuStreamQuery_ptsz = cuStreamQuery(; stream);
    cuStreamWaitEvent_ptsz = cuStreamWaitEvent(; stream, event: *mut c_void, flags: u32);
    cuStreamSetAttribute_ptsz = cuStreamSetAttribute(
        ; stream, attribute: c_int, value: *const AttributeValue
    );
    cuStreamGetAttribute_ptsz = cuStreamGetAttribute(
        ; stream, attribute: c_int, value: *mut AttributeValue
    );
}

/// The same with the thread's default stream.
#[unsafe(no_mangle)]
pub extern "C" fn cuStreamCopyAttributes_ptsz(to: *mut c_void, from: *mut c_void) -> i32 {
    let meant = crate::entry::meant;
    // SAFETY: there is no precondition.
    unsafe { cuStreamCopyAttributes(meant(to), meant(from)) }
}
