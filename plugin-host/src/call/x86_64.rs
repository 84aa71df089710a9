//! Calls on x86-64.
//!
//! The first six integers are passed in registers and the rest in order on the stack. A structure
//! of more than 16 bytes that is passed by value also lies on the stack (System V ABI for AMD64, 3.2.3). So a
//! call with six integers and such a structure is a call with any number of integers. It does no harm if the
//! stack holds more words than the function has parameters.

use std::ffi::c_void;

/// Parameters in registers.
const REGISTERS: usize = 6;
/// Parameters on the stack in the usual call, and in the largest.
const FEW: usize = 26;
const MANY: usize = 1018;

/// The most parameters that a kernel may have.
pub const MAX_PARAMETERS: usize = REGISTERS + MANY;

/// The parameters that do not fit into registers.
#[repr(C)]
struct OnStack<const N: usize>([u64; N]);

type Function<const N: usize> = unsafe extern "C" fn(u64, u64, u64, u64, u64, u64, OnStack<N>);

/// Calls `kernel` with `arguments`, at most [`MAX_PARAMETERS`].
///
/// # Safety
/// `kernel` is a C function with at most as many parameters as there are arguments. All of them are pointers or
/// integers, and the arguments match them.
pub unsafe fn call(kernel: *const c_void, arguments: &[u64]) {
    if arguments.len() <= REGISTERS + FEW {
        // SAFETY: forwarded from the caller.
        unsafe { call_with::<FEW>(kernel, arguments) }
    } else {
        // SAFETY: forwarded from the caller.
        unsafe { call_with::<MANY>(kernel, arguments) }
    }
}

/// # Safety
/// As [`call`], with at most `REGISTERS + N` arguments.
unsafe fn call_with<const N: usize>(kernel: *const c_void, arguments: &[u64]) {
    let mut registers = [0; REGISTERS];
    let mut stack = OnStack([0; N]);
    let in_registers = arguments.len().min(REGISTERS);
    let (first, rest) = arguments.split_at(in_registers);
    registers[..in_registers].copy_from_slice(first);
    stack.0[..rest.len()].copy_from_slice(rest);
    let [a, b, c, d, e, f] = registers;
    // SAFETY: function pointers and data pointers have the same representation on x86-64 Linux.
    let function = unsafe { std::mem::transmute::<*const c_void, Function<N>>(kernel) };
    // SAFETY: the function finds its parameters where it expects them (module documentation).
    unsafe { function(a, b, c, d, e, f, stack) }
}
