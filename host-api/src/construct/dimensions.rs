//! Sections that are not contiguous: what clang says of their dimensions.
//!
//! An item's begin points at the dimensions, outermost first. The last one, of clang's own, is one element. The item's
//! size is their number; but where the innermost section of the program has a length that clang does not know, as in
//! `target update to(p[0:n:2])`, clang 22 stores that section's bytes there, `n` elements long
//! (`MappableExprsHandler::generateInfoForComponentList`). The dimensions themselves are right in both cases, and end
//! in the same way. So they are read until one ends them.

use crate::abi::Dimension;
use crate::mapping::map_item::MapItem;
use crate::report::error::{Error, Result};

/// More dimensions than any program has.
const MOST: usize = 64;

/// The dimensions of a non-contiguous item.
///
/// # Errors
/// The size is neither their number nor the bytes of the innermost section.
///
/// # Safety
/// The item's begin points at its dimensions as clang writes them, and they live as long as the result.
pub unsafe fn of<'a>(item: &MapItem) -> Result<&'a [Dimension]> {
    let first = item.begin as *const Dimension;
    // SAFETY: the caller's promise. None is read behind the one that ends them.
    let dimension = |index: usize| unsafe { first.add(index).read() };
    let is_last = |index: usize| {
        let last = dimension(index);
        let section = dimension(index - 1).count.wrapping_mul(last.stride);
        (last.offset, last.count, section) == (0, 1, item.size)
    };
    let count = (0..=MOST)
        .find(|&count| count as u64 == item.size || count > 1 && is_last(count - 1))
        .ok_or_else(|| Error::Dimensions {
            item: item.to_string(),
        })?;
    if count == 0 {
        return Ok(&[]);
    }
    // SAFETY: as above.
    Ok(unsafe { std::slice::from_raw_parts(first, count) })
}

/// The contiguous parts of a non-contiguous section, as (byte offset from the base, bytes).
///
/// Dimension `d` selects `count` elements, `stride` bytes apart, from `offset` on. The last dimension is contiguous.
/// Parts that touch are merged.
///
/// clang 22 gives the lower bound of a section as the offset, and multiplies the distance of two elements by the
/// section's stride. So the offset of a section with a stride does not count what the stride does. For the innermost
/// section, the last dimension says what it counts. For others nothing does (docs/conformance.md, "clang's errors").
pub fn pieces(dimensions: &[Dimension]) -> Vec<(u64, u64)> {
    let Some((last, outer)) = dimensions.split_last() else {
        return Vec::new();
    };
    let mut pieces = vec![(
        last.offset.wrapping_mul(last.stride),
        last.count.wrapping_mul(last.stride),
    )];
    let one_element = (last.offset, last.count) == (0, 1);
    for (depth, dimension) in outer.iter().rev().enumerate() {
        let is_innermost = depth == 0 && one_element;
        let unit = if is_innermost { last } else { dimension }.stride;
        let start = dimension.offset.wrapping_mul(unit);
        let inner = std::mem::take(&mut pieces);
        for element in 0..dimension.count {
            let at = start.wrapping_add(element.wrapping_mul(dimension.stride));
            for &(offset, size) in &inner {
                push_merged(&mut pieces, (at.wrapping_add(offset), size));
            }
        }
    }
    pieces
}

fn push_merged(pieces: &mut Vec<(u64, u64)>, (offset, size): (u64, u64)) {
    match pieces.last_mut() {
        Some((start, length)) if start.wrapping_add(*length) == offset => *length += size,
        _ => pieces.push((offset, size)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::item_name::ItemName;
    use crate::mapping::map_type::MapType;

    fn dimension(offset: u64, count: u64, stride: u64) -> Dimension {
        Dimension {
            offset,
            count,
            stride,
        }
    }

    #[test]
    fn strided_rows() {
        // int a[4][10]; to(a[1:2][3:4])
        assert_eq!(
            pieces(&[dimension(1, 2, 40), dimension(3, 4, 4)]),
            [(52, 16), (92, 16)]
        );
    }

    #[test]
    fn a_strided_section_begins_at_its_lower_bound() {
        // int a[20]; from(a[3:2:4])
        assert_eq!(
            pieces(&[dimension(3, 2, 16), dimension(0, 1, 4)]),
            [(12, 4), (28, 4)]
        );
    }

    #[test]
    fn whole_rows_merge() {
        assert_eq!(
            pieces(&[dimension(1, 2, 40), dimension(0, 10, 4)]),
            [(40, 80)]
        );
    }

    #[test]
    fn nothing() {
        assert_eq!(pieces(&[]), []);
        assert_eq!(pieces(&[dimension(0, 0, 40), dimension(0, 10, 4)]), []);
    }

    /// What `of` finds in an array of dimensions for this size.
    fn found(dimensions: &[Dimension], size: u64) -> Option<usize> {
        let item = MapItem {
            base: 0,
            begin: dimensions.as_ptr() as u64,
            size,
            kind: MapType::NON_CONTIGUOUS,
            name: ItemName::default(),
            mapper: None,
        };
        // SAFETY: the tests' dimensions end as clang's do, or are as many as the size says.
        unsafe { of(&item) }.ok().map(<[Dimension]>::len)
    }

    #[test]
    fn the_size_is_the_number_of_dimensions() {
        // double a[100], m[10][20]: a[0:5:2], m[1:3][2:4]
        let row = [dimension(0, 5, 16), dimension(0, 1, 8)];
        assert_eq!(found(&row, 2), Some(2));
        let block = [dimension(1, 3, 160), dimension(2, 4, 8), dimension(0, 1, 8)];
        assert_eq!(found(&block, 3), Some(3));
        assert_eq!(
            found(&[dimension(1, 2, 40), dimension(3, 4, 4)], 2),
            Some(2)
        );
        assert_eq!(found(&[], 0), Some(0));
    }

    #[test]
    fn the_size_is_the_bytes_of_the_last_section() {
        for n in 0..100 {
            // p[0:n:2], m[1:3][2:n:2]
            let row = [dimension(0, n, 16), dimension(0, 1, 8)];
            assert_eq!(found(&row, 8 * n), Some(if n == 0 { 0 } else { 2 }), "{n}");
            let block = [
                dimension(1, 3, 160),
                dimension(2, n, 16),
                dimension(0, 1, 8),
            ];
            assert_eq!(
                found(&block, 8 * n),
                Some(if n == 0 { 0 } else { 3 }),
                "{n}"
            );
        }
    }

    #[test]
    fn a_size_that_fits_no_dimensions_is_an_error() {
        assert_eq!(found(&[dimension(0, 5, 16); MOST], 4096), None);
    }
}
