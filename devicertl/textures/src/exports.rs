//! The functions that `omptarget-codegen` calls, by the names of `codegen-llvm`'s `texture.rs`.

use crate::descriptor::Texture;
use crate::sample::{self, Place};
use crate::{level_of_detail, query, surface};

/// Fetches with filtering.
///
/// # Safety
/// The descriptor is one of `libcudart`'s, and there is room for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __omptarget_texture_sample(
    result: *mut u32,
    texture: *const Texture,
    shape: u32,
    layer: u32,
    x: f32,
    y: f32,
    z: f32,
    detail: f32,
) {
    let at = [x, y, z];
    let place = Place { shape, layer, at };
    // SAFETY: caller.
    unsafe { put(result, sample::sample(&*texture, place, detail)) }
}

/// Fetches the texel with these numbers.
///
/// # Safety
/// As for [`__omptarget_texture_sample`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __omptarget_texture_fetch(
    result: *mut u32,
    texture: *const Texture,
    shape: u32,
    layer: u32,
    x: i32,
    y: i32,
    z: i32,
    level: u32,
) {
    // SAFETY: caller.
    unsafe {
        put(
            result,
            sample::fetch(&*texture, shape, layer, [x, y, z], level),
        )
    }
}

/// Fetches a channel of four texels.
///
/// # Safety
/// As for [`__omptarget_texture_sample`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __omptarget_texture_gather(
    result: *mut u32,
    texture: *const Texture,
    shape: u32,
    layer: u32,
    x: f32,
    y: f32,
    channel: u32,
) {
    let at = [x, y, 0.0];
    let place = Place { shape, layer, at };
    // SAFETY: caller.
    unsafe { put(result, sample::gather(&*texture, place, channel)) }
}

/// # Safety
/// There is room for the result.
unsafe fn put(result: *mut u32, bits: [u32; 4]) {
    // SAFETY: caller.
    unsafe { result.cast::<[u32; 4]>().write(bits) }
}

/// The level of detail of gradients.
///
/// # Safety
/// The descriptor is one of `libcudart`'s.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __omptarget_texture_detail(
    texture: *const Texture,
    shape: u32,
    x_dx: f32,
    y_dx: f32,
    z_dx: f32,
    x_dy: f32,
    y_dy: f32,
    z_dy: f32,
) -> f32 {
    // SAFETY: caller.
    let texture = unsafe { &*texture };
    level_of_detail::of_gradients(texture, shape, [x_dx, y_dx, z_dx], [x_dy, y_dy, z_dy])
}

/// Answers a question.
///
/// # Safety
/// The descriptor is one of `libcudart`'s.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __omptarget_texture_query(
    texture: *const Texture,
    question: u32,
    level: u32,
) -> u32 {
    // SAFETY: caller.
    query::answer(unsafe { &*texture }, question, level)
}

/// The address of a surface's element.
///
/// # Safety
/// The descriptor is one of `libcudart`'s.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __omptarget_surface_element(
    surface: *const Texture,
    shape: u32,
    layer: u32,
    x: i32,
    y: i32,
    z: i32,
    bytes: u32,
    outside: u32,
) -> u64 {
    // SAFETY: caller.
    surface::element(
        unsafe { &*surface },
        shape,
        layer,
        [x, y, z],
        bytes,
        outside,
    )
}
