//! Buffers and images of OpenGL, of which a virtual GPU has none: registering one is refused, and no handle names one.
//! Programs that look for these functions before they start find them (Dr.Jit, Warp).

use std::ffi::{c_uint, c_void};

use cudart::error::{Code, Result};

use crate::contexts;
use crate::entry::per_thread;
use crate::status::answer;

/// What registering gives.
fn register(resource: *mut *mut c_void) -> Result<()> {
    contexts::current()?;
    Err(match resource.is_null() {
        true => Code::INVALID_VALUE,
        false => Code::NOT_SUPPORTED,
    })
}

/// What functions give that take what was registered.
fn registered() -> Result<()> {
    contexts::current()?;
    Err(Code::INVALID_HANDLE)
}

/// What functions give that take a list of what was registered.
fn listed(count: c_uint, list: *mut *mut c_void) -> Result<()> {
    contexts::current()?;
    Err(match count == 0 || list.is_null() {
        true => Code::INVALID_VALUE,
        false => Code::INVALID_HANDLE,
    })
}

/// Functions and what they give. No address is read or written.
macro_rules! refused {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*) = $outcome:expr;)*) => { $(
        $(#[$doc])*
        ///
        /// # Safety
        /// There is nothing to keep to: the addresses are not used.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> i32 {
            $(let _ = $argument;)*
            answer($outcome)
        }
    )* };
}

refused! {
    /// Registers a buffer of OpenGL.
    cuGraphicsGLRegisterBuffer(resource: *mut *mut c_void, buffer: c_uint, flags: c_uint) = register(resource);
    /// Registers an image of OpenGL.
    cuGraphicsGLRegisterImage(
        resource: *mut *mut c_void, image: c_uint, target: c_uint, flags: c_uint
    ) = register(resource);
    /// Gives one up.
    cuGraphicsUnregisterResource(resource: *mut c_void) = registered();
    /// Lets kernels use some.
    cuGraphicsMapResources(count: c_uint, list: *mut *mut c_void, stream: *mut c_void) = listed(count, list);
    /// Ends that.
    cuGraphicsUnmapResources(count: c_uint, list: *mut *mut c_void, stream: *mut c_void) = listed(count, list);
    /// How kernels are to use one.
    cuGraphicsResourceSetMapFlags_v2(resource: *mut c_void, flags: c_uint) = registered();
    /// The address of one.
    cuGraphicsResourceGetMappedPointer_v2(
        address: *mut *mut c_void, size: *mut usize, resource: *mut c_void
    ) = registered();
    /// How kernels are to use one, by its name before CUDA 6.5.
    cuGraphicsResourceSetMapFlags(resource: *mut c_void, flags: c_uint) = registered();
    /// The address of one, by its name before CUDA 3.2.
    cuGraphicsResourceGetMappedPointer(
        address: *mut *mut c_void, size: *mut usize, resource: *mut c_void
    ) = registered();
    /// An array of one.
    cuGraphicsSubResourceGetMappedArray(
        array: *mut *mut c_void, resource: *mut c_void, index: c_uint, level: c_uint
    ) = registered();
    /// All levels of one.
    cuGraphicsResourceGetMappedMipmappedArray(array: *mut *mut c_void, resource: *mut c_void) = registered();
}

per_thread! {
    cuGraphicsMapResources_ptsz = cuGraphicsMapResources(count: c_uint, list: *mut *mut c_void; stream);
    cuGraphicsUnmapResources_ptsz = cuGraphicsUnmapResources(count: c_uint, list: *mut *mut c_void; stream);
}
