//! Memory and events of other processes.

use std::ffi::c_void;

use cudart::processes::Handle;

use crate::entry::{forward, in_context};

forward! {
    in_context;
    /// A handle of memory for other processes.
    cuIpcGetMemHandle = processes::cudaIpcGetMemHandle(handle: *mut Handle, memory: *mut c_void);
    /// Memory of another process.
    cuIpcOpenMemHandle_v2 = processes::cudaIpcOpenMemHandle(
        memory: *mut *mut c_void, handle: Handle, flags: u32
    );
    /// Ends its use.
    cuIpcCloseMemHandle = processes::cudaIpcCloseMemHandle(memory: *mut c_void);
    /// A handle of an event for other processes.
    cuIpcGetEventHandle = processes::cudaIpcGetEventHandle(handle: *mut Handle, event: *mut c_void);
    /// An event of another process.
    cuIpcOpenEventHandle = processes::cudaIpcOpenEventHandle(event: *mut *mut c_void, handle: Handle);
}
