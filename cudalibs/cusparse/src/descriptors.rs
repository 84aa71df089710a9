//! What programs describe: vectors and matrices, dense and sparse; and the elements of them.

use std::ffi::{c_int, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cuda_library::elements::Kind;
use cuda_library::handles::Handles;
use cuda_library::{report, with_type};
use parking_lot::Mutex;

use crate::call::{Call, Memory, Work};
use crate::status::{Result, Status};

/// Values in device memory.
#[derive(Clone, Copy, Debug)]
pub struct Values {
    /// Where they are.
    pub address: usize,
    /// Their type.
    pub kind: Kind,
}

impl Values {
    /// Checks that so many are there.
    pub fn check(&self, call: &Call, count: usize) -> Result<()> {
        call.memory(self.address, count, self.kind.bytes())
            .map(drop)
    }

    /// A value as the computation's type. In work that runs, of values that were checked.
    pub fn get<W: Work>(&self, index: usize) -> W {
        // SAFETY: `check`.
        with_type!(self.kind, T => {
            let value: T = unsafe { Memory(self.address).read(index) };
            W::of_value(cuda_library::elements::Stored::value(value))
        })
    }

    /// Changes a value.
    pub fn set<W: Work>(&self, index: usize, value: W) {
        // SAFETY: `check`.
        with_type!(self.kind, T => unsafe {
            let value = <T as cuda_library::elements::Stored>::of_value(value.value());
            Memory(self.address).write(index, value);
        })
    }
}

/// Indices in device memory.
#[derive(Clone, Copy, Debug)]
pub struct Indices {
    /// Where they are.
    pub address: usize,
    /// Whether they have 64 bits.
    pub is_wide: bool,
    /// What is taken from each: 0 or 1.
    pub base: usize,
}

impl Indices {
    /// `cusparseIndexType_t` and `cusparseIndexBase_t`.
    pub fn of(address: *mut c_void, kind: c_int, base: c_int) -> Result<Indices> {
        let is_wide = match kind {
            2 => false,
            3 => true,
            _ => return Err(Status::INVALID_VALUE),
        };
        Ok(Indices {
            address: address as usize,
            is_wide,
            base: index_base(base)?,
        })
    }

    /// Checks that so many are there.
    pub fn check(&self, call: &Call, count: usize) -> Result<()> {
        let bytes = if self.is_wide { 8 } else { 4 };
        call.memory(self.address, count, bytes).map(drop)
    }

    /// An index from 0 on. What is negative becomes too great for any matrix.
    pub fn get(&self, index: usize) -> usize {
        // SAFETY: `check`.
        let number = unsafe {
            match self.is_wide {
                true => Memory(self.address).read::<i64>(index),
                false => Memory(self.address).read::<i32>(index).into(),
            }
        };
        usize::try_from(number - self.base as i64).unwrap_or(usize::MAX)
    }

    /// Changes an index.
    pub fn set(&self, index: usize, value: usize) {
        let number = value + self.base;
        // SAFETY: `check`.
        unsafe {
            match self.is_wide {
                true => Memory(self.address).write(index, number as i64),
                false => Memory(self.address).write(index, number as i32),
            }
        }
    }
}

/// `cusparseIndexBase_t`.
pub fn index_base(number: c_int) -> Result<usize> {
    match number {
        0 => Ok(0),
        1 => Ok(1),
        _ => Err(Status::INVALID_VALUE),
    }
}

/// A dense vector.
#[derive(Clone, Copy, Debug)]
pub struct DenseVector {
    /// The number of elements.
    pub size: usize,
    /// The elements.
    pub values: Values,
}

impl DenseVector {
    /// The elements.
    pub fn load<W: Work>(&self) -> Vec<W> {
        (0..self.size).map(|index| self.values.get(index)).collect()
    }
}

/// A sparse vector.
#[derive(Clone, Copy, Debug)]
pub struct SparseVector {
    /// The number of elements, zeros among them.
    pub size: usize,
    /// The number of those that are there.
    pub count: usize,
    /// Where they belong.
    pub indices: Indices,
    /// Their values.
    pub values: Values,
}

/// A dense matrix, or several at equal distances.
#[derive(Clone, Copy, Debug)]
pub struct DenseMatrix {
    /// Rows and columns.
    pub shape: (usize, usize),
    /// The distance of rows or columns.
    pub leading: usize,
    /// Whether it lies row by row.
    pub is_by_rows: bool,
    /// The elements.
    pub values: Values,
    /// How many.
    pub batch: usize,
    /// The distance of two.
    pub distance: usize,
}

impl DenseMatrix {
    /// Where an element is.
    pub fn index(&self, row: usize, column: usize) -> usize {
        match self.is_by_rows {
            true => row * self.leading + column,
            false => column * self.leading + row,
        }
    }

    /// Checks that the elements are there.
    pub fn check(&self, call: &Call) -> Result<()> {
        let (rows, columns) = self.shape;
        if rows == 0 || columns == 0 {
            return Ok(());
        }
        let last = self.index(rows - 1, columns - 1) + (self.batch.max(1) - 1) * self.distance;
        self.values.check(call, last + 1)
    }

    /// A matrix of the batch.
    pub fn of_batch(mut self, index: usize) -> DenseMatrix {
        if self.batch > 1 {
            self.values.address += index * self.distance * self.values.kind.bytes();
        }
        self
    }
}

/// How the elements of a sparse matrix lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Row by row: the rows' first elements, and columns.
    Rows,
    /// Column by column: the columns' first elements, and rows.
    Columns,
    /// Rows and columns of each.
    Coordinates,
}

/// A sparse matrix, or several at equal distances.
#[derive(Clone, Copy, Debug)]
pub struct SparseMatrix {
    /// How the elements lie.
    pub format: Format,
    /// Rows and columns.
    pub shape: (usize, usize),
    /// The number of elements.
    pub count: usize,
    /// Of rows or columns: where they begin. Of coordinates: the rows.
    pub offsets: Indices,
    /// Of rows and coordinates: the columns. Of columns: the rows.
    pub indices: Indices,
    /// The values.
    pub values: Values,
    /// `CUSPARSE_SPMAT_FILL_MODE`: whether the upper triangle counts, in a triangular system.
    pub is_upper: bool,
    /// `CUSPARSE_SPMAT_DIAG_TYPE`: whether the diagonal counts as ones.
    pub is_unit: bool,
    /// How many matrices.
    pub batch: usize,
    /// The distances of two: of offsets, and of indices and values.
    pub distances: (usize, usize),
}

impl SparseMatrix {
    /// The number of lists: rows or columns.
    pub fn lists(&self) -> usize {
        match self.format {
            Format::Rows => self.shape.0,
            Format::Columns => self.shape.1,
            Format::Coordinates => 0,
        }
    }

    /// Checks that the elements are there.
    pub fn check(&self, call: &Call) -> Result<()> {
        let others = self.batch.max(1) - 1;
        let offsets = match self.format {
            Format::Coordinates => self.count,
            _ => self.lists() + 1,
        };
        self.offsets
            .check(call, offsets + others * self.distances.0)?;
        let elements = self.count + others * self.distances.1;
        self.indices.check(call, elements)?;
        self.values.check(call, elements)
    }

    /// A matrix of the batch.
    pub fn of_batch(mut self, index: usize) -> SparseMatrix {
        let width = |indices: &Indices| if indices.is_wide { 8 } else { 4 };
        self.offsets.address += index * self.distances.0 * width(&self.offsets);
        self.indices.address += index * self.distances.1 * width(&self.indices);
        self.values.address += index * self.distances.1 * self.values.kind.bytes();
        self
    }

    /// Calls something with each element: its row, its column and its number. Those outside of the matrix are left out,
    /// with a message.
    pub fn visit(&self, mut each: impl FnMut(usize, usize, usize)) {
        let (rows, columns) = self.shape;
        let mut is_whole = true;
        let mut visit =
            |row: usize, column: usize, number: usize| match row < rows && column < columns {
                true => each(row, column, number),
                false => is_whole = false,
            };
        if self.format == Format::Coordinates {
            (0..self.count).for_each(|number| {
                visit(self.offsets.get(number), self.indices.get(number), number)
            });
        }
        for list in 0..self.lists() {
            let end = self.offsets.get(list + 1).min(self.count);
            for number in self.offsets.get(list)..end {
                match self.format {
                    Format::Columns => visit(self.indices.get(number), list, number),
                    _ => visit(list, self.indices.get(number), number),
                }
            }
        }
        static SAID: AtomicBool = AtomicBool::new(false);
        if !is_whole && !SAID.swap(true, Ordering::Relaxed) {
            report(
                "libcusparse",
                &"a sparse matrix has elements outside of its rows and columns",
            );
        }
    }
}

/// What an older function is told of a matrix: `cusparseMatDescr_t`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Description {
    /// `cusparseMatrixType_t`.
    pub kind: c_int,
    /// 0 or 1.
    pub base: usize,
    /// `cusparseFillMode_t`.
    pub fill: c_int,
    /// `cusparseDiagType_t`.
    pub diagonal: c_int,
}

/// Declares tables of handles.
macro_rules! tables {
    ($($name:ident: $kind:ty = $first:literal;)*) => {$(
        impl Described for $kind {
            fn table() -> &'static Handles<Mutex<$kind>> {
                static $name: Handles<Mutex<$kind>> = Handles::starting_at($first);
                &$name
            }
        }
    )*};
}

/// Something that programs hold handles of.
pub trait Described: Sized + 'static {
    /// The handles.
    fn table() -> &'static Handles<Mutex<Self>>;

    /// What a handle stands for.
    fn of(handle: *const c_void) -> Result<Arc<Mutex<Self>>> {
        Self::table()
            .get(handle as usize)
            .ok_or(Status::INVALID_VALUE)
    }

    /// A copy of what a handle stands for.
    fn copy_of(handle: *const c_void) -> Result<Self>
    where
        Self: Copy,
    {
        Ok(*Self::of(handle)?.lock())
    }
}

tables! {
    DENSE_VECTORS: DenseVector = 0x59A1_0000;
    SPARSE_VECTORS: SparseVector = 0x59A2_0000;
    DENSE_MATRICES: DenseMatrix = 0x59A3_0000;
    SPARSE_MATRICES: SparseMatrix = 0x59A4_0000;
    DESCRIPTIONS: Description = 0x59A5_0000;
}
