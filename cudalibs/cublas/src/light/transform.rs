//! `cublasLtMatrixTransform`: C := α op(A) + β op(B), from one order into another.

use std::ffi::{c_int, c_void};

use cuda_library::elements::{Complex32, Complex64, Kind, Stored};

use super::attributes::{Layout, Transform, record};
use super::layouts::{Places, Shape};
use super::product::{Factor, number};
use crate::call::{Call, Operation};
use crate::scalar::Scalar;
use crate::status::{Result, Status};

/// A matrix that is added.
struct Term {
    factor: Factor,
    operation: Operation,
    shape: Shape,
    places: Places,
}

/// A sum of matrices.
struct Sum {
    terms: Vec<Term>,
    shape: Shape,
    places: Places,
    count: usize,
    scale: Kind,
}

impl Sum {
    fn compute(&self) {
        for index in 0..self.count {
            match self.scale {
                Kind::C32 => self.compute_one::<Complex32>(index),
                Kind::C64 => self.compute_one::<Complex64>(index),
                _ => self.compute_one::<f64>(index),
            }
        }
    }

    fn compute_one<W: Scalar + Stored>(&self, index: usize) {
        let mut results = vec![W::zero(); self.shape.rows * self.shape.columns];
        for term in &self.terms {
            let factor = W::of_value((term.factor)(0));
            if factor == W::zero() {
                continue;
            }
            let mut copy = Vec::new();
            let matrix = term.shape.matrix::<W>(term.places.get(index), &mut copy);
            let matrix = term.operation.apply(matrix);
            for (column, results) in results.chunks_exact_mut(self.shape.rows.max(1)).enumerate() {
                for (row, result) in results.iter_mut().enumerate() {
                    *result += factor * matrix.get(row, column);
                }
            }
        }
        self.shape.pack(&results, self.places.get(index));
    }
}

/// Matrices of a sum: its factor, the matrix and its layout. Without a layout there is none.
pub type Operand = (*const c_void, *const c_void, *const c_void);

/// The sum of two matrices.
///
/// # Safety
/// The addresses are as cuBLASLt wants them.
pub unsafe fn enqueue(
    stream: usize,
    descriptor: *const c_void,
    operands: [Operand; 2],
    (result, layout): (*mut c_void, *const c_void),
) -> Result<()> {
    // SAFETY: caller.
    let descriptor = unsafe { record::<Transform>(descriptor) }?;
    // SAFETY: caller.
    let layout = unsafe { record::<Layout>(layout) }?;
    let scale = Kind::of(descriptor.scale).ok_or(Status::NOT_SUPPORTED)?;
    let call = match descriptor.pointers {
        0 | 1 => Call::on(stream, descriptor.pointers == 1),
        _ => return Err(Status::NOT_SUPPORTED),
    };
    let shape = Shape::of(&layout)?;
    let operations: [c_int; 2] = [descriptor.a, descriptor.b];
    let mut terms = Vec::new();
    for ((factor, matrix, of_matrix), operation) in operands.into_iter().zip(operations) {
        if of_matrix.is_null() {
            continue;
        }
        // SAFETY: caller.
        let of_matrix = unsafe { record::<Layout>(of_matrix) }?;
        let operation = Operation::of(operation)?;
        let term = Shape::of(&of_matrix)?;
        let size = match operation {
            Operation::None => (term.rows, term.columns),
            _ => (term.columns, term.rows),
        };
        if size != (shape.rows, shape.columns) || of_matrix.count != layout.count {
            return Err(Status::INVALID_VALUE);
        }
        terms.push(Term {
            // SAFETY: caller.
            factor: unsafe { number(&call, factor.cast(), scale) }?,
            operation,
            places: Places::of(&call, matrix.cast(), &of_matrix, &term)?,
            shape: term,
        });
    }
    let sum = Sum {
        terms,
        places: Places::of(&call, result.cast_const().cast(), &layout, &shape)?,
        shape,
        count: usize::try_from(layout.count).map_err(|_| Status::INVALID_VALUE)?,
        scale,
    };
    call.run(move || sum.compute())
}
