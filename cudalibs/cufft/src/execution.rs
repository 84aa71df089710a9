//! The functions that run plans.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use cuda_library::device_memory::is_device_memory;
use cuda_library::ordered_work::Stream;
use cuda_library::report;
use num_complex::Complex;

use crate::layout::Layout;
use crate::plans::{Kind, Precise, Task, plan};
use crate::status::{Result, Status, answer};
use crate::transform::{Side, Transforms};

/// What input and output of an execution are.
struct Operands {
    input: usize,
    output: usize,
    layouts: [Layout; 2],
    batch: usize,
}

/// Checks a side's memory.
fn check(address: usize, element: usize, layout: &Layout, batch: usize) -> Result<()> {
    if address == 0 {
        return Err(Status::INVALID_VALUE);
    }
    let bytes = layout
        .span(batch)
        .checked_mul(element)
        .ok_or(Status::INVALID_SIZE)?;
    // Complex numbers are as aligned as their parts must be.
    if address.is_multiple_of(element.min(8)) && is_device_memory(address, bytes) {
        return Ok(());
    }
    let what = format!("{bytes} bytes at {address:#x} are not device memory");
    report("libcufft", &what);
    Err(Status::EXEC_FAILED)
}

/// Runs a plan of this kind and precision.
fn execute(
    handle: c_int,
    (kind, is_double): (Kind, bool),
    input: *mut c_void,
    output: *mut c_void,
    inverse: bool,
) -> c_int {
    let execute = || {
        let plan = plan(handle)?;
        let plan = plan.lock();
        let task = plan.task.clone().ok_or(Status::INVALID_PLAN)?;
        if task.kind != kind || matches!(task.transforms, Precise::Double(_)) != is_double {
            return Err(Status::INVALID_TYPE);
        }
        let (input, output) = (input as usize, output as usize);
        let layouts = [0, 1].map(|side| task.layout(side, input == output));
        let part = if is_double { 8 } else { 4 };
        let (into, out_of) = match kind {
            Kind::RealToComplex => (part, 2 * part),
            Kind::ComplexToReal => (2 * part, part),
            Kind::Complex => (2 * part, 2 * part),
        };
        check(input, into, &layouts[0], task.batch)?;
        check(output, out_of, &layouts[1], task.batch)?;
        let batch = task.batch;
        let operands = Operands {
            input,
            output,
            layouts,
            batch,
        };
        Ok(Stream(plan.stream).run(move || run(&task, &operands, inverse))?)
    };
    answer(execute())
}

fn run(task: &Arc<Task>, operands: &Operands, inverse: bool) {
    match &task.transforms {
        Precise::Single(transforms) => run_precise(transforms, task.kind, operands, inverse),
        Precise::Double(transforms) => run_precise(transforms, task.kind, operands, inverse),
    }
}

/// A side with elements of a type.
fn side<E>(address: usize, layout: &Layout) -> Side<'_, E> {
    Side {
        base: address as *mut E,
        layout,
    }
}

fn run_precise<T: rustfft::FftNum>(
    transforms: &Transforms<T>,
    kind: Kind,
    operands: &Operands,
    inverse: bool,
) {
    let Operands {
        input,
        output,
        layouts: [from, to],
        batch,
    } = operands;
    match kind {
        Kind::Complex => {
            let (input, output) = (side::<Complex<T>>(*input, from), side(*output, to));
            transforms.complex(input, output, inverse, *batch);
        }
        Kind::RealToComplex => {
            transforms.real_to_complex(side(*input, from), side(*output, to), *batch);
        }
        Kind::ComplexToReal => {
            transforms.complex_to_real(side(*input, from), side(*output, to), *batch);
        }
    }
}

/// `CUFFT_FORWARD` or `CUFFT_INVERSE`: whether it is the inverse.
fn is_inverse(direction: c_int) -> Result<bool> {
    match direction {
        -1 => Ok(false),
        1 => Ok(true),
        _ => Err(Status::INVALID_VALUE),
    }
}

fn complex(
    handle: c_int,
    input: *mut c_void,
    output: *mut c_void,
    direction: c_int,
    is_double: bool,
) -> c_int {
    match is_inverse(direction) {
        Ok(inverse) => execute(handle, (Kind::Complex, is_double), input, output, inverse),
        Err(status) => status.0,
    }
}

/// Complex to complex.
pub extern "C" fn exec_c2c(
    handle: c_int,
    input: *mut c_void,
    output: *mut c_void,
    direction: c_int,
) -> c_int {
    complex(handle, input, output, direction, false)
}

/// Complex to complex, of `double`.
pub extern "C" fn exec_z2z(
    handle: c_int,
    input: *mut c_void,
    output: *mut c_void,
    direction: c_int,
) -> c_int {
    complex(handle, input, output, direction, true)
}

/// Real to complex.
pub extern "C" fn exec_r2c(handle: c_int, input: *mut c_void, output: *mut c_void) -> c_int {
    execute(handle, (Kind::RealToComplex, false), input, output, false)
}

/// Real to complex, of `double`.
pub extern "C" fn exec_d2z(handle: c_int, input: *mut c_void, output: *mut c_void) -> c_int {
    execute(handle, (Kind::RealToComplex, true), input, output, false)
}

/// Complex to real.
pub extern "C" fn exec_c2r(handle: c_int, input: *mut c_void, output: *mut c_void) -> c_int {
    execute(handle, (Kind::ComplexToReal, false), input, output, true)
}

/// Complex to real, of `double`.
pub extern "C" fn exec_z2d(handle: c_int, input: *mut c_void, output: *mut c_void) -> c_int {
    execute(handle, (Kind::ComplexToReal, true), input, output, true)
}

/// What the plan says. The direction counts for complex numbers only.
pub extern "C" fn exec(
    handle: c_int,
    input: *mut c_void,
    output: *mut c_void,
    direction: c_int,
) -> c_int {
    let sort = || -> Result<(Kind, bool)> {
        let task = plan(handle)?
            .lock()
            .task
            .clone()
            .ok_or(Status::INVALID_PLAN)?;
        Ok((task.kind, matches!(task.transforms, Precise::Double(_))))
    };
    match sort() {
        Ok((Kind::Complex, is_double)) => complex(handle, input, output, direction, is_double),
        Ok(sort) => execute(handle, sort, input, output, sort.0 == Kind::ComplexToReal),
        Err(status) => status.0,
    }
}
