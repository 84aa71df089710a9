//! `mma.sync.m8n8k4` of halves: four products at once. Each is of eight lanes, four from either half of the warp.

use super::super::emitter::Emitter;
use super::super::syntax::{Instruction, Operand};
use super::exchange::from_lane;
use super::format::{Format, number};
use super::fragment::Shape;
use super::multiply::{elements, fused, packed};
use super::{assign, values};

/// Whether a shape is this one.
pub fn is_one(shape: Shape, factors: Format) -> bool {
    let one = Shape { m: 8, n: 8, k: 4 };
    shape == one && factors == Format::F16
}

/// The instruction. A sum of half precision may have a result of single precision, whose elements are in other lanes.
pub fn emit(
    emitter: &mut Emitter,
    instruction: &Instruction,
    [to, a, b, c]: [&Operand; 4],
    [sum, result]: [Format; 2],
) -> Option<()> {
    let is_row = |index: usize| match instruction.opcode.get(index)?.as_str() {
        "row" => Some(true),
        "col" => Some(false),
        _ => None,
    };
    let (a_is_row, b_is_row) = (is_row(4)?, is_row(5)?);
    if (sum, result) == (Format::F32, Format::F16) {
        return None;
    }
    let (a, b) = (values(emitter, a, 2, 32)?, values(emitter, b, 2, 32)?);
    let sums = values(emitter, c, 8 / sum.per_register() as usize, 32)?;
    let lane = emitter.call("i32", "llvm.nvvm.read.ptx.sreg.laneid", &[]);
    let pair = Pair {
        lane,
        singles: result == Format::F32,
    };
    let sums = match sum == result {
        true => elements(emitter, sum, &sums),
        false => (0..8)
            .map(|index| pair.sum(emitter, &sums, index))
            .collect(),
    };
    let mut results = Vec::new();
    for (index, sum) in sums.into_iter().enumerate() {
        let (row, column) = pair.element(emitter, index as u32);
        let mut total = sum;
        for k in 0..4 {
            // Rows of A, and columns of B, are where the other's columns and rows are.
            let a = pair.factor(emitter, &a, [&row, &k.to_string()], a_is_row);
            let b = pair.factor(emitter, &b, [&column, &k.to_string()], !b_is_row);
            total = fused(emitter, "float", [&a, &b, &total]);
        }
        results.push(total);
    }
    let registers = packed(emitter, result, results);
    assign(emitter, to, 32, &registers)
}

/// The eight lanes that a lane is one of.
struct Pair {
    lane: String,
    /// Whether the result is in single precision.
    singles: bool,
}

impl Pair {
    /// Row and column of an element of the sum.
    fn element(&self, emitter: &mut Emitter, index: u32) -> (String, String) {
        let lane = &self.lane;
        let half = emitter.op(&format!("lshr i32 {lane}, 2"));
        let half = emitter.op(&format!("and i32 {half}, 4"));
        if !self.singles {
            let row = emitter.op(&format!("and i32 {lane}, 3"));
            let row = emitter.op(&format!("or i32 {row}, {half}"));
            return (row, index.to_string());
        }
        let row = emitter.op(&format!("and i32 {lane}, 1"));
        let row = emitter.op(&format!("or i32 {row}, {}", index & 2));
        let row = emitter.op(&format!("or i32 {row}, {half}"));
        let column = emitter.op(&format!("and i32 {lane}, 2"));
        let column = emitter.op(&format!("or i32 {column}, {}", index & 5));
        (row, column)
    }

    /// An element of a sum of half precision, of which a lane has a row, where the result's element is.
    fn sum(&self, emitter: &mut Emitter, registers: &[String], index: u32) -> String {
        let (row, column) = self.element(emitter, index);
        let from = self.lane_of(emitter, &row);
        // The column is one of two, which are two apart.
        let first = (index & 5) as usize / 2;
        let [near, far] =
            [first, first + 1].map(|register| from_lane(emitter, &registers[register], 32, &from));
        let far_one = emitter.op(&format!("and i32 {column}, 2"));
        let is_far = emitter.op(&format!("icmp ne i32 {far_one}, 0"));
        let word = emitter.op(&format!("select i1 {is_far}, i32 {far}, i32 {near}"));
        number(emitter, Format::F16, &word, index & 1)
    }

    /// The lane of a line that has its first place: lines from 4 on are in the upper half of the warp.
    fn lane_of(&self, emitter: &mut Emitter, line: &str) -> String {
        let upper = emitter.op(&format!("and i32 {line}, 4"));
        let upper = emitter.op(&format!("shl i32 {upper}, 2"));
        let from = emitter.op(&format!("and i32 {}, 12", self.lane));
        let from = emitter.op(&format!("or i32 {from}, {upper}"));
        let in_four = emitter.op(&format!("and i32 {line}, 3"));
        emitter.op(&format!("or i32 {from}, {in_four}"))
    }

    /// An element of a factor, by its line and its place in the sum's common side. `by_line`: a lane has a line's four
    /// elements, else a place's elements of four lines.
    fn factor(
        &self,
        emitter: &mut Emitter,
        registers: &[String],
        [line, place]: [&str; 2],
        by_line: bool,
    ) -> String {
        let in_four = emitter.op(&format!("and i32 {line}, 3"));
        let (of_four, element) = match by_line {
            true => (in_four.as_str(), place),
            false => (place, in_four.as_str()),
        };
        // Lines from 4 on are in the upper half of the warp.
        let upper = emitter.op(&format!("and i32 {line}, 4"));
        let upper = emitter.op(&format!("shl i32 {upper}, 2"));
        let from = emitter.op(&format!("and i32 {}, 12", self.lane));
        let from = emitter.op(&format!("or i32 {from}, {upper}"));
        let from = emitter.op(&format!("or i32 {from}, {of_four}"));
        let words: Vec<_> = (registers.iter())
            .map(|register| from_lane(emitter, register, 32, &from))
            .collect();
        let second = emitter.op(&format!("icmp ugt i32 {element}, 1"));
        let word = emitter.op(&format!(
            "select i1 {second}, i32 {}, i32 {}",
            words[1], words[0]
        ));
        let odd = emitter.op(&format!("and i32 {element}, 1"));
        let shift = emitter.op(&format!("shl i32 {odd}, 4"));
        let half = emitter.op(&format!("lshr i32 {word}, {shift}"));
        let half = emitter.op(&format!("and i32 {half}, 65535"));
        number(emitter, Format::F16, &half, 0)
    }
}
