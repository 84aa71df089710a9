//! `mma.sync` and `wmma.mma`: each lane multiplies the rows and columns of its own elements.
//!
//! Products of half precision are exact and are added in single precision, in the order of the columns. The PTX ISA
//! leaves order and rounding of these sums open.

use super::super::emitter::Emitter;
use super::super::syntax::Instruction;
use super::exchange::Lane;
use super::format::{Format, halves, number};
use super::fragment::{Matrix, Shape};
use super::lines::lines;
use super::{assign, quad_pairs, values};

/// A multiplication.
pub struct Product {
    pub shape: Shape,
    pub a: Format,
    pub b: Format,
    pub c: Format,
    pub d: Format,
    /// Integers stop at the largest and the least.
    saturates: bool,
    /// Bits are combined by `and`, else by `xor`.
    and: bool,
    /// How numbers of double precision are rounded, if not to the nearest.
    rounding: Option<&'static str>,
}

impl Product {
    /// The one that an opcode names.
    pub fn of(instruction: &Instruction) -> Option<Product> {
        let shape = Shape::of(instruction)?;
        let formats: Vec<_> = (instruction.opcode.iter())
            .filter_map(|part| Format::of(part))
            .collect();
        let (d, a, b, c) = match formats.as_slice() {
            [d, c] => (*d, Format::F16, Format::F16, *c),
            [d, a, b, c] => (*d, *a, *b, *c),
            _ => return None,
        };
        // Scales of blocks, and kinds that have them.
        let kind = instruction
            .opcode
            .iter()
            .find(|part| part.starts_with("kind"));
        let unknown = |part: &String| part.starts_with("block") || part.starts_with("scale");
        let small = a.is_small() && b.is_small();
        let known_kind = match kind {
            Some(kind) => kind == "kind::f8f6f4" && small,
            None => !(a.is_in_wider() || b.is_in_wider()),
        };
        let saturates = instruction.has("satfinite");
        let modes = ["rz", "rm", "rp"].into_iter();
        let rounding = modes.into_iter().find(|mode| instruction.has(mode));
        let rounds = rounding.is_none() || a == Format::F64;
        if instruction.opcode.iter().any(unknown)
            || !known_kind
            || !rounds
            || (saturates && c != Format::S32)
        {
            return None;
        }
        let fits = match (a, b) {
            (Format::F64, Format::F64) => (c, d) == (Format::F64, Format::F64),
            (Format::Int { bits, .. }, Format::Int { bits: other, .. }) => {
                bits == other && (c, d) == (Format::S32, Format::S32)
            }
            (Format::B1, Format::B1) => (c, d) == (Format::S32, Format::S32),
            (Format::Bf16 | Format::Tf32, _) => a == b && (c, d) == (Format::F32, Format::F32),
            _ => {
                let sum = |it| matches!(it, Format::F16 | Format::F32);
                ((a, b) == (Format::F16, Format::F16) || small) && sum(c) && sum(d)
            }
        };
        fits.then_some(Product {
            shape,
            a,
            b,
            c,
            d,
            saturates,
            and: instruction.has("and"),
            rounding,
        })
    }

    /// How many registers the factors and the addend have.
    pub fn operand_counts(&self, is_wmma: bool) -> Option<Vec<usize>> {
        if quad_pairs::is_one(self.shape, self.a) && !is_wmma {
            return Some(vec![2, 2, 8 / self.c.per_register() as usize]);
        }
        let factor = |matrix, format| match is_wmma {
            true => self.shape.wmma_registers(matrix, format),
            false => self.shape.registers(matrix, format),
        };
        let counts = [
            factor(Matrix::A, self.a)?,
            factor(Matrix::B, self.b)?,
            self.shape.registers(Matrix::C, self.c)?,
        ];
        Some(counts.map(|count| count as usize).to_vec())
    }
}

/// `mma.sync…shape.alayout.blayout.dtype.atype.btype.ctype d, a, b, c`, and `wmma.mma` with its own order of words.
pub fn emit(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    let [to, a, b, c] = instruction.operands.as_slice() else {
        return None;
    };
    let product = Product::of(instruction)?;
    let is_wmma = instruction.opcode[0] == "wmma";
    if quad_pairs::is_one(product.shape, product.a) && !is_wmma {
        return quad_pairs::emit(emitter, instruction, [to, a, b, c], [product.c, product.d]);
    }
    // The factors of `mma.sync` have one layout, and its blocks are in one column.
    if !is_wmma && (product.shape.n != 8 || instruction.opcode.get(4..6)? != ["row", "col"]) {
        return None;
    }
    let counts = product.operand_counts(is_wmma)?;
    let a = values(emitter, a, counts[0], product.a.register())?;
    let b = values(emitter, b, counts[1], product.b.register())?;
    let c = values(emitter, c, counts[2], product.c.register())?;
    let sums = elements(emitter, product.c, &c);
    let results = multiplied(emitter, &product, [&a, &b], sums)?;
    let registers = packed(emitter, product.d, results);
    assign(emitter, to, product.d.register(), &registers)
}

/// The elements of registers.
pub fn elements(emitter: &mut Emitter, format: Format, registers: &[String]) -> Vec<String> {
    if !format.is_float() {
        return registers.to_vec();
    }
    let mut all = Vec::new();
    for register in registers {
        for index in 0..format.per_register() {
            all.push(number(emitter, format, register, index));
        }
    }
    all
}

/// The registers that have these elements.
pub fn packed(emitter: &mut Emitter, format: Format, elements: Vec<String>) -> Vec<String> {
    match format {
        Format::F16 => (elements.chunks_exact(2))
            .map(|pair| halves(emitter, [&pair[0], &pair[1]]))
            .collect(),
        Format::F32 | Format::F64 => {
            let bits = format.bits();
            let ty = if bits == 64 { "double" } else { "float" };
            (elements.into_iter())
                .map(|element| emitter.op(&format!("bitcast {ty} {element} to i{bits}")))
                .collect()
        }
        _ => elements,
    }
}

/// The sums with the products of rows and columns added.
fn multiplied(
    emitter: &mut Emitter,
    product: &Product,
    [a, b]: [&[String]; 2],
    sums: Vec<String>,
) -> Option<Vec<String>> {
    let shape = product.shape;
    let lane = Lane::new(emitter);
    let formats = [product.a, product.b];
    let (rows, columns) = lines(emitter, [shape; 2], formats, [a, b], &lane, &parts)?;
    let mut results = Vec::new();
    for (index, sum) in sums.into_iter().enumerate() {
        let (row, column) = (
            &rows[index / columns.len()],
            &columns[index % columns.len()],
        );
        results.push(dot(emitter, product, row, column, sum));
    }
    Some(results)
}

/// A register's numbers; words of four integers; bits.
fn parts(emitter: &mut Emitter, format: Format, register: &str) -> Vec<String> {
    match format {
        // In the upper half of a byte a number counts 16 times.
        Format::Int { bits: 4, .. } => {
            let upper = emitter.op(&format!("and i32 {register}, -252645136"));
            let lower = emitter.op(&format!("shl i32 {register}, 4"));
            let lower = emitter.op(&format!("and i32 {lower}, -252645136"));
            vec![lower, upper]
        }
        Format::Int { .. } | Format::B1 => vec![register.to_owned()],
        _ => (0..format.per_register())
            .map(|index| number(emitter, format, register, index))
            .collect(),
    }
}

fn dot(
    emitter: &mut Emitter,
    product: &Product,
    row: &[String],
    column: &[String],
    sum: String,
) -> String {
    let pairs: Vec<_> = row.iter().zip(column).collect();
    if let Some(mode) = product.rounding {
        let name = format!("llvm.nvvm.fma.{mode}.d");
        return pairs.into_iter().fold(sum, |sum, (a, b)| {
            let numbers = [a, b, &sum].map(|it| ("double".to_owned(), it.clone()));
            emitter.call("double", &name, &numbers)
        });
    }
    if product.a.is_float() {
        let ty = if product.a == Format::F64 {
            "double"
        } else {
            "float"
        };
        return pairs
            .into_iter()
            .fold(sum, |sum, (a, b)| fused(emitter, ty, [a, b, &sum]));
    }
    let mut total = "0".to_owned();
    for (a, b) in pairs {
        total = match (product.a, product.b) {
            (Format::Int { signed, .. }, Format::Int { signed: other, .. }) => {
                four_products(emitter, [signed, other], [a, b, &total])
            }
            _ => bits_in_common(emitter, product.and, [a, b, &total]),
        };
    }
    if product.a.bits() == 4 {
        total = emitter.op(&format!("ashr exact i32 {total}, 8"));
    }
    saturated_sum(emitter, product, sum, total)
}

/// The sum of two integers, which stops at the largest and the least if the instruction says so.
pub fn saturated_sum(
    emitter: &mut Emitter,
    product: &Product,
    sum: String,
    total: String,
) -> String {
    match product.saturates {
        true => {
            let both = [("i32".to_owned(), sum), ("i32".to_owned(), total)];
            emitter.call("i32", "llvm.sadd.sat.i32", &both)
        }
        false => emitter.op(&format!("add i32 {sum}, {total}")),
    }
}

/// `a * b + c`, rounded once.
pub fn fused(emitter: &mut Emitter, ty: &str, numbers: [&str; 3]) -> String {
    let name = if ty == "double" {
        "llvm.fma.f64"
    } else {
        "llvm.fma.f32"
    };
    emitter.call(ty, name, &numbers.map(|it| (ty.to_owned(), it.to_owned())))
}

/// The sum of four products of bytes.
fn four_products(emitter: &mut Emitter, signed: [bool; 2], words: [&str; 3]) -> String {
    let [a, b] = signed.map(|signed| if signed { 's' } else { 'u' });
    let arguments = words.map(|word| ("i32".to_owned(), word.to_owned()));
    emitter.call("i32", &format!("llvm.nvvm.idp4a.{a}.{b}"), &arguments)
}

/// The number of bits that both words have, or in which they differ.
fn bits_in_common(emitter: &mut Emitter, and: bool, [a, b, sum]: [&str; 3]) -> String {
    let operation = if and { "and" } else { "xor" };
    let bits = emitter.op(&format!("{operation} i32 {a}, {b}"));
    let count = emitter.call("i32", "llvm.ctpop.i32", &[("i32".to_owned(), bits)]);
    emitter.op(&format!("add i32 {sum}, {count}"))
}
