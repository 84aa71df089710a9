//! A transform in one, two or three dimensions: rows first, then the other dimensions, tile by tile.

use std::sync::Arc;

use num_complex::Complex;
use rayon::prelude::*;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::{Fft, FftDirection, FftNum, FftPlanner};

use crate::layout::Layout;

/// The transforms of one direction along each dimension.
type Axes<T> = Vec<Arc<dyn Fft<T>>>;

/// Transforms of some sizes.
pub struct Transforms<T: FftNum> {
    sizes: Vec<usize>,
    forward: Axes<T>,
    inverse: Axes<T>,
    real_forward: Arc<dyn RealToComplex<T>>,
    real_inverse: Arc<dyn ComplexToReal<T>>,
}

/// Elements of one side: where they begin and how they lie.
pub struct Side<'a, E> {
    /// The first.
    pub base: *mut E,
    /// The places of the others.
    pub layout: &'a Layout,
}

impl<E> Clone for Side<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Side<'_, E> {}

// SAFETY: it is an address. Transforms of a batch use different elements.
unsafe impl<E> Send for Side<'_, E> {}
// SAFETY: the same.
unsafe impl<E> Sync for Side<'_, E> {}

/// An address that several threads write to, each to places of its own.
struct Shared<E>(*mut E);

impl<E> Shared<E> {
    fn at(&self, index: usize) -> *mut E {
        self.0.wrapping_add(index)
    }
}

// SAFETY: it is an address. Who uses it keeps to places of his own.
unsafe impl<E> Sync for Shared<E> {}

impl<E: Copy + Send + Sync> Side<'_, E> {
    /// The elements of a transform of the batch, one behind the other.
    fn gather(&self, index: usize, target: &mut [E]) {
        let (len, step) = self.layout.row();
        let base = self.base.wrapping_add(index * self.layout.distance);
        for (row, target) in self.layout.rows().zip(target.chunks_mut(len)) {
            for (place, target) in target.iter_mut().enumerate() {
                // SAFETY: the caller of the transform has checked all that the layout says.
                *target = unsafe { *base.add(row + place * step) };
            }
        }
    }

    /// The elements back to where they belong.
    fn scatter(&self, index: usize, source: &[E]) {
        let (len, step) = self.layout.row();
        let base = self.base.wrapping_add(index * self.layout.distance);
        for (row, source) in self.layout.rows().zip(source.chunks(len)) {
            for (place, source) in source.iter().enumerate() {
                // SAFETY: as in `gather`.
                unsafe { *base.add(row + place * step) = *source };
            }
        }
    }

    /// The elements of a transform, if they have no gaps.
    ///
    /// # Safety
    /// Nobody else uses them while the slice lives.
    #[expect(
        clippy::mut_from_ref,
        reason = "the memory is the program's, not the side's"
    )]
    unsafe fn slice(&self, index: usize) -> Option<&mut [E]> {
        let base = self.base.wrapping_add(index * self.layout.distance);
        let count = self.layout.count();
        // SAFETY: the caller of the transform has checked all that the layout says; nobody else uses them.
        self.layout
            .is_dense()
            .then(|| unsafe { std::slice::from_raw_parts_mut(base, count) })
    }
}

/// Columns of a tile: as many as a line of the cache has, for the greater type.
const TILE: usize = 16;
/// Elements of a batch from which on several threads are worth while.
const FOR_THREADS: usize = 1 << 14;

/// Calls something for every index, with several threads if there is enough to do.
fn each(count: usize, elements: usize, work: impl Fn(usize) + Sync + Send) {
    match count == 1 || count * elements < FOR_THREADS {
        true => (0..count).for_each(work),
        false => (0..count).into_par_iter().for_each(work),
    }
}

impl<T: FftNum> Transforms<T> {
    /// Transforms of these sizes.
    pub fn new(sizes: &[usize]) -> Transforms<T> {
        let mut planner = FftPlanner::new();
        let mut axes = |direction| -> Axes<T> {
            sizes
                .iter()
                .map(|size| planner.plan_fft(*size, direction))
                .collect()
        };
        let mut real = RealFftPlanner::new();
        let row = sizes.last().copied().unwrap_or(1);
        Transforms {
            sizes: sizes.to_vec(),
            forward: axes(FftDirection::Forward),
            inverse: axes(FftDirection::Inverse),
            real_forward: real.plan_fft_forward(row),
            real_inverse: real.plan_fft_inverse(row),
        }
    }

    fn axes(&self, inverse: bool) -> &Axes<T> {
        if inverse {
            &self.inverse
        } else {
            &self.forward
        }
    }

    /// Complex to complex.
    pub fn complex(
        &self,
        input: Side<'_, Complex<T>>,
        output: Side<'_, Complex<T>>,
        inverse: bool,
        batch: usize,
    ) {
        let axes = self.axes(inverse);
        let count = input.layout.count();
        each(batch, count, |index| {
            // SAFETY: the transforms of a batch have elements of their own.
            if let Some(target) = unsafe { output.slice(index) } {
                if !std::ptr::eq(input.base, output.base) || input.layout != output.layout {
                    input.gather(index, target);
                }
                along_all(target, &self.sizes, axes);
                return;
            }
            let mut elements = vec![Complex::new(T::zero(), T::zero()); count];
            input.gather(index, &mut elements);
            along_all(&mut elements, &self.sizes, axes);
            output.scatter(index, &elements);
        });
    }

    /// The sizes of a transform of real numbers on its complex side: half of the last dimension.
    fn half_sizes(&self) -> Vec<usize> {
        let mut sizes = self.sizes.clone();
        if let Some(last) = sizes.last_mut() {
            *last = *last / 2 + 1;
        }
        sizes
    }

    /// Real to complex.
    pub fn real_to_complex(&self, input: Side<'_, T>, output: Side<'_, Complex<T>>, batch: usize) {
        let half = self.half_sizes();
        let (row, half_row) = (self.real_forward.len(), half[half.len() - 1]);
        let axes = &self.forward[..self.forward.len() - 1];
        each(batch, input.layout.count(), |index| {
            let mut real = vec![T::zero(); input.layout.count()];
            input.gather(index, &mut real);
            let zero = Complex::new(T::zero(), T::zero());
            let mut elements = vec![zero; output.layout.count()];
            let rows = real
                .par_chunks_mut(row)
                .zip(elements.par_chunks_mut(half_row));
            rows.with_min_len((4096 / row).max(1)).for_each_init(
                || self.real_forward.make_scratch_vec(),
                |scratch, (real, complex)| {
                    let done = self
                        .real_forward
                        .process_with_scratch(real, complex, scratch);
                    debug_assert!(done.is_ok(), "the sizes are those of the plan");
                },
            );
            along_all(&mut elements, &half, axes);
            output.scatter(index, &elements);
        });
    }

    /// Complex to real. What the half of a spectrum cannot have (the imaginary part of a mean) counts for nothing.
    pub fn complex_to_real(&self, input: Side<'_, Complex<T>>, output: Side<'_, T>, batch: usize) {
        let half = self.half_sizes();
        let (row, half_row) = (self.real_inverse.len(), half[half.len() - 1]);
        let axes = &self.inverse[..self.inverse.len() - 1];
        each(batch, output.layout.count(), |index| {
            let zero = Complex::new(T::zero(), T::zero());
            let mut elements = vec![zero; input.layout.count()];
            input.gather(index, &mut elements);
            along_all(&mut elements, &half, axes);
            let mut real = vec![T::zero(); output.layout.count()];
            let rows = real
                .par_chunks_mut(row)
                .zip(elements.par_chunks_mut(half_row));
            rows.with_min_len((4096 / row).max(1)).for_each_init(
                || self.real_inverse.make_scratch_vec(),
                |scratch, (real, complex)| {
                    complex[0].im = T::zero();
                    if row % 2 == 0 {
                        complex[half_row - 1].im = T::zero();
                    }
                    let done = self
                        .real_inverse
                        .process_with_scratch(complex, real, scratch);
                    debug_assert!(done.is_ok(), "the sizes are those of the plan");
                },
            );
            output.scatter(index, &real);
        });
    }
}

/// Transforms along the first dimensions, as many as there are transforms.
fn along_all<T: FftNum>(elements: &mut [Complex<T>], sizes: &[usize], axes: &[Arc<dyn Fft<T>>]) {
    for (axis, fft) in axes.iter().enumerate().rev() {
        let inner: usize = sizes[axis + 1..].iter().product();
        match inner {
            1 => along_rows(elements, fft),
            _ => along_columns(elements, inner, fft),
        }
    }
}

fn along_rows<T: FftNum>(elements: &mut [Complex<T>], fft: &Arc<dyn Fft<T>>) {
    let rows = elements.par_chunks_mut(fft.len());
    let scratch = || vec![Complex::new(T::zero(), T::zero()); fft.get_inplace_scratch_len()];
    rows.with_min_len((FOR_THREADS / fft.len()).max(1))
        .for_each_init(scratch, |scratch, row| {
            fft.process_with_scratch(row, scratch)
        });
}

/// Transforms along a dimension whose neighbours are `inner` apart, some columns at once: lines of the cache are used
/// whole.
fn along_columns<T: FftNum>(elements: &mut [Complex<T>], inner: usize, fft: &Arc<dyn Fft<T>>) {
    let size = fft.len();
    let blocks = elements.len() / (size * inner);
    let tiles = inner.div_ceil(TILE);
    let zero = Complex::new(T::zero(), T::zero());
    let all = Shared(elements.as_mut_ptr());
    let storage = || {
        (
            vec![zero; size * TILE],
            vec![zero; fft.get_inplace_scratch_len()],
        )
    };
    let least = (FOR_THREADS / (size * TILE)).max(1);
    let tasks = (0..blocks * tiles).into_par_iter().with_min_len(least);
    tasks.for_each_init(storage, |(tile, scratch), task| {
        let begin = task / tiles * size * inner + task % tiles * TILE;
        let width = TILE.min(inner - task % tiles * TILE);
        for row in 0..size {
            for column in 0..width {
                // SAFETY: the place is of this block, and of no other task's tile.
                tile[column * size + row] = unsafe { *all.at(begin + row * inner + column) };
            }
        }
        fft.process_with_scratch(&mut tile[..width * size], scratch);
        for row in 0..size {
            for column in 0..width {
                // SAFETY: as above.
                unsafe { *all.at(begin + row * inner + column) = tile[column * size + row] };
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The transform by its definition.
    fn defined(input: &[Complex<f64>], sizes: &[usize], sign: f64) -> Vec<Complex<f64>> {
        let indices = |mut place: usize| {
            let mut indices = vec![0; sizes.len()];
            for axis in (0..sizes.len()).rev() {
                indices[axis] = place % sizes[axis];
                place /= sizes[axis];
            }
            indices
        };
        let term = |wave: &[usize], place: usize| {
            let at = indices(place);
            let turns: f64 = (0..sizes.len())
                .map(|axis| (wave[axis] * at[axis]) as f64 / sizes[axis] as f64)
                .sum();
            input[place] * Complex::from_polar(1.0, sign * std::f64::consts::TAU * turns)
        };
        let sum = |place| {
            let wave = indices(place);
            (0..input.len()).map(|place| term(&wave, place)).sum()
        };
        (0..input.len()).map(sum).collect()
    }

    fn numbers(count: usize) -> Vec<Complex<f64>> {
        let number = |index: usize| {
            Complex::new((index * 7 % 11) as f64 - 5.0, (index * 5 % 13) as f64 - 6.0)
        };
        (0..count).map(number).collect()
    }

    fn assert_close(left: &[Complex<f64>], right: &[Complex<f64>]) {
        for (left, right) in left.iter().zip(right) {
            assert!((left - right).norm() < 1e-9, "{left} {right}");
        }
    }

    #[test]
    fn transforms_are_those_of_the_definition() {
        for sizes in [
            vec![1],
            vec![12],
            vec![7],
            vec![6, 5],
            vec![3, 4, 5],
            vec![2, 3, 40],
        ] {
            let count = sizes.iter().product();
            let transforms = Transforms::<f64>::new(&sizes);
            let layout = Layout::packed(sizes.clone(), sizes[sizes.len() - 1]);
            for inverse in [false, true] {
                let (mut input, mut output) = (numbers(count), numbers(count));
                let expected = defined(&input, &sizes, if inverse { 1.0 } else { -1.0 });
                let side = |elements: &mut Vec<_>| Side {
                    base: elements.as_mut_ptr(),
                    layout: &layout,
                };
                transforms.complex(side(&mut input), side(&mut output), inverse, 1);
                assert_close(&output, &expected);
                transforms.complex(side(&mut input), side(&mut input), inverse, 1);
                assert_close(&input, &expected);
            }
        }
    }

    #[test]
    fn real_transforms_have_half_of_the_spectrum() {
        for sizes in [vec![8], vec![5], vec![4, 6], vec![3, 2, 7]] {
            let rank = sizes.len();
            let count: usize = sizes.iter().product();
            let transforms = Transforms::<f64>::new(&sizes);
            let mut half = sizes.clone();
            half[rank - 1] = half[rank - 1] / 2 + 1;
            let real_layout = Layout::packed(sizes.clone(), sizes[rank - 1]);
            let half_layout = Layout::packed(half.clone(), half[rank - 1]);
            let mut real: Vec<f64> = numbers(count).iter().map(|one| one.re).collect();
            let mut spectrum = vec![Complex::new(0.0, 0.0); half_layout.count()];
            let whole: Vec<_> = real.iter().map(|one| Complex::new(*one, 0.0)).collect();
            let expected = defined(&whole, &sizes, -1.0);
            let before = real.clone();
            transforms.real_to_complex(
                Side {
                    base: real.as_mut_ptr(),
                    layout: &real_layout,
                },
                Side {
                    base: spectrum.as_mut_ptr(),
                    layout: &half_layout,
                },
                1,
            );
            for (row, expected) in spectrum
                .chunks(half[rank - 1])
                .zip(expected.chunks(sizes[rank - 1]))
            {
                assert_close(row, expected);
            }
            transforms.complex_to_real(
                Side {
                    base: spectrum.as_mut_ptr(),
                    layout: &half_layout,
                },
                Side {
                    base: real.as_mut_ptr(),
                    layout: &real_layout,
                },
                1,
            );
            for (after, before) in real.iter().zip(before) {
                assert!((after / count as f64 - before).abs() < 1e-9);
            }
        }
    }
}
