//! Rectangles in memory: rows of planes, at distances.

use crate::codes::{Code, Result};

/// How a rectangle lies on one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// Where it begins.
    pub start: usize,
    /// From row to row.
    pub row: usize,
    /// From plane to plane.
    pub plane: usize,
}

impl Side {
    /// From the program's words; zero pitches mean that rows and planes follow each other.
    pub fn new(origin: [usize; 3], region: [usize; 3], row: usize, plane: usize) -> Result<Side> {
        let row = match row {
            0 => region[0],
            row if row < region[0] => return Err(Code::INVALID_VALUE),
            row => row,
        };
        let least = row.checked_mul(region[1]).ok_or(Code::INVALID_VALUE)?;
        let plane = match plane {
            0 => least,
            plane if plane < least || !plane.is_multiple_of(row) => {
                return Err(Code::INVALID_VALUE);
            }
            plane => plane,
        };
        let start = (|| {
            let planes = origin[2].checked_mul(plane)?;
            let rows = origin[1].checked_mul(row)?;
            planes.checked_add(rows)?.checked_add(origin[0])
        })();
        let start = start.ok_or(Code::INVALID_VALUE)?;
        Ok(Side { start, row, plane })
    }

    /// How far it reaches.
    pub fn end(&self, region: [usize; 3]) -> Option<usize> {
        let planes = (region[2] - 1).checked_mul(self.plane)?;
        let rows = (region[1] - 1).checked_mul(self.row)?;
        self.start
            .checked_add(planes)?
            .checked_add(rows)?
            .checked_add(region[0])
    }

    /// Whether it lies in so many bytes.
    pub fn check(&self, size: usize, region: [usize; 3]) -> Result<()> {
        match self.end(region) {
            Some(end) if end <= size => Ok(()),
            _ => Err(Code::INVALID_VALUE),
        }
    }

    /// Where a row begins.
    pub fn row(&self, plane: usize, row: usize) -> usize {
        self.start + plane * self.plane + row * self.row
    }
}

/// Does something for every row: with its offsets on both sides.
pub fn rows(
    region: [usize; 3],
    one: Side,
    other: Side,
    mut copy: impl FnMut(usize, usize) -> plugin_api::Result<()>,
) -> plugin_api::Result<()> {
    for plane in 0..region[2] {
        for row in 0..region[1] {
            copy(one.row(plane, row), other.row(plane, row))?;
        }
    }
    Ok(())
}

/// Whether two rectangles of equal pitches have bytes in common.
pub fn overlaps(one: Side, other: Side, region: [usize; 3]) -> bool {
    let (Some(end), Some(other_end)) = (one.end(region), other.end(region)) else {
        return false;
    };
    if one.start >= other_end || other.start >= end {
        return false;
    }
    // Rows that meet: the distance of the starts, along a row and between rows.
    let distance = one.start.abs_diff(other.start);
    let (planes, rest) = (distance / one.plane, distance % one.plane);
    let (rows, bytes) = (rest / one.row, rest % one.row);
    let near = |count: usize, size: usize, pitch: usize, has: usize| {
        count < has || pitch - count * size < size
    };
    let in_row = bytes < region[0] || one.row - bytes < region[0];
    in_row && near(rows, 1, one.plane / one.row, region[1]) && planes < region[2].max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pitches_are_checked() {
        let side = Side::new([1, 2, 3], [4, 5, 6], 0, 0).unwrap();
        assert_eq!(
            side,
            Side {
                start: 1 + 2 * 4 + 3 * 20,
                row: 4,
                plane: 20
            }
        );
        assert_eq!(side.end([4, 5, 6]), Some(69 + 5 * 20 + 4 * 4 + 4));
        assert!(Side::new([0; 3], [4, 5, 6], 3, 0).is_err());
        assert!(Side::new([0; 3], [4, 5, 6], 8, 39).is_err());
        assert!(Side::new([0; 3], [4, 5, 6], 8, 44).is_err());
        assert!(Side::new([usize::MAX, 1, 1], [4, 5, 6], 0, 0).is_err());
    }

    #[test]
    fn rectangles_overlap_where_rows_do() {
        let side = |x, y| Side::new([x, y, 0], [4, 4, 1], 16, 0).unwrap();
        let region = [4, 4, 1];
        assert!(overlaps(side(0, 0), side(3, 3), region));
        assert!(overlaps(side(3, 3), side(0, 0), region));
        assert!(!overlaps(side(0, 0), side(4, 0), region));
        assert!(!overlaps(side(0, 0), side(0, 4), region));
    }
}
