//! Kernel launches.

use std::ffi::{c_uint, c_void};
use std::sync::Arc;

use plugin_api::{Error, FaultKind, KernelFault, Launch};

use crate::module::Function;
use crate::module_calls::function;
use crate::result::{Failure, Outcome};
use crate::stream_calls::stream;
use fake_driver::handle::Handle;
use fake_driver::pointer::{bytes, element};

/// The argument words. They are read now: "the kernel parameters are copied".
fn arguments(function: &Function, parameters: *mut *mut c_void) -> Outcome<Vec<u64>> {
    let mut words = Vec::new();
    for (index, parameter) in function.kernel.info().parameters.iter().enumerate() {
        let at = element(parameters, index)?;
        let mut padded = vec![0u8; parameter.words() * 8];
        let size = parameter.size as usize;
        padded[..size].copy_from_slice(bytes(at.cast(), size)?);
        let own = padded.chunks_exact(8);
        words.extend(own.map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes"))));
    }
    Ok(words)
}

/// Checks a launch. (The virtual GPU checks the rest.)
fn check(function: &Function, grid: [u32; 3], block: [u32; 3], dynamic_shared: u32) -> Outcome {
    let device = &function.module.context.device;
    let most = |attribute| crate::attributes::value(device, attribute);
    let blocks = [most(5)?, most(6)?, most(7)?];
    let threads = block.iter().map(|&count| u64::from(count)).product::<u64>();
    let in_range = grid
        .iter()
        .zip(blocks)
        .all(|(&count, most)| count > 0 && count <= most as u32);
    if !in_range || threads == 0 || threads > most(1)? as u64 {
        return Err(Failure::INVALID_VALUE);
    }
    if threads > u64::from(function.kernel.info().max_threads)
        || dynamic_shared > *function.dynamic_shared.lock()
    {
        return Err(Failure::INVALID_VALUE);
    }
    Ok(())
}

/// Prints a failed assertion as the driver does ("CUDA C++ Programming Guide", Assertion).
fn print_assertion(fault: &KernelFault, message: &str) {
    let (file, line, function) = match &fault.location {
        Some(place) => (&*place.file, place.line, &*place.function),
        None => ("", 0, ""),
    };
    let condition = message.trim_start_matches("assertion ");
    let (block, thread) = fault
        .thread
        .map_or(([0; 3], [0; 3]), |at| (at.block, at.thread));
    let [x, y, z] = block;
    let [i, j, k] = thread;
    eprintln!(
        "{file}:{line}: {function}: block: [{x},{y},{z}], thread: [{i},{j},{k}] Assertion {condition}."
    );
}

/// The driver's error for a fault on a device.
fn failure(error: &Error) -> Failure {
    let Error::Fault(fault) = error else {
        return match error {
            Error::InvalidLaunch { .. } => Failure::LAUNCH_OUT_OF_RESOURCES,
            _ => Failure::LAUNCH_FAILED,
        };
    };
    match &fault.kind {
        FaultKind::Trap { message } if message.starts_with("assertion `") => {
            print_assertion(fault, message);
            Failure::ASSERT
        }
        FaultKind::WildAccess { .. } => Failure::ILLEGAL_ADDRESS,
        FaultKind::StackOverflow => Failure::HARDWARE_STACK_ERROR,
        // A GPU would wait for ever, or until a display's watchdog ends the kernel.
        FaultKind::Deadlock => Failure::LAUNCH_TIMEOUT,
        _ => Failure::LAUNCH_FAILED,
    }
}

fn run(function: &Arc<Function>, launch: &Launch<'_>) -> Outcome {
    function
        .kernel
        .launch(launch)
        .map_err(|error| failure(&error))
}

/// Enqueues a launch.
fn enqueue(
    kernel: Handle,
    [grid, block]: [[u32; 3]; 2],
    dynamic_shared: u32,
    on: Handle,
    parameters: *mut *mut c_void,
    cooperative: bool,
) -> Outcome {
    let (stream, function) = (stream(on)?, function(kernel)?);
    check(&function, grid, block, dynamic_shared)?;
    let words = arguments(&function, parameters)?;
    stream.enqueue(move || {
        let launch = Launch {
            grid,
            block,
            dynamic_shared,
            cooperative,
            args: &words,
        };
        run(&function, &launch)
    })
}

/// Whether the device holds all blocks at once. A virtual multiprocessor has one at a time.
fn is_resident(kernel: Handle, grid: [u32; 3]) -> Outcome {
    let device = &function(kernel)?.module.context.device;
    let blocks = grid.iter().map(|&count| u64::from(count)).product::<u64>();
    match blocks <= crate::attributes::value(device, 16)? as u64 {
        true => Ok(()),
        false => Err(Failure::COOPERATIVE_LAUNCH_TOO_LARGE),
    }
}

fake_driver::functions! {
    /// Enqueues a kernel whose blocks wait for each other.
    fn cuLaunchCooperativeKernel(
        kernel: Handle,
        grid_x: c_uint, grid_y: c_uint, grid_z: c_uint,
        block_x: c_uint, block_y: c_uint, block_z: c_uint,
        dynamic_shared: c_uint, on: Handle,
        parameters: *mut *mut c_void,
    ) in with_context {
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        is_resident(kernel, grid)?;
        enqueue(kernel, [grid, block], dynamic_shared, on, parameters, true)
    }

    /// Enqueues a kernel. Later calls report its faults.
    fn cuLaunchKernel(
        kernel: Handle,
        grid_x: c_uint, grid_y: c_uint, grid_z: c_uint,
        block_x: c_uint, block_y: c_uint, block_z: c_uint,
        dynamic_shared: c_uint, on: Handle,
        parameters: *mut *mut c_void, extra: *mut *mut c_void,
    ) in with_context {
        if !extra.is_null() {
            return Err(Failure::NOT_SUPPORTED);
        }
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        enqueue(kernel, [grid, block], dynamic_shared, on, parameters, false)
    }
}
