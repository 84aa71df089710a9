//! Textures, whose settings are shorter than CUDA's.

use std::ffi::c_void;

use cudart::entry::textures::cudaCreateTextureObject;
use cudart::texture::abi::{Resource, Settings, View};

use crate::entry::INVALID_VALUE;

/// The bytes of `hipTextureDesc`: those of CUDA's without its last two numbers.
const SETTINGS: usize = 64;

/// Makes a texture object.
///
/// # Safety
/// The addresses are null or valid.
pub unsafe extern "C" fn hipCreateTextureObject(
    object: *mut u64,
    resource: *const Resource,
    settings: *const c_void,
    view: *const View,
) -> i32 {
    if settings.is_null() {
        return INVALID_VALUE;
    }
    // SAFETY: zeros are numbers.
    let mut whole: Settings = unsafe { std::mem::zeroed() };
    // SAFETY: caller; CUDA's are longer.
    unsafe {
        let place = (&raw mut whole).cast::<u8>();
        std::ptr::copy_nonoverlapping(settings.cast::<u8>(), place, SETTINGS);
        cudaCreateTextureObject(object, resource, &whole, view)
    }
}
