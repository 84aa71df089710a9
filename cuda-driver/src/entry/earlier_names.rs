//! Functions by the names that they had before their `_v2`, for programs that were linked then or look a name up by
//! themselves. Only those whose arguments are still the same: the others take addresses and sizes of 32 bits, which no
//! memory of a device fits, or structures that are gone from `cuda.h`.

use std::ffi::{c_char, c_int, c_void};

use cudart::processes::Handle;

/// Names, and the functions of today.
macro_rules! earlier {
    ($($name:ident = $module:ident :: $function:ident ($($argument:ident: $type:ty),*);)*) => { $(
        #[doc = concat!("[`super::", stringify!($module), "::", stringify!($function), "`] by its earlier name.")]
        ///
        /// # Safety
        /// As for that function.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> i32 {
            #[allow(unused_unsafe, reason = "some of the functions are safe")]
            // SAFETY: caller.
            unsafe { super::$module::$function($($argument),*) }
        }
    )* };
}

earlier! {
    cuCtxCreate = contexts::cuCtxCreate_v2(context: *mut *mut c_void, flags: u32, device: c_int);
    cuCtxDestroy = contexts::cuCtxDestroy_v2(context: *mut c_void);
    cuCtxPopCurrent = contexts::cuCtxPopCurrent_v2(context: *mut *mut c_void);
    cuCtxPushCurrent = contexts::cuCtxPushCurrent_v2(context: *mut c_void);
    cuDevicePrimaryCtxRelease = primary::cuDevicePrimaryCtxRelease_v2(device: c_int);
    cuDevicePrimaryCtxReset = primary::cuDevicePrimaryCtxReset_v2(device: c_int);
    cuDevicePrimaryCtxSetFlags = primary::cuDevicePrimaryCtxSetFlags_v2(device: c_int, flags: u32);
    cuEventDestroy = events::cuEventDestroy_v2(event: *mut c_void);
    cuGraphInstantiate = earlier_graphs::cuGraphInstantiate_v2(
        executable: *mut *mut c_void, graph: *mut c_void, error_node: *mut *mut c_void, log: *mut c_char, bytes: usize
    );
    cuIpcOpenMemHandle = processes::cuIpcOpenMemHandle_v2(memory: *mut *mut c_void, handle: Handle, flags: u32);
    cuLinkAddData = links::cuLinkAddData_v2(
        state: *mut c_void, kind: c_int, data: *const c_void, size: usize, name: *const c_char,
        count: u32, options: *const c_int, values: *mut *mut c_void
    );
    cuLinkAddFile = links::cuLinkAddFile_v2(
        state: *mut c_void, kind: c_int, path: *const c_char,
        count: u32, options: *const c_int, values: *mut *mut c_void
    );
    cuLinkCreate = links::cuLinkCreate_v2(
        count: u32, options: *const c_int, values: *mut *mut c_void, state: *mut *mut c_void
    );
    cuMemHostRegister = memory::cuMemHostRegister_v2(memory: *mut c_void, bytes: usize, flags: u32);
    cuStreamDestroy = streams::cuStreamDestroy_v2(stream: *mut c_void);
}
