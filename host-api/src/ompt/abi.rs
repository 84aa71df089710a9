//! The types of OMPT shared with libomp and with tools (`omp-tools.h`; OpenMP 5.2, chapter 19).

use std::ffi::{c_char, c_int, c_uint, c_void};

/// `ompt_data_t`: a word for the tool. Where the runtime assigns ids, it is the id.
pub type Data = u64;

/// `ompt_function_lookup_t`: a function by its name, or null.
pub type Lookup = unsafe extern "C" fn(*const c_char) -> *const c_void;

/// `ompt_get_callback_t`: 1 if the tool has registered this callback.
pub type GetCallback = unsafe extern "C" fn(c_int, *mut *const c_void) -> c_int;

/// `ompt_get_task_data` and `ompt_get_target_task_data` of libomp.
pub type GetTaskData = unsafe extern "C" fn() -> *mut Data;

/// `ompt_start_tool_result_t`, which libomp's connection takes, too.
#[repr(C)]
pub struct StartToolResult {
    /// Called if there is a tool.
    pub initialize: unsafe extern "C" fn(Lookup, c_int, *mut Data) -> c_int,
    /// Called when libomp ends.
    pub finalize: unsafe extern "C" fn(*mut Data),
    /// Not used.
    pub tool_data: Data,
}

/// `ompt_scope_endpoint_t`.
#[derive(Clone, Copy)]
#[repr(C)]
pub enum Endpoint {
    /// It begins.
    Begin = 1,
    /// It ends.
    End = 2,
}

/// `ompt_target_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Construct {
    /// `target`.
    Target = 1,
    /// `target enter data`, and the begin of `target data`.
    EnterData = 2,
    /// `target exit data`, and the end of `target data`.
    ExitData = 3,
    /// `target update`.
    Update = 4,
}

/// Added to an `ompt_target_t` for constructs with `nowait`.
pub const NOWAIT: c_int = 8;

/// `ompt_target_data_op_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Device memory is allocated.
    Alloc = 1,
    /// A copy to a device, or within it.
    ToDevice = 2,
    /// A copy from a device to the host.
    FromDevice = 3,
    /// Device memory is freed.
    Delete = 4,
    /// `omp_target_associate_ptr`.
    Associate = 5,
    /// `omp_target_disassociate_ptr`.
    Disassociate = 6,
}

macro_rules! callbacks {
    ($($(#[$doc:meta])* $field:ident: $kind:ident = $code:literal, fn($($argument:ty),*);)*) => {
        $(#[doc = concat!("`ompt_callback_", stringify!($field), "_t`.")]
        pub type $kind = unsafe extern "C" fn($($argument),*);)*

        /// The callbacks a tool has registered.
        #[derive(Default)]
        pub struct Callbacks {
            $($(#[$doc])* pub $field: Option<$kind>,)*
        }

        impl Callbacks {
            /// Queries each callback.
            ///
            /// # Safety
            /// `get` is libomp's `ompt_get_callback`.
            pub unsafe fn get(get: GetCallback) -> Callbacks {
                Callbacks {
                    // SAFETY: caller; the code's callback has that type (`omp-tools.h`).
                    $($field: unsafe { registered::<$kind>(get, $code) },)*
                }
            }
        }
    };
}

callbacks! {
    /// In LLVM's first interface: the runtime assigns the ids.
    target: Target = 8, fn(c_int, Endpoint, c_int, *mut Data, u64, *const c_void);
    /// As above.
    target_data_op: TargetDataOp = 9, fn(u64, u64, c_int, *mut c_void, c_int, *mut c_void, c_int, usize, *const c_void);
    /// As above.
    target_submit: TargetSubmit = 10, fn(u64, u64, c_uint);
    /// A device was initialised.
    device_initialize: DeviceInitialize = 12, fn(c_int, *const c_char, *mut c_void, Lookup, *const c_char);
    /// A device is finalised.
    device_finalize: DeviceFinalize = 13, fn(c_int);
    /// A device has loaded an image.
    device_load: DeviceLoad = 14, fn(c_int, *const c_char, i64, *mut c_void, usize, *mut c_void, *mut c_void, u64);
    /// A device has dropped an image.
    device_unload: DeviceUnload = 15, fn(c_int, u64);
    /// Has a begin and an end; the tool assigns the ids.
    target_emi: TargetEmi = 33, fn(c_int, Endpoint, c_int, *mut Data, *mut Data, *mut Data, *const c_void);
    /// As above.
    target_data_op_emi: TargetDataOpEmi = 34, fn(
        Endpoint, *mut Data, *mut Data, *mut u64, c_int, *mut c_void, c_int, *mut c_void, c_int, usize, *const c_void
    );
    /// As above.
    target_submit_emi: TargetSubmitEmi = 35, fn(Endpoint, *mut Data, *mut u64, c_uint);
}

/// # Safety
/// `get` is libomp's, and the callback `code` is a function of type `T`.
unsafe fn registered<T>(get: GetCallback, code: c_int) -> Option<T> {
    const { assert!(size_of::<T>() == size_of::<*const c_void>()) };
    let mut function = std::ptr::null();
    // SAFETY: caller; `function` is writable.
    if unsafe { get(code, &mut function) } != 1 || function.is_null() {
        return None;
    }
    // SAFETY: a function of type `T` (caller), and `T` is pointer-sized.
    Some(unsafe { std::mem::transmute_copy(&function) })
}
