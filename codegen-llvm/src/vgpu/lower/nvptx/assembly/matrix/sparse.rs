//! `mma.sp`: products whose left factor is sparse (PTX ISA, "mma.sp"). Of four neighbours in a row two are given, of
//! two of 32 bits one, and of four pairs of 4 bits two. The *metadata* say which, four bits for each group.
//!
//! The given elements lie in a fragment of half the width. The metadata of a row are in lanes of the four that have its
//! elements.

use super::super::emitter::Emitter;
use super::super::syntax::Instruction;
use super::exchange::{Lane, from_lane};
use super::format::{Format, number};
use super::fragment::{Matrix, Shape};
use super::lines::lines;
use super::multiply::{Product, elements, fused, packed, saturated_sum};
use super::{assign, values};

/// How many elements of a group are given, and how many a group has.
struct Group {
    given: u32,
    of: u32,
}

impl Group {
    fn of(format: Format) -> Option<Group> {
        match format.bits() {
            32 => Some(Group { given: 1, of: 2 }),
            8 | 16 => Some(Group { given: 2, of: 4 }),
            // Pairs, which stay together.
            4 => Some(Group { given: 4, of: 8 }),
            _ => None,
        }
    }
}

/// `mma.sp[::ordered_metadata].sync…shape.row.col[.satfinite].types d, a, b, c, metadata, selector`
pub fn emit(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    let [to, a, b, c, metadata, selector] = instruction.operands.as_slice() else {
        return None;
    };
    let product = Product::of(instruction)?;
    let shape = product.shape;
    let group = Group::of(product.a)?;
    let bits = shape.k / group.of * 4;
    let known = shape.m == 16 && shape.n == 8 && matches!(bits, 16 | 32 | 64);
    if !known || instruction.opcode.get(5..7)? != ["row", "col"] {
        return None;
    }
    let narrow = Shape {
        k: shape.k / 2,
        ..shape
    };
    let a_count = narrow.registers(Matrix::A, product.a)? as usize;
    let b_count = shape.registers(Matrix::B, product.b)? as usize;
    let c_count = shape.registers(Matrix::C, product.c)? as usize;
    let a = values(emitter, a, a_count, 32)?;
    let b = values(emitter, b, b_count, 32)?;
    let c = values(emitter, c, c_count, 32)?;
    let metadata = values(emitter, metadata, 1, 32)?;
    let selector = emitter.constant(selector)? as u32;
    let lane = Lane::new(emitter);
    let sums = elements(emitter, product.c, &c);
    let split = |emitter: &mut Emitter, format, register: &str| all(emitter, format, register);
    let (rows, columns) = lines(
        emitter,
        [narrow, shape],
        [product.a, product.b],
        [&a, &b],
        &lane,
        &split,
    )?;
    let mut results = Vec::new();
    for (index, sum) in sums.into_iter().enumerate() {
        let (block, side) = (index / 2, index % 2);
        let words = row_metadata(
            emitter,
            &lane,
            &metadata[0],
            selector,
            block as u32,
            (bits, product.a),
        )?;
        let line = Line {
            group: &group,
            words: &words,
        };
        results.push(line.dot(emitter, &product, [&rows[block], &columns[side]], sum)?);
    }
    let registers = packed(emitter, product.d, results);
    assign(emitter, to, product.d.register(), &registers)
}

/// A register's elements, integers in 32 bits.
fn all(emitter: &mut Emitter, format: Format, register: &str) -> Vec<String> {
    let Format::Int { bits, signed } = format else {
        let count = 0..format.per_register();
        return count
            .map(|index| number(emitter, format, register, index))
            .collect();
    };
    let shift = if signed { "ashr" } else { "lshr" };
    (0..format.per_register())
        .map(|index| {
            let top = emitter.op(&format!("shl i32 {register}, {}", 32 - bits * (index + 1)));
            emitter.op(&format!("{shift} i32 {top}, {}", 32 - bits))
        })
        .collect()
}

/// The words with a row's metadata, the first group in the lowest bits. `block` is 0 for the lane's first row and 1 for
/// the one 8 below. The selector says which of the four lanes have them, where not all do.
fn row_metadata(
    emitter: &mut Emitter,
    lane: &Lane,
    metadata: &str,
    selector: u32,
    block: u32,
    (bits, format): (u32, Format),
) -> Option<Vec<String>> {
    let of = |emitter: &mut Emitter, place: u32| {
        let first = emitter.op(&format!("and i32 {}, 28", lane.number));
        let from = emitter.op(&format!("or i32 {first}, {place}"));
        from_lane(emitter, metadata, 32, &from)
    };
    let half = |emitter: &mut Emitter, word: &str| {
        let word = emitter.op(&format!("lshr i32 {word}, {}", 16 * block));
        emitter.op(&format!("and i32 {word}, 65535"))
    };
    let wide = format.bits() >= 16;
    Some(match (bits, wide, selector) {
        // A lane has both rows.
        (16, true, 0..=3) => {
            let word = of(emitter, selector);
            vec![half(emitter, &word)]
        }
        // Two lanes have a half each of both rows.
        (32, true, 0..=1) => {
            let words = [0, 1].map(|side| of(emitter, 2 * selector + side));
            let [low, high] = words.map(|word| half(emitter, &word));
            let high = emitter.op(&format!("shl i32 {high}, 16"));
            vec![emitter.op(&format!("or disjoint i32 {low}, {high}"))]
        }
        // Each of two lanes has a row.
        (32, false, 0..=1) => vec![of(emitter, 2 * selector + block)],
        // Each of four lanes has half a row.
        (64, false, 0) => vec![of(emitter, block), of(emitter, 2 + block)],
        _ => return None,
    })
}

/// A row's metadata.
struct Line<'a> {
    group: &'a Group,
    words: &'a [String],
}

impl Line<'_> {
    /// Where in its group an element is that is given: two bits of the metadata.
    fn place(&self, emitter: &mut Emitter, group: u32, given: u32) -> String {
        let bit = 4 * group
            + match self.group.of {
                // 0b0100 is the first of two, 0b1110 the second.
                2 => 1,
                8 => given / 2 * 2,
                _ => given * 2,
            };
        let mask = if self.group.of == 2 { 1 } else { 3 };
        let word = &self.words[bit as usize / 32];
        let moved = emitter.op(&format!("lshr i32 {word}, {}", bit % 32));
        emitter.op(&format!("and i32 {moved}, {mask}"))
    }

    /// The sum with the products of a row's given elements and those of a column that meet them.
    fn dot(
        &self,
        emitter: &mut Emitter,
        product: &Product,
        [row, column]: [&Vec<String>; 2],
        sum: String,
    ) -> Option<String> {
        let is_float = product.a.is_float();
        let ty = if is_float { "float" } else { "i32" };
        let mut total = if is_float {
            sum.clone()
        } else {
            "0".to_owned()
        };
        for (index, a) in row.iter().enumerate() {
            let (group, given) = (
                index as u32 / self.group.given,
                index as u32 % self.group.given,
            );
            let place = self.place(emitter, group, given);
            let first = (group * self.group.of) as usize;
            // Of pairs, the same one of each.
            let step = if self.group.of == 8 { 2 } else { 1 };
            let offset = if step == 2 { given as usize % 2 } else { 0 };
            let choices = column.get(first..first + self.group.of as usize)?;
            let mut choices = choices.iter().skip(offset).step_by(step).enumerate();
            let mut b = choices.next()?.1.clone();
            for (number, choice) in choices {
                let is_it = emitter.op(&format!("icmp eq i32 {place}, {number}"));
                b = emitter.op(&format!("select i1 {is_it}, {ty} {choice}, {ty} {b}"));
            }
            total = match is_float {
                true => fused(emitter, "float", [a, &b, &total]),
                false => {
                    let one = emitter.op(&format!("mul i32 {a}, {b}"));
                    emitter.op(&format!("add i32 {total}, {one}"))
                }
            };
        }
        Some(match is_float {
            true => total,
            false => saturated_sum(emitter, product, sum, total),
        })
    }
}
