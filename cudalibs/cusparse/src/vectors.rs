//! Sparse vectors: `Axpby`, `Gather`, `Scatter`, `SpVV`.

use std::ffi::{c_int, c_void};

use cuda_library::elements::Complex64;

use crate::call::{Call, Operation, kind};
use crate::descriptors::{DenseVector, Described, SparseVector};
use crate::products::some;
use crate::status::{Result, Status, answer};

fn operands(
    call: &Call,
    x: *const c_void,
    y: *const c_void,
) -> Result<(SparseVector, DenseVector)> {
    let (x, y) = (SparseVector::copy_of(x)?, DenseVector::copy_of(y)?);
    if x.size != y.size {
        return Err(Status::INVALID_VALUE);
    }
    x.indices.check(call, x.count)?;
    x.values.check(call, x.count)?;
    y.values.check(call, y.size)?;
    Ok((x, y))
}

/// Calls something with each element's number and place. Places outside of the vector are left out.
fn visit(x: &SparseVector, mut each: impl FnMut(usize, usize)) {
    for number in 0..x.count {
        let place = x.indices.get(number);
        if place < x.size {
            each(number, place);
        }
    }
}

/// y := αx + βy.
///
/// # Safety
/// The addresses are as cuSPARSE wants them.
pub unsafe extern "C" fn axpby(
    handle: *mut c_void,
    alpha: *const c_void,
    x: *const c_void,
    beta: *const c_void,
    y: *mut c_void,
) -> c_int {
    let update = || {
        let call = Call::of(handle)?;
        let (x, y) = operands(&call, x, y)?;
        let kind = y.values.kind;
        // SAFETY: caller.
        let (alpha, beta) = unsafe { (call.value(alpha, kind)?, call.value(beta, kind)?) };
        call.run(move || {
            let (alpha, beta) = (alpha(), beta());
            for index in 0..y.size {
                let before = match beta == Complex64::ZERO {
                    true => beta,
                    false => beta * y.values.get::<Complex64>(index),
                };
                y.values.set(index, before);
            }
            visit(&x, |number, place| {
                let sum =
                    alpha * x.values.get::<Complex64>(number) + y.values.get::<Complex64>(place);
                y.values.set(place, sum);
            });
        })
    };
    answer(update())
}

/// Takes x's elements from y.
pub extern "C" fn gather(handle: *mut c_void, y: *const c_void, x: *mut c_void) -> c_int {
    let take = || {
        let call = Call::of(handle)?;
        let (x, y) = operands(&call, x, y)?;
        call.run(move || {
            visit(&x, |number, place| {
                x.values.set(number, y.values.get::<Complex64>(place))
            });
        })
    };
    answer(take())
}

/// Puts x's elements into y.
pub extern "C" fn scatter(handle: *mut c_void, x: *const c_void, y: *mut c_void) -> c_int {
    let put = || {
        let call = Call::of(handle)?;
        let (x, y) = operands(&call, x, y)?;
        call.run(move || {
            visit(&x, |number, place| {
                y.values.set(place, x.values.get::<Complex64>(number))
            });
        })
    };
    answer(put())
}

/// Memory for `SpVV`.
///
/// # Safety
/// The addresses are as cuSPARSE wants them.
pub unsafe extern "C" fn dot_size(
    handle: *mut c_void,
    _operation: c_int,
    _x: *const c_void,
    _y: *const c_void,
    _result: *const c_void,
    _compute: c_int,
    bytes: *mut usize,
) -> c_int {
    // SAFETY: caller.
    unsafe { some(handle, bytes) }
}

/// The sum of x's and y's products.
pub extern "C" fn dot(
    handle: *mut c_void,
    operation: c_int,
    x: *const c_void,
    y: *const c_void,
    result: *mut c_void,
    compute: c_int,
    _memory: *mut c_void,
) -> c_int {
    let compute_sum = || {
        let call = Call::of(handle)?;
        let operation = Operation::of(operation)?;
        let (x, y) = operands(&call, x, y)?;
        cuda_library::with_type!(kind(compute)?, T => {
            let result = call.place(result.cast::<T>())?;
            call.run_for_results(move || {
                let mut sum = Complex64::ZERO;
                visit(&x, |number, place| {
                    let value = operation.apply(0, 0, x.values.get::<Complex64>(number)).2;
                    sum += value * y.values.get::<Complex64>(place);
                });
                // SAFETY: the place was checked, or is the program's for the result.
                unsafe { result.write(0, <T as cuda_library::elements::Stored>::of_value(sum)) };
            })
        })
    };
    answer(compute_sum())
}
