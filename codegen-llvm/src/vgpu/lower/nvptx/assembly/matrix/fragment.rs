//! Fragments: which elements of a matrix a lane has.
//!
//! Matrices are cut into blocks. A block of the left factor has 8 rows, a register's elements side by side, and four
//! lanes for each row; one of the right factor has 8 columns in the same way. A block of the sum has 8 rows and 8
//! columns, and a lane two elements of a row. The layouts of `mma.sync` are these, but for `m8n8k4` of halves
//! (`quad_pairs`). Those of `wmma` are not defined, and here they are the same.

use super::super::syntax::Instruction;
use super::format::Format;

/// `.m16n8k16`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub m: u32,
    pub n: u32,
    pub k: u32,
}

/// Which matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matrix {
    /// The left factor.
    A,
    /// The right factor.
    B,
    /// What is added, or the result.
    C,
}

impl Shape {
    /// The shape that an opcode names, of multiples of 8.
    pub fn of(instruction: &Instruction) -> Option<Shape> {
        instruction.opcode.iter().find_map(|part| parse(part))
    }

    /// Blocks of rows.
    pub fn row_blocks(self) -> u32 {
        self.m / 8
    }

    /// Blocks of columns.
    pub fn column_blocks(self) -> u32 {
        self.n / 8
    }

    /// Blocks along the factors' common side.
    pub fn chunks(self, format: Format) -> Option<u32> {
        let chunk = 4 * format.per_register();
        (self.k.is_multiple_of(chunk) && self.k <= 4 * chunk).then_some(self.k / chunk)
    }

    /// Registers of a fragment with all elements once.
    pub fn registers(self, matrix: Matrix, format: Format) -> Option<u32> {
        Some(match matrix {
            Matrix::A => self.row_blocks() * self.chunks(format)?,
            Matrix::B => self.column_blocks() * self.chunks(format)?,
            Matrix::C if format == Format::F16 => self.row_blocks() * self.column_blocks(),
            Matrix::C => 2 * self.row_blocks() * self.column_blocks(),
        })
    }

    /// Registers of a fragment of `wmma`: factors of halves have 8 in every shape, some of them twice.
    pub fn wmma_registers(self, matrix: Matrix, format: Format) -> Option<u32> {
        match (matrix, format) {
            (Matrix::A | Matrix::B, Format::F16) => {
                self.registers(matrix, format).filter(|count| *count <= 8)?;
                Some(8)
            }
            _ => self.registers(matrix, format),
        }
    }
}

fn parse(part: &str) -> Option<Shape> {
    let (m, rest) = part.strip_prefix('m')?.split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    let shape = Shape {
        m: m.parse().ok()?,
        n: n.parse().ok()?,
        k: k.parse().ok()?,
    };
    let known = [8, 16, 32];
    (known.contains(&shape.m) && known.contains(&shape.n) && shape.k <= 256).then_some(shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_have_the_registers_of_the_isa() {
        let registers =
            |shape: &str, matrix, format| parse(shape).unwrap().registers(matrix, format).unwrap();
        let of = |text| Format::of(text).unwrap();
        assert_eq!(registers("m16n8k16", Matrix::A, of("f16")), 4);
        assert_eq!(registers("m16n8k16", Matrix::B, of("f16")), 2);
        assert_eq!(registers("m16n8k16", Matrix::C, of("f32")), 4);
        assert_eq!(registers("m16n8k256", Matrix::A, of("b1")), 4);
        assert_eq!(registers("m16n8k4", Matrix::B, of("tf32")), 1);
        assert_eq!(registers("m8n32k16", Matrix::B, of("bf16")), 8);
        assert_eq!(registers("m16n8k16", Matrix::A, of("f64")), 8);
        assert_eq!(parse("m16n8k16").unwrap().chunks(of("b1")), None);
        assert_eq!(parse("m64n8k16"), None);
    }
}
