//! Memory and semaphores of other interfaces (Vulkan, Direct3D). A virtual GPU shares none with them: importing one is
//! refused, and no handle names one.

use std::ffi::c_void;

use crate::error::{Code, Result, answer};

/// What importing gives.
fn import(place: *mut *mut c_void, described: *const c_void) -> Result<()> {
    match place.is_null() || described.is_null() {
        true => Err(Code::INVALID_VALUE),
        false => Err(Code::NOT_SUPPORTED),
    }
}

/// Imports memory.
pub extern "C" fn cudaImportExternalMemory(
    memory: *mut *mut c_void,
    described: *const c_void,
) -> i32 {
    answer(import(memory, described))
}

/// Imports a semaphore.
pub extern "C" fn cudaImportExternalSemaphore(
    semaphore: *mut *mut c_void,
    described: *const c_void,
) -> i32 {
    answer(import(semaphore, described))
}

/// Functions that take what was imported.
macro_rules! of_imported {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*);)*) => { $(
        $(#[$doc])*
        pub extern "C" fn $name($($argument: $type),*) -> i32 {
            $(let _ = $argument;)*
            answer(Err(Code::INVALID_HANDLE))
        }
    )* };
}

of_imported! {
    /// The address of memory.
    cudaExternalMemoryGetMappedBuffer(address: *mut *mut c_void, memory: *mut c_void, described: *const c_void);
    /// An array in it.
    cudaExternalMemoryGetMappedMipmappedArray(array: *mut *mut c_void, memory: *mut c_void, described: *const c_void);
    /// Gives memory up.
    cudaDestroyExternalMemory(memory: *mut c_void);
    /// Gives a semaphore up.
    cudaDestroyExternalSemaphore(semaphore: *mut c_void);
}

/// Operations of a stream on a list of semaphores.
macro_rules! on_semaphores {
    ($($(#[$doc:meta])* $name:ident;)*) => { $(
        $(#[$doc])*
        pub extern "C" fn $name(
            _list: *const *mut c_void,
            _parameters: *const c_void,
            count: u32,
            _stream: *mut c_void,
        ) -> i32 {
            let none = if count == 0 { Ok(()) } else { Err(Code::INVALID_HANDLE) };
            answer(none)
        }
    )* };
}

on_semaphores! {
    /// Signals semaphores.
    cudaSignalExternalSemaphoresAsync_v2;
    /// The same on the thread's default stream.
    cudaSignalExternalSemaphoresAsync_v2_ptsz;
    /// Waits for semaphores.
    cudaWaitExternalSemaphoresAsync_v2;
    /// The same on the thread's default stream.
    cudaWaitExternalSemaphoresAsync_v2_ptsz;
}
