//! Memory and semaphores of other interfaces, of which a virtual GPU has none.

use std::ffi::c_void;

use crate::entry::{forward, in_context};

forward! {
    in_context;
    /// Imports memory.
    cuImportExternalMemory = external::cudaImportExternalMemory(memory: *mut *mut c_void, described: *const c_void);
    /// The address of memory.
    cuExternalMemoryGetMappedBuffer = external::cudaExternalMemoryGetMappedBuffer(
        address: *mut *mut c_void, memory: *mut c_void, described: *const c_void
    );
    /// An array in it.
    cuExternalMemoryGetMappedMipmappedArray = external::cudaExternalMemoryGetMappedMipmappedArray(
        array: *mut *mut c_void, memory: *mut c_void, described: *const c_void
    );
    /// Gives memory up.
    cuDestroyExternalMemory = external::cudaDestroyExternalMemory(memory: *mut c_void);
    /// Imports a semaphore.
    cuImportExternalSemaphore = external::cudaImportExternalSemaphore(
        semaphore: *mut *mut c_void, described: *const c_void
    );
    /// Gives a semaphore up.
    cuDestroyExternalSemaphore = external::cudaDestroyExternalSemaphore(semaphore: *mut c_void);
    /// Signals semaphores.
    cuSignalExternalSemaphoresAsync = external::cudaSignalExternalSemaphoresAsync_v2(
        list: *const *mut c_void, parameters: *const c_void, count: u32, stream: *mut c_void
    );
    /// Signals semaphores on the thread's default stream.
    cuSignalExternalSemaphoresAsync_ptsz = external::cudaSignalExternalSemaphoresAsync_v2_ptsz(
        list: *const *mut c_void, parameters: *const c_void, count: u32, stream: *mut c_void
    );
    /// Waits for semaphores.
    cuWaitExternalSemaphoresAsync = external::cudaWaitExternalSemaphoresAsync_v2(
        list: *const *mut c_void, parameters: *const c_void, count: u32, stream: *mut c_void
    );
    /// Waits for semaphores on the thread's default stream.
    cuWaitExternalSemaphoresAsync_ptsz = external::cudaWaitExternalSemaphoresAsync_v2_ptsz(
        list: *const *mut c_void, parameters: *const c_void, count: u32, stream: *mut c_void
    );
}
