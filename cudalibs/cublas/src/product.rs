//! Products of matrices.

use gemm::Parallelism;

use crate::operands::Matrix;
use crate::scalar::Scalar;

/// Multiplications from which on several threads are worth while.
const FOR_THREADS: usize = 64 * 64 * 64;

/// C := αAB + βC. Where β is zero, C is not read.
pub fn multiply<T: Scalar>(alpha: T, a: Matrix<T>, b: Matrix<T>, beta: T, c: Matrix<T>) {
    debug_assert!(a.rows == c.rows && a.columns == b.rows && b.columns == c.columns);
    if c.rows == 0 || c.columns == 0 {
        return;
    }
    if a.columns == 0 || alpha == T::zero() {
        scale(beta, c);
        return;
    }
    let threads = match c.rows * c.columns * a.columns {
        ..FOR_THREADS => Parallelism::None,
        _ => Parallelism::Rayon(0),
    };
    // SAFETY: whoever made the views vouches for their elements. The crate's α is ours of C and its β ours of AB.
    unsafe {
        gemm::gemm(
            c.rows,
            c.columns,
            a.columns,
            c.base,
            c.column_step,
            c.row_step,
            beta != T::zero(),
            a.base,
            a.column_step,
            a.row_step,
            b.base,
            b.column_step,
            b.row_step,
            beta,
            alpha,
            false,
            a.conjugated,
            b.conjugated,
            threads,
        );
    }
}

/// C := βC.
pub fn scale<T: Scalar>(beta: T, c: Matrix<T>) {
    if beta == T::zero() {
        c.fill(|_, _| T::zero());
    } else if beta != T::one() {
        c.fill(|row, column| beta * c.get(row, column));
    }
}

/// Which part of a matrix counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Triangle {
    /// The diagonal and what is below.
    Lower,
    /// The diagonal and what is above.
    Upper,
}

/// What the other triangle of a matrix has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// The same elements.
    Symmetric,
    /// Their conjugates, and the diagonal is real.
    Hermitian,
}

/// An element of a symmetric matrix, of which one triangle is there.
pub fn symmetric_element<T: Scalar>(
    a: Matrix<T>,
    triangle: Triangle,
    symmetry: Symmetry,
    row: usize,
    column: usize,
) -> T {
    let is_there = match triangle {
        Triangle::Lower => row >= column,
        Triangle::Upper => row <= column,
    };
    let value = match is_there {
        true => a.get(row, column),
        false => a.get(column, row),
    };
    match symmetry {
        Symmetry::Symmetric => value,
        Symmetry::Hermitian if row == column => T::of(value.re()),
        Symmetry::Hermitian if is_there => value,
        Symmetry::Hermitian => value.conj(),
    }
}

/// Sizes up to which a triangle's product is computed as a whole square.
const SMALL: usize = 96;

/// A triangle of C := Σ αAB + βC, the sum over `terms`. The diagonal stays real if the matrix is Hermitian.
pub fn multiply_triangle<T: Scalar>(
    terms: &[(T, Matrix<T>, Matrix<T>)],
    beta: T,
    c: Matrix<T>,
    triangle: Triangle,
    symmetry: Symmetry,
) {
    let size = c.rows;
    if size <= SMALL {
        return multiply_small_triangle(terms, beta, c, triangle, symmetry);
    }
    let half = size / 2;
    let rest = size - half;
    let (one, other) = match triangle {
        Triangle::Lower => ((half, rest), (0, half)),
        Triangle::Upper => ((0, half), (half, rest)),
    };
    let mut beta_of_square = beta;
    for (alpha, a, b) in terms {
        let rows = a.part(one.0, 0, one.1, a.columns);
        let columns = b.part(0, other.0, b.rows, other.1);
        let square = c.part(one.0, other.0, one.1, other.1);
        multiply(*alpha, rows, columns, beta_of_square, square);
        beta_of_square = T::one();
    }
    for (begin, len) in [one, other] {
        let part = |(alpha, a, b): &(T, Matrix<T>, Matrix<T>)| {
            let rows = a.part(begin, 0, len, a.columns);
            (*alpha, rows, b.part(0, begin, b.rows, len))
        };
        let terms: Vec<_> = terms.iter().map(part).collect();
        multiply_triangle(
            &terms,
            beta,
            c.part(begin, begin, len, len),
            triangle,
            symmetry,
        );
    }
}

fn multiply_small_triangle<T: Scalar>(
    terms: &[(T, Matrix<T>, Matrix<T>)],
    beta: T,
    c: Matrix<T>,
    triangle: Triangle,
    symmetry: Symmetry,
) {
    let size = c.rows;
    let mut storage = vec![T::zero(); size * size];
    let sum = Matrix::over(&mut storage, size, size);
    for (alpha, a, b) in terms {
        multiply(*alpha, *a, *b, T::one(), sum);
    }
    for column in 0..size {
        let rows = match triangle {
            Triangle::Lower => column..size,
            Triangle::Upper => 0..column + 1,
        };
        for row in rows {
            let mut value = sum.get(row, column);
            if beta != T::zero() {
                value += beta * c.get(row, column);
            }
            if symmetry == Symmetry::Hermitian && row == column {
                value = T::of(value.re());
            }
            c.set(row, column, value);
        }
    }
}
