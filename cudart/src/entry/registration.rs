//! What constructors of a program call before `main`: they register its fat binaries, kernels and variables.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};

use plugin_api::MemoryKind;

use crate::abi::FatBinaryWrapper;
use crate::allocations::Allocation;
use crate::entry::memory::allocate;
use crate::error::{Code, Result, description, report};
use crate::front::front;
use crate::registry::{BinaryId, FatBinary, Symbol};
use crate::runtime::runtime;

/// A program has no other use for the handle than to give it back: it is the fat binary's number.
type Handle = *mut *mut c_void;

fn id(handle: Handle) -> BinaryId {
    handle as usize
}

/// Registers a fat binary.
///
/// # Safety
/// The argument is what clang passes, and stays valid until the fat binary is withdrawn.
pub unsafe extern "C" fn __cudaRegisterFatBinary(wrapper: *const FatBinaryWrapper) -> Handle {
    // SAFETY: caller.
    let binary = match unsafe { wrapper.as_ref() } {
        // SAFETY: caller.
        Some(wrapper) if wrapper.magic == front().magic => unsafe { FatBinary::at(wrapper.data) },
        _ => Err(Code::INVALID_IMAGE),
    };
    runtime().registry.add(binary) as Handle
}

/// The program has registered everything of this fat binary.
pub extern "C" fn __cudaRegisterFatBinaryEnd(_handle: Handle) {}

/// Withdraws a fat binary.
pub extern "C" fn __cudaUnregisterFatBinary(handle: Handle) {
    let runtime = runtime();
    runtime.registry.remove(id(handle));
    for device in runtime.devices_found() {
        device.unload(id(handle));
        // Those of other fat binaries come back when they are asked for.
        runtime.variables.take_of(device.id);
    }
}

/// The symbol of a name in a fat binary.
///
/// # Safety
/// The name is a string of the program's data, which stays.
unsafe fn symbol(handle: Handle, name: *const c_char) -> Symbol {
    // SAFETY: caller.
    let name = unsafe { CStr::from_ptr(name) };
    Symbol {
        binary: id(handle),
        name: name.to_string_lossy().into(),
        c_name: name.into(),
    }
}

/// Registers a kernel.
///
/// # Safety
/// The names are strings.
pub unsafe extern "C" fn __cudaRegisterFunction(
    handle: Handle,
    stub: *const c_void,
    _name: *mut c_char,
    device_name: *const c_char,
    _thread_limit: c_int,
    _thread: *mut c_void,
    _block: *mut c_void,
    _block_size: *mut c_void,
    _grid_size: *mut c_void,
    _warp_size: *mut c_int,
) {
    // SAFETY: caller.
    let symbol = unsafe { symbol(handle, device_name) };
    runtime().registry.add_kernel(stub as usize, symbol);
}

/// Registers a variable.
///
/// # Safety
/// The names are strings.
pub unsafe extern "C" fn __cudaRegisterVar(
    handle: Handle,
    shadow: *mut c_char,
    _address: *mut c_char,
    device_name: *const c_char,
    _is_external: c_int,
    _size: usize,
    _is_constant: c_int,
    _is_global: c_int,
) {
    // SAFETY: caller.
    let symbol = unsafe { symbol(handle, device_name) };
    runtime().registry.add_variable(shadow as usize, symbol);
}

/// Registers a texture or surface reference. The device has a variable with the object that it is bound to. Without a
/// handle it is one of the fat binary that was registered last.
///
/// # Safety
/// The names are strings.
pub unsafe extern "C" fn __cudaRegisterTexture(
    handle: Handle,
    shadow: *const c_void,
    _address: *const *const c_void,
    device_name: *const c_char,
    _dimensions: c_int,
    _normalized: c_int,
    _is_external: c_int,
) {
    let handle = match handle.is_null() {
        true => runtime().registry.last() as Handle,
        false => handle,
    };
    // SAFETY: caller.
    let symbol = unsafe { symbol(handle, device_name) };
    runtime().registry.add_variable(shadow as usize, symbol);
}

/// Registers a managed variable of a program that `nvcc` compiled: the host reaches the device's own variable, through
/// `pointer`, which is set when the program calls [`__cudaInitModule`].
///
/// # Safety
/// The name is a string that stays, and the pointer may be written to as long as the program is there.
pub unsafe extern "C" fn __cudaRegisterManagedVar(
    handle: Handle,
    pointer: *mut *mut c_void,
    _address: *mut c_char,
    name: *const c_char,
    _is_external: c_int,
    _size: usize,
    _is_constant: c_int,
    _is_global: c_int,
) {
    // SAFETY: caller.
    let symbol = unsafe { symbol(handle, name) };
    let registry = &runtime().registry;
    registry.add_pointed(pointer as usize, symbol.clone());
    registry.add_variable(pointer as usize, symbol);
}

/// Sets the pointers to the managed variables of a fat binary: to those of the first device, which it is loaded on.
/// Programs call this before they use one. Whether it went well.
pub extern "C" fn __cudaInitModule(handle: Handle) -> c_char {
    let runtime = runtime();
    let set = || -> Result<()> {
        for (pointer, symbol) in runtime.registry.pointed(id(handle)) {
            let address = on_first_device(&symbol)?;
            // SAFETY: the program promised that it may be written to when it registered it.
            unsafe { (pointer as *mut u64).write(address) };
        }
        Ok(())
    };
    match set() {
        Ok(()) => 1,
        Err(code) => {
            report_unusable(code);
            0
        }
    }
}

fn report_unusable(code: Code) {
    report(
        "managed variables cannot be used",
        &description(code.0).to_string_lossy(),
    );
}

/// Where a managed variable is that is the device's own: on the first device, which loads the fat binary for it.
fn on_first_device(symbol: &Symbol) -> Result<u64> {
    let runtime = runtime();
    let device = runtime.device_numbered(0)?;
    let variable = device.variable(&runtime.registry, symbol)?;
    runtime.variables.add(Allocation {
        begin: variable.address.0,
        size: variable.size,
        kind: MemoryKind::Shared,
        device: device.number,
        context: device.id,
    });
    Ok(variable.address.0)
}

/// Where a managed variable is of a program that clang compiled with our pass
/// (`codegen-llvm/src/managed_variables.rs`), by its shadow. The program keeps the address in `known`. It cannot go on
/// without one.
///
/// # Safety
/// `known` is a pointer that only this function uses.
pub unsafe extern "C" fn __omptargetManagedVariable(
    shadow: *const c_void,
    known: *const AtomicU64,
) -> *mut c_void {
    // SAFETY: caller.
    let known = unsafe { &*known };
    let address = match known.load(Ordering::Acquire) {
        0 => {
            let symbol = runtime().registry.variable(shadow as usize);
            let found = symbol.ok_or(Code::INVALID_SYMBOL).and_then(|symbol| {
                let address = on_first_device(&symbol)?;
                // Functions that take a symbol get the variable's address.
                runtime().registry.add_variable(address as usize, symbol);
                Ok(address)
            });
            let address = found.unwrap_or_else(|code| {
                report_unusable(code);
                std::process::abort()
            });
            known.store(address, Ordering::Release);
            address
        }
        address => address,
    };
    address as *mut c_void
}

/// Registers a managed variable of HIP: memory that the host reaches through `pointer`, and kernels through the
/// variable of this name, which is a pointer, too.
///
/// # Safety
/// The name is a string that stays, the initial value has the size, and the pointer may be written to.
pub unsafe extern "C" fn __hipRegisterManagedVar(
    handle: Handle,
    pointer: *mut *mut c_void,
    initial: *const c_void,
    name: *const c_char,
    size: usize,
    _alignment: u32,
) {
    // SAFETY: caller.
    let symbol = unsafe { symbol(handle, name) };
    let memory = match allocate(size, MemoryKind::Shared) {
        Ok(memory) => memory,
        Err(code) => {
            let why = description(code.0).to_string_lossy();
            return report(
                "a managed variable has no memory",
                &format!("{}: {why}", symbol.name),
            );
        }
    };
    // SAFETY: both have the size, and the pointer is the program's (caller).
    unsafe {
        std::ptr::copy_nonoverlapping(initial.cast::<u8>(), memory.cast(), size);
        *pointer = memory;
    }
    let registry = &runtime().registry;
    registry.add_managed(memory as u64, symbol.clone());
    registry.add_variable(pointer as usize, symbol);
}
