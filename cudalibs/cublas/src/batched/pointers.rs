//! Where the matrices of a batch are: at equal distances, or where a list in device memory says.

use std::ffi::{c_int, c_longlong};

use cuda_library::device_memory::is_device_memory;
use cuda_library::report;
use rayon::prelude::*;

use crate::call::{Call, Target, size, span};
use crate::operands::Matrix;
use crate::status::{Result, Status};

/// The matrices of a batch.
pub struct Batch<T> {
    shape: Matrix<T>,
    count: usize,
    places: Places<T>,
}

enum Places<T> {
    /// The first, and the distance between two.
    Strided(Target<T>, isize),
    /// Their addresses, in device memory.
    Listed(Target<*mut T>),
}

/// Elements of a batch from which on several threads are worth while.
const FOR_THREADS: usize = 4096;

impl<T: Copy + Send + Sync> Batch<T> {
    /// Matrices at equal distances. If nothing reads them, their address may be any.
    pub fn strided(
        call: &Call,
        first: *const T,
        step: c_longlong,
        shape: Matrix<T>,
        count: c_int,
        reads: bool,
    ) -> Result<Batch<T>> {
        let count = size(count)?;
        let step = isize::try_from(step).map_err(|_| Status::INVALID_VALUE)?;
        let first = match (reads, span(&shape)) {
            (false, _) | (_, 0) => Target(first.cast_mut()),
            (true, span) => {
                let to_last = step.checked_mul(count.saturating_sub(1) as isize);
                let to_last = to_last.ok_or(Status::INVALID_VALUE)?;
                call.elements(first.wrapping_offset(to_last), span)?;
                call.elements(first, span)?
            }
        };
        Ok(Batch {
            shape,
            count,
            places: Places::Strided(first, step),
        })
    }

    /// Matrices whose addresses are in device memory.
    pub fn listed(
        call: &Call,
        list: *const *mut T,
        shape: Matrix<T>,
        count: c_int,
    ) -> Result<Batch<T>> {
        let count = size(count)?;
        Ok(Batch {
            shape,
            count,
            places: Places::Listed(call.elements(list, count)?),
        })
    }

    /// A matrix of the batch.
    pub fn matrix(&self, index: usize) -> Matrix<T> {
        let base = match self.places {
            Places::Strided(first, step) => first.0.wrapping_offset(index as isize * step),
            // SAFETY: the list was checked as a whole.
            Places::Listed(list) => unsafe { list.read(index) },
        };
        Matrix { base, ..self.shape }
    }

    /// Whether the addresses in the list are of device memory. Otherwise a message says which one is not.
    pub fn is_valid(&self) -> bool {
        let bytes = span(&self.shape) * size_of::<T>();
        let wrong = (0..self.count).find(|index| {
            let base = self.matrix(*index).base;
            bytes > 0 && (!base.is_aligned() || !is_device_memory(base as usize, bytes))
        });
        if let Some(index) = wrong {
            let what = format!(
                "the address {index} of a batch is not of device memory: nothing is computed"
            );
            report("libcublas", &what);
        }
        wrong.is_none()
    }

    /// Does something with each matrix, with several at once.
    pub fn for_each(&self, work: impl Fn(usize, Matrix<T>) + Sync) {
        let elements = self.shape.rows * self.shape.columns;
        let one = |index| work(index, self.matrix(index));
        match self.count == 1 || self.count * elements < FOR_THREADS {
            true => (0..self.count).for_each(one),
            false => (0..self.count).into_par_iter().for_each(one),
        }
    }
}
