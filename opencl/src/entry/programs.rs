//! Programs.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use crate::codes::{Code, Result};
use crate::compile::binary;
use crate::context::Context;
use crate::device::Device;
use crate::entry::{answer, created, text};
use crate::handle::{Raw, Ref, create, get, get_all, release, retain};
use crate::program::{BUILD_NONE, BUILD_SUCCESS, Program};
use crate::query::Answer;

/// `pfn_notify` of builds.
type Notify = unsafe extern "C" fn(Raw, *mut c_void);

/// Texts with their lengths; a length of 0 is one that ends with a NUL.
///
/// # Safety
/// `texts` has `count` texts, `lengths` as many lengths or is null.
unsafe fn joined(count: u32, texts: *const *const c_char, lengths: *const usize) -> Result<String> {
    let mut all = Vec::new();
    for index in 0..count as usize {
        // SAFETY: caller.
        let (start, length) = unsafe {
            let length = match lengths.is_null() {
                true => 0,
                false => *lengths.add(index),
            };
            (*texts.add(index), length)
        };
        if start.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: caller.
        all.extend_from_slice(unsafe {
            match length {
                0 => std::ffi::CStr::from_ptr(start).to_bytes(),
                length => std::slice::from_raw_parts(start.cast(), length),
            }
        });
    }
    Ok(String::from_utf8_lossy(&all).into_owned())
}

/// A program of source.
///
/// # Safety
/// `texts` has `count` texts, `lengths` as many lengths or is null, `code` is writable or null.
pub unsafe extern "C" fn clCreateProgramWithSource(
    context: Raw,
    count: u32,
    texts: *const *const c_char,
    lengths: *const usize,
    code: *mut i32,
) -> Raw {
    let made = || {
        let context = get::<Context>(context)?;
        if count == 0 || texts.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: caller.
        let mut source = unsafe { joined(count, texts, lengths) }?;
        if source.is_empty() {
            // An empty text is a source, too.
            source.push('\n');
        }
        let devices = context.devices.clone();
        Ok(create(Program::new(context, devices, source, None)))
    };
    // SAFETY: caller.
    unsafe { created(made(), code) }
}

/// A program of binaries.
///
/// # Safety
/// The lists have `count` entries, `states` as many or is null, `code` is writable or null.
pub unsafe extern "C" fn clCreateProgramWithBinary(
    context: Raw,
    count: u32,
    devices: *const Raw,
    lengths: *const usize,
    binaries: *const *const u8,
    states: *mut i32,
    code: *mut i32,
) -> Raw {
    let made = || {
        let context = get::<Context>(context)?;
        if count == 0 || devices.is_null() || lengths.is_null() || binaries.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: caller.
        let devices = unsafe { get_all::<Device>(count, devices) }?;
        let mut decoded = None;
        let mut result = Ok(());
        for (index, device) in devices.iter().enumerate() {
            context.device(device)?;
            // SAFETY: caller.
            let (bytes, length) = unsafe { (*binaries.add(index), *lengths.add(index)) };
            let state = match bytes.is_null() || length == 0 {
                true => Err(Code::INVALID_VALUE),
                false => {
                    // SAFETY: caller.
                    let bytes = unsafe { std::slice::from_raw_parts(bytes, length) };
                    binary::Code::decode(bytes).ok_or(Code::INVALID_BINARY)
                }
            };
            if !states.is_null() {
                let state = state.as_ref().map(|_| ()).map_err(|code| *code);
                // SAFETY: caller.
                unsafe { *states.add(index) = answer(state) };
            }
            match state {
                Ok(code) => decoded = Some(code),
                Err(code) => result = result.and(Err(code)),
            }
        }
        result?;
        Ok(create(Program::new(
            context,
            devices,
            String::new(),
            decoded,
        )))
    };
    // SAFETY: caller.
    unsafe { created(made(), code) }
}

/// One reference more.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn clRetainProgram(raw: Raw) -> i32 {
    answer(retain::<Program>(raw))
}

/// One reference less.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn clReleaseProgram(raw: Raw) -> i32 {
    answer(release::<Program>(raw))
}

/// What builds have in common: the program, its devices, and the function that hears of the end.
///
/// # Safety
/// `devices` has `count` handles or is null.
unsafe fn build_of(
    raw: Raw,
    count: u32,
    devices: *const Raw,
    notify: Option<Notify>,
    argument: *mut c_void,
) -> Result<Ref<Program>> {
    let program = get::<Program>(raw)?;
    if (count == 0) != devices.is_null() || (notify.is_none() && !argument.is_null()) {
        return Err(Code::INVALID_VALUE);
    }
    // SAFETY: caller.
    let devices = unsafe { get_all::<Device>(count, devices) }?;
    let is_own = |device: &Ref<Device>| program.devices.iter().any(|own| Arc::ptr_eq(own, device));
    match devices.iter().all(is_own) {
        true => Ok(program),
        false => Err(Code::INVALID_DEVICE),
    }
}

/// Tells the program that a build has ended.
fn tell(notify: Option<Notify>, raw: Raw, argument: *mut c_void) {
    if let Some(notify) = notify {
        // SAFETY: the program promised a function that may be called with these.
        unsafe { notify(raw, argument) };
    }
}

/// Builds a program.
///
/// # Safety
/// `devices` has `count` handles or is null, `options` is a C string or null.
pub unsafe extern "C" fn clBuildProgram(
    raw: Raw,
    count: u32,
    devices: *const Raw,
    options: *const c_char,
    notify: Option<Notify>,
    argument: *mut c_void,
) -> i32 {
    // SAFETY: caller.
    let (program, options) = unsafe {
        (
            build_of(raw, count, devices, notify, argument),
            text(options),
        )
    };
    let built = program.and_then(|program| program.build(&options));
    told(built, Code::BUILD_PROGRAM_FAILURE, notify, raw, argument)
}

/// The code of a build. A program with a function to call learns of a failure from the build's state.
fn told(
    built: Result<()>,
    failure: Code,
    notify: Option<Notify>,
    raw: Raw,
    argument: *mut c_void,
) -> i32 {
    let has_run = matches!(built, Ok(())) || built == Err(failure);
    if has_run {
        tell(notify, raw, argument);
    }
    match notify.is_some() && has_run {
        true => 0,
        false => answer(built),
    }
}

/// Compiles a program's source.
///
/// # Safety
/// The lists have as many entries as their counts say, or are null; `options` is a C string or null.
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clCompileProgram(
    raw: Raw,
    count: u32,
    devices: *const Raw,
    options: *const c_char,
    header_count: u32,
    headers: *const Raw,
    names: *const *const c_char,
    notify: Option<Notify>,
    argument: *mut c_void,
) -> i32 {
    let compile = || {
        // SAFETY: caller.
        let (program, options) = unsafe {
            (
                build_of(raw, count, devices, notify, argument)?,
                text(options),
            )
        };
        if (header_count == 0) != headers.is_null() || headers.is_null() != names.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: caller.
        let programs = unsafe { get_all::<Program>(header_count, headers) }?;
        let headers: Vec<_> = programs
            .iter()
            .enumerate()
            // SAFETY: caller.
            .map(|(index, header)| (unsafe { text(*names.add(index)) }, header.source.clone()))
            .collect();
        program.compile(&options, &headers)
    };
    told(
        compile(),
        Code::COMPILE_PROGRAM_FAILURE,
        notify,
        raw,
        argument,
    )
}

/// Links programs to a new one.
///
/// # Safety
/// The lists have as many handles as their counts say, or are null; `options` is a C string or null, `code` is writable
/// or null.
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clLinkProgram(
    context: Raw,
    count: u32,
    devices: *const Raw,
    options: *const c_char,
    input_count: u32,
    inputs: *const Raw,
    notify: Option<Notify>,
    argument: *mut c_void,
    code: *mut i32,
) -> Raw {
    let link = || {
        let context = get::<Context>(context)?;
        let has_devices = count != 0 || devices.is_null();
        if (count == 0) != devices.is_null() || !has_devices || input_count == 0 || inputs.is_null()
        {
            return Err(Code::INVALID_VALUE);
        }
        if notify.is_none() && !argument.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: caller.
        let (mut devices, inputs, options) = unsafe {
            (
                get_all::<Device>(count, devices)?,
                get_all::<Program>(input_count, inputs)?,
                text(options),
            )
        };
        for device in &devices {
            context.device(device)?;
        }
        if devices.is_empty() {
            devices = context.devices.clone();
        }
        let program = create(Program::new(context, devices, String::new(), None));
        match program.link(&options, &inputs) {
            Ok(()) => Ok((program, Ok(()))),
            // The program has the log.
            Err(Code::LINK_PROGRAM_FAILURE) => Ok((program, Err(Code::LINK_PROGRAM_FAILURE))),
            Err(code) => {
                release::<Program>(program.raw())?;
                Err(code)
            }
        }
    };
    let (raw, result) = match link() {
        Ok((program, result)) => {
            tell(notify, program.raw(), argument);
            (program.raw(), result)
        }
        Err(code) => (std::ptr::null_mut(), Err(code)),
    };
    if !code.is_null() {
        // SAFETY: caller.
        unsafe { *code = answer(result) };
    }
    raw
}

/// Says what a program is.
///
/// # Safety
/// `value` is writable for `size` bytes or null, `needed` is writable or null. For binaries it has the places for them.
pub unsafe extern "C" fn clGetProgramInfo(
    raw: Raw,
    name: u32,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> i32 {
    let asked = || {
        let program = get::<Program>(raw)?;
        // SAFETY: caller.
        unsafe { info(&program, name, size, value)?.give(size, value, needed) }
    };
    answer(asked())
}

/// # Safety
/// As `clGetProgramInfo`.
unsafe fn info(
    program: &Ref<Program>,
    name: u32,
    size: usize,
    value: *mut c_void,
) -> Result<Answer> {
    let devices = &program.devices;
    let handles: Vec<usize> = devices.iter().map(|device| device.raw() as usize).collect();
    let built = program.built();
    let binary = || built.code.as_ref().map_or(Vec::new(), |code| code.encode());
    Ok(match name {
        0x1160 => Answer::of(program.references()),
        0x1161 => Answer::raw(program.context.raw()),
        0x1162 => Answer::of(devices.len() as u32),
        0x1163 => Answer::list(&handles),
        0x1164 => Answer::text(&program.source),
        0x1165 => Answer::list(&vec![binary().len(); devices.len()]),
        0x1166 => {
            let pointers = devices.len();
            if value.is_null() {
                return Ok(Answer::list(&vec![0usize; pointers]));
            }
            if size < pointers * size_of::<usize>() {
                return Err(Code::INVALID_VALUE);
            }
            let bytes = binary();
            // SAFETY: caller: there are as many places as devices, each null or with room.
            let places = unsafe { std::slice::from_raw_parts(value.cast::<*mut u8>(), pointers) };
            for place in places.iter().filter(|place| !place.is_null()) {
                // SAFETY: caller.
                unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), *place, bytes.len()) };
            }
            Answer::list(
                &places
                    .iter()
                    .map(|place| *place as usize)
                    .collect::<Vec<_>>(),
            )
        }
        0x1167 => Answer::of(kernel_names(program)?.len()),
        0x1168 => Answer::text(&kernel_names(program)?.join(";")),
        0x1169 => Answer::bytes(
            program
                .il
                .as_ref()
                .map_or(Vec::new(), |il| il.bytes.clone()),
        ),
        0x116a | 0x116b => Answer::truth(false),
        _ => return Err(Code::INVALID_VALUE),
    })
}

/// The names of the kernels of a program that is built.
pub fn kernel_names(program: &Ref<Program>) -> Result<Vec<String>> {
    let built = program.built();
    match built.code.as_deref() {
        Some(binary::Code::Executable(executable)) if built.status == BUILD_SUCCESS => {
            let kernels = executable.manifest.kernels.iter();
            Ok(kernels.map(|kernel| kernel.name.clone()).collect())
        }
        _ => Err(Code::INVALID_PROGRAM_EXECUTABLE),
    }
}

/// Says how a build went.
///
/// # Safety
/// `value` is writable for `size` bytes or null, `needed` is writable or null.
pub unsafe extern "C" fn clGetProgramBuildInfo(
    raw: Raw,
    device: Raw,
    name: u32,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> i32 {
    let asked = || {
        let program = get::<Program>(raw)?;
        let device = get::<Device>(device)?;
        if !program.devices.iter().any(|own| Arc::ptr_eq(own, &device)) {
            return Err(Code::INVALID_DEVICE);
        }
        let built = program.built();
        let code = built.code.as_deref().filter(|_| built.status != BUILD_NONE);
        Ok(match name {
            0x1181 => Answer::of(built.status),
            0x1182 => Answer::text(&built.options),
            0x1183 => Answer::text(&built.log),
            0x1184 => Answer::of(code.map_or(0, binary::Code::binary_type)),
            0x1185 => Answer::of(match code {
                Some(binary::Code::Executable(executable)) => {
                    executable.manifest.variables as usize
                }
                _ => 0,
            }),
            _ => return Err(Code::INVALID_VALUE),
        })
    };
    // SAFETY: caller.
    answer(asked().and_then(|answer: Answer| unsafe { answer.give(size, value, needed) }))
}
