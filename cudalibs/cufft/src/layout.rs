//! Where the elements of a transform are: cuFFT's advanced data layout.

use crate::status::{Result, Status};

/// Elements of one side of a transform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Elements of a transform along each dimension.
    pub sizes: Vec<usize>,
    /// Distances between neighbours along each dimension.
    pub steps: Vec<usize>,
    /// The distance between two transforms of a batch.
    pub distance: usize,
}

impl Layout {
    /// Elements one behind the other, in rows of `row` places.
    pub fn packed(sizes: Vec<usize>, row: usize) -> Layout {
        let mut embedding = sizes.clone();
        if let Some(last) = embedding.last_mut() {
            *last = row;
        }
        let distance = embedding.iter().product();
        let steps = steps(&embedding, 1);
        Layout {
            sizes,
            steps,
            distance,
        }
    }

    /// Elements in a greater array, whose first size counts for nothing, at a distance from each other.
    pub fn embedded(
        sizes: Vec<usize>,
        embedding: &[usize],
        step: usize,
        distance: usize,
    ) -> Result<Layout> {
        let fits = sizes
            .iter()
            .zip(embedding)
            .skip(1)
            .all(|(size, place)| size <= place);
        let elements = embedding
            .iter()
            .try_fold(step, |all, one| all.checked_mul(*one));
        if !fits || step == 0 || elements.is_none() {
            return Err(Status::INVALID_SIZE);
        }
        let steps = steps(embedding, step);
        Ok(Layout {
            sizes,
            steps,
            distance,
        })
    }

    /// Elements of one transform.
    pub fn count(&self) -> usize {
        self.sizes.iter().product()
    }

    /// Places from the first element to the last of a batch.
    pub fn span(&self, batch: usize) -> usize {
        let last = self.sizes.iter().zip(&self.steps);
        let last: usize = last.map(|(size, step)| (size - 1) * step).sum();
        (batch - 1) * self.distance + last + 1
    }

    /// Whether the elements of a transform have no gaps.
    pub fn is_dense(&self) -> bool {
        self.steps == steps(&self.sizes, 1)
    }

    /// The rows of a transform: where each begins.
    pub fn rows(&self) -> impl Iterator<Item = usize> + '_ {
        let rank = self.sizes.len();
        let outer = self.count() / self.sizes[rank - 1];
        (0..outer).map(move |row| {
            let mut rest = row;
            let mut offset = 0;
            for axis in (0..rank - 1).rev() {
                offset += rest % self.sizes[axis] * self.steps[axis];
                rest /= self.sizes[axis];
            }
            offset
        })
    }

    /// Elements of a row, and their distance.
    pub fn row(&self) -> (usize, usize) {
        let last = self.sizes.len() - 1;
        (self.sizes[last], self.steps[last])
    }
}

/// Distances along each dimension of an array.
fn steps(embedding: &[usize], step: usize) -> Vec<usize> {
    let mut steps = vec![step; embedding.len()];
    for axis in (1..embedding.len()).rev() {
        steps[axis - 1] = steps[axis] * embedding[axis];
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_lie_in_their_embedding() {
        let layout = Layout::embedded(vec![2, 3], &[9, 4], 2, 50).expect("it fits");
        assert_eq!(
            (layout.steps.as_slice(), layout.row()),
            (&[8, 2][..], (3, 2))
        );
        assert_eq!(layout.rows().collect::<Vec<_>>(), [0, 8]);
        assert_eq!(layout.span(3), 2 * 50 + 8 + 4 + 1);
        assert!(!layout.is_dense());
        assert!(Layout::packed(vec![2, 3], 3).is_dense());
        assert_eq!(
            Layout::embedded(vec![2, 3], &[2, 2], 1, 6),
            Err(Status::INVALID_SIZE)
        );
    }
}
