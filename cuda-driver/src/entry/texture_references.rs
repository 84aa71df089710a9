//! Texture and surface references.

use std::ffi::{c_char, c_int, c_void};
use std::sync::LazyLock;

use cudart::error::{Code, Result};
use cudart::handles::Handles;
use parking_lot::Mutex;
use std::sync::Arc;

use crate::contexts;
use crate::entry::copies::cuMemcpyHtoD_v2;
use crate::entry::modules::module;
use crate::entry::textures::{
    cuSurfObjectCreate, cuSurfObjectDestroy, cuTexObjectCreate, cuTexObjectDestroy,
};
use crate::entry::{name, outcome, place};
use crate::status::answer;
use crate::texture::array::Plane;
use crate::texture::reference::Reference;

/// Bytes of a handle.
const HANDLE: u64 = 8;

static REFERENCES: LazyLock<Handles<Arc<Mutex<Reference>>>> = LazyLock::new(Handles::default);

fn reference(handle: *mut c_void) -> Result<Arc<Mutex<Reference>>> {
    contexts::current()?;
    REFERENCES.get(handle as usize).ok_or(Code::INVALID_HANDLE)
}

/// Whether there is such a reference.
pub fn known(handle: *mut c_void) -> Result<()> {
    reference(handle).map(drop)
}

/// Changes a reference, and gives its variable an object that reads so.
fn change(handle: *mut c_void, change: impl FnOnce(&mut Reference) -> Result<()>) -> i32 {
    let change = || {
        let reference = reference(handle)?;
        let mut reference = reference.lock();
        let mut changed = reference.clone();
        change(&mut changed)?;
        renew(&mut changed)?;
        *reference = changed;
        Ok(())
    };
    answer(change())
}

/// Makes the object of a reference anew.
fn renew(reference: &mut Reference) -> Result<()> {
    let (Some(variable), before) = (reference.variable, reference.object) else {
        return Ok(());
    };
    let mut object = 0u64;
    if let Some(resource) = reference.resource() {
        // SAFETY: the resource has the fields of its kind, and the place is valid.
        outcome(unsafe {
            match reference.is_surface {
                true => cuSurfObjectCreate(&mut object, &resource),
                false => {
                    let settings = &reference.settings;
                    cuTexObjectCreate(&mut object, &resource, settings, std::ptr::null())
                }
            }
        })?;
    }
    // SAFETY: the variable has these bytes.
    outcome(unsafe { cuMemcpyHtoD_v2(variable, (&raw const object).cast(), HANDLE as usize) })?;
    reference.object = object;
    match (before, reference.is_surface) {
        (0, _) => Ok(()),
        // SAFETY: the object was made here.
        (before, true) => outcome(unsafe { cuSurfObjectDestroy(before) }),
        // SAFETY: as above.
        (before, false) => outcome(unsafe { cuTexObjectDestroy(before) }),
    }
}

/// Asks a reference.
///
/// # Safety
/// The address is null or valid.
unsafe fn ask<T>(
    handle: *mut c_void,
    answer_at: *mut T,
    ask: impl FnOnce(&Reference) -> Result<T>,
) -> i32 {
    let ask = || {
        let found = ask(&reference(handle)?.lock())?;
        // SAFETY: caller.
        *unsafe { place(answer_at)? } = found;
        Ok(())
    };
    answer(ask())
}

/// # Safety
/// The address is null or valid, and the name is null or a string.
unsafe fn of_module(
    found: *mut *mut c_void,
    handle: *mut c_void,
    text: *const c_char,
    is_surface: bool,
) -> Result<()> {
    // SAFETY: caller.
    let (place, name) = unsafe { (place(found)?, name(text)?) };
    let global = module(handle)?.variable(name)?;
    if global.size != HANDLE {
        return Err(Code::SYMBOL_NOT_FOUND);
    }
    let address = Some(global.address.0);
    let is_it = |known: &Arc<Mutex<Reference>>| known.lock().variable == address;
    let known = REFERENCES.find(is_it);
    let new = || Arc::new(Mutex::new(Reference::new(address, is_surface)));
    *place = known.unwrap_or_else(|| REFERENCES.add(new())) as *mut c_void;
    Ok(())
}

/// A texture reference of a module.
///
/// # Safety
/// The address is null or valid, and the name is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetTexRef(
    found: *mut *mut c_void,
    module: *mut c_void,
    text: *const c_char,
) -> i32 {
    // SAFETY: caller.
    answer(unsafe { of_module(found, module, text, false) })
}

/// A surface reference of a module.
///
/// # Safety
/// The address is null or valid, and the name is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetSurfRef(
    found: *mut *mut c_void,
    module: *mut c_void,
    text: *const c_char,
) -> i32 {
    // SAFETY: caller.
    answer(unsafe { of_module(found, module, text, true) })
}

/// Makes a reference of no module, which keeps what it is told.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefCreate(found: *mut *mut c_void) -> i32 {
    let make = || {
        contexts::current()?;
        let made = Arc::new(Mutex::new(Reference::new(None, false)));
        // SAFETY: caller.
        *unsafe { place(found)? } = REFERENCES.add(made) as *mut c_void;
        Ok(())
    };
    answer(make())
}

/// Destroys such a reference.
#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefDestroy(handle: *mut c_void) -> i32 {
    let removed = contexts::current().map(|_| REFERENCES.remove(handle as usize));
    answer(removed.and_then(|removed| removed.map(drop).ok_or(Code::INVALID_HANDLE)))
}

/// `CU_TRSA_OVERRIDE_FORMAT`: the array's format counts in any case.
const OVERRIDE_FORMAT: u32 = 1;

fn bind(handle: *mut c_void, array: *mut c_void, flags: u32, mipmapped: bool) -> i32 {
    change(handle, |reference| {
        if flags & !OVERRIDE_FORMAT != 0 {
            return Err(Code::INVALID_VALUE);
        }
        reference.bind_array(array, mipmapped);
        Ok(())
    })
}

/// Has a reference read an array.
#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefSetArray(handle: *mut c_void, array: *mut c_void, flags: u32) -> i32 {
    bind(handle, array, flags, false)
}

/// Has a reference read an array of levels.
#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefSetMipmappedArray(
    handle: *mut c_void,
    array: *mut c_void,
    flags: u32,
) -> i32 {
    bind(handle, array, flags, true)
}

/// Has a surface reference access an array.
#[unsafe(no_mangle)]
pub extern "C" fn cuSurfRefSetArray(handle: *mut c_void, array: *mut c_void, flags: u32) -> i32 {
    match flags {
        0 => bind(handle, array, 0, false),
        _ => answer(Err(Code::INVALID_VALUE)),
    }
}

/// Has a reference read a row of memory, from its first byte on.
///
/// # Safety
/// The address for the distance is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetAddress_v2(
    distance: *mut usize,
    handle: *mut c_void,
    address: u64,
    bytes: usize,
) -> i32 {
    // SAFETY: caller.
    if let Some(distance) = unsafe { distance.as_mut() } {
        *distance = 0;
    }
    change(handle, |reference| {
        reference.bind_row(address, bytes);
        Ok(())
    })
}

/// Has a reference read rows of memory.
///
/// # Safety
/// The description is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetAddress2D_v3(
    handle: *mut c_void,
    described: *const Plane,
    address: u64,
    pitch: usize,
) -> i32 {
    // SAFETY: caller.
    let described = unsafe { described.as_ref() };
    change(handle, |reference| {
        let described = described.ok_or(Code::INVALID_VALUE)?;
        reference.set_format(described.format, described.channels);
        reference.bind_rows(address, described.width, described.height, pitch);
        Ok(())
    })
}

/// The texels of memory that a reference reads.
#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefSetFormat(handle: *mut c_void, format: u32, channels: c_int) -> i32 {
    change(handle, |reference| {
        let channels = u32::try_from(channels).map_err(|_| Code::INVALID_VALUE)?;
        reference.set_format(format, channels);
        Ok(())
    })
}

/// What a reference reads outside, along an axis.
#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefSetAddressMode(handle: *mut c_void, axis: c_int, mode: c_int) -> i32 {
    change(handle, |reference| {
        let place = reference.settings.modes.get_mut(axis as usize);
        *place.ok_or(Code::INVALID_VALUE)? = mode;
        Ok(())
    })
}

/// The colour outside.
///
/// # Safety
/// The address is null or has four numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetBorderColor(
    handle: *mut c_void,
    colour: *const [f32; 4],
) -> i32 {
    // SAFETY: caller.
    let colour = unsafe { colour.as_ref() };
    change(handle, |reference| {
        reference.settings.border = *colour.ok_or(Code::INVALID_VALUE)?;
        Ok(())
    })
}

/// The least and the greatest level that a reference reads.
#[unsafe(no_mangle)]
pub extern "C" fn cuTexRefSetMipmapLevelClamp(
    handle: *mut c_void,
    least: f32,
    greatest: f32,
) -> i32 {
    change(handle, |reference| {
        (reference.settings.least, reference.settings.greatest) = (least, greatest);
        Ok(())
    })
}

/// Functions that set a part of the settings, and those that ask for it.
macro_rules! settings {
    ($($(#[$doc:meta])* $set:ident, $get:ident: $field:ident, $given:ty, $asked:ty;)*) => { $(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $set(handle: *mut c_void, value: $given) -> i32 {
            change(handle, |reference| {
                reference.settings.$field = value;
                Ok(())
            })
        }

        /// Asks for it.
        ///
        /// # Safety
        /// The address is null or valid.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $get(value: *mut $asked, handle: *mut c_void) -> i32 {
            // SAFETY: caller.
            unsafe { ask(handle, value, |reference| Ok(reference.settings.$field as $asked)) }
        }
    )* };
}

settings! {
    /// Whether texels are interpolated.
    cuTexRefSetFilterMode, cuTexRefGetFilterMode: filter, c_int, c_int;
    /// Whether coordinates run from 0 to 1, and whether integers stay integers.
    cuTexRefSetFlags, cuTexRefGetFlags: flags, u32, u32;
    /// Whether levels are interpolated.
    cuTexRefSetMipmapFilterMode, cuTexRefGetMipmapFilterMode: level_filter, c_int, c_int;
    /// What is added to a level.
    cuTexRefSetMipmapLevelBias, cuTexRefGetMipmapLevelBias: bias, f32, f32;
    /// Samples along a line.
    cuTexRefSetMaxAnisotropy, cuTexRefGetMaxAnisotropy: anisotropy, u32, c_int;
}

/// Functions that ask for a part of a reference.
macro_rules! questions {
    ($($(#[$doc:meta])* $name:ident: $type:ty, $part:expr;)*) => { $(
        $(#[$doc])*
        ///
        /// # Safety
        /// The address is null or valid.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(value: *mut $type, handle: *mut c_void) -> i32 {
            // SAFETY: caller.
            unsafe { ask(handle, value, $part) }
        }
    )* };
}

questions! {
    /// The array that a reference reads.
    cuTexRefGetArray: *mut c_void, |reference| reference.array(false);
    /// The array of levels that a reference reads.
    cuTexRefGetMipmappedArray: *mut c_void, |reference| reference.array(true);
    /// The array that a surface reference accesses.
    cuSurfRefGetArray: *mut c_void, |reference| reference.array(false);
    /// The address of the memory that a reference reads.
    cuTexRefGetAddress_v2: u64, |reference| reference.address();
    /// The colour outside.
    cuTexRefGetBorderColor: [f32; 4], |reference| Ok(reference.settings.border);
}

/// The texels of memory.
///
/// # Safety
/// The addresses are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefGetFormat(
    format: *mut u32,
    channels: *mut c_int,
    handle: *mut c_void,
) -> i32 {
    // SAFETY: caller.
    unsafe {
        match ask(handle, format, |reference| Ok(reference.format().0)) {
            0 => ask(handle, channels, |reference| {
                Ok(reference.format().1 as c_int)
            }),
            code => code,
        }
    }
}

/// What is read outside, along an axis.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefGetAddressMode(
    mode: *mut c_int,
    handle: *mut c_void,
    axis: c_int,
) -> i32 {
    let part = |reference: &Reference| {
        let modes = reference.settings.modes;
        modes.get(axis as usize).copied().ok_or(Code::INVALID_VALUE)
    };
    // SAFETY: caller.
    unsafe { ask(handle, mode, part) }
}

/// The least and the greatest level.
///
/// # Safety
/// The addresses are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefGetMipmapLevelClamp(
    least: *mut f32,
    greatest: *mut f32,
    handle: *mut c_void,
) -> i32 {
    // SAFETY: caller.
    unsafe {
        match ask(handle, least, |reference| Ok(reference.settings.least)) {
            0 => ask(handle, greatest, |reference| {
                Ok(reference.settings.greatest)
            }),
            code => code,
        }
    }
}
