//! The functions of cuBLASLt.

use std::ffi::{c_int, c_void};
use std::mem::transmute;

use cuda_library::cudart::{Place, foreign_stream, place};
use cuda_library::handles::Handles;
use cuda_library::nvidia::Front;

use super::algorithms::plan;
use super::attributes::{Algorithm, record};
use super::layouts::Places;
use super::product::{Factor, Product, number, vector};
use super::transform;
use crate::call::{Call, HANDLES as OF_CUBLAS};
use crate::management::VERSION;
use crate::status::{Result, Status, answer};

/// This library.
pub static FRONT: Front = Front::new("libcublasLt.so.12", c"cublasOmptargetFront");

static HANDLES: Handles<()> = Handles::starting_at(0xB1A6_0000);

/// Whether a program may use this handle: one of cuBLASLt's, or of cuBLAS's.
pub fn is_handle(handle: *mut c_void) -> Result<()> {
    let own = HANDLES.get(handle as usize).is_some();
    match own || OF_CUBLAS.get(handle as usize).is_some() {
        true => Ok(()),
        false => Err(Status::NOT_INITIALIZED),
    }
}

/// Makes a handle.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn create(handle: *mut *mut c_void) -> c_int {
    let make = || {
        if place() != Place::Virtual {
            return Err(Status::NOT_INITIALIZED);
        }
        // SAFETY: caller.
        let place = unsafe { handle.as_mut() }.ok_or(Status::INVALID_VALUE)?;
        *place = HANDLES.add(()) as *mut c_void;
        Ok(())
    };
    answer(make())
}

/// Destroys a handle.
pub extern "C" fn destroy(handle: *mut c_void) -> c_int {
    let removed = HANDLES.remove(handle as usize);
    answer(removed.map(drop).ok_or(Status::NOT_INITIALIZED))
}

/// The version.
pub extern "C" fn version() -> usize {
    VERSION.number(10_000) as usize
}

/// The version of the runtime library that it is made for.
pub extern "C" fn runtime_version() -> usize {
    12_090
}

/// Settings that change nothing: of logs, of the cache of algorithms, of the host's instructions.
pub extern "C" fn ignored() -> c_int {
    Status::SUCCESS.0
}

/// `cublasLtPointerMode_t`.
mod mode {
    pub const HOST: i32 = 0;
    pub const DEVICE: i32 = 1;
    pub const VECTORS: i32 = 2;
    pub const VECTOR_AND_ZERO: i32 = 3;
    pub const VECTOR_AND_HOST: i32 = 4;
}

type Multiply = unsafe extern "C" fn(
    *mut c_void,
    *const c_void,
    *const c_void,
    *const c_void,
    *const c_void,
    *const c_void,
    *const c_void,
    *const c_void,
    *const c_void,
    *const c_void,
    *mut c_void,
    *const c_void,
    *const c_void,
    *mut c_void,
    usize,
    *mut c_void,
) -> c_int;

/// D := epilogue(α op(A) op(B) + βC).
///
/// # Safety
/// The addresses are as cuBLASLt wants them.
pub unsafe extern "C" fn multiply(
    handle: *mut c_void,
    descriptor: *const c_void,
    alpha: *const c_void,
    a: *const c_void,
    a_layout: *const c_void,
    b: *const c_void,
    b_layout: *const c_void,
    beta: *const c_void,
    c: *const c_void,
    c_layout: *const c_void,
    d: *mut c_void,
    d_layout: *const c_void,
    algorithm: *const c_void,
    workspace: *mut c_void,
    bytes: usize,
    stream: *mut c_void,
) -> c_int {
    if let Some(theirs) = FRONT.function(c"cublasLtMatmul") {
        let Some(stream) = foreign_stream(stream as usize) else {
            return Status::INVALID_VALUE.0;
        };
        // SAFETY: the function has this type in cuBLASLt.
        return unsafe {
            transmute::<*const c_void, Multiply>(theirs)(
                handle, descriptor, alpha, a, a_layout, b, b_layout, beta, c, c_layout, d,
                d_layout, algorithm, workspace, bytes, stream,
            )
        };
    }
    let enqueue = || {
        is_handle(handle)?;
        if !algorithm.is_null() {
            // SAFETY: caller.
            unsafe { record::<Algorithm>(algorithm) }?;
        }
        let layouts = [a_layout, b_layout, c_layout, d_layout];
        // SAFETY: caller.
        let (plan, descriptor, layouts) = unsafe { plan(descriptor, layouts) }?;
        let [a_shape, b_shape, c_shape, d_shape] = &plan.shapes;
        let call = Call::on(stream as usize, descriptor.pointers == mode::DEVICE);
        let rows = d_shape.rows;
        let zero = || -> Factor { Box::new(|_| 0.0.into()) };
        // SAFETY: caller.
        let one = |address: *const c_void| unsafe { number(&call, address.cast(), plan.scale) };
        let each = |address: *const c_void| vector(&call, address.cast(), plan.scale, rows);
        let factors = match descriptor.pointers {
            mode::HOST | mode::DEVICE => (one(alpha)?, one(beta)?),
            mode::VECTORS => (each(alpha)?, each(beta)?),
            mode::VECTOR_AND_ZERO => (each(alpha)?, zero()),
            mode::VECTOR_AND_HOST => (each(alpha)?, one(beta)?),
            _ => return Err(Status::INVALID_VALUE),
        };
        plan.epilogue.check(&call, plan.count)?;
        // C may be nowhere if β is known to be zero.
        let is_zero = descriptor.pointers == mode::VECTOR_AND_ZERO
            || matches!(descriptor.pointers, mode::HOST | mode::VECTOR_AND_HOST)
                && factors.1(0) == 0.0.into();
        let d = d.cast_const().cast();
        let (c, c_shape, of_c) = match is_zero {
            true => (d, d_shape, &layouts[3]),
            false => (c.cast(), c_shape, &layouts[2]),
        };
        let places = [
            Places::of(&call, a.cast(), &layouts[0], a_shape)?,
            Places::of(&call, b.cast(), &layouts[1], b_shape)?,
            Places::of(&call, c, of_c, c_shape)?,
            Places::of(&call, d, &layouts[3], d_shape)?,
        ];
        let product = Product {
            plan,
            places,
            factors,
        };
        call.run(move || product.compute())
    };
    answer(enqueue())
}

type TransformFunction = unsafe extern "C" fn(
    *mut c_void,
    *const c_void,
    *const c_void,
    *const c_void,
    *const c_void,
    *const c_void,
    *const c_void,
    *const c_void,
    *mut c_void,
    *const c_void,
    *mut c_void,
) -> c_int;

/// C := α op(A) + β op(B), each in its own order.
///
/// # Safety
/// The addresses are as cuBLASLt wants them.
pub unsafe extern "C" fn transform(
    handle: *mut c_void,
    descriptor: *const c_void,
    alpha: *const c_void,
    a: *const c_void,
    a_layout: *const c_void,
    beta: *const c_void,
    b: *const c_void,
    b_layout: *const c_void,
    c: *mut c_void,
    c_layout: *const c_void,
    stream: *mut c_void,
) -> c_int {
    if let Some(theirs) = FRONT.function(c"cublasLtMatrixTransform") {
        let Some(stream) = foreign_stream(stream as usize) else {
            return Status::INVALID_VALUE.0;
        };
        // SAFETY: the function has this type in cuBLASLt.
        return unsafe {
            transmute::<*const c_void, TransformFunction>(theirs)(
                handle, descriptor, alpha, a, a_layout, beta, b, b_layout, c, c_layout, stream,
            )
        };
    }
    let operands = [(alpha, a, a_layout), (beta, b, b_layout)];
    let enqueue = || {
        is_handle(handle)?;
        // SAFETY: caller.
        unsafe { transform::enqueue(stream as usize, descriptor, operands, (c, c_layout)) }
    };
    answer(enqueue())
}
