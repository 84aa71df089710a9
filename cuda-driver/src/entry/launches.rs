//! Kernel launches.

use std::ffi::c_void;

use cudart::abi::Dim3;
use cudart::entry::cooperative::cudaLaunchCooperativeKernel;
use cudart::entry::host_calls::{Callback, HostFunction};
use cudart::entry::launch_configurations::{
    LaunchAttribute, LaunchConfiguration, cudaLaunchKernelExC,
};
use cudart::entry::launches::cudaLaunchKernel;
use cudart::error::{Code, Result, without_trace};
use cudart::runtime::runtime;
use plugin_api::Parameter;

use crate::entry::{forward, in_context, outcome, per_thread};
use crate::status::answer;
use crate::{contexts, modules};

/// The end of a list of a launch's arguments.
pub const END: usize = 0;
/// `CU_LAUNCH_PARAM_BUFFER_POINTER`
pub const BUFFER: usize = 1;
/// `CU_LAUNCH_PARAM_BUFFER_SIZE`
pub const SIZE: usize = 2;

/// The addresses of a kernel's arguments. Without arguments there is nothing to read.
///
/// # Safety
/// One of the two is what the driver's interface asks for: an address for each parameter, or a list with a buffer.
pub unsafe fn arguments(
    function: *mut c_void,
    addresses: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> Result<Vec<*const u8>> {
    let context = contexts::current()?;
    context.check()?;
    let symbol = modules::kernel(function as usize)?;
    let kernel = context.kernel(&runtime().registry, &symbol)?;
    let parameters = &kernel.raw.info().parameters;
    match (parameters.is_empty(), addresses.is_null(), extra.is_null()) {
        (true, ..) => Ok(Vec::new()),
        (_, false, true) => {
            // SAFETY: caller.
            let given = unsafe { std::slice::from_raw_parts(addresses, parameters.len()) };
            match given.iter().any(|address| address.is_null()) {
                true => Err(Code::INVALID_VALUE),
                false => Ok(given
                    .iter()
                    .map(|address| address.cast_const().cast())
                    .collect()),
            }
        }
        // SAFETY: caller.
        (_, true, false) => unsafe { in_buffer(parameters, extra) },
        _ => Err(Code::INVALID_VALUE),
    }
}

/// The addresses of arguments that lie in a buffer.
///
/// # Safety
/// The list is what the driver's interface asks for.
unsafe fn in_buffer(parameters: &[Parameter], list: *mut *mut c_void) -> Result<Vec<*const u8>> {
    let (mut buffer, mut size) = (std::ptr::null::<u8>(), 0usize);
    // Two entries, and the end.
    for pair in 0..3 {
        // SAFETY: the list goes on until its end (caller).
        match unsafe { *list.add(2 * pair) } as usize {
            END => break,
            // SAFETY: a value stands behind each key (caller).
            BUFFER => buffer = unsafe { *list.add(2 * pair + 1) }.cast(),
            SIZE => {
                // SAFETY: as above; the value is the address of a size.
                let given = unsafe { (*list.add(2 * pair + 1)).cast::<usize>().as_ref() };
                size = *given.ok_or(Code::INVALID_VALUE)?;
            }
            _ => return Err(Code::INVALID_VALUE),
        }
    }
    let end = |parameter: &Parameter| (parameter.offset + parameter.size) as usize;
    if buffer.is_null() || parameters.iter().any(|parameter| end(parameter) > size) {
        return Err(Code::INVALID_VALUE);
    }
    let place = |parameter: &Parameter| buffer.wrapping_add(parameter.offset as usize);
    Ok(parameters.iter().map(place).collect())
}

/// Launches a kernel.
///
/// # Safety
/// The arguments are those of the kernel, as addresses or in a buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchKernel(
    function: *mut c_void,
    grid_x: u32,
    grid_y: u32,
    grid_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    shared: u32,
    stream: *mut c_void,
    addresses: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> i32 {
    let (grid, block) = (
        size(grid_x, grid_y, grid_z),
        size(block_x, block_y, block_z),
    );
    let shared = shared as usize;
    // SAFETY: caller; there is an address for each parameter.
    answer(unsafe {
        launch(function, addresses, extra, |given| {
            cudaLaunchKernel(function, grid, block, given, shared, stream)
        })
    })
}

/// Launches by one of the runtime's functions, which gets the arguments' addresses.
///
/// # Safety
/// As for [`arguments`].
unsafe fn launch(
    function: *mut c_void,
    addresses: *mut *mut c_void,
    extra: *mut *mut c_void,
    call: impl FnOnce(*const *const u8) -> i32,
) -> Result<()> {
    // SAFETY: caller.
    let given = unsafe { arguments(function, addresses, extra)? };
    outcome(without_trace(|| call(given.as_ptr())))
}

fn size(x: u32, y: u32, z: u32) -> Dim3 {
    Dim3 { x, y, z }
}

/// Launches a kernel whose blocks wait for each other.
///
/// # Safety
/// As for [`cuLaunchKernel`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchCooperativeKernel(
    function: *mut c_void,
    grid_x: u32,
    grid_y: u32,
    grid_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    shared: u32,
    stream: *mut c_void,
    addresses: *mut *mut c_void,
) -> i32 {
    let (grid, block) = (
        size(grid_x, grid_y, grid_z),
        size(block_x, block_y, block_z),
    );
    let (shared, extra) = (shared as usize, std::ptr::null_mut());
    // SAFETY: caller; there is an address for each parameter.
    answer(unsafe {
        launch(function, addresses, extra, |given| {
            cudaLaunchCooperativeKernel(function, grid, block, given, shared, stream)
        })
    })
}

/// `CUlaunchConfig`.
#[repr(C)]
pub struct Configuration {
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    stream: *mut c_void,
    attributes: *const LaunchAttribute,
    count: u32,
}

/// Launches a kernel with attributes.
///
/// # Safety
/// The configuration is null or valid; otherwise as for [`cuLaunchKernel`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchKernelEx(
    configuration: *const Configuration,
    function: *mut c_void,
    addresses: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> i32 {
    let by_configuration = || {
        // SAFETY: caller.
        let given = unsafe { configuration.as_ref() }.ok_or(Code::INVALID_VALUE)?;
        let [grid, block] = [given.grid, given.block].map(|[x, y, z]| size(x, y, z));
        let configuration = LaunchConfiguration {
            grid,
            block,
            shared: given.shared as usize,
            stream: given.stream,
            attributes: given.attributes,
            count: given.count,
        };
        // SAFETY: caller; there is an address for each parameter.
        unsafe {
            launch(function, addresses, extra, |given| {
                cudaLaunchKernelExC(&configuration, function, given)
            })
        }
    };
    answer(by_configuration())
}

/// The same on the thread's default stream.
///
/// # Safety
/// As for [`cuLaunchKernelEx`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchKernelEx_ptsz(
    configuration: *const Configuration,
    function: *mut c_void,
    addresses: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> i32 {
    // SAFETY: caller.
    let Some(given) = (unsafe { configuration.as_ref() }) else {
        return answer(Err(Code::INVALID_VALUE));
    };
    let configuration = Configuration {
        stream: crate::entry::meant(given.stream),
        ..*given
    };
    // SAFETY: caller.
    unsafe { cuLaunchKernelEx(&configuration, function, addresses, extra) }
}

forward! {
    in_context;
    /// Calls a function of the host's when the stream's work is done.
    cuLaunchHostFunc = host_calls::cudaLaunchHostFunc(
        stream: *mut c_void, function: Option<HostFunction>, data: *mut c_void
    );
    /// The same. The function is told the stream.
    cuStreamAddCallback = host_calls::cudaStreamAddCallback(
        stream: *mut c_void, callback: Option<Callback>, data: *mut c_void, flags: u32
    );
}

per_thread! {
    cuLaunchKernel_ptsz = cuLaunchKernel(
        function: *mut c_void,
        grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32, shared: u32;
        stream, addresses: *mut *mut c_void, extra: *mut *mut c_void
    );
    cuLaunchCooperativeKernel_ptsz = cuLaunchCooperativeKernel(
        function: *mut c_void,
        grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32, shared: u32;
        stream, addresses: *mut *mut c_void
    );
    cuLaunchHostFunc_ptsz = cuLaunchHostFunc(; stream, function: Option<HostFunction>, data: *mut c_void);
    cuStreamAddCallback_ptsz = cuStreamAddCallback(
        ; stream, callback: Option<Callback>, data: *mut c_void, flags: u32
    );
}
