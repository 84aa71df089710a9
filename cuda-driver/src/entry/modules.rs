//! Modules.

use std::ffi::{c_char, c_int, c_void};
use std::path::Path;

use cudart::cuda_device::LoadFailure;
use cudart::error::{Code, Result, report};

use crate::entry::{name, place};
use crate::jit::Options;
use crate::modules::{self, Loaded};
use crate::status::answer;
use crate::{contexts, image};

/// Bytes of a file that a program names.
///
/// # Safety
/// The name is null or a string.
pub unsafe fn file(path: *const c_char) -> Result<Vec<u8>> {
    // SAFETY: caller.
    let path = unsafe { name(path)? }
        .to_str()
        .map_err(|_| Code::FILE_NOT_FOUND)?;
    let bytes = std::fs::read(Path::new(path)).map_err(|_| Code::FILE_NOT_FOUND)?;
    Ok(bytes)
}

/// The outcome of loading an image. The reason of a failure goes to the program's log, or to standard error.
///
/// # Safety
/// As for [`Options::finish`].
pub unsafe fn loaded<T>(
    result: std::result::Result<T, LoadFailure>,
    options: &Options,
) -> Result<T> {
    let why = result.as_ref().err().map_or("", |failure| &failure.why);
    // SAFETY: caller.
    let logged = unsafe { options.finish(why) };
    result.map_err(|failure| {
        if !logged && !failure.why.is_empty() {
            report("an image cannot be loaded", &failure.why);
        }
        failure.code
    })
}

/// # Safety
/// The address is null or valid, and what the options were promised holds.
unsafe fn load(module: *mut *mut c_void, bytes: Result<Vec<u8>>, options: &Options) -> Result<()> {
    // SAFETY: caller.
    let place = unsafe { place(module)? };
    let context = contexts::current()?;
    context.check()?;
    let load = || modules::load(bytes?, Some(context));
    // SAFETY: caller.
    let loaded = unsafe { loaded(load(), options)? };
    *place = modules::modules().add(loaded) as *mut c_void;
    Ok(())
}

/// Loads an image.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoadData(module: *mut *mut c_void, data: *const c_void) -> i32 {
    // SAFETY: caller.
    answer(unsafe { load(module, image::at(data as u64), &Options::none()) })
}

/// The same with options.
///
/// # Safety
/// As for [`Options::read`]. The address for the result is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoadDataEx(
    module: *mut *mut c_void,
    data: *const c_void,
    count: u32,
    options: *const c_int,
    values: *mut *mut c_void,
) -> i32 {
    // SAFETY: caller.
    let options = unsafe { Options::read(count, options, values) };
    // SAFETY: caller.
    let load = |options: Options| unsafe { load(module, image::at(data as u64), &options) };
    answer(options.and_then(load))
}

/// Loads a fat binary.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoadFatBinary(
    module: *mut *mut c_void,
    data: *const c_void,
) -> i32 {
    // SAFETY: caller.
    unsafe { cuModuleLoadData(module, data) }
}

/// Loads a file.
///
/// # Safety
/// The address is null or valid, and the name is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoad(module: *mut *mut c_void, path: *const c_char) -> i32 {
    // SAFETY: caller.
    answer(unsafe { file(path).and_then(|bytes| load(module, Ok(bytes), &Options::none())) })
}

/// Unloads a module.
#[unsafe(no_mangle)]
pub extern "C" fn cuModuleUnload(module: *mut c_void) -> i32 {
    let unload = || {
        contexts::current()?;
        let removed = modules::modules().remove(module as usize);
        removed.ok_or(Code::INVALID_HANDLE)?.unload();
        Ok(())
    };
    answer(unload())
}

/// When modules are loaded: at once.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetLoadingMode(mode: *mut c_int) -> i32 {
    /// `CU_MODULE_EAGER_LOADING`.
    const EAGER: c_int = 1;
    // SAFETY: caller.
    answer(unsafe { place(mode) }.map(|place| *place = EAGER))
}

/// The module of a handle.
pub fn module(handle: *mut c_void) -> Result<std::sync::Arc<Loaded>> {
    contexts::current()?;
    let found = modules::modules().get(handle as usize);
    found.ok_or(Code::INVALID_HANDLE)
}

/// A kernel of a module.
///
/// # Safety
/// The address is null or valid, and the name is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetFunction(
    function: *mut *mut c_void,
    handle: *mut c_void,
    text: *const c_char,
) -> i32 {
    let find = || {
        // SAFETY: caller.
        let (place, name) = unsafe { (place(function)?, name(text)?) };
        *place = module(handle)?.kernel(name)? as *mut c_void;
        Ok(())
    };
    answer(find())
}

/// A variable of a module. A program may ask for one of address and size.
///
/// # Safety
/// The addresses are null or valid, and the name is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetGlobal_v2(
    address: *mut u64,
    bytes: *mut usize,
    handle: *mut c_void,
    text: *const c_char,
) -> i32 {
    let find = || {
        // SAFETY: caller.
        let global = module(handle)?.variable(unsafe { name(text)? })?;
        // SAFETY: caller.
        unsafe { give(global, address, bytes) };
        Ok(())
    };
    answer(find())
}

/// Gives a variable's address and size.
///
/// # Safety
/// The addresses are null or valid.
pub unsafe fn give(global: plugin_api::Global, address: *mut u64, bytes: *mut usize) {
    // SAFETY: caller.
    if let Some(address) = unsafe { address.as_mut() } {
        *address = global.address.0;
    }
    // SAFETY: caller.
    if let Some(bytes) = unsafe { bytes.as_mut() } {
        *bytes = global.size as usize;
    }
}
