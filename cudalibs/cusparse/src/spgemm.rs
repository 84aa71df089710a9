//! Products of two sparse matrices: `SpGEMM`. The product is computed in `compute` and kept until `copy` writes it.

use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::sync::Arc;

use cuda_library::elements::Complex64;
use cuda_library::handles::Handles;
use parking_lot::Mutex;

use crate::call::{Call, Operation, Value, kind};
use crate::descriptors::{Described, Format, SparseMatrix};
use crate::management::place;
use crate::products::some;
use crate::status::{Result, Status, answer};

/// The elements of a product, by row and column.
type Rows = Vec<BTreeMap<usize, Complex64>>;

/// What is kept between the steps.
static PRODUCTS: Handles<Mutex<Option<Rows>>> = Handles::starting_at(0x59A7_0000);

/// Makes a handle for a product.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn create_product(handle: *mut *mut c_void) -> c_int {
    // SAFETY: caller.
    answer(
        unsafe { place(handle) }
            .map(|place| *place = PRODUCTS.add(Mutex::new(None)) as *mut c_void),
    )
}

/// Destroys it.
pub extern "C" fn destroy_product(handle: *mut c_void) -> c_int {
    let gone = PRODUCTS.remove(handle as usize);
    answer(gone.map(drop).ok_or(Status::INVALID_VALUE))
}

fn product(handle: *mut c_void) -> Result<Arc<Mutex<Option<Rows>>>> {
    PRODUCTS.get(handle as usize).ok_or(Status::INVALID_VALUE)
}

/// Says how much memory the first step wants.
///
/// # Safety
/// The addresses are as cuSPARSE wants them.
pub unsafe extern "C" fn estimate(
    handle: *mut c_void,
    _a_operation: c_int,
    _b_operation: c_int,
    _alpha: *const c_void,
    _a: *const c_void,
    _b: *const c_void,
    _beta: *const c_void,
    _c: *mut c_void,
    _compute: c_int,
    _algorithm: c_int,
    _product: *mut c_void,
    bytes: *mut usize,
    _memory: *mut c_void,
) -> c_int {
    // SAFETY: caller.
    unsafe { some(handle, bytes) }
}

/// The elements of a matrix, row by row.
fn rows_of(a: &SparseMatrix) -> Vec<Vec<(usize, Complex64)>> {
    let mut rows = vec![Vec::new(); a.shape.0];
    a.visit(|row, column, number| rows[row].push((column, a.values.get::<Complex64>(number))));
    rows
}

fn multiply(a: &SparseMatrix, b: &SparseMatrix, alpha: Complex64) -> Rows {
    let right = rows_of(b);
    let row = |left: Vec<(usize, Complex64)>| {
        let mut sums = BTreeMap::new();
        for (inner, value) in left {
            for (column, other) in &right[inner] {
                *sums.entry(*column).or_default() += alpha * value * other;
            }
        }
        sums
    };
    rows_of(a).into_iter().map(row).collect()
}

/// Computes C's elements, and notes how many there are. Without memory, says how much it wants.
///
/// # Safety
/// The addresses are as cuSPARSE wants them.
pub unsafe extern "C" fn compute(
    handle: *mut c_void,
    a_operation: c_int,
    b_operation: c_int,
    alpha: *const c_void,
    a: *const c_void,
    b: *const c_void,
    beta: *const c_void,
    c: *mut c_void,
    compute: c_int,
    _algorithm: c_int,
    product_handle: *mut c_void,
    bytes: *mut usize,
    memory: *mut c_void,
) -> c_int {
    if memory.is_null() {
        // SAFETY: caller.
        return unsafe { some(handle, bytes) };
    }
    let step = || {
        let call = Call::of(handle)?;
        let operations = [Operation::of(a_operation)?, Operation::of(b_operation)?];
        if operations.iter().any(|operation| operation.transposed) {
            return Err(Status::NOT_SUPPORTED);
        }
        let kind = kind(compute)?;
        let (a, b) = (SparseMatrix::copy_of(a)?, SparseMatrix::copy_of(b)?);
        let c = SparseMatrix::of(c)?;
        if a.shape.1 != b.shape.0 || c.lock().shape != (a.shape.0, b.shape.1) {
            return Err(Status::INVALID_VALUE);
        }
        a.check(&call)?;
        b.check(&call)?;
        // SAFETY: caller.
        let alpha: Value = unsafe { call.value(alpha, kind) }?;
        // SAFETY: caller.
        drop(unsafe { call.value(beta, kind) }?);
        let product = product(product_handle)?;
        let target = product.clone();
        call.run_now(move || *target.lock() = Some(multiply(&a, &b, alpha())))?;
        let count = product
            .lock()
            .as_ref()
            .map(|rows| rows.iter().map(BTreeMap::len).sum());
        c.lock().count = count.ok_or(Status::EXECUTION_FAILED)?;
        Ok(())
    };
    answer(step())
}

/// Writes C's elements.
///
/// # Safety
/// The addresses are as cuSPARSE wants them.
pub unsafe extern "C" fn copy(
    handle: *mut c_void,
    _a_operation: c_int,
    _b_operation: c_int,
    _alpha: *const c_void,
    _a: *const c_void,
    _b: *const c_void,
    beta: *const c_void,
    c: *mut c_void,
    compute: c_int,
    _algorithm: c_int,
    product_handle: *mut c_void,
) -> c_int {
    let step = || {
        let call = Call::of(handle)?;
        let c = SparseMatrix::copy_of(c)?;
        if c.format != Format::Rows {
            return Err(Status::NOT_SUPPORTED);
        }
        c.check(&call)?;
        let product = product(product_handle)?;
        let rows = product.lock().clone().ok_or(Status::INVALID_VALUE)?;
        if rows.len() != c.shape.0 || rows.iter().map(BTreeMap::len).sum::<usize>() != c.count {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: caller.
        let beta = unsafe { call.value(beta, kind(compute)?) }?;
        call.run(move || {
            let beta = beta();
            let mut number = 0;
            for (row, elements) in rows.into_iter().enumerate() {
                c.offsets.set(row, number);
                for (column, value) in elements {
                    let before = match beta == Complex64::ZERO {
                        true => beta,
                        false => beta * c.values.get::<Complex64>(number),
                    };
                    c.indices.set(number, column);
                    c.values.set(number, value + before);
                    number += 1;
                }
            }
            c.offsets.set(c.shape.0, number);
        })
    };
    answer(step())
}
