//! What clang makes of `kernel<<<grid, block, shared, stream>>>(…)` in kernel languages (CUDA, HIP).
//!
//! The caller pushes the configuration, evaluates the arguments and calls the kernel's host stub. The stub pops the
//! configuration, lays out the arguments and launches. The functions have other names in each language.

use std::cell::RefCell;
use std::ffi::c_void;

/// `dim3`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dim3 {
    /// In the first dimension.
    pub x: u32,
    /// In the second.
    pub y: u32,
    /// In the third.
    pub z: u32,
}

impl Dim3 {
    /// As an array.
    pub fn counts(self) -> [u32; 3] {
        [self.x, self.y, self.z]
    }
}

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
pub extern "C" fn push(grid: Dim3, block: Dim3, shared: usize, stream: *mut c_void) -> u32 {
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

/// Pops the configuration of the launch that calls the stub. Whether there was one: a stub may be called as a plain
/// function. Stubs ignore that, so the grid has no blocks then, and the launch fails.
///
/// # Safety
/// The addresses are valid.
pub unsafe fn pop(
    grid: *mut Dim3,
    block: *mut Dim3,
    shared: *mut usize,
    stream: *mut *mut c_void,
) -> bool {
    let popped = CONFIGURATIONS.with_borrow_mut(Vec::pop);
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
    popped.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_nest() {
        let of = |x| Dim3 { x, y: 1, z: 1 };
        let popped = || {
            let (mut grid, mut block) = (Dim3::default(), Dim3::default());
            let (mut shared, mut stream) = (0, std::ptr::null_mut());
            // SAFETY: all are valid.
            let found = unsafe { pop(&mut grid, &mut block, &mut shared, &mut stream) };
            (found, grid.x, block.x, shared)
        };
        push(of(1), of(2), 3, std::ptr::null_mut());
        push(of(4), of(5), 6, std::ptr::null_mut());
        assert_eq!(popped(), (true, 4, 5, 6));
        assert_eq!(popped(), (true, 1, 2, 3));
        assert_eq!(popped(), (false, 0, 0, 0));
    }
}
