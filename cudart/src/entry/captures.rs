//! The capture of streams.

use std::collections::BTreeSet;
use std::ffi::{c_int, c_void};

use crate::entry::{graphs, place};
use crate::error::{Code, Result, answer};
use crate::graph::capture;
use crate::runtime::runtime;

/// `cudaStreamCaptureStatus`.
const NONE: c_int = 0;
const ACTIVE: c_int = 1;
const INVALIDATED: c_int = 2;

/// Whether this is a `cudaStreamCaptureMode`. The modes differ in which calls of other threads they refuse; none is
/// refused here.
fn check_mode(mode: c_int) -> Result<()> {
    match mode {
        0..=2 => Ok(()),
        _ => Err(Code::INVALID_VALUE),
    }
}

/// Has what is enqueued on a stream become a graph.
pub extern "C" fn cudaStreamBeginCapture(stream: *mut c_void, mode: c_int) -> i32 {
    let begin = || {
        check_mode(mode)?;
        let own = runtime().own_stream(stream as usize)?;
        let graph = runtime().graphs.add(Default::default());
        let begun = capture::begin(
            &own.stream,
            (graph, graphs::graph(graph as *mut c_void)?),
            BTreeSet::new(),
        );
        if begun.is_err() {
            runtime().graphs.remove(graph);
        }
        begun
    };
    answer(begin())
}

/// Has what is enqueued on a stream become nodes of a graph, behind some that are there.
///
/// # Safety
/// The list has so many entries.
pub unsafe extern "C" fn cudaStreamBeginCaptureToGraph(
    stream: *mut c_void,
    graph: *mut c_void,
    list: *const *mut c_void,
    _edges: *const c_void,
    count: usize,
    mode: c_int,
) -> i32 {
    let begin = || {
        check_mode(mode)?;
        let own = runtime().own_stream(stream as usize)?;
        // SAFETY: caller.
        let (found, tail) = unsafe { graphs::behind(graph, list, count)? };
        capture::begin(&own.stream, (graph as usize, found), tail)
    };
    answer(begin())
}

/// Ends the capture that began with a stream.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaStreamEndCapture(stream: *mut c_void, graph: *mut *mut c_void) -> i32 {
    let end = || {
        // SAFETY: caller.
        let place = unsafe { place(graph)? };
        *place = std::ptr::null_mut();
        let own = runtime().stream(stream as usize)?;
        *place = capture::end(&own.stream)?.handle as *mut c_void;
        Ok(())
    };
    answer(end())
}

/// Whether a stream is captured.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaStreamIsCapturing(stream: *mut c_void, status: *mut c_int) -> i32 {
    let null = std::ptr::null_mut();
    // SAFETY: caller.
    unsafe {
        cudaStreamGetCaptureInfo_v2(stream, status, null, null.cast(), null.cast(), null.cast())
    }
}

/// The capture in which a stream takes part.
///
/// # Safety
/// The addresses are null or valid.
pub unsafe extern "C" fn cudaStreamGetCaptureInfo(
    stream: *mut c_void,
    status: *mut c_int,
    id: *mut u64,
) -> i32 {
    let null = std::ptr::null_mut::<*mut c_void>();
    // SAFETY: caller.
    unsafe { cudaStreamGetCaptureInfo_v2(stream, status, id, null, null.cast(), null.cast()) }
}

/// The same, with its graph and the nodes behind which the stream's next one comes.
///
/// # Safety
/// The addresses are null or valid.
pub unsafe extern "C" fn cudaStreamGetCaptureInfo_v2(
    stream: *mut c_void,
    status: *mut c_int,
    id: *mut u64,
    graph: *mut *mut c_void,
    list: *mut *const *mut c_void,
    count: *mut usize,
) -> i32 {
    let ask = || {
        // SAFETY: caller.
        let status = unsafe { place(status)? };
        *status = NONE;
        let own = runtime().stream(stream as usize)?;
        let mut part = own.stream.capture.lock();
        let Some(part) = &mut *part else {
            return Ok(());
        };
        *status = match part.capture.check() {
            Ok(()) => ACTIVE,
            Err(_) => INVALIDATED,
        };
        // SAFETY: each is null or valid (caller).
        unsafe {
            set(id, part.capture.id);
            set(graph, part.capture.handle as *mut c_void);
            let nodes = part.show();
            set(list, nodes.as_ptr().cast());
            set(count, nodes.len());
        }
        Ok(())
    };
    answer(ask())
}

/// # Safety
/// The address is null or valid.
unsafe fn set<T>(address: *mut T, value: T) {
    // SAFETY: caller.
    if let Some(place) = unsafe { address.as_mut() } {
        *place = value;
    }
}

/// Changes the nodes behind which the stream's next one comes.
///
/// # Safety
/// The list has so many entries.
pub unsafe extern "C" fn cudaStreamUpdateCaptureDependencies(
    stream: *mut c_void,
    list: *const *mut c_void,
    count: usize,
    flags: u32,
) -> i32 {
    let update = || {
        // SAFETY: caller.
        let nodes = unsafe { graphs::ids(list, count)? };
        let own = runtime().stream(stream as usize)?;
        let mut part = own.stream.capture.lock();
        let part = part.as_mut().ok_or(Code::ILLEGAL_STATE)?;
        for node in &nodes {
            part.capture.graph.node(*node)?;
        }
        match flags {
            0 => part.tail.extend(nodes),
            1 => part.tail = nodes.into_iter().collect(),
            _ => return Err(Code::INVALID_VALUE),
        }
        Ok(())
    };
    answer(update())
}

/// Exchanges the mode that this thread's captures have: nothing is refused in any of them.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaThreadExchangeStreamCaptureMode(mode: *mut c_int) -> i32 {
    thread_local! {
        static MODE: std::cell::Cell<c_int> = const { std::cell::Cell::new(0) };
    }
    // SAFETY: caller.
    let place = unsafe { place(mode) };
    answer(place.and_then(|place| {
        check_mode(*place)?;
        *place = MODE.replace(*place);
        Ok(())
    }))
}
