//! Launches: what clang makes of `kernel<<<…>>>(…)`, and `cudaLaunchHostFunc`.

use std::cell::RefCell;
use std::ffi::c_void;

use crate::abi::Dim3;
use crate::error::{Code, Result, answer};
use crate::launch::{self, HostFunction};
use crate::runtime::runtime;

/// The contents of `<<<…>>>`.
#[derive(Clone, Copy)]
struct Configuration {
    grid: Dim3,
    block: Dim3,
    shared: usize,
    stream: *mut c_void,
}

thread_local! {
    /// A stack, because an argument of a launch may itself launch a kernel.
    static CONFIGURATIONS: RefCell<Vec<Configuration>> = const { RefCell::new(Vec::new()) };
}

/// Begins a launch. Always returns 0: go on.
pub extern "C" fn __cudaPushCallConfiguration(
    grid: Dim3,
    block: Dim3,
    shared: usize,
    stream: *mut c_void,
) -> u32 {
    CONFIGURATIONS.with_borrow_mut(|stack| {
        stack.push(Configuration {
            grid,
            block,
            shared,
            stream,
        });
    });
    0
}

/// Pops the configuration of the launch that calls the stub.
///
/// # Safety
/// The addresses are valid.
pub unsafe extern "C" fn __cudaPopCallConfiguration(
    grid: *mut Dim3,
    block: *mut Dim3,
    shared: *mut usize,
    stream: *mut *mut c_void,
) -> i32 {
    let popped = CONFIGURATIONS.with_borrow_mut(Vec::pop);
    // Stubs ignore the answer. The grid has no blocks then, so that the launch fails.
    let configuration = popped.unwrap_or(Configuration {
        grid: Dim3::default(),
        block: Dim3::default(),
        shared: 0,
        stream: std::ptr::null_mut(),
    });
    // SAFETY: caller.
    unsafe {
        *grid = configuration.grid;
        *block = configuration.block;
        *shared = configuration.shared;
        *stream = configuration.stream;
    }
    answer(popped.map(drop).ok_or(Code::MISSING_CONFIGURATION))
}

/// Launches a kernel.
///
/// # Safety
/// There is an argument for each parameter of the kernel.
pub unsafe extern "C" fn cudaLaunchKernel(
    stub: *const c_void,
    grid: Dim3,
    block: Dim3,
    arguments: *const *const u8,
    shared: usize,
    stream: *mut c_void,
) -> i32 {
    let (grid, block) = (grid.counts(), block.counts());
    let (stub, stream) = (stub as usize, stream as usize);
    // SAFETY: caller.
    answer(unsafe { launch::launch(runtime(), stub, grid, block, arguments, shared, stream) })
}

/// What a host function gets, for the thread that calls it.
struct Argument(*mut c_void);

// SAFETY: the program gives it away.
unsafe impl Send for Argument {}

impl Argument {
    fn get(&self) -> *mut c_void {
        self.0
    }
}

/// Calls a function of the host's when the stream's work is done.
///
/// # Safety
/// The function may be called with `data` on any thread.
pub unsafe extern "C" fn cudaLaunchHostFunc(
    stream: *mut c_void,
    function: Option<HostFunction>,
    data: *mut c_void,
) -> i32 {
    let enqueue = || -> Result<()> {
        let function = function.ok_or(Code::INVALID_VALUE)?;
        let own = runtime().stream(stream as usize)?;
        let data = Argument(data);
        // SAFETY: caller.
        let call = move || unsafe { function(data.get()) };
        let work = |stream: &dyn plugin_api::Stream| stream.call(Box::new(call));
        own.device.enqueue(&own.stream, work)
    };
    answer(enqueue())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_nest() {
        let of = |x| Dim3 { x, y: 1, z: 1 };
        let pop = || {
            let (mut grid, mut block) = (Dim3::default(), Dim3::default());
            let (mut shared, mut stream) = (0, std::ptr::null_mut());
            // SAFETY: all are valid.
            let answer = unsafe {
                __cudaPopCallConfiguration(&mut grid, &mut block, &mut shared, &mut stream)
            };
            (answer, grid.x, block.x, shared)
        };
        __cudaPushCallConfiguration(of(1), of(2), 3, std::ptr::null_mut());
        __cudaPushCallConfiguration(of(4), of(5), 6, std::ptr::null_mut());
        assert_eq!(pop(), (0, 4, 5, 6));
        assert_eq!(pop(), (0, 1, 2, 3));
        assert_eq!(pop(), (Code::MISSING_CONFIGURATION.0, 0, 0, 0));
    }
}
