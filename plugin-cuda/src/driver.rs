//! The driver's functions this plugin calls, and what they take: the whole of the interface to `libcuda.so.1`.
//!
//! The library is found as the dynamic linker finds any other: `LD_LIBRARY_PATH`, then the system's folders. The tests' driver
//! is a library of that name in a folder of its own.
//!
//! Signatures and values are those of `cuda.h` (CUDA Driver API reference manual, version 12.8). A symbol with a version suffix is
//! the one current headers give the plain name to.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::fmt;

use libloading::Library;

pub use crate::cuda_types::*;

/// File name of the driver's library.
pub const LIBRARY: &str = "libcuda.so.1";

/// A call that the driver did not answer with success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Symbol of the function.
    pub call: &'static str,
    /// Its answer.
    pub result: CuResult,
}

/// What a call of the driver's gives.
pub type Outcome = Result<(), Failure>;

/// `result` of the function with this symbol, as an outcome.
fn outcome(call: &'static str, result: CuResult) -> Outcome {
    match result {
        CuResult::SUCCESS => Ok(()),
        result => Err(Failure { call, result }),
    }
}

/// Oldest CUDA whose drivers serve: the first with memory pools.
pub const OLDEST: Version = Version(11_020);

/// `cuDriverGetVersion`'s number: 1000 × major + 10 × minor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub c_int);

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0 / 1000, self.0 % 1000 / 10)
    }
}

/// Why the driver's library cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DriverError {
    /// It cannot be opened: the dynamic linker's message.
    #[error("there is no NVIDIA driver ({0})")]
    Library(String),
    /// It is older than [`OLDEST`].
    #[error("the NVIDIA driver is too old: it serves CUDA {0}, {OLDEST} or newer is needed")]
    TooOld(Version),
    /// It lacks a function that a driver of its version has.
    #[error("{LIBRARY} is not an NVIDIA driver: it has no {0}")]
    Function(&'static str),
}

/// Declares the table and a method for each function.
macro_rules! functions {
    (
        required { $($(#[$doc:meta])* $name:ident = $symbol:literal ($($argument:ident: $type:ty),*);)* }
        optional { $($(#[$optional_doc:meta])* $optional:ident = $optional_symbol:literal ($($optional_argument:ident: $optional_type:ty),*);)* }
    ) => {
        /// Symbols without which the plugin cannot work.
        pub const REQUIRED: &[&str] = &[$($symbol),*];
        /// Symbols of newer drivers, which it uses where they are.
        pub const OPTIONAL: &[&str] = &[$($optional_symbol),*];

        struct Table {
            $($name: unsafe extern "C" fn($($argument: $type),*) -> CuResult,)*
            $($optional: Option<unsafe extern "C" fn($($optional_argument: $optional_type),*) -> CuResult>,)*
        }

        impl Table {
            fn of(library: &Library) -> Result<Table, DriverError> {
                Ok(Table {
                    // SAFETY: the symbol is the driver's function of this signature.
                    $($name: *unsafe { library.get($symbol.as_bytes()) }.map_err(|_| DriverError::Function($symbol))?,)*
                    // SAFETY: as above.
                    $($optional: unsafe { library.get($optional_symbol.as_bytes()) }.ok().map(|found| *found),)*
                })
            }
        }

        #[expect(clippy::too_many_arguments, reason = "the driver's signatures")]
        impl Driver {
            $(
                $(#[$doc])*
                ///
                /// # Safety
                /// As the driver's manual wants the arguments.
                pub unsafe fn $name(&self, $($argument: $type),*) -> Outcome {
                    // SAFETY: the driver's function of this signature; the rest is the caller's.
                    outcome($symbol, unsafe { (self.table.$name)($($argument),*) })
                }
            )*
            $(
                $(#[$optional_doc])*
                /// `None`: the driver has no such function.
                ///
                /// # Safety
                /// As the driver's manual wants the arguments.
                pub unsafe fn $optional(&self, $($optional_argument: $optional_type),*) -> Option<Outcome> {
                    let function = self.table.$optional?;
                    // SAFETY: the driver's function of this signature; the rest is the caller's.
                    Some(outcome($optional_symbol, unsafe { function($($optional_argument),*) }))
                }
            )*
        }
    };
}

/// The driver.
pub struct Driver {
    table: Table,
    /// Stays open as long as its functions may be called.
    _library: Library,
}

functions! {
    required {
        /// Starts the driver; `flags` is 0. The first call of any but the next three.
        init = "cuInit"(flags: c_uint);
        /// 1000 × major + 10 × minor of the newest CUDA it serves.
        driver_get_version = "cuDriverGetVersion"(version: *mut c_int);
        /// `CUDA_ERROR_…`; valid without `cuInit`.
        get_error_name = "cuGetErrorName"(error: CuResult, name: *mut *const c_char);
        /// A sentence on the error; valid without `cuInit`.
        get_error_string = "cuGetErrorString"(error: CuResult, text: *mut *const c_char);

        /// How many devices there are (`CUDA_VISIBLE_DEVICES` applied).
        device_get_count = "cuDeviceGetCount"(count: *mut c_int);
        /// The device with this ordinal.
        device_get = "cuDeviceGet"(device: *mut CuDevice, ordinal: c_int);
        /// Its name, NUL-terminated, cut to `length`.
        device_get_name = "cuDeviceGetName"(name: *mut c_char, length: c_int, device: CuDevice);
        /// One of its properties.
        device_get_attribute = "cuDeviceGetAttribute"(value: *mut c_int, attribute: CuDeviceAttribute, device: CuDevice);
        /// Its memory, bytes.
        device_total_mem = "cuDeviceTotalMem_v2"(bytes: *mut usize, device: CuDevice);
        /// The pool `cuMemAllocAsync` takes from.
        device_get_default_mem_pool = "cuDeviceGetDefaultMemPool"(pool: *mut CuMemoryPool, device: CuDevice);
        /// Whether kernels and copies of `device` may use `peer`'s memory.
        device_can_access_peer = "cuDeviceCanAccessPeer"(can: *mut c_int, device: CuDevice, peer: CuDevice);

        /// The context all of the process shares, made if need be.
        device_primary_ctx_retain = "cuDevicePrimaryCtxRetain"(context: *mut CuContext, device: CuDevice);
        /// Gives it back.
        device_primary_ctx_release = "cuDevicePrimaryCtxRelease_v2"(device: CuDevice);
        /// The calling thread's context.
        ctx_get_current = "cuCtxGetCurrent"(context: *mut CuContext);
        /// Makes a context the calling thread's, until popped.
        ctx_push_current = "cuCtxPushCurrent_v2"(context: CuContext);
        /// The one before becomes the thread's again.
        ctx_pop_current = "cuCtxPopCurrent_v2"(context: *mut CuContext);
        /// Changes a limit of the current context.
        ctx_set_limit = "cuCtxSetLimit"(limit: CuLimit, value: usize);
        /// Lets the current context use `peer`'s memory; `flags` is 0.
        ctx_enable_peer_access = "cuCtxEnablePeerAccess"(peer: CuContext, flags: c_uint);

        /// Free and total memory of the current context's device, bytes.
        mem_get_info = "cuMemGetInfo_v2"(free: *mut usize, total: *mut usize);
        /// Device memory, aligned to 256 bytes at least.
        mem_alloc = "cuMemAlloc_v2"(address: *mut CuDevicePtr, size: usize);
        /// Frees that, and managed memory; waits for the device.
        mem_free = "cuMemFree_v2"(address: CuDevicePtr);
        /// Device memory from the pool, in a stream's order.
        mem_alloc_async = "cuMemAllocAsync"(address: *mut CuDevicePtr, size: usize, stream: CuStream);
        /// Gives that back to the pool, in a stream's order.
        mem_free_async = "cuMemFreeAsync"(address: CuDevicePtr, stream: CuStream);
        /// Sets a property of a pool.
        mem_pool_set_attribute = "cuMemPoolSetAttribute"(pool: CuMemoryPool, attribute: CuMemPoolAttribute, value: *mut c_void);
        /// Returns what the pool keeps and nobody uses, but for `keep` bytes, to the device.
        mem_pool_trim_to = "cuMemPoolTrimTo"(pool: CuMemoryPool, keep: usize);
        /// Pinned host memory; [`CuHostAllocFlags`].
        mem_host_alloc = "cuMemHostAlloc"(address: *mut *mut c_void, size: usize, flags: CuHostAllocFlags);
        /// Frees that.
        mem_free_host = "cuMemFreeHost"(address: *mut c_void);
        /// The address kernels use for pinned host memory.
        mem_host_get_device_pointer = "cuMemHostGetDevicePointer_v2"(device: *mut CuDevicePtr, host: *mut c_void, flags: c_uint);
        /// Memory both sides use under one address, which migrates; [`CuMemAttachFlags`].
        mem_alloc_managed = "cuMemAllocManaged"(address: *mut CuDevicePtr, size: usize, flags: CuMemAttachFlags);
        /// The allocation an address lies in; `NOT_FOUND` if in none.
        mem_get_address_range = "cuMemGetAddressRange_v2"(base: *mut CuDevicePtr, size: *mut usize, address: CuDevicePtr);

        /// Copies host to device, in a stream's order.
        memcpy_htod_async = "cuMemcpyHtoDAsync_v2"(dst: CuDevicePtr, src: *const c_void, bytes: usize, stream: CuStream);
        /// Copies device to host, in a stream's order.
        memcpy_dtoh_async = "cuMemcpyDtoHAsync_v2"(dst: *mut c_void, src: CuDevicePtr, bytes: usize, stream: CuStream);
        /// Copies within the device, in a stream's order; the ranges do not overlap.
        memcpy_dtod_async = "cuMemcpyDtoDAsync_v2"(dst: CuDevicePtr, src: CuDevicePtr, bytes: usize, stream: CuStream);
        /// Copies between two contexts' devices, in a stream's order.
        memcpy_peer_async = "cuMemcpyPeerAsync"(dst: CuDevicePtr, dst_context: CuContext, src: CuDevicePtr, src_context: CuContext, bytes: usize, stream: CuStream);
        /// Sets bytes, in a stream's order.
        memset_d8_async = "cuMemsetD8Async"(dst: CuDevicePtr, value: u8, count: usize, stream: CuStream);

        /// A stream; [`CuStreamFlags`].
        stream_create = "cuStreamCreate"(stream: *mut CuStream, flags: CuStreamFlags);
        /// Destroys it; what is enqueued is still done.
        stream_destroy = "cuStreamDestroy_v2"(stream: CuStream);
        /// `NOT_READY` unless everything enqueued is complete.
        stream_query = "cuStreamQuery"(stream: CuStream);
        /// Waits for everything enqueued.
        stream_synchronize = "cuStreamSynchronize"(stream: CuStream);
        /// What is enqueued from now on begins when the event has happened; `flags` is 0.
        stream_wait_event = "cuStreamWaitEvent"(stream: CuStream, event: CuEvent, flags: c_uint);
        /// Calls a function on a thread of the driver's, in the stream's order; not after an error.
        launch_host_func = "cuLaunchHostFunc"(stream: CuStream, function: CuHostFunction, data: *mut c_void);
        /// An event; [`CuEventFlags`].
        event_create = "cuEventCreate"(event: *mut CuEvent, flags: CuEventFlags);
        /// Destroys it.
        event_destroy = "cuEventDestroy_v2"(event: CuEvent);
        /// It happens when the stream has passed what is enqueued now.
        event_record = "cuEventRecord"(event: CuEvent, stream: CuStream);
        /// `NOT_READY` until it has happened.
        event_query = "cuEventQuery"(event: CuEvent);
        /// Waits for it.
        event_synchronize = "cuEventSynchronize"(event: CuEvent);

        /// Loads PTX text (NUL-terminated), a cubin or a fatbin into the current context. An option's value that is a number
        /// stands in place of the pointer.
        module_load_data_ex = "cuModuleLoadDataEx"(module: *mut CuModule, image: *const c_void, count: c_uint, options: *mut CuJitOption, values: *mut *mut c_void);
        /// Unloads it.
        module_unload = "cuModuleUnload"(module: CuModule);
        /// The kernel of this name.
        module_get_function = "cuModuleGetFunction"(function: *mut CuFunction, module: CuModule, name: *const c_char);
        /// The variable of this name.
        module_get_global = "cuModuleGetGlobal_v2"(address: *mut CuDevicePtr, bytes: *mut usize, module: CuModule, name: *const c_char);
        /// One of a kernel's properties.
        func_get_attribute = "cuFuncGetAttribute"(value: *mut c_int, attribute: CuFunctionAttribute, function: CuFunction);
        /// Changes one.
        func_set_attribute = "cuFuncSetAttribute"(function: CuFunction, attribute: CuFunctionAttribute, value: c_int);
        /// How many blocks of this size one multiprocessor holds.
        occupancy_max_active_blocks = "cuOccupancyMaxActiveBlocksPerMultiprocessor"(blocks: *mut c_int, function: CuFunction, block_size: c_int, dynamic_shared: usize);
        /// Runs a kernel. `parameters` points at an array of addresses of the arguments.
        launch_kernel = "cuLaunchKernel"(
            function: CuFunction,
            grid_x: c_uint, grid_y: c_uint, grid_z: c_uint,
            block_x: c_uint, block_y: c_uint, block_z: c_uint,
            dynamic_shared: c_uint, stream: CuStream,
            parameters: *mut *mut c_void, extra: *mut *mut c_void
        );
    }
    optional {
        /// Offset and size of a kernel's parameter; `INVALID_VALUE` past the last. Since CUDA 12.4.
        func_get_param_info = "cuFuncGetParamInfo"(function: CuFunction, index: usize, offset: *mut usize, size: *mut usize);
    }
}

impl Driver {
    /// Opens the driver's library and finds its functions. Of those it calls only `cuDriverGetVersion`.
    pub fn open() -> Result<Driver, DriverError> {
        // SAFETY: the driver's library may be loaded at any time; what its constructors do is the driver's business.
        let library = unsafe { Library::new(LIBRARY) }
            .map_err(|why| DriverError::Library(linker_text(&why)))?;
        Driver::of(library)
    }

    fn of(library: Library) -> Result<Driver, DriverError> {
        // Before the table: an old driver lacks functions, and its version says so better.
        let version = version(&library)?;
        if version < OLDEST {
            return Err(DriverError::TooOld(version));
        }
        Ok(Driver {
            table: Table::of(&library)?,
            _library: library,
        })
    }

    /// The driver's name of an error and its sentence on it, empty if it has none.
    pub fn describe(&self, result: CuResult) -> (String, String) {
        let text = |find: unsafe fn(&Driver, CuResult, *mut *const c_char) -> Outcome| {
            let mut text = std::ptr::null();
            // SAFETY: `text` is writable.
            let found = unsafe { find(self, result, &mut text) };
            if found.is_err() || text.is_null() {
                return String::new();
            }
            // SAFETY: a C string that lives as long as the driver.
            unsafe { CStr::from_ptr(text) }
                .to_string_lossy()
                .into_owned()
        };
        let name = text(Driver::get_error_name);
        let sentence = text(Driver::get_error_string);
        match name.is_empty() {
            true => (format!("CUDA error {}", result.0), sentence),
            false => (name, sentence),
        }
    }
}

fn version(library: &Library) -> Result<Version, DriverError> {
    const SYMBOL: &str = "cuDriverGetVersion";
    type Function = unsafe extern "C" fn(*mut c_int) -> CuResult;
    // SAFETY: the symbol is the driver's function of this signature.
    let found = unsafe { library.get::<Function>(SYMBOL.as_bytes()) };
    let function = found.map_err(|_| DriverError::Function(SYMBOL))?;
    let mut version = 0;
    // SAFETY: `version` is writable. The function works without `cuInit`, and does not fail.
    let _success = unsafe { function(&mut version) };
    Ok(Version(version))
}

/// The dynamic linker's own words where there are some.
fn linker_text(error: &libloading::Error) -> String {
    let source = std::error::Error::source(error).map(ToString::to_string);
    source.unwrap_or_else(|| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_symbol_is_listed_twice() {
        let mut all: Vec<_> = REQUIRED.iter().chain(OPTIONAL).collect();
        all.sort();
        let count = all.len();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn what_is_missing_is_named() {
        // SAFETY: the C library is loaded already.
        let library = unsafe { Library::new("libc.so.6") }.unwrap();
        let missing = Driver::of(library).err().unwrap();
        assert_eq!(missing, DriverError::Function("cuDriverGetVersion"));
        assert_eq!(
            DriverError::TooOld(Version(10_020)).to_string(),
            "the NVIDIA driver is too old: it serves CUDA 10.2, 11.2 or newer is needed"
        );
    }
}
