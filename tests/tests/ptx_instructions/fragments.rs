//! Which elements of a matrix the lanes of a warp have, as the PTX ISA says.

use crate::matrices::{Matrix, format, place};

/// Row and column of an element of a lane, and which of several matrices it is of. Takes the lane, the element's number
/// `i`, the elements of a register and the blocks of 8 rows.
pub type Layout = fn(usize, usize, usize, usize) -> (usize, usize, usize);

/// Left factors of `mma.sync`.
pub const A: Layout = |lane, i, each, blocks| {
    let register = i / each;
    (
        lane / 4 + 8 * (register % blocks),
        lane % 4 * each + i % each + register / blocks * 4 * each,
        0,
    )
};

/// Right factors.
pub const B: Layout = |lane, i, each, _| {
    (
        lane % 4 * each + i % each + i / each * 4 * each,
        lane / 4,
        0,
    )
};

/// Sums.
pub const C: Layout = |lane, i, _, _| (lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2, 0);

/// Factors of `m8n8k4` with the lines of four lanes: rows of the left one, columns of the right one.
pub const QUAD_ROWS: Layout = |lane, i, _, _| (lane % 4 + lane / 16 * 4, i, lane % 16 / 4);

/// Those with four lines in a lane.
pub const QUAD_COLUMNS: Layout = |lane, i, _, _| (i + lane / 16 * 4, lane % 4, lane % 16 / 4);

/// Sums of halves.
pub const QUAD_SUMS: Layout = |lane, i, _, _| (lane % 4 + lane / 16 * 4, i, lane % 16 / 4);

/// Sums in single precision.
pub const QUAD_SINGLES: Layout = |lane, i, _, _| {
    (
        (lane & 1) + (i & 2) + lane / 16 * 4,
        (i & 4) + (lane & 2) + (i & 1),
        lane % 16 / 4,
    )
};

/// A form of `mma.sync`.
pub struct Form {
    /// The opcode.
    pub text: &'static str,
    /// m, n, k
    pub shape: [usize; 3],
    /// Of result, factors and addend.
    pub types: [&'static str; 4],
    /// Of left factor, right factor and addend.
    pub layouts: [Layout; 3],
    /// Of the result.
    pub of_result: Layout,
}

impl Form {
    /// The type of a matrix: left factor, right factor, addend, result.
    pub fn type_of(&self, matrix: usize) -> &'static str {
        self.types[[1, 2, 3, 0][matrix]]
    }

    /// How many products the instruction computes.
    pub fn parts(&self) -> usize {
        if self.is_of_quads() { 4 } else { 1 }
    }

    fn is_of_quads(&self) -> bool {
        self.shape == [8, 8, 4] && self.types[1] == "f16"
    }

    /// How many registers each matrix has.
    pub fn registers(&self) -> [usize; 4] {
        let [m, n, k] = self.shape;
        [m * k, k * n, m * n, m * n]
            .map(|elements| elements * self.parts() / 32)
            .into_iter()
            .enumerate()
            .map(|(matrix, elements)| {
                let format = format(self.type_of(matrix));
                elements * format.bits / format.register()
            })
            .collect::<Vec<_>>()
            .try_into()
            .unwrap()
    }

    /// The registers of all lanes with a matrix, or with several.
    pub fn to_registers(&self, matrix: usize, parts: &[&Matrix]) -> Vec<u32> {
        let format = format(self.type_of(matrix));
        let (each, blocks) = (format.register() / format.bits, self.shape[0] / 8);
        let count = self.registers()[matrix];
        let mut words = vec![0; 32 * count * format.register() / 32];
        for lane in 0..32 {
            for i in 0..count * each {
                let layout = self.layouts.get(matrix).unwrap_or(&self.of_result);
                let (mut row, mut column, part) = layout(lane, i, each, blocks);
                // Lines of the right factor are its columns.
                if self.is_of_quads() && matrix == 1 {
                    (row, column) = (column, row);
                }
                place(
                    &mut words,
                    (lane * count * each + i) * format.bits,
                    parts[part].bits(row, column),
                );
            }
        }
        words
    }
}
