//! A call: its handle's settings, and arguments turned into views once they are checked.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use cuda_library::cudart::{Place, place};
use cuda_library::device_memory::is_device_memory;
use cuda_library::handles::Handles;
use cuda_library::nvidia::Front;
use cuda_library::ordered_work::Stream;
use cuda_library::report;
use num_complex::ComplexFloat;
use parking_lot::Mutex;

use crate::operands::{Matrix, Vector};
use crate::product::{Symmetry, Triangle};
use crate::status::{Result, Status};

/// This library.
pub static FRONT: Front = Front::new("libcublas.so.12", c"cublasOmptargetFront");

/// What a program sets of a handle.
#[derive(Clone, Copy)]
pub struct Settings {
    /// Where the work goes.
    pub stream: usize,
    /// Whether scalars lie in device memory.
    pub device_pointers: bool,
    /// `cublasMath_t`: products have the precision of their types in any case.
    pub math: c_int,
    /// `cublasAtomicsMode_t`: results are the same in any case.
    pub atomics: c_int,
}

/// What programs hold handles of.
pub static HANDLES: Handles<Mutex<Settings>> = Handles::starting_at(0xB1A5_0000);

/// A handle with the default settings.
pub fn create() -> Result<*mut c_void> {
    if place() != Place::Virtual {
        return Err(Status::NOT_INITIALIZED);
    }
    let settings = Settings {
        stream: 0,
        device_pointers: false,
        math: 0,
        atomics: 0,
    };
    Ok(HANDLES.add(Mutex::new(settings)) as *mut c_void)
}

/// The settings of a handle.
pub fn settings(handle: *mut c_void) -> Result<Arc<Mutex<Settings>>> {
    HANDLES.get(handle as usize).ok_or(Status::NOT_INITIALIZED)
}

/// A number of elements.
pub fn size(count: c_int) -> Result<usize> {
    usize::try_from(count).map_err(|_| Status::INVALID_VALUE)
}

/// `cublasFillMode_t`.
pub fn triangle(mode: c_int) -> Result<Triangle> {
    match mode {
        0 => Ok(Triangle::Lower),
        1 => Ok(Triangle::Upper),
        _ => Err(Status::INVALID_VALUE),
    }
}

/// `cublasDiagType_t`: whether the diagonal counts as ones.
pub fn is_unit(mode: c_int) -> Result<bool> {
    flag(mode)
}

/// `cublasSideMode_t`: whether the matrix stands on the right.
pub fn is_right(mode: c_int) -> Result<bool> {
    flag(mode)
}

/// A mode that is 0 or 1.
pub fn flag(mode: c_int) -> Result<bool> {
    match mode {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Status::INVALID_VALUE),
    }
}

/// `cublasOperation_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The matrix itself.
    None,
    /// Its transpose.
    Transpose,
    /// The conjugate of its transpose.
    Adjoint,
}

impl Operation {
    /// The operation of a number.
    pub fn of(number: c_int) -> Result<Operation> {
        match number {
            0 => Ok(Operation::None),
            1 => Ok(Operation::Transpose),
            2 => Ok(Operation::Adjoint),
            _ => Err(Status::INVALID_VALUE),
        }
    }

    /// The result for a matrix.
    pub fn apply<T: Copy>(self, matrix: Matrix<T>) -> Matrix<T> {
        match self {
            Operation::None => matrix,
            Operation::Transpose => matrix.transposed(),
            Operation::Adjoint => matrix.transposed().conjugate(),
        }
    }

    /// What makes a symmetric matrix of a product with itself.
    pub fn of_symmetry(symmetry: Symmetry) -> Operation {
        match symmetry {
            Symmetry::Symmetric => Operation::Transpose,
            Symmetry::Hermitian => Operation::Adjoint,
        }
    }

    /// Rows and columns of a stored matrix, given those of the result.
    pub fn stored(self, rows: c_int, columns: c_int) -> (c_int, c_int) {
        match self {
            Operation::None => (rows, columns),
            _ => (columns, rows),
        }
    }
}

/// A scalar argument.
#[derive(Clone, Copy)]
pub enum Factor<T> {
    /// Its value, read at the call.
    Host(T),
    /// Its place, read when the work runs.
    Device(*const T),
}

// SAFETY: the address is of device memory; the program answers for what else uses it.
unsafe impl<T: Send> Send for Factor<T> {}

impl<T: Copy> Factor<T> {
    /// The value. Only in work that runs.
    pub fn get(self) -> T {
        match self {
            Factor::Host(value) => value,
            // SAFETY: `Call::factor` has checked the address.
            Factor::Device(place) => unsafe { *place },
        }
    }

    /// Whether it is known to be this value now.
    pub fn is_known(self, value: T) -> bool
    where
        T: PartialEq,
    {
        matches!(self, Factor::Host(known) if known == value)
    }
}

/// An address that work writes to.
pub struct Target<T>(pub *mut T);

impl<T> Clone for Target<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Target<T> {}

// SAFETY: it is an address. Who uses it answers for that.
unsafe impl<T> Send for Target<T> {}
// SAFETY: the same.
unsafe impl<T> Sync for Target<T> {}

impl<T: Copy> Target<T> {
    /// Writes an element.
    ///
    /// # Safety
    /// The element lies in memory that the program gave for it.
    pub unsafe fn write(self, index: usize, value: T) {
        // SAFETY: caller.
        unsafe { *self.0.add(index) = value }
    }

    /// Reads an element.
    ///
    /// # Safety
    /// The element lies in memory that the program gave for it.
    pub unsafe fn read(self, index: usize) -> T {
        // SAFETY: caller.
        unsafe { *self.0.add(index) }
    }
}

/// A call of a handle.
pub struct Call {
    stream: Stream,
    device_pointers: bool,
}

impl Call {
    /// A call of this handle.
    pub fn of(handle: *mut c_void) -> Result<Call> {
        let settings = *settings(handle)?.lock();
        Ok(Call {
            stream: Stream(settings.stream),
            device_pointers: settings.device_pointers,
        })
    }

    /// A call on this stream, with scalars in device memory or the host's.
    pub fn on(stream: usize, device_pointers: bool) -> Call {
        Call {
            stream: Stream(stream),
            device_pointers,
        }
    }

    /// Elements in device memory.
    pub fn elements<T>(&self, base: *const T, count: usize) -> Result<Target<T>> {
        if base.is_null() && count > 0 {
            return Err(Status::INVALID_VALUE);
        }
        if !base.is_aligned() {
            return Err(Status::INVALID_VALUE);
        }
        let bytes = count.checked_mul(size_of::<T>());
        let bytes = bytes.ok_or(Status::INVALID_VALUE)?;
        if !is_device_memory(base as usize, bytes) {
            let what = format!("{bytes} bytes at {base:p} are not device memory");
            report("libcublas", &what);
            return Err(Status::EXECUTION_FAILED);
        }
        Ok(Target(base.cast_mut()))
    }

    /// A vector. With a negative distance its first element is the last in memory.
    pub fn vector<T>(&self, base: *const T, count: c_int, step: c_int) -> Result<Vector<T>> {
        let len = size(count)?;
        let span = match len {
            0 => 0,
            _ => (len - 1) * step.unsigned_abs() as usize + 1,
        };
        let base = self.elements(base, span)?.0;
        let step = step as isize;
        let first = match step < 0 && len > 0 {
            true => (1 - len as isize) * step,
            false => 0,
        };
        Ok(Vector {
            base: base.wrapping_offset(first),
            len,
            step,
        })
    }

    /// The same, where a distance of zero is an error.
    pub fn stepped<T>(&self, base: *const T, count: c_int, step: c_int) -> Result<Vector<T>> {
        match step {
            0 => Err(Status::INVALID_VALUE),
            _ => self.vector(base, count, step),
        }
    }

    /// The shape of a matrix without its memory, which a batch has many of.
    pub fn shape<T>(&self, rows: c_int, columns: c_int, leading: c_int) -> Result<Matrix<T>> {
        if leading < rows.max(1) {
            return Err(Status::INVALID_VALUE);
        }
        Ok(Matrix {
            base: std::ptr::null_mut(),
            rows: size(rows)?,
            columns: size(columns)?,
            row_step: 1,
            column_step: leading as isize,
            conjugated: false,
        })
    }

    /// A matrix, column by column.
    pub fn matrix<T>(
        &self,
        base: *const T,
        rows: c_int,
        columns: c_int,
        leading: c_int,
    ) -> Result<Matrix<T>> {
        let shape = self.shape(rows, columns, leading)?;
        let base = self.elements(base, span(&shape))?.0;
        Ok(Matrix { base, ..shape })
    }

    /// A scalar.
    ///
    /// # Safety
    /// The address is null or, as the handle's mode says, of the host's or of device memory.
    pub unsafe fn factor<T: Copy>(&self, address: *const T) -> Result<Factor<T>> {
        if address.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        if self.device_pointers {
            return Ok(Factor::Device(self.elements(address, 1)?.0));
        }
        // SAFETY: caller.
        Ok(Factor::Host(unsafe { address.read_unaligned() }))
    }

    /// Runs work in the stream's order.
    pub fn run(&self, work: impl Fn() + Send + 'static) -> Result<()> {
        Ok(self.stream.run(work)?)
    }

    /// Runs work whose results go to the host, if the handle's mode says so: the call waits for them.
    pub fn run_for_results(&self, work: impl Fn() + Send + 'static) -> Result<()> {
        self.run(work)?;
        match self.device_pointers {
            true => Ok(()),
            false => Ok(self.stream.synchronize()?),
        }
    }

    /// A place for a result.
    ///
    /// # Safety
    /// As for `factor`.
    pub unsafe fn place<T>(&self, address: *mut T) -> Result<Target<T>> {
        if address.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        match self.device_pointers {
            true => self.elements(address, 1),
            false => Ok(Target(address)),
        }
    }
}

/// Elements from the first of a matrix to its last.
pub fn span<T>(shape: &Matrix<T>) -> usize {
    match (shape.rows, shape.columns) {
        (0, _) | (_, 0) => 0,
        (rows, columns) => (columns - 1) * shape.column_step.unsigned_abs() + rows,
    }
}

/// The conjugate, if so wanted.
pub fn conjugate_if<T: ComplexFloat>(wanted: bool, value: T) -> T {
    if wanted { value.conj() } else { value }
}
