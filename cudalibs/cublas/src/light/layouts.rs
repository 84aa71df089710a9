//! Orders of a matrix's elements in memory (`cublasLtOrder_t`), and batches of matrices.

use cuda_library::elements::{Kind, Stored};
use cuda_library::with_type;

use super::attributes::Layout;
use crate::call::{Call, Target};
use crate::operands::Matrix;
use crate::scalar::Scalar;
use crate::status::{Result, Status};

/// An order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// Column by column.
    Columns,
    /// Row by row.
    Rows,
    /// Groups of 32 columns, each row by row.
    Groups,
    /// Groups of 32 columns in tiles of 8 rows, of which even and odd ones lie apart (`COL4_4R2_8C`).
    Turing,
    /// Groups of 32 columns in tiles of 32 rows (`COL32_2R_4R4`).
    Ampere,
}

/// Columns of a group.
const GROUP: usize = 32;

impl Order {
    fn of(number: i32) -> Result<Order> {
        use Order::*;
        let orders = [Columns, Rows, Groups, Turing, Ampere];
        let order = usize::try_from(number)
            .ok()
            .and_then(|index| orders.get(index));
        order.copied().ok_or(Status::INVALID_VALUE)
    }

    /// Elements of a group of columns, so many rows.
    fn group(self, rows: usize) -> usize {
        let tile = match self {
            Order::Turing => 8,
            Order::Ampere => 32,
            _ => 1,
        };
        GROUP * rows.next_multiple_of(tile)
    }

    /// Where an element of a group lies in it.
    fn in_group(self, row: usize, column: usize) -> usize {
        match self {
            Order::Turing => {
                let quarter = (row / 8 * 8 + row % 2 * 4 + column / 8) * 32;
                quarter + (column % 8 / 4 * 4 + row % 8 / 2) * 4 + column % 4
            }
            Order::Ampere => {
                let inner = ((row % 8 / 2 * 4 + row % 32 / 8) * 2 + row % 2) * 32 + column;
                row / 32 * GROUP * 32 + inner
            }
            _ => row * GROUP + column,
        }
    }
}

/// The shape of one matrix of a layout.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The type of its elements.
    pub kind: Kind,
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    order: Order,
    leading: usize,
}

impl Shape {
    /// The shape that a layout says.
    pub fn of(layout: &Layout) -> Result<Shape> {
        let kind = i32::try_from(layout.kind).ok().and_then(Kind::of);
        let size = |value: u64| match i32::try_from(value) {
            Ok(size) => Ok(size as usize),
            Err(_) => Err(Status::INVALID_VALUE),
        };
        let shape = Shape {
            kind: kind.ok_or(Status::NOT_SUPPORTED)?,
            rows: size(layout.rows)?,
            columns: size(layout.columns)?,
            order: Order::of(layout.order)?,
            leading: usize::try_from(layout.leading).map_err(|_| Status::INVALID_VALUE)?,
        };
        if layout.plane != 0 {
            return Err(Status::NOT_SUPPORTED);
        }
        let least = match shape.order {
            Order::Columns => shape.rows,
            Order::Rows => shape.columns,
            order => order.group(shape.rows),
        };
        match shape.leading >= least {
            true => Ok(shape),
            false => Err(Status::INVALID_VALUE),
        }
    }

    /// Elements from the first to the last.
    pub fn span(&self) -> usize {
        if self.rows == 0 || self.columns == 0 {
            return 0;
        }
        match self.order {
            Order::Columns => (self.columns - 1) * self.leading + self.rows,
            Order::Rows => (self.rows - 1) * self.leading + self.columns,
            order => (self.columns.div_ceil(GROUP) - 1) * self.leading + order.group(self.rows),
        }
    }

    fn place(&self, row: usize, column: usize) -> usize {
        match self.order {
            Order::Columns => column * self.leading + row,
            Order::Rows => row * self.leading + column,
            order => column / GROUP * self.leading + order.in_group(row, column % GROUP),
        }
    }

    /// The matrix at an address: as it is, if its elements are `W` and lie at equal distances, else in `copy`.
    pub fn matrix<W: Scalar + Stored>(&self, base: *mut u8, copy: &mut Vec<W>) -> Matrix<W> {
        let steps = match self.order {
            Order::Columns => Some((1, self.leading as isize)),
            Order::Rows => Some((self.leading as isize, 1)),
            _ => None,
        };
        if let Some((row_step, column_step)) = steps
            && with_type!(self.kind, S => std::any::TypeId::of::<S>() == std::any::TypeId::of::<W>())
            && base.cast::<W>().is_aligned()
        {
            return Matrix {
                base: base.cast(),
                rows: self.rows,
                columns: self.columns,
                row_step,
                column_step,
                conjugated: false,
            };
        }
        with_type!(self.kind, S => self.unpack::<S, W>(base.cast(), copy));
        Matrix::over(copy, self.rows, self.columns)
    }

    fn unpack<S: Stored, W: Scalar + Stored>(&self, base: *const S, copy: &mut Vec<W>) {
        copy.clear();
        copy.reserve(self.rows * self.columns);
        for column in 0..self.columns {
            for row in 0..self.rows {
                // SAFETY: the matrix was checked as a whole. Addresses in lists may be misaligned.
                let element = unsafe { base.add(self.place(row, column)).read_unaligned() };
                copy.push(W::of_value(element.value()));
            }
        }
    }

    /// Puts elements that lie column by column into the matrix at an address.
    pub fn pack<W: Scalar + Stored>(&self, elements: &[W], base: *mut u8) {
        with_type!(self.kind, S => {
            let base = base.cast::<S>();
            for (column, elements) in elements.chunks_exact(self.rows.max(1)).enumerate() {
                for (row, element) in elements.iter().enumerate() {
                    let element = S::of_value(element.value());
                    // SAFETY: as in `unpack`.
                    unsafe { base.add(self.place(row, column)).write_unaligned(element) };
                }
            }
        });
    }
}

/// Where the matrices of a batch are.
#[derive(Clone, Copy)]
pub enum Places {
    /// The first, and the distance in bytes.
    Strided(Target<u8>, isize),
    /// Addresses in device memory.
    Listed(Target<*mut u8>),
}

impl Places {
    /// Those of a layout at an address.
    pub fn of(call: &Call, base: *const u8, layout: &Layout, shape: &Shape) -> Result<Places> {
        let count = usize::try_from(layout.count).map_err(|_| Status::INVALID_VALUE)?;
        if layout.mode == 1 {
            return Ok(Places::Listed(call.elements(base.cast(), count)?));
        }
        let size = shape.kind.bytes() as isize;
        let step = isize::try_from(layout.step).ok();
        let step = step.and_then(|step| step.checked_mul(size));
        let last = step.and_then(|step| step.checked_mul(count.saturating_sub(1) as isize));
        let (Some(step), Some(last)) = (step, last) else {
            return Err(Status::INVALID_VALUE);
        };
        let bytes = shape.span() * shape.kind.bytes();
        call.elements(base.wrapping_offset(last), bytes)?;
        Ok(Places::Strided(call.elements(base, bytes)?, step))
    }

    /// The address of a matrix.
    pub fn get(&self, index: usize) -> *mut u8 {
        match self {
            Places::Strided(first, step) => first.0.wrapping_offset(index as isize * step),
            // SAFETY: the list was checked as a whole.
            Places::Listed(list) => unsafe { list.read(index) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_give_each_element_a_place_of_its_own() {
        for (order, rows, columns, leading) in [
            (0, 5, 7, 6),
            (1, 5, 7, 9),
            (2, 5, 70, 160),
            (3, 13, 40, 512),
            (4, 37, 33, 2048),
        ] {
            let layout = Layout {
                kind: 3,
                order,
                rows,
                columns,
                leading,
                ..Layout::default()
            };
            let shape = Shape::of(&layout).unwrap();
            let mut taken = vec![false; shape.span()];
            for row in 0..shape.rows {
                for column in 0..shape.columns {
                    assert!(!std::mem::replace(
                        &mut taken[shape.place(row, column)],
                        true
                    ));
                }
            }
            let elements: Vec<f64> = (0..shape.rows * shape.columns)
                .map(|number| (number % 100) as f64)
                .collect();
            let mut memory = vec![0_u8; shape.span()];
            shape.pack(&elements, memory.as_mut_ptr());
            let mut copy = Vec::new();
            shape.matrix::<f64>(memory.as_mut_ptr(), &mut copy);
            assert_eq!(copy, elements);
        }
    }
}
