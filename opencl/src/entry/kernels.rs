//! Kernels and their arguments.

use std::ffi::{c_char, c_void};

use codegen::opencl::ArgumentKind;

use crate::codes::{Code, Result};
use crate::device::Device;
use crate::entry::programs::kernel_names;
use crate::entry::{answer, created, text};
use crate::handle::{Raw, Ref, create, get, release, retain};
use crate::kernel::{Kernel, Value, address_qualifier};
use crate::program::Program;
use crate::query::Answer;

/// A kernel of a program.
///
/// # Safety
/// `name` is a C string or null, `code` is writable or null.
pub unsafe extern "C" fn clCreateKernel(program: Raw, name: *const c_char, code: *mut i32) -> Raw {
    let made = || {
        let program = get::<Program>(program)?;
        kernel_names(&program)?;
        if name.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: caller.
        Ok(create(Kernel::new(&program, &unsafe { text(name) })?))
    };
    // SAFETY: caller.
    unsafe { created(made(), code) }
}

/// All kernels of a program.
///
/// # Safety
/// `kernels` has room for `count` handles or is null, `found` is writable or null.
pub unsafe extern "C" fn clCreateKernelsInProgram(
    program: Raw,
    count: u32,
    kernels: *mut Raw,
    found: *mut u32,
) -> i32 {
    let make = || {
        let program = get::<Program>(program)?;
        let names = kernel_names(&program)?;
        if !kernels.is_null() {
            if (count as usize) < names.len() {
                return Err(Code::INVALID_VALUE);
            }
            let made: Result<Vec<_>> = names
                .iter()
                .map(|name| Kernel::new(&program, name))
                .collect();
            for (index, kernel) in made?.into_iter().enumerate() {
                // SAFETY: caller.
                unsafe { *kernels.add(index) = create(kernel).raw() };
            }
        }
        if !found.is_null() {
            // SAFETY: caller.
            unsafe { *found = names.len() as u32 };
        }
        Ok(())
    };
    answer(make())
}

/// The same kernel once more, with the arguments that it has.
///
/// # Safety
/// `code` is writable or null.
pub unsafe extern "C" fn clCloneKernel(raw: Raw, code: *mut i32) -> Raw {
    let made = get::<Kernel>(raw).map(|kernel| create(kernel.copy()));
    // SAFETY: caller.
    unsafe { created(made, code) }
}

/// One reference more.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn clRetainKernel(raw: Raw) -> i32 {
    answer(retain::<Kernel>(raw))
}

/// One reference less.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn clReleaseKernel(raw: Raw) -> i32 {
    answer(release::<Kernel>(raw))
}

/// Sets an argument.
///
/// # Safety
/// `value` is readable for `size` bytes or null.
pub unsafe extern "C" fn clSetKernelArg(
    raw: Raw,
    index: u32,
    size: usize,
    value: *const c_void,
) -> i32 {
    let set = || {
        let kernel = get::<Kernel>(raw)?;
        let argument = kernel.argument(index)?;
        // SAFETY: caller.
        let value = unsafe { Kernel::value(argument, size, value.cast()) }?;
        kernel.set(index, value);
        Ok(())
    };
    answer(set())
}

/// Sets an argument to shared virtual memory.
///
/// # Safety
/// None is needed: the address is the kernel's business.
pub unsafe extern "C" fn clSetKernelArgSVMPointer(
    raw: Raw,
    index: u32,
    value: *const c_void,
) -> i32 {
    let set = || {
        let kernel = get::<Kernel>(raw)?;
        let argument = kernel.argument(index)?;
        if argument.kind != ArgumentKind::Memory {
            return Err(Code::INVALID_ARG_VALUE);
        }
        kernel.set(index, Value::Shared(value as usize));
        Ok(())
    };
    answer(set())
}

/// What kernels use besides their arguments. They reach all shared memory of the context.
///
/// # Safety
/// `value` is readable for `size` bytes or null.
pub unsafe extern "C" fn clSetKernelExecInfo(
    raw: Raw,
    name: u32,
    size: usize,
    value: *const c_void,
) -> i32 {
    let set = || {
        get::<Kernel>(raw)?;
        // CL_KERNEL_EXEC_INFO_SVM_PTRS; no pointers take back those that were given.
        let pointers = 0x11b6;
        if value.is_null() != (size == 0) || (size == 0 && name != pointers) {
            return Err(Code::INVALID_VALUE);
        }
        match name {
            name if name == pointers && size.is_multiple_of(8) => Ok(()),
            // CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM: not supported.
            0x11b7 if size == 4 => {
                // SAFETY: caller.
                match unsafe { value.cast::<u32>().read_unaligned() } {
                    0 => Ok(()),
                    _ => Err(Code::INVALID_OPERATION),
                }
            }
            _ => Err(Code::INVALID_VALUE),
        }
    };
    answer(set())
}

/// Says what a kernel is.
///
/// # Safety
/// `value` is writable for `size` bytes or null, `needed` is writable or null.
pub unsafe extern "C" fn clGetKernelInfo(
    raw: Raw,
    name: u32,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> i32 {
    let asked = || {
        let kernel = get::<Kernel>(raw)?;
        let manifest = &kernel.manifest;
        Ok(match name {
            0x1190 => Answer::text(&manifest.name),
            0x1191 => Answer::of(manifest.arguments.len() as u32),
            0x1192 => Answer::of(kernel.references()),
            0x1193 => Answer::raw(kernel.program.context.raw()),
            0x1194 => Answer::raw(kernel.program.raw()),
            0x1195 => Answer::text(&manifest.attributes),
            _ => return Err(Code::INVALID_VALUE),
        })
    };
    // SAFETY: caller.
    answer(asked().and_then(|answer: Answer| unsafe { answer.give(size, value, needed) }))
}

/// Says what an argument is.
///
/// # Safety
/// `value` is writable for `size` bytes or null, `needed` is writable or null.
pub unsafe extern "C" fn clGetKernelArgInfo(
    raw: Raw,
    index: u32,
    name: u32,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> i32 {
    let asked = || {
        let kernel = get::<Kernel>(raw)?;
        let argument = kernel.argument(index)?;
        Ok(match name {
            0x1196 => Answer::of(address_qualifier(argument.space)),
            0x1197 => Answer::of(match argument.access.as_str() {
                "read_only" => 0x11a0u32,
                "write_only" => 0x11a1,
                "read_write" => 0x11a2,
                _ => 0x11a3,
            }),
            0x1198 => Answer::text(&argument.type_name),
            0x1199 => {
                let words: Vec<&str> = argument.qualifiers.split(' ').collect();
                let bits = [
                    ("const", 1u64),
                    ("restrict", 2),
                    ("volatile", 4),
                    ("pipe", 8),
                ];
                let has = |(word, bit): (&str, u64)| if words.contains(&word) { bit } else { 0 };
                Answer::of(bits.map(has).iter().sum::<u64>())
            }
            0x119a => Answer::text(&argument.name),
            _ => return Err(Code::INVALID_VALUE),
        })
    };
    // SAFETY: caller.
    answer(asked().and_then(|answer: Answer| unsafe { answer.give(size, value, needed) }))
}

/// The device of a query about a kernel: the program's only one if none is named.
fn device_of(kernel: &Ref<Kernel>, raw: Raw) -> Result<Ref<Device>> {
    let devices = &kernel.program.devices;
    match raw.is_null() {
        true if devices.len() == 1 => Ok(devices[0].clone()),
        true => Err(Code::INVALID_DEVICE),
        false => get(raw),
    }
}

/// Says how a kernel suits a device.
///
/// # Safety
/// `value` is writable for `size` bytes or null, `needed` is writable or null.
pub unsafe extern "C" fn clGetKernelWorkGroupInfo(
    raw: Raw,
    device: Raw,
    name: u32,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> i32 {
    let asked = || {
        let kernel = get::<Kernel>(raw)?;
        let device = device_of(&kernel, device)?;
        let loaded = kernel.on(&device).map_err(|_| Code::INVALID_DEVICE)?;
        let info = loaded.info();
        Ok(match name {
            0x11b0 => Answer::of(device.max_group().min(info.max_threads as usize)),
            0x11b1 => {
                let required = kernel.manifest.required_size.unwrap_or_default();
                Answer::list(&required.map(|size| size as usize))
            }
            0x11b2 => Answer::of(u64::from(info.static_shared) + kernel.local_of_arguments()),
            0x11b3 => Answer::of(info.warp_size as usize),
            // Private memory is on the work-item's stack; the compiler keeps no account of it.
            0x11b4 => Answer::of(0u64),
            // CL_KERNEL_GLOBAL_WORK_SIZE is of built-in kernels and custom devices.
            _ => return Err(Code::INVALID_VALUE),
        })
    };
    // SAFETY: caller.
    answer(asked().and_then(|answer: Answer| unsafe { answer.give(size, value, needed) }))
}

/// Says how a kernel is cut into sub-groups.
///
/// # Safety
/// `input` is readable for `input_size` bytes or null, `value` is writable for `size` bytes or null, `needed` is
/// writable or null.
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clGetKernelSubGroupInfo(
    raw: Raw,
    device: Raw,
    name: u32,
    input_size: usize,
    input: *const c_void,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> i32 {
    let asked = || {
        let kernel = get::<Kernel>(raw)?;
        let device = device_of(&kernel, device)?;
        let loaded = kernel.on(&device).map_err(|_| Code::INVALID_DEVICE)?;
        let warp = loaded.info().warp_size as usize;
        let most = device.max_group().min(loaded.info().max_threads as usize);
        let numbers = || {
            if input.is_null()
                || input_size == 0
                || !input_size.is_multiple_of(8)
                || input_size > 24
            {
                return Err(Code::INVALID_VALUE);
            }
            // SAFETY: caller.
            let numbers =
                unsafe { std::slice::from_raw_parts(input.cast::<usize>(), input_size / 8) };
            Ok(numbers.to_vec())
        };
        Ok(match name {
            0x2033 => numbers().map(|_| Answer::of(warp))?,
            0x2034 => Answer::of(numbers()?.iter().product::<usize>().div_ceil(warp)),
            0x11b8 => {
                let groups = *numbers()?.first().ok_or(Code::INVALID_VALUE)?;
                let items = groups.checked_mul(warp).filter(|items| *items <= most);
                let sizes =
                    [items.unwrap_or(0), 1, 1].map(|size| if items.is_some() { size } else { 0 });
                let count = size / 8;
                if !value.is_null() && !(1..=3).contains(&count) {
                    return Err(Code::INVALID_VALUE);
                }
                Answer::list(&sizes[..count.clamp(1, 3)])
            }
            0x11b9 => Answer::of(most / warp),
            // CL_KERNEL_COMPILE_NUM_SUB_GROUPS: not stated.
            0x11ba => Answer::of(0usize),
            _ => return Err(Code::INVALID_VALUE),
        })
    };
    // SAFETY: caller.
    answer(asked().and_then(|answer: Answer| unsafe { answer.give(size, value, needed) }))
}
