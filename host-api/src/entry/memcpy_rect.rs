//! `omp_target_memcpy_rect`: copies a box out of one array into another (OpenMP 5.2, 18.8.6).

/// The boxes' shapes, outermost dimension first, in elements.
#[derive(Clone, Copy, Debug)]
pub struct Rectangle<'a> {
    /// Bytes of an element.
    pub element: usize,
    /// Extent of the box.
    pub volume: &'a [usize],
    /// Its place in the destination array.
    pub destination_offsets: &'a [usize],
    /// Its place in the source array.
    pub source_offsets: &'a [usize],
    /// Extent of the destination array.
    pub destination_dimensions: &'a [usize],
    /// Extent of the source array.
    pub source_dimensions: &'a [usize],
}

/// One contiguous run: byte offsets and length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// In the destination.
    pub destination: usize,
    /// In the source.
    pub source: usize,
    /// Bytes.
    pub length: usize,
}

/// The contiguous runs of the box; `None` if the box leaves one of the arrays or if sizes overflow.
pub fn runs(rectangle: &Rectangle<'_>) -> Option<Vec<Run>> {
    let dimensions = rectangle.volume.len();
    for d in 0..dimensions {
        let end = |offsets: &[usize]| offsets[d].checked_add(rectangle.volume[d]);
        if end(rectangle.destination_offsets)? > rectangle.destination_dimensions[d]
            || end(rectangle.source_offsets)? > rectangle.source_dimensions[d]
        {
            return None;
        }
    }
    let (last, outer) = rectangle.volume.split_last()?;
    let length = last.checked_mul(rectangle.element)?;
    let destination_strides = strides(rectangle.element, rectangle.destination_dimensions)?;
    let source_strides = strides(rectangle.element, rectangle.source_dimensions)?;
    let start = |strides: &[usize], offsets: &[usize]| {
        strides
            .iter()
            .zip(offsets)
            .map(|(s, o)| s * o)
            .sum::<usize>()
    };
    let mut runs = vec![Run {
        destination: start(&destination_strides, rectangle.destination_offsets),
        source: start(&source_strides, rectangle.source_offsets),
        length,
    }];
    for (d, count) in outer.iter().enumerate().rev() {
        let inner = std::mem::take(&mut runs);
        for index in 0..*count {
            runs.extend(inner.iter().map(|run| Run {
                destination: run.destination + index * destination_strides[d],
                source: run.source + index * source_strides[d],
                length,
            }));
        }
    }
    runs.retain(|run| run.length > 0);
    Some(runs)
}

/// Bytes from one index to the next, per dimension; `None` if the size of the array overflows.
fn strides(element: usize, dimensions: &[usize]) -> Option<Vec<usize>> {
    let mut strides = vec![0; dimensions.len()];
    let mut stride = element;
    for (d, extent) in dimensions.iter().enumerate().rev() {
        strides[d] = stride;
        stride = stride.checked_mul(*extent)?;
    }
    Some(strides)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naive(r: &Rectangle<'_>) -> Vec<(usize, usize)> {
        let n: usize = r.volume.iter().product();
        (0..n)
            .map(|flat| {
                let (mut rest, mut destination, mut source) = (flat, 0, 0);
                let (mut ds, mut ss) = (r.element, r.element);
                for d in (0..r.volume.len()).rev() {
                    let index = rest % r.volume[d];
                    rest /= r.volume[d];
                    destination += (index + r.destination_offsets[d]) * ds;
                    source += (index + r.source_offsets[d]) * ss;
                    ds *= r.destination_dimensions[d];
                    ss *= r.source_dimensions[d];
                }
                (destination, source)
            })
            .collect()
    }

    fn elements(runs: &[Run], element: usize) -> Vec<(usize, usize)> {
        let mut all: Vec<_> = runs
            .iter()
            .flat_map(|run| {
                (0..run.length)
                    .step_by(element)
                    .map(|at| (run.destination + at, run.source + at))
            })
            .collect();
        all.sort_unstable();
        all
    }

    proptest::proptest! {
        #[test]
        fn covers_the_box(
            shape in proptest::collection::vec((0usize..4, 0usize..3, 0usize..3, 0usize..2, 0usize..2), 1..4),
            element in 1usize..9,
        ) {
            let column = |f: fn(&(usize, usize, usize, usize, usize)) -> usize| shape.iter().map(f).collect::<Vec<_>>();
            let (volume, to, from) = (column(|s| s.0), column(|s| s.1), column(|s| s.2));
            let (to_all, from_all) = (column(|s| s.0 + s.1 + s.3), column(|s| s.0 + s.2 + s.4));
            let rectangle = Rectangle {
                element,
                volume: &volume,
                destination_offsets: &to,
                source_offsets: &from,
                destination_dimensions: &to_all,
                source_dimensions: &from_all,
            };
            let mut expected = naive(&rectangle);
            expected.sort_unstable();
            proptest::prop_assert_eq!(elements(&runs(&rectangle).unwrap(), element), expected);
        }
    }

    #[test]
    fn outside() {
        let rectangle = Rectangle {
            element: 4,
            volume: &[2, 2],
            destination_offsets: &[0, 0],
            source_offsets: &[0, 1],
            destination_dimensions: &[2, 2],
            source_dimensions: &[2, 2],
        };
        assert_eq!(runs(&rectangle), None);
        assert_eq!(
            runs(&Rectangle {
                source_offsets: &[0, usize::MAX],
                ..rectangle
            }),
            None
        );
    }
}
