//! Texture and surface objects.

use cudart::entry::textures;
use cudart::error::{Code, Result, without_trace};

use crate::contexts;
use crate::entry::{forward, in_context, outcome, place};
use crate::status::answer;
use crate::texture::object::{Resource, Settings, View, nothing};

/// Makes a texture object.
///
/// # Safety
/// The addresses are null or valid, and the resource's fields those of its kind.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexObjectCreate(
    handle: *mut u64,
    resource: *const Resource,
    settings: *const Settings,
    view: *const View,
) -> i32 {
    let make = || {
        contexts::current()?;
        // SAFETY: caller.
        let (resource, settings, view) =
            unsafe { (resource.as_ref(), settings.as_ref(), view.as_ref()) };
        // SAFETY: caller.
        let resource = unsafe { resource.ok_or(Code::INVALID_VALUE)?.described()? };
        let settings = settings.ok_or(Code::INVALID_VALUE)?.described()?;
        let view = view.map_or(std::ptr::null(), |view| &raw const view.seen);
        // SAFETY: caller.
        outcome(without_trace(|| unsafe {
            textures::cudaCreateTextureObject(handle, &resource, &settings, view)
        }))
    };
    answer(make())
}

/// Makes a surface object.
///
/// # Safety
/// As for [`cuTexObjectCreate`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuSurfObjectCreate(handle: *mut u64, resource: *const Resource) -> i32 {
    let make = || {
        contexts::current()?;
        // SAFETY: caller.
        let resource = unsafe { resource.as_ref().ok_or(Code::INVALID_VALUE)?.described()? };
        // SAFETY: caller.
        outcome(without_trace(|| unsafe {
            textures::cudaCreateSurfaceObject(handle, &resource)
        }))
    };
    answer(make())
}

/// # Safety
/// The address is null or valid.
unsafe fn resource_of(
    resource: *mut Resource,
    handle: u64,
    ask: unsafe extern "C" fn(*mut cudart::texture::abi::Resource, u64) -> i32,
) -> Result<()> {
    contexts::current()?;
    // SAFETY: caller.
    let place = unsafe { place(resource)? };
    let mut found = nothing();
    // SAFETY: the place is valid.
    outcome(without_trace(|| unsafe { ask(&mut found, handle) }))?;
    *place = Resource::of(&found);
    Ok(())
}

/// What a texture object was made of.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexObjectGetResourceDesc(resource: *mut Resource, handle: u64) -> i32 {
    // SAFETY: caller.
    answer(unsafe { resource_of(resource, handle, textures::cudaGetTextureObjectResourceDesc) })
}

/// What a surface object was made of.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuSurfObjectGetResourceDesc(resource: *mut Resource, handle: u64) -> i32 {
    // SAFETY: caller.
    answer(unsafe { resource_of(resource, handle, textures::cudaGetSurfaceObjectResourceDesc) })
}

/// How a texture object reads.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexObjectGetTextureDesc(settings: *mut Settings, handle: u64) -> i32 {
    let tell = || {
        contexts::current()?;
        // SAFETY: caller.
        let place = unsafe { place(settings)? };
        *place = Settings::of(&textures::settings(handle)?);
        Ok(())
    };
    answer(tell())
}

/// What a texture object sees of its resource, if it was made with a view.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexObjectGetResourceViewDesc(view: *mut View, handle: u64) -> i32 {
    let tell = || {
        contexts::current()?;
        // SAFETY: caller.
        let place = unsafe { place(view)? };
        let mut seen = Default::default();
        // SAFETY: the place is valid.
        outcome(without_trace(|| unsafe {
            textures::cudaGetTextureObjectResourceViewDesc(&mut seen, handle)
        }))?;
        *place = View::of(seen);
        Ok(())
    };
    answer(tell())
}

forward! {
    in_context;
    /// Destroys a texture object, when every kernel that may use it is complete.
    cuTexObjectDestroy = textures::cudaDestroyTextureObject(handle: u64);
    /// Destroys a surface object, when every kernel that may use it is complete.
    cuSurfObjectDestroy = textures::cudaDestroySurfaceObject(handle: u64);
}
