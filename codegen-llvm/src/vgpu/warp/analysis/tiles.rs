//! Tiles: the shapes that a thread's number has when it is divided by a power of two less than the subgroup's width.

use super::shape::Shape::{self, Strided, Tiled, Uniform, Varying};
use super::shape::Size;

impl Shape {
    /// Where values count up by one from an aligned one: each lane, or each row of so many lanes.
    pub(super) fn counted(self) -> Option<i64> {
        match self {
            Strided { aligned: true, .. } => Some(1),
            Tiled {
                columns,
                numbers: true,
                ..
            } => Some(columns.into()),
            _ => None,
        }
    }

    /// As rows of `columns` lanes: the differences across and down.
    pub(super) fn as_tiled(self, columns: u32) -> Option<(i64, i64)> {
        match self {
            Uniform => Some((0, 0)),
            Strided { stride, .. } => Some((stride, stride.wrapping_mul(columns.into()))),
            Tiled {
                columns: own,
                across,
                down,
                ..
            } if own == columns => Some((across, down)),
            _ => None,
        }
    }
}

/// Lanes as rows of `columns`, in the simplest form.
pub(super) fn tiled(columns: u32, across: i64, down: i64, size: Size) -> Shape {
    match (across, down) {
        (0, 0) => Uniform,
        _ if down == across.wrapping_mul(columns.into()) => Strided {
            stride: across,
            aligned: false,
            size,
        },
        _ => Tiled {
            columns,
            across,
            down,
            numbers: false,
            size,
        },
    }
}

/// The shape of a counted value divided so that `columns` lanes have the same quotient. The value counts up in its low
/// bits, without a carry, so no quotient wraps.
pub(super) fn row_numbers(shape: Shape, columns: i64, width: i64) -> Shape {
    match columns {
        // The subgroup lies between two multiples of its width, so it does for every larger power of two.
        _ if columns % width == 0 => Uniform,
        1 => shape,
        _ if width % columns == 0 => Tiled {
            columns: columns as u32,
            across: 0,
            down: 1,
            numbers: true,
            size: shape.size().max(Size::Exact),
        },
        _ => Varying,
    }
}

/// The shape of an aligned value's remainder in such a division: the column.
pub(super) fn column_numbers(columns: i64) -> Shape {
    tiled(columns as u32, 1, 0, Size::Small)
}

/// Masks below this one leave small numbers, which stay small times 1024 (`Size::Small`).
pub(super) const SMALL: i64 = 1 << 21;

/// The shape of `x & mask` for a counted `x`.
pub(super) fn masked(shape: Shape, mask: Option<i64>, width: i64) -> Shape {
    let (Some(lanes), Some(mask)) = (shape.counted(), mask) else {
        return Varying;
    };
    // Bits from this one on are the same in all lanes.
    let end = width / lanes;
    let low = mask & (end - 1);
    let size = match (0..SMALL).contains(&mask) {
        true => Size::Small,
        false => Size::Any,
    };
    match low {
        0 => Uniform,
        _ if low == end - 1 => shape,
        // Where the lane's row begins.
        _ if (end - low).count_ones() == 1 => {
            let step = end - low;
            tiled((lanes * step) as u32, 0, step, size)
        }
        // The lane's column, and perhaps bits that are the same in all lanes.
        _ if lanes == 1 && (low + 1).count_ones() == 1 => match mask == low {
            true => column_numbers(low + 1),
            false => tiled((low + 1) as u32, 1, 0, size),
        },
        _ => Varying,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vgpu::warp::analysis::shape::tests::{TID, constant, value};
    use crate::vgpu::warp::analysis::shape::{binary, cast, masked_shift};
    use llvm_sys::LLVMOpcode::*;

    #[test]
    fn a_tile_has_rows_and_columns() {
        let of = |opcode, left, c| binary(opcode, value(left), constant(c), 32);
        let tile = |across, down, size| Tiled {
            columns: 8,
            across,
            down,
            numbers: false,
            size,
        };
        let row = of(LLVMLShr, TID, 3);
        let column = tile(1, 0, Size::Small);
        assert!(matches!(
            row,
            Tiled {
                columns: 8,
                across: 0,
                down: 1,
                numbers: true,
                size: Size::Small
            }
        ));
        assert_eq!(of(LLVMUDiv, TID, 8), row);
        assert_eq!(of(LLVMAnd, TID, 7), column);
        assert_eq!(of(LLVMURem, TID, 8), column);
        assert_eq!(of(LLVMAnd, TID, -8), tile(0, 8, Size::Any));
        assert_eq!(of(LLVMAnd, TID, 32 + 7), tile(1, 0, Size::Small));
        assert_eq!(of(LLVMAnd, TID, 1 << 22 | 7), tile(1, 0, Size::Any));
        // As LLVM writes `(tid & 7) << 2` and `(tid >> 3) << 5`.
        assert_eq!(masked_shift(TID, 2, 28, 32), tile(4, 0, Size::Small));
        assert_eq!(masked_shift(TID, 2, 0x3e0, 32), tile(0, 32, Size::Small));
        let rows = of(LLVMShl, row, 8);
        assert_eq!(rows, tile(0, 256, Size::Small));
        let element = binary(LLVMAdd, value(rows), value(column), 32);
        assert_eq!(element, tile(1, 256, Size::Exact));
        assert_eq!(
            binary(LLVMSub, value(element), value(rows), 32),
            tile(1, 0, Size::Any)
        );
        // The row's number times its length, plus the column, is the thread's number again.
        let same = binary(LLVMAdd, value(of(LLVMShl, row, 3)), value(column), 32);
        assert!(matches!(same, Strided { stride: 1, .. }));
        assert_eq!(row.join(tile(0, 1, Size::Exact)), Varying);
        assert_eq!(row.join(column), Varying);
        assert_eq!(cast(LLVMZExt, row, 64, false), row);
        assert_eq!(cast(LLVMSExt, element, 64, false), element);
        let further = binary(LLVMAdd, value(element), value(column), 32);
        assert_eq!(cast(LLVMSExt, further, 64, false), Varying);
    }

    #[test]
    fn numbers_of_rows_have_rows_themselves() {
        let of = |opcode, left, c| binary(opcode, value(left), constant(c), 32);
        let row = of(LLVMLShr, TID, 2);
        assert_eq!(of(LLVMLShr, row, 1), of(LLVMLShr, TID, 3));
        assert_eq!(of(LLVMUDiv, row, 4), of(LLVMLShr, TID, 4));
        assert_eq!(of(LLVMLShr, row, 3), Uniform);
        // `(tid >> 4) << 2`, as LLVM writes it.
        let steps = of(LLVMAnd, row, 252);
        assert!(matches!(
            steps,
            Tiled {
                columns: 16,
                across: 0,
                down: 4,
                ..
            }
        ));
        assert_eq!(of(LLVMAnd, row, 8), Uniform);
        assert_eq!(of(LLVMAnd, row, 7), row);
        assert_eq!(of(LLVMAnd, row, 3), Varying);
        assert_eq!(
            binary(LLVMAdd, value(row), value(of(LLVMLShr, TID, 3)), 32),
            Varying
        );
    }
}
