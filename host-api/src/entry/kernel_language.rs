//! Launches of kernel languages: clang emits these calls for `kernel<<<grid, block, shared, stream>>>(…)` in CUDA
//! sources compiled with `-foffload-via-llvm` (docs/abi.md, "Kernel languages").

#![expect(non_snake_case, reason = "the names are the ABI")]

use std::ffi::c_void;
use std::sync::Arc;

pub use kernel_language::push as __llvmPushCallConfiguration;

use kernel_language::Dim3;
use plugin_api::{Parameter, Stream};

use crate::construct::context::Construct;
use crate::device::interop_object;
use crate::device::omp_device::{OmpDevice, Target};
use crate::device::program;
use crate::device::regions::PaddedRegion;
use crate::launch::kernel_launch::{self, LaunchRequest};
use crate::ompt;
use crate::report::error::{Error, Result};
use crate::report::source_location::SourceIdent;
use crate::runtime::{Runtime, runtime};

/// Pops the configuration of the launch that calls the stub. Returns 1 if there is none, because the stub was called as
/// a plain function.
///
/// # Safety
/// The pointers are writable.
pub unsafe extern "C" fn __llvmPopCallConfiguration(
    grid: *mut Dim3,
    block: *mut Dim3,
    shared: *mut usize,
    stream: *mut *mut c_void,
) -> u32 {
    // SAFETY: caller.
    let found = unsafe { kernel_language::pop(grid, block, shared, stream) };
    u32::from(!found)
}

/// The arguments of a stub, as one C structure.
#[repr(C)]
pub struct StubArguments {
    /// Bytes of the structure.
    size: u64,
    /// The structure.
    data: *const u8,
    /// Null.
    _reserved: *const c_void,
}

/// Launches the kernel of a stub. With the stream of an interop object, the kernel is queued there. Otherwise it runs
/// to its end on the default device, which is a valid order for any stream. Returns 0: callers ignore the result, so
/// errors end the program.
///
/// # Safety
/// Called by a stub that clang generated.
pub unsafe extern "C" fn llvmLaunchKernel(
    stub: *const c_void,
    grid: Dim3,
    block: Dim3,
    arguments: *const StubArguments,
    shared: usize,
    stream: *mut c_void,
) -> u32 {
    /// The default device.
    const DEFAULT: i64 = -1;
    let runtime = runtime();
    let object = interop_object::with_stream(stream);
    let number = object
        .as_ref()
        .map_or(DEFAULT, |object| object.device.number as i64);
    let construct = Construct::new("kernel launch", SourceIdent::default()).of_region(stub as u64);
    let Target::Device(device) = construct.target(runtime, number) else {
        construct.fail(&no_device(runtime, stub), runtime, number);
    };
    let _span = construct.span(runtime, device.number);
    let _event = ompt::region(ompt::Construct::Target, false, device.number);
    // SAFETY: the stub's arguments are readable for their size (caller).
    let arguments = unsafe {
        let arguments = &*arguments;
        match arguments.size as usize {
            0 => &[],
            size => std::slice::from_raw_parts(arguments.data, size),
        }
    };
    let shape = (grid.counts(), block.counts(), shared);
    let environment = &runtime.environment;
    let queue = |stream: &dyn Stream| {
        let (region, request, words) = launch(runtime, device, stub, arguments, shape)?;
        kernel_launch::enqueue_kernel(device, stream, environment, &region, &request, &words)
    };
    let outcome = match object.as_ref().and_then(|object| object.stream.as_ref()) {
        Some(stream) => queue(&**stream),
        None => construct.execute(device, false, |work| queue(work.stream())),
    };
    if let Err(error) = outcome {
        construct.fail(&error, runtime, device.number as i64);
    }
    0
}

/// The region of a stub, the request of its launch, and its words.
fn launch(
    runtime: &Runtime,
    device: &OmpDevice,
    stub: *const c_void,
    arguments: &[u8],
    (grid, block, shared): ([u32; 3], [u32; 3], usize),
) -> Result<(Arc<PaddedRegion>, LaunchRequest, Vec<u64>)> {
    let region = device
        .program
        .region(stub as u64)
        .ok_or_else(|| program::missing_region(&*device.device, &runtime.registry, stub as u64))?;
    let wrong = |why: String| Error::Launch {
        kernel: region.name.clone(),
        why,
    };
    if grid[0] == 0 || block[0] == 0 {
        return Err(wrong(format!(
            "a grid of {grid:?} blocks of {block:?} threads has no thread; \
             kernels are called with <<<blocks, threads>>>"
        )));
    }
    let words = words(&region.kernel.info().parameters, arguments).ok_or_else(|| {
        wrong(format!(
            "the program passes {} bytes of arguments, which are not those of the device's kernel",
            arguments.len()
        ))
    })?;
    let request = LaunchRequest {
        teams: grid,
        threads: block,
        dynamic_shared: u32::try_from(shared).unwrap_or(u32::MAX),
        ..LaunchRequest::default()
    };
    Ok((region, request, words))
}

/// The words of a launch, from the structure of all parameters. `None` if the structure is too short.
fn words(parameters: &[Parameter], structure: &[u8]) -> Option<Vec<u64>> {
    let mut words = Vec::with_capacity(parameters.len());
    for parameter in parameters {
        let begin = parameter.offset as usize;
        let bytes = structure.get(begin..begin + parameter.size as usize)?;
        words.extend(bytes.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(word)
        }));
    }
    Some(words)
}

/// Kernels have no host version.
fn no_device(runtime: &Runtime, stub: *const c_void) -> Error {
    let why = match runtime.devices().is_empty() {
        true => runtime.why_no_device(),
        false => "the default device is the host".into(),
    };
    let symbol = runtime.registry.symbol(stub as u64);
    Error::Launch {
        kernel: symbol.unwrap_or_else(|| format!("{stub:?}")),
        why: format!("it runs on devices only, but {why}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_become_words() {
        let parameters =
            [(0, 8), (8, 1), (16, 12)].map(|(offset, size)| Parameter { offset, size });
        let structure: Vec<u8> = (0..32).collect();
        let expected = [
            0x0706_0504_0302_0100,
            0x08,
            0x1716_1514_1312_1110,
            0x1b1a_1918,
        ];
        assert_eq!(words(&parameters, &structure), Some(expected.to_vec()));
        assert_eq!(words(&parameters, &structure[..27]), None);
        assert_eq!(words(&[], &[]), Some(Vec::new()));
    }
}
