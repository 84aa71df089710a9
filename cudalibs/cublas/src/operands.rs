//! Views of vectors and matrices in device memory. They are addresses: several may show the same elements, and the
//! program answers for what else uses the memory, as with a kernel.

use num_complex::ComplexFloat;

/// Elements at equal distances.
#[derive(Clone, Copy, Debug)]
pub struct Vector<T> {
    /// The address of the element 0.
    pub base: *mut T,
    /// The number of elements.
    pub len: usize,
    /// The distance between two.
    pub step: isize,
}

/// Elements in rows and columns.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<T> {
    /// The address of the element (0, 0).
    pub base: *mut T,
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
    /// The distance between two rows.
    pub row_step: isize,
    /// The distance between two columns.
    pub column_step: isize,
    /// Whether it shows the elements' conjugates. Such a view is not written to.
    pub conjugated: bool,
}

// SAFETY: they are addresses. Who uses them answers for that.
unsafe impl<T: Send> Send for Vector<T> {}
// SAFETY: the same.
unsafe impl<T: Send> Sync for Vector<T> {}
// SAFETY: the same.
unsafe impl<T: Send> Send for Matrix<T> {}
// SAFETY: the same.
unsafe impl<T: Send> Sync for Matrix<T> {}

/// Elements of a vector that a vector register, or a few, holds.
const LANES: usize = 16;

impl<T: Copy> Vector<T> {
    /// The elements of a slice.
    pub fn over(slice: &mut [T]) -> Vector<T> {
        Vector {
            base: slice.as_mut_ptr(),
            len: slice.len(),
            step: 1,
        }
    }

    /// An element.
    pub fn get(&self, index: usize) -> T {
        debug_assert!(index < self.len);
        // SAFETY: whoever made the view vouches for its elements.
        unsafe { *self.base.offset(index as isize * self.step) }
    }

    /// Changes an element.
    pub fn set(&self, index: usize, value: T) {
        debug_assert!(index < self.len);
        // SAFETY: as in `get`.
        unsafe { *self.base.offset(index as isize * self.step) = value }
    }

    /// Changes every element, given another vector's.
    pub fn update<U: Copy>(self, other: Vector<U>, change: impl Fn(U, T) -> T) {
        debug_assert!(self.len == other.len);
        let at = |index: usize, own: isize, others: isize| {
            let index = index as isize;
            // SAFETY: whoever made the views vouches for their elements.
            unsafe {
                let place = self.base.offset(index * own);
                *place = change(*other.base.offset(index * others), *place);
            }
        };
        // With constants for distances, the loop becomes one of vectors.
        match (self.step, other.step) {
            (1, 1) => (0..self.len).for_each(|index| at(index, 1, 1)),
            (own, others) => (0..self.len).for_each(|index| at(index, own, others)),
        }
    }

    /// The elements, one by one.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator {
        (0..self.len).map(move |index| self.get(index))
    }

    /// The elements from the end to the beginning.
    pub fn reversed(self) -> Vector<T> {
        let last = self.len.saturating_sub(1) as isize;
        Vector {
            // SAFETY: the last element is one of the view's.
            base: unsafe { self.base.offset(last * self.step) },
            step: -self.step,
            ..self
        }
    }

    /// The elements as a slice, if they are neighbours.
    ///
    /// # Safety
    /// Nobody writes to the elements while the slice is in use.
    pub unsafe fn slice<'a>(self) -> Option<&'a [T]> {
        // SAFETY: caller; whoever made the view vouches for its elements.
        (self.step == 1 && self.len > 0)
            .then(|| unsafe { std::slice::from_raw_parts(self.base, self.len) })
    }

    /// As a matrix of one column.
    pub fn column(self) -> Matrix<T> {
        Matrix {
            base: self.base,
            rows: self.len,
            columns: 1,
            row_step: self.step,
            column_step: 0,
            conjugated: false,
        }
    }
}

impl<T: ComplexFloat + Default> Vector<T> {
    /// The sum of products with another vector's elements, the first factor's conjugates if so wanted.
    pub fn dot(self, other: Vector<T>, conjugated: bool) -> T {
        let factor = |value: T| if conjugated { value.conj() } else { value };
        // SAFETY: both are only read.
        let (Some(left), Some(right)) = (unsafe { self.slice() }, unsafe { other.slice() }) else {
            let products = self.iter().zip(other.iter());
            return products.fold(T::zero(), |sum, (left, right)| sum + factor(left) * right);
        };
        let mut sums = [T::zero(); LANES];
        let (left, left_rest) = left.as_chunks::<LANES>();
        let (right, right_rest) = right.as_chunks::<LANES>();
        for (left, right) in left.iter().zip(right) {
            for lane in 0..LANES {
                sums[lane] = sums[lane] + factor(left[lane]) * right[lane];
            }
        }
        let rest = left_rest.iter().zip(right_rest);
        let rest = rest.fold(T::zero(), |sum, (left, right)| sum + factor(*left) * *right);
        sums.into_iter().fold(rest, |sum, lane| sum + lane)
    }
}

impl<T: Copy> Matrix<T> {
    /// The elements of a slice, column by column.
    pub fn over(slice: &mut [T], rows: usize, columns: usize) -> Matrix<T> {
        assert!(slice.len() >= rows * columns);
        Matrix {
            base: slice.as_mut_ptr(),
            rows,
            columns,
            row_step: 1,
            column_step: rows as isize,
            conjugated: false,
        }
    }

    fn at(&self, row: usize, column: usize) -> *mut T {
        let offset = row as isize * self.row_step + column as isize * self.column_step;
        // SAFETY: whoever made the view vouches for its elements; callers stay within them.
        unsafe { self.base.offset(offset) }
    }

    /// Changes an element.
    pub fn set(&self, row: usize, column: usize, value: T) {
        debug_assert!(row < self.rows && column < self.columns && !self.conjugated);
        // SAFETY: the element is one of the view's.
        unsafe { *self.at(row, column) = value }
    }

    /// Its transpose.
    pub fn transposed(self) -> Matrix<T> {
        Matrix {
            rows: self.columns,
            columns: self.rows,
            row_step: self.column_step,
            column_step: self.row_step,
            ..self
        }
    }

    /// The elements' conjugates.
    pub fn conjugate(self) -> Matrix<T> {
        Matrix {
            conjugated: !self.conjugated,
            ..self
        }
    }

    /// A part.
    pub fn part(self, row: usize, column: usize, rows: usize, columns: usize) -> Matrix<T> {
        debug_assert!(row + rows <= self.rows && column + columns <= self.columns);
        Matrix {
            base: self.at(row, column),
            rows,
            columns,
            ..self
        }
    }

    /// Rows and columns from the last to the first: of an upper triangle this makes a lower one.
    pub fn reversed(self) -> Matrix<T> {
        self.rows_reversed()
            .transposed()
            .rows_reversed()
            .transposed()
    }

    /// Rows from the last to the first.
    pub fn rows_reversed(self) -> Matrix<T> {
        Matrix {
            base: self.at(self.rows.saturating_sub(1), 0),
            row_step: -self.row_step,
            ..self
        }
    }

    /// A row. Not of a conjugated view.
    pub fn row(self, row: usize) -> Vector<T> {
        debug_assert!(!self.conjugated);
        Vector {
            base: self.at(row, 0),
            len: self.columns,
            step: self.column_step,
        }
    }
}

impl<T: ComplexFloat> Matrix<T> {
    /// An element.
    pub fn get(&self, row: usize, column: usize) -> T {
        debug_assert!(row < self.rows && column < self.columns);
        // SAFETY: the element is one of the view's.
        let value = unsafe { *self.at(row, column) };
        if self.conjugated { value.conj() } else { value }
    }

    /// Changes every element, given its place.
    pub fn fill(&self, value: impl Fn(usize, usize) -> T) {
        for column in 0..self.columns {
            for row in 0..self.rows {
                self.set(row, column, value(row, column));
            }
        }
    }
}
