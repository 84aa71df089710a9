//! The interface to `libcuda.so.1`: the driver functions that this plugin calls.
//!
//! The dynamic linker finds the library as it finds any other: through `LD_LIBRARY_PATH`, then in the system's
//! folders. The driver of the tests is a library of that name in a folder of its own.
//!
//! Signatures and values are those of `cuda.h` (CUDA Driver API reference manual, version 12.8). A symbol with a
//! version suffix is the one that current headers give the plain name to.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::fmt;

use vendor_driver::{Library, Status, linker_message};

pub use crate::cuda_types::*;

/// File name of the driver's library.
pub const LIBRARY: &str = "libcuda.so.1";

/// A driver call that failed.
pub type Failure = vendor_driver::Failure<CuResult>;

/// The outcome of a driver call.
pub type Outcome = vendor_driver::Outcome<CuResult>;

impl Status for CuResult {
    fn is_success(self) -> bool {
        self == CuResult::SUCCESS
    }
}

/// The oldest CUDA whose drivers are supported: the first with memory pools.
pub const OLDEST: Version = Version(11_020);

/// `cuDriverGetVersion`'s number: 1000 × major + 10 × minor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub c_int);

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0 / 1000, self.0 % 1000 / 10)
    }
}

/// What omptarget's own library of that name has (`cuda-driver`). Its devices are those of a front end.
const OURS: &[u8] = b"omptargetVirtualDriver";

/// Why the driver's library cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DriverError {
    /// It cannot be opened: the dynamic linker's message.
    #[error("there is no NVIDIA driver ({0})")]
    Library(String),
    /// It is omptarget's own: programs use virtual GPUs by it.
    #[error("{LIBRARY} is omptarget's, for virtual GPUs")]
    Ours,
    /// It is older than [`OLDEST`].
    #[error("the NVIDIA driver is too old: it serves CUDA {0}, {OLDEST} or newer is needed")]
    TooOld(Version),
    /// It lacks a function that a driver of its version has.
    #[error("{LIBRARY} is not an NVIDIA driver: it has no {0}")]
    Function(&'static str),
}

/// The driver.
pub struct Driver {
    table: Table,
    /// Stays open as long as its functions may be called.
    _library: Library,
}

vendor_driver::functions! {
    status CuResult;
    required {
        /// Starts the driver. `flags` is 0. Must be the first call, except for the next three functions.
        init = "cuInit"(flags: c_uint);
        /// 1000 × major + 10 × minor of the newest CUDA that the driver supports.
        driver_get_version = "cuDriverGetVersion"(version: *mut c_int);
        /// The error's name, `CUDA_ERROR_…`. Valid without `cuInit`.
        get_error_name = "cuGetErrorName"(error: CuResult, name: *mut *const c_char);
        /// A description of the error. Valid without `cuInit`.
        get_error_string = "cuGetErrorString"(error: CuResult, text: *mut *const c_char);

        /// The number of devices, after `CUDA_VISIBLE_DEVICES`.
        device_get_count = "cuDeviceGetCount"(count: *mut c_int);
        /// The device with this ordinal.
        device_get = "cuDeviceGet"(device: *mut CuDevice, ordinal: c_int);
        /// Its name, NUL-terminated, cut to `length`.
        device_get_name = "cuDeviceGetName"(name: *mut c_char, length: c_int, device: CuDevice);
        /// One of its properties.
        device_get_attribute = "cuDeviceGetAttribute"(
            value: *mut c_int, attribute: CuDeviceAttribute, device: CuDevice
        );
        /// Its memory, bytes.
        device_total_mem = "cuDeviceTotalMem_v2"(bytes: *mut usize, device: CuDevice);
        /// The pool that `cuMemAllocAsync` allocates from.
        device_get_default_mem_pool = "cuDeviceGetDefaultMemPool"(pool: *mut CuMemoryPool, device: CuDevice);
        /// Whether kernels and copies of `device` may use `peer`'s memory.
        device_can_access_peer = "cuDeviceCanAccessPeer"(can: *mut c_int, device: CuDevice, peer: CuDevice);

        /// The context that the whole process shares. Created if necessary.
        device_primary_ctx_retain = "cuDevicePrimaryCtxRetain"(context: *mut CuContext, device: CuDevice);
        /// Releases it.
        device_primary_ctx_release = "cuDevicePrimaryCtxRelease_v2"(device: CuDevice);
        /// The calling thread's context.
        ctx_get_current = "cuCtxGetCurrent"(context: *mut CuContext);
        /// Makes a context current on the calling thread until it is popped.
        ctx_push_current = "cuCtxPushCurrent_v2"(context: CuContext);
        /// Makes the previous context current again.
        ctx_pop_current = "cuCtxPopCurrent_v2"(context: *mut CuContext);
        /// Changes a limit of the current context.
        ctx_set_limit = "cuCtxSetLimit"(limit: CuLimit, value: usize);
        /// Lets the current context use `peer`'s memory. `flags` is 0.
        ctx_enable_peer_access = "cuCtxEnablePeerAccess"(peer: CuContext, flags: c_uint);

        /// Free and total memory of the current context's device, bytes.
        mem_get_info = "cuMemGetInfo_v2"(free: *mut usize, total: *mut usize);
        /// Device memory, aligned to 256 bytes at least.
        mem_alloc = "cuMemAlloc_v2"(address: *mut CuDevicePtr, size: usize);
        /// Frees that, and managed memory. Waits for the device.
        mem_free = "cuMemFree_v2"(address: CuDevicePtr);
        /// Device memory from the pool, in stream order.
        mem_alloc_async = "cuMemAllocAsync"(address: *mut CuDevicePtr, size: usize, stream: CuStream);
        /// Returns that to the pool, in stream order.
        mem_free_async = "cuMemFreeAsync"(address: CuDevicePtr, stream: CuStream);
        /// Sets a property of a pool.
        mem_pool_set_attribute = "cuMemPoolSetAttribute"(
            pool: CuMemoryPool, attribute: CuMemPoolAttribute, value: *mut c_void
        );
        /// Returns unused memory of the pool to the device, except `keep` bytes.
        mem_pool_trim_to = "cuMemPoolTrimTo"(pool: CuMemoryPool, keep: usize);
        /// Pinned host memory.
        mem_host_alloc = "cuMemHostAlloc"(address: *mut *mut c_void, size: usize, flags: CuHostAllocFlags);
        /// Frees that.
        mem_free_host = "cuMemFreeHost"(address: *mut c_void);
        /// Pins memory of the program's.
        mem_host_register = "cuMemHostRegister_v2"(address: *mut c_void, size: usize, flags: CuHostAllocFlags);
        /// Ends that.
        mem_host_unregister = "cuMemHostUnregister"(address: *mut c_void);
        /// The address that kernels use for pinned host memory.
        mem_host_get_device_pointer = "cuMemHostGetDevicePointer_v2"(
            device: *mut CuDevicePtr, host: *mut c_void, flags: c_uint
        );
        /// Memory that host and device use under one address, and that migrates.
        mem_alloc_managed = "cuMemAllocManaged"(address: *mut CuDevicePtr, size: usize, flags: CuMemAttachFlags);
        /// The allocation that an address lies in. `NOT_FOUND` if there is none.
        mem_get_address_range = "cuMemGetAddressRange_v2"(
            base: *mut CuDevicePtr, size: *mut usize, address: CuDevicePtr
        );

        /// Copies host to device, in stream order.
        memcpy_htod_async = "cuMemcpyHtoDAsync_v2"(
            dst: CuDevicePtr, src: *const c_void, bytes: usize, stream: CuStream
        );
        /// Copies device to host, in stream order.
        memcpy_dtoh_async = "cuMemcpyDtoHAsync_v2"(
            dst: *mut c_void, src: CuDevicePtr, bytes: usize, stream: CuStream
        );
        /// Copies within the device, in stream order. The ranges must not overlap.
        memcpy_dtod_async = "cuMemcpyDtoDAsync_v2"(
            dst: CuDevicePtr, src: CuDevicePtr, bytes: usize, stream: CuStream
        );
        /// Copies between the devices of two contexts, in stream order.
        memcpy_peer_async = "cuMemcpyPeerAsync"(
            dst: CuDevicePtr, dst_context: CuContext, src: CuDevicePtr, src_context: CuContext, bytes: usize,
            stream: CuStream
        );
        /// Sets bytes, in stream order.
        memset_d8_async = "cuMemsetD8Async"(dst: CuDevicePtr, value: u8, count: usize, stream: CuStream);

        /// Creates a stream.
        stream_create = "cuStreamCreate"(stream: *mut CuStream, flags: CuStreamFlags);
        /// Destroys it. Operations that are enqueued still run.
        stream_destroy = "cuStreamDestroy_v2"(stream: CuStream);
        /// `NOT_READY` unless everything enqueued is complete.
        stream_query = "cuStreamQuery"(stream: CuStream);
        /// Waits for everything enqueued.
        stream_synchronize = "cuStreamSynchronize"(stream: CuStream);
        /// Later operations of the stream wait for the event. `flags` is 0.
        stream_wait_event = "cuStreamWaitEvent"(stream: CuStream, event: CuEvent, flags: c_uint);
        /// Calls a function on a thread of the driver, in stream order. Not after an error.
        launch_host_func = "cuLaunchHostFunc"(stream: CuStream, function: CuHostFunction, data: *mut c_void);
        /// Creates an event.
        event_create = "cuEventCreate"(event: *mut CuEvent, flags: CuEventFlags);
        /// Destroys it.
        event_destroy = "cuEventDestroy_v2"(event: CuEvent);
        /// Records the event: it completes when the operations enqueued so far are complete.
        event_record = "cuEventRecord"(event: CuEvent, stream: CuStream);
        /// `NOT_READY` until it is complete.
        event_query = "cuEventQuery"(event: CuEvent);
        /// Waits for it.
        event_synchronize = "cuEventSynchronize"(event: CuEvent);

        /// Loads PTX text (NUL-terminated), a cubin or a fatbin into the current context. An option value that is
        /// a number takes the place of the pointer.
        module_load_data_ex = "cuModuleLoadDataEx"(
            module: *mut CuModule, image: *const c_void, count: c_uint, options: *mut CuJitOption,
            values: *mut *mut c_void
        );
        /// Unloads it.
        module_unload = "cuModuleUnload"(module: CuModule);
        /// The kernel of this name.
        module_get_function = "cuModuleGetFunction"(function: *mut CuFunction, module: CuModule, name: *const c_char);
        /// The variable of this name.
        module_get_global = "cuModuleGetGlobal_v2"(
            address: *mut CuDevicePtr, bytes: *mut usize, module: CuModule, name: *const c_char
        );
        /// One of a kernel's properties.
        func_get_attribute = "cuFuncGetAttribute"(
            value: *mut c_int, attribute: CuFunctionAttribute, function: CuFunction
        );
        /// Changes one.
        func_set_attribute = "cuFuncSetAttribute"(function: CuFunction, attribute: CuFunctionAttribute, value: c_int);
        /// How many blocks of this size a multiprocessor holds.
        occupancy_max_active_blocks = "cuOccupancyMaxActiveBlocksPerMultiprocessor"(
            blocks: *mut c_int, function: CuFunction, block_size: c_int, dynamic_shared: usize
        );
        /// Runs a kernel. `parameters` points at an array of addresses of the arguments.
        launch_kernel = "cuLaunchKernel"(
            function: CuFunction,
            grid_x: c_uint, grid_y: c_uint, grid_z: c_uint,
            block_x: c_uint, block_y: c_uint, block_z: c_uint,
            dynamic_shared: c_uint, stream: CuStream,
            parameters: *mut *mut c_void, extra: *mut *mut c_void
        );
        /// The same with all blocks resident at once, so that they may wait for each other.
        launch_cooperative_kernel = "cuLaunchCooperativeKernel"(
            function: CuFunction,
            grid_x: c_uint, grid_y: c_uint, grid_z: c_uint,
            block_x: c_uint, block_y: c_uint, block_z: c_uint,
            dynamic_shared: c_uint, stream: CuStream,
            parameters: *mut *mut c_void
        );
    }
    values {}
    optional {
        /// Offset and size of a kernel's parameter. `INVALID_VALUE` past the last. Since CUDA 12.4.
        func_get_param_info = "cuFuncGetParamInfo"(
            function: CuFunction, index: usize, offset: *mut usize, size: *mut usize
        );
    }
}

impl Driver {
    /// Opens the driver's library and finds its functions. Calls none of them but `cuDriverGetVersion`.
    pub fn open() -> Result<Driver, DriverError> {
        // SAFETY: the driver's library may be loaded at any time.
        let library = unsafe { Library::new(LIBRARY) }
            .map_err(|why| DriverError::Library(linker_message(&why)))?;
        // SAFETY: the symbol is not used.
        if unsafe { library.get::<*const c_void>(OURS) }.is_ok() {
            return Err(DriverError::Ours);
        }
        Driver::of(library)
    }

    fn of(library: Library) -> Result<Driver, DriverError> {
        // Before the table: an old driver lacks functions, and its version is the better message.
        let version = version(&library)?;
        if version < OLDEST {
            return Err(DriverError::TooOld(version));
        }
        Ok(Driver {
            table: Table::of(&library).map_err(DriverError::Function)?,
            _library: library,
        })
    }

    /// The driver's name and description of an error. The description may be empty.
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
        let description = text(Driver::get_error_string);
        match name.is_empty() {
            true => (format!("CUDA error {}", result.0), description),
            false => (name, description),
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
    // SAFETY: `version` is writable. The function works without `cuInit` and does not fail.
    let _success = unsafe { function(&mut version) };
    Ok(Version(version))
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
