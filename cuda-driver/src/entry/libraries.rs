//! Libraries: images that are of no context. Their kernels are loaded in the context that first uses them.

use std::ffi::{c_char, c_int, c_void};
use std::sync::Arc;

use cudart::error::{Code, Result};

use crate::entry::modules::{file, give, loaded};
use crate::entry::{name, place};
use crate::jit::Options;
use crate::modules::{self, Loaded};
use crate::status::answer;
use crate::{contexts, image};

/// # Safety
/// The address is null or valid, and what the options were promised holds.
unsafe fn load(library: *mut *mut c_void, bytes: Result<Vec<u8>>, options: &Options) -> Result<()> {
    contexts::started()?;
    // SAFETY: caller.
    let place = unsafe { place(library)? };
    let load = || modules::load(bytes?, None);
    // SAFETY: caller.
    let loaded = unsafe { loaded(load(), options)? };
    *place = modules::libraries().add(loaded) as *mut c_void;
    Ok(())
}

/// Loads an image. When the library keeps it, and how it is shared, are advice.
///
/// # Safety
/// As for [`Options::read`]. The address for the result is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLibraryLoadData(
    library: *mut *mut c_void,
    data: *const c_void,
    options: *const c_int,
    values: *mut *mut c_void,
    count: u32,
    _library_options: *const c_int,
    _library_values: *mut *mut c_void,
    _library_count: u32,
) -> i32 {
    // SAFETY: caller.
    let options = unsafe { Options::read(count, options, values) };
    // SAFETY: caller.
    let load = |options: Options| unsafe { load(library, image::at(data as u64), &options) };
    answer(options.and_then(load))
}

/// The same from a file.
///
/// # Safety
/// As for [`cuLibraryLoadData`]. The name is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLibraryLoadFromFile(
    library: *mut *mut c_void,
    path: *const c_char,
    options: *const c_int,
    values: *mut *mut c_void,
    count: u32,
    _library_options: *const c_int,
    _library_values: *mut *mut c_void,
    _library_count: u32,
) -> i32 {
    let load = || {
        // SAFETY: caller.
        let options = unsafe { Options::read(count, options, values)? };
        // SAFETY: caller.
        unsafe { load(library, Ok(file(path)?), &options) }
    };
    answer(load())
}

/// Unloads a library.
#[unsafe(no_mangle)]
pub extern "C" fn cuLibraryUnload(library: *mut c_void) -> i32 {
    let unload = || {
        contexts::started()?;
        let removed = modules::libraries().remove(library as usize);
        let removed = removed.ok_or(Code::INVALID_HANDLE)?;
        modules::modules().remove_all(|module| module.binary == removed.binary);
        removed.unload();
        Ok(())
    };
    answer(unload())
}

fn library(handle: *mut c_void) -> Result<Arc<Loaded>> {
    contexts::started()?;
    let found = modules::libraries().get(handle as usize);
    found.ok_or(Code::INVALID_HANDLE)
}

/// A kernel of a library.
///
/// # Safety
/// The address is null or valid, and the name is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLibraryGetKernel(
    kernel: *mut *mut c_void,
    handle: *mut c_void,
    text: *const c_char,
) -> i32 {
    let find = || {
        // SAFETY: caller.
        let (place, name) = unsafe { (place(kernel)?, name(text)?) };
        *place = library(handle)?.kernel(name)? as *mut c_void;
        Ok(())
    };
    answer(find())
}

/// A library as a module of the current context.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLibraryGetModule(module: *mut *mut c_void, handle: *mut c_void) -> i32 {
    let find = || {
        // SAFETY: caller.
        let place = unsafe { place(module)? };
        let module = library(handle)?.module_of(contexts::current()?);
        *place = modules::modules().add(module) as *mut c_void;
        Ok(())
    };
    answer(find())
}

/// A variable of a library in the current context.
///
/// # Safety
/// The addresses are null or valid, and the name is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLibraryGetGlobal(
    address: *mut u64,
    bytes: *mut usize,
    handle: *mut c_void,
    text: *const c_char,
) -> i32 {
    let find = || {
        // SAFETY: caller.
        let global = library(handle)?.variable(unsafe { name(text)? })?;
        // SAFETY: caller.
        unsafe { give(global, address, bytes) };
        Ok(())
    };
    answer(find())
}

/// A managed variable: PTX has none on these devices.
///
/// # Safety
/// The name is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLibraryGetManaged(
    _address: *mut u64,
    _bytes: *mut usize,
    handle: *mut c_void,
    text: *const c_char,
) -> i32 {
    let find = || {
        library(handle)?;
        // SAFETY: caller.
        unsafe { name(text)? };
        Err(Code::SYMBOL_NOT_FOUND)
    };
    answer(find())
}

/// The kernel as a function of the current context: its handle serves in every one.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuKernelGetFunction(
    function: *mut *mut c_void,
    kernel: *mut c_void,
) -> i32 {
    let find = || {
        contexts::current()?;
        modules::kernel(kernel as usize)?;
        // SAFETY: caller.
        *unsafe { place(function)? } = kernel;
        Ok(())
    };
    answer(find())
}

/// The library of a kernel.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuKernelGetLibrary(library: *mut *mut c_void, kernel: *mut c_void) -> i32 {
    let find = || {
        contexts::started()?;
        let binary = modules::kernel(kernel as usize)?.binary;
        let found = modules::libraries().find(|library| library.binary == binary);
        // SAFETY: caller.
        *unsafe { place(library)? } = found.ok_or(Code::INVALID_HANDLE)? as *mut c_void;
        Ok(())
    };
    answer(find())
}
