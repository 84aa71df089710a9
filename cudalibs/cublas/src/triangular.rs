//! Triangular matrices: systems and products. Everything is brought to the form of a lower triangle on the left.

use crate::operands::Matrix;
use crate::product::{Triangle, multiply};
use crate::scalar::Scalar;

/// A triangular matrix.
#[derive(Clone, Copy, Debug)]
pub struct Triangular<T> {
    /// The elements.
    pub matrix: Matrix<T>,
    /// Which of them count.
    pub triangle: Triangle,
    /// Whether the diagonal counts as ones.
    pub unit: bool,
}

/// Sizes up to which elements are treated one by one.
const SMALL: usize = 32;

impl<T: Scalar> Triangular<T> {
    /// Its transpose.
    pub fn transposed(self) -> Triangular<T> {
        Triangular {
            matrix: self.matrix.transposed(),
            triangle: match self.triangle {
                Triangle::Lower => Triangle::Upper,
                Triangle::Upper => Triangle::Lower,
            },
            ..self
        }
    }

    /// A lower triangle, and with the same change of rows what it is to be applied to.
    fn lowered(self, b: Matrix<T>) -> (Matrix<T>, Matrix<T>) {
        match self.triangle {
            Triangle::Lower => (self.matrix, b),
            Triangle::Upper => (self.matrix.reversed(), b.rows_reversed()),
        }
    }

    /// B := A⁻¹B.
    pub fn solve(self, b: Matrix<T>) {
        if b.rows > 0 && b.columns > 0 {
            let (a, b) = self.lowered(b);
            solve_lower(a, self.unit, b);
        }
    }

    /// B := AB.
    pub fn apply(self, b: Matrix<T>) {
        if b.rows > 0 && b.columns > 0 {
            let (a, b) = self.lowered(b);
            apply_lower(a, self.unit, b);
        }
    }
}

/// The four parts that halving rows and columns gives: the upper left, the lower left and the lower right one.
fn parts<T: Copy>(a: Matrix<T>, half: usize) -> (Matrix<T>, Matrix<T>, Matrix<T>) {
    let rest = a.rows - half;
    (
        a.part(0, 0, half, half),
        a.part(half, 0, rest, half),
        a.part(half, half, rest, rest),
    )
}

fn solve_lower<T: Scalar>(a: Matrix<T>, unit: bool, b: Matrix<T>) {
    let size = a.rows;
    if size <= SMALL {
        for column in 0..b.columns {
            for row in 0..size {
                let known = (0..row).map(|inner| a.get(row, inner) * b.get(inner, column));
                let mut value = known.fold(b.get(row, column), |sum, product| sum - product);
                if !unit {
                    value /= a.get(row, row);
                }
                b.set(row, column, value);
            }
        }
        return;
    }
    let half = size / 2;
    let (first, below, last) = parts(a, half);
    let (top, bottom) = (
        b.part(0, 0, half, b.columns),
        b.part(half, 0, size - half, b.columns),
    );
    solve_lower(first, unit, top);
    multiply(-T::one(), below, top, T::one(), bottom);
    solve_lower(last, unit, bottom);
}

fn apply_lower<T: Scalar>(a: Matrix<T>, unit: bool, b: Matrix<T>) {
    let size = a.rows;
    if size <= SMALL {
        for column in 0..b.columns {
            for row in (0..size).rev() {
                let own = b.get(row, column);
                let own = if unit { own } else { a.get(row, row) * own };
                let above = (0..row).map(|inner| a.get(row, inner) * b.get(inner, column));
                b.set(row, column, above.fold(own, |sum, product| sum + product));
            }
        }
        return;
    }
    let half = size / 2;
    let (first, below, last) = parts(a, half);
    let (top, bottom) = (
        b.part(0, 0, half, b.columns),
        b.part(half, 0, size - half, b.columns),
    );
    apply_lower(last, unit, bottom);
    multiply(T::one(), below, top, T::one(), bottom);
    apply_lower(first, unit, top);
}
