//! Computes a product: the sum of products without α and β first, then each element of the result.

use cuda_library::elements::{Complex32, Complex64, Kind, Stored};
use cuda_library::with_type;

use super::epilogue::Gradient;
use super::layouts::Places;
use super::plan::Plan;
use crate::call::{Call, Target};
use crate::operands::Matrix;
use crate::product::multiply;
use crate::scalar::Scalar;
use crate::status::Result;

/// A factor of each row, to be read when the work runs.
pub type Factor = Box<dyn Fn(usize) -> Complex64 + Send>;

/// A number at an address, which the call's pointer mode says how to read.
///
/// # Safety
/// As for [`Call::factor`].
pub unsafe fn number(call: &Call, address: *const u8, kind: Kind) -> Result<Factor> {
    with_type!(kind, T => {
        // SAFETY: caller.
        let factor = unsafe { call.factor(address.cast::<T>()) }?;
        Ok(Box::new(move |_| factor.get().value()))
    })
}

/// A vector in device memory, one number for each row.
pub fn vector(call: &Call, address: *const u8, kind: Kind, rows: usize) -> Result<Factor> {
    with_type!(kind, T => {
        let base: Target<T> = call.elements(address.cast::<T>(), rows)?;
        Ok(Box::new(move |row| {
            // SAFETY: the vector was checked.
            let element = unsafe { Target::<T>::read(base, row) };
            element.value()
        }))
    })
}

/// Operands of a plan.
pub struct Product {
    /// The plan.
    pub plan: Plan,
    /// A, B, C and D. C is not read where β is zero.
    pub places: [Places; 4],
    /// α and β.
    pub factors: (Factor, Factor),
}

impl Product {
    /// Computes all of the batch.
    pub fn compute(&self) {
        for index in 0..self.plan.count {
            match self.plan.sums {
                Kind::C32 => self.compute_one::<Complex32>(index),
                Kind::C64 => self.compute_one::<Complex64>(index),
                Kind::F64 => self.compute_one::<f64>(index),
                _ => self.compute_one::<f32>(index),
            }
        }
    }

    fn compute_one<W: Scalar + Stored>(&self, index: usize) {
        let [a_shape, b_shape, c_shape, d_shape] = &self.plan.shapes;
        let (mut a_copy, mut b_copy, mut c_copy) = (Vec::new(), Vec::new(), Vec::new());
        let place = |operand: usize| self.places[operand].get(index);
        let a = a_shape.matrix::<W>(place(0), &mut a_copy);
        let a = self.plan.operations.0.apply(a);
        let b = b_shape.matrix::<W>(place(1), &mut b_copy);
        let b = self.plan.operations.1.apply(b);
        let mut results = vec![W::zero(); d_shape.rows * d_shape.columns];
        let target = Matrix::over(&mut results, d_shape.rows, d_shape.columns);
        multiply(W::one(), a, b, W::zero(), target);
        let factors = |factor: &Factor| -> Vec<W> {
            (0..d_shape.rows)
                .map(|row| W::of_value(factor(row)))
                .collect()
        };
        let (alpha, beta) = (factors(&self.factors.0), factors(&self.factors.1));
        let reads_c = beta.iter().any(|factor| *factor != W::zero());
        let c = reads_c.then(|| c_shape.matrix::<W>(place(2), &mut c_copy));
        for (column, results) in results.chunks_exact_mut(d_shape.rows.max(1)).enumerate() {
            for (row, result) in results.iter_mut().enumerate() {
                *result *= alpha[row];
                if let Some(c) = &c {
                    *result += beta[row] * c.get(row, column);
                }
            }
        }
        let epilogue = &self.plan.epilogue;
        if !epilogue.is_none() {
            epilogue.apply(index, &mut results);
        }
        let sum = |count: usize, element: &dyn Fn(usize) -> W| -> Complex64 {
            (0..count).map(|at| element(at).value()).sum()
        };
        match epilogue.gradient() {
            None => {}
            Some(Gradient::Result) => {
                let all = |row: usize| {
                    sum(d_shape.columns, &|column| {
                        results[column * d_shape.rows + row]
                    })
                };
                epilogue.write_gradient(index, (0..d_shape.rows).map(all));
            }
            Some(Gradient::A) => {
                let all = |row: usize| sum(a.columns, &|inner| a.get(row, inner));
                epilogue.write_gradient(index, (0..a.rows).map(all));
            }
            Some(Gradient::B) => {
                let all = |column: usize| sum(b.rows, &|inner| b.get(inner, column));
                epilogue.write_gradient(index, (0..b.columns).map(all));
            }
        }
        d_shape.pack(&results, place(3));
    }
}
