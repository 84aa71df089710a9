//! The functions of `libcudart.so` that the libraries call. The program has loaded it; otherwise it lies beside them.

use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

use libloading::Library;

/// CUDA's layout of `cudaPointerAttributes`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PointerAttributes {
    /// 0: unregistered, 1: host, 2: device, 3: managed.
    pub kind: c_int,
    /// The number of the device.
    pub device: c_int,
    /// The address for kernels.
    pub device_pointer: *mut c_void,
    /// The address for the host.
    pub host_pointer: *mut c_void,
}

/// What `cudaLaunchHostFunc` calls.
pub type HostFunction = unsafe extern "C" fn(*mut c_void);

/// Declares the functions with their types.
macro_rules! functions {
    ($($(#[$doc:meta])* $field:ident = $name:literal ($($argument:ty),*);)*) => {
        /// The functions. Each returns a `cudaError_t`.
        pub struct Cudart {
            $($(#[$doc])* pub $field: unsafe extern "C" fn($($argument),*) -> c_int,)*
            /// The driver's stream behind a stream, if this is our `libcudart`. An error where there is none.
            pub foreign_stream: Option<unsafe extern "C" fn(*mut c_void, *mut *mut c_void) -> c_int>,
        }

        impl Cudart {
            fn of(library: &Library) -> Result<Cudart, libloading::Error> {
                // SAFETY: the types are those of CUDA's runtime library, whose names these are.
                unsafe {
                    Ok(Cudart {
                        $($field: *library.get($name.as_bytes())?,)*
                        foreign_stream: library.get(b"omptargetForeignStream").ok().map(|it| *it),
                    })
                }
            }
        }
    };
}

functions! {
    /// Calls a function in a stream's order.
    launch_host_func = "cudaLaunchHostFunc"(*mut c_void, HostFunction, *mut c_void);
    /// Waits for a stream.
    stream_synchronize = "cudaStreamSynchronize"(*mut c_void);
    /// What is known about an address.
    pointer_attributes = "cudaPointerGetAttributes"(*mut PointerAttributes, *const c_void);
    /// The number of devices.
    device_count = "cudaGetDeviceCount"(*mut c_int);
    /// Allocates device memory.
    malloc = "cudaMalloc"(*mut *mut c_void, usize);
    /// Frees it.
    free = "cudaFree"(*mut c_void);
    /// Copies rows.
    memcpy_2d = "cudaMemcpy2D"(*mut c_void, usize, *const c_void, usize, usize, usize, c_int);
    /// The same in a stream's order.
    memcpy_2d_async = "cudaMemcpy2DAsync"(
        *mut c_void, usize, *const c_void, usize, usize, usize, c_int, *mut c_void
    );
}

/// The library, if there is one.
pub fn cudart() -> Option<&'static Cudart> {
    static CUDART: OnceLock<Option<Cudart>> = OnceLock::new();
    let open = || {
        // SAFETY: its initialisers are those of a library that programs link.
        let library = unsafe { Library::new("libcudart.so.12") }.ok()?;
        let functions = Cudart::of(&library).ok();
        // It stays for as long as the process runs.
        std::mem::forget(library);
        functions
    };
    CUDART.get_or_init(open).as_ref()
}

/// Where the data of the program lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In memory of virtual GPUs, which the host reaches.
    Virtual,
    /// On GPUs with a driver of their own.
    Gpu,
    /// There is no device.
    Nowhere,
}

/// Where the data of the program lies: its devices are all of one kind.
pub fn place() -> Place {
    static PLACE: OnceLock<Place> = OnceLock::new();
    *PLACE.get_or_init(|| {
        let Some(cudart) = cudart() else {
            return Place::Nowhere;
        };
        let mut count = 0;
        // SAFETY: the address is valid.
        if unsafe { (cudart.device_count)(&mut count) } != 0 || count == 0 {
            return Place::Nowhere;
        }
        match cudart.foreign_stream {
            Some(_) if foreign_stream(std::ptr::null_mut()).is_none() => Place::Virtual,
            _ => Place::Gpu,
        }
    })
}

/// The stream that NVIDIA's libraries know a stream by, if there is one.
pub fn foreign_stream(stream: *mut c_void) -> Option<*mut c_void> {
    // NVIDIA's own libcudart has no other streams than the driver's.
    let Some(ask) = cudart()?.foreign_stream else {
        return Some(stream);
    };
    let mut foreign = std::ptr::null_mut();
    // SAFETY: the address is valid.
    (unsafe { ask(stream, &mut foreign) } == 0).then_some(foreign)
}
