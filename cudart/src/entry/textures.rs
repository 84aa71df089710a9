//! Texture and surface objects.

use plugin_api::{DevicePtr, MemoryKind};

use crate::cuda_device::CudaDevice;
use crate::entry::arrays::array;
use crate::entry::place;
use crate::error::{Code, Result, answer, report};
use crate::runtime::runtime;
use crate::texture::abi::{Resource, Settings, View};
use crate::texture::format::Format;
use crate::texture::object::{self, Object};

use devicertl_textures::descriptor::Texture;

/// `cudaResourceTypeArray` and its like.
const ARRAY: i32 = 0;
const MIPMAPPED: i32 = 1;
const ROW: i32 = 2;
const ROWS: i32 = 3;

/// What a resource is to device code.
///
/// # Safety
/// The resource's fields are those of its kind.
unsafe fn texture_of(device: &CudaDevice, resource: &Resource) -> Result<(Texture, Format)> {
    // SAFETY: caller.
    unsafe {
        match resource.kind {
            ARRAY | MIPMAPPED => {
                let array = array(resource.of.array)?;
                if array.device != device.number
                    || array.is_mipmapped != (resource.kind == MIPMAPPED)
                {
                    return Err(Code::INVALID_HANDLE);
                }
                Ok(object::of_array(&array))
            }
            ROW => object::of_row(&resource.of.memory),
            ROWS => object::of_rows(&resource.of.memory),
            _ => Err(Code::INVALID_VALUE),
        }
    }
}

/// Writes a descriptor to device memory, and remembers the object by its address.
fn keep(device: &CudaDevice, texture: &Texture, object: Object) -> Result<u64> {
    if device.raw.info().arch.starts_with("sm_") {
        report("not supported", &"textures and surfaces on NVIDIA's GPUs");
        return Err(Code::NOT_SUPPORTED);
    }
    let bytes = object::bytes(texture);
    let memory = device.raw.alloc(bytes.len() as u64, MemoryKind::Device);
    let memory = memory.map_err(device.failed())?;
    // SAFETY: the bytes are readable.
    let written = unsafe { device.raw.write(memory, bytes.as_ptr(), bytes.len()) };
    written.map_err(device.failed())?;
    runtime().objects.lock().insert(memory.0, object);
    Ok(memory.0)
}

/// Makes a texture object.
///
/// # Safety
/// The addresses are null or valid, and the resource's fields those of its kind.
pub unsafe extern "C" fn cudaCreateTextureObject(
    handle: *mut u64,
    resource: *const Resource,
    settings: *const Settings,
    view: *const View,
) -> i32 {
    let make = || {
        // SAFETY: caller.
        let (handle, resource, settings, view) = unsafe {
            (
                place(handle)?,
                resource.as_ref(),
                settings.as_ref(),
                view.as_ref(),
            )
        };
        let resource = resource.ok_or(Code::INVALID_VALUE)?;
        let settings = settings.ok_or(Code::INVALID_VALUE)?;
        let device = runtime().device()?;
        device.check()?;
        // SAFETY: caller.
        let (mut texture, mut format) = unsafe { texture_of(&device, resource)? };
        if let Some(view) = view {
            format = object::seen(&mut texture, format, view)?;
        }
        object::set_format(&mut texture, format);
        object::set(&mut texture, settings)?;
        let object = Object {
            device: device.number,
            resource: *resource,
            settings: Some(*settings),
            view: view.copied(),
        };
        *handle = keep(&device, &texture, object)?;
        Ok(())
    };
    answer(make())
}

/// Makes a surface object.
///
/// # Safety
/// As for [`cudaCreateTextureObject`].
pub unsafe extern "C" fn cudaCreateSurfaceObject(
    handle: *mut u64,
    resource: *const Resource,
) -> i32 {
    let make = || {
        // SAFETY: caller.
        let (handle, resource) = unsafe { (place(handle)?, resource.as_ref()) };
        let resource = resource.ok_or(Code::INVALID_VALUE)?;
        if resource.kind != ARRAY {
            return Err(Code::INVALID_CHANNEL_DESCRIPTOR);
        }
        let device = runtime().device()?;
        device.check()?;
        // SAFETY: caller.
        let (mut texture, format) = unsafe { texture_of(&device, resource)? };
        object::set_format(&mut texture, format);
        let object = Object {
            device: device.number,
            resource: *resource,
            settings: None,
            view: None,
        };
        *handle = keep(&device, &texture, object)?;
        Ok(())
    };
    answer(make())
}

/// The object of a handle.
fn object(handle: u64, is_texture: bool) -> Result<Object> {
    let objects = runtime().objects.lock();
    let found = objects.get(&handle).cloned();
    let found = found.filter(|object| object.settings.is_some() == is_texture);
    found.ok_or(Code::INVALID_VALUE)
}

fn destroy(handle: u64, is_texture: bool) -> Result<()> {
    if handle == 0 {
        return Ok(());
    }
    let object = object(handle, is_texture)?;
    let runtime = runtime();
    runtime.objects.lock().remove(&handle);
    let device = &runtime.devices()[object.device];
    device.synchronize_all()?;
    device.raw.free(DevicePtr(handle)).map_err(device.failed())
}

/// Destroys a texture object, when every kernel that may use it is complete.
pub extern "C" fn cudaDestroyTextureObject(handle: u64) -> i32 {
    answer(destroy(handle, true))
}

/// Destroys a surface object, when every kernel that may use it is complete.
pub extern "C" fn cudaDestroySurfaceObject(handle: u64) -> i32 {
    answer(destroy(handle, false))
}

/// What a texture object was made of.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaGetTextureObjectResourceDesc(
    resource: *mut Resource,
    handle: u64,
) -> i32 {
    // SAFETY: caller.
    answer(unsafe { place(resource) }.and_then(|place| {
        *place = object(handle, true)?.resource;
        Ok(())
    }))
}

/// What a surface object was made of.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaGetSurfaceObjectResourceDesc(
    resource: *mut Resource,
    handle: u64,
) -> i32 {
    // SAFETY: caller.
    answer(unsafe { place(resource) }.and_then(|place| {
        *place = object(handle, false)?.resource;
        Ok(())
    }))
}

/// How a texture object reads.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaGetTextureObjectTextureDesc(
    settings: *mut Settings,
    handle: u64,
) -> i32 {
    // SAFETY: caller.
    answer(unsafe { place(settings) }.and_then(|place| {
        *place = self::settings(handle)?;
        Ok(())
    }))
}

/// The settings of a texture object.
pub fn settings(handle: u64) -> Result<Settings> {
    object(handle, true)?.settings.ok_or(Code::INVALID_VALUE)
}

/// What a texture object sees of its resource, if it was made with a view.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaGetTextureObjectResourceViewDesc(view: *mut View, handle: u64) -> i32 {
    // SAFETY: caller.
    answer(unsafe { place(view) }.and_then(|place| {
        *place = object(handle, true)?.view.ok_or(Code::INVALID_VALUE)?;
        Ok(())
    }))
}
