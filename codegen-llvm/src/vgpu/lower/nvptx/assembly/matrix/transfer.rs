//! `wmma.load` and `wmma.store`: fragments from and to memory.

use super::super::emitter::Emitter;
use super::super::memory::typed_address;
use super::super::syntax::{Instruction, Operand};
use super::exchange::Lane;
use super::format::{Format, element};
use super::fragment::{Matrix, Shape};
use super::{assign, values};

/// A matrix in memory.
struct Plane {
    shape: Shape,
    matrix: Matrix,
    format: Format,
    /// Whether rows are contiguous.
    row_major: bool,
    /// The address of its first element, with its type.
    base: String,
    /// Elements from one row, or column, to the next.
    stride: String,
    lane: Lane,
}

/// A register of a fragment: the place of its first element, and whether the others follow in the next columns.
struct Place {
    row: String,
    column: String,
    along_row: bool,
}

/// `wmma.load.{a,b,c}.sync.aligned.layout.shape[.ss].type r, [p][, stride]`
pub fn load(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    let [to, from, stride @ ..] = instruction.operands.as_slice() else {
        return None;
    };
    let plane = Plane::of(emitter, instruction, from, stride)?;
    let count = plane.shape.registers(plane.matrix, plane.format)?;
    let loaded: Vec<_> = (0..count)
        .map(|index| plane.load(emitter, index))
        .collect::<Option<_>>()?;
    let all = plane.shape.wmma_registers(plane.matrix, plane.format)?;
    let repeated: Vec<_> = (0..all)
        .map(|index| loaded[(index % count) as usize].clone())
        .collect();
    assign(emitter, to, plane.format.register(), &repeated)
}

/// `wmma.store.d.sync.aligned.layout.shape[.ss].type [p], r[, stride]`
pub fn store(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    let [to, from, stride @ ..] = instruction.operands.as_slice() else {
        return None;
    };
    let plane = Plane::of(emitter, instruction, to, stride)?;
    let count = plane.shape.registers(plane.matrix, plane.format)?;
    let registers = values(emitter, from, count as usize, plane.format.register())?;
    for (index, register) in registers.iter().enumerate() {
        plane.store(emitter, index as u32, register)?;
    }
    Some(())
}

impl Plane {
    fn of(
        emitter: &mut Emitter,
        instruction: &Instruction,
        address: &Operand,
        stride: &[Operand],
    ) -> Option<Plane> {
        let matrix = match instruction.opcode.get(2)?.as_str() {
            "a" => Matrix::A,
            "b" => Matrix::B,
            "c" | "d" => Matrix::C,
            _ => return None,
        };
        let shape = Shape::of(instruction)?;
        let format = Format::of(instruction.opcode.last()?)?;
        let row_major = match (instruction.has("row"), instruction.has("col")) {
            (true, false) => true,
            (false, true) => false,
            _ => return None,
        };
        let (rows, columns) = match matrix {
            Matrix::A => (shape.m, shape.k),
            Matrix::B => (shape.k, shape.n),
            Matrix::C => (shape.m, shape.n),
        };
        let stride = match stride {
            [] => (if row_major { columns } else { rows }).to_string(),
            [stride] => {
                let stride = emitter.words([stride])?;
                emitter.resize(&stride[0].1, 32, 64, false)
            }
            _ => return None,
        };
        Some(Plane {
            shape,
            matrix,
            format,
            row_major,
            base: typed_address(emitter, instruction, address)?,
            stride,
            lane: Lane::new(emitter),
        })
    }

    /// Where the elements of a register are.
    fn place(&self, emitter: &mut Emitter, index: u32) -> Option<Place> {
        let wide = |emitter: &mut Emitter, value: &str, factor: u32, first: u32| {
            let value = emitter.resize(value, 32, 64, false);
            let value = emitter.op(&format!("mul i64 {value}, {factor}"));
            emitter.op(&format!("add i64 {value}, {first}"))
        };
        let elements = self.format.per_register();
        let (group, place) = (&self.lane.group, &self.lane.place);
        Some(match self.matrix {
            Matrix::A => {
                let blocks = self.shape.row_blocks();
                let (chunk, block) = (index / blocks, index % blocks);
                Place {
                    row: wide(emitter, group, 1, 8 * block),
                    column: wide(emitter, place, elements, 4 * elements * chunk),
                    along_row: true,
                }
            }
            Matrix::B => {
                let chunks = self.shape.chunks(self.format)?;
                let (block, chunk) = (index / chunks, index % chunks);
                Place {
                    row: wide(emitter, place, elements, 4 * elements * chunk),
                    column: wide(emitter, group, 1, 8 * block),
                    along_row: false,
                }
            }
            Matrix::C => {
                let first = index * elements;
                let (block, side) = (first / 2, first % 2);
                let columns = self.shape.column_blocks();
                Place {
                    row: wide(emitter, group, 1, 8 * (block / columns)),
                    column: wide(emitter, place, 2, 8 * (block % columns) + side),
                    along_row: true,
                }
            }
        })
    }

    /// The address of the element that is `next` ones behind a place, with its type.
    fn address(&self, emitter: &mut Emitter, place: &Place, next: u32) -> String {
        let (major, minor) = match self.row_major {
            true => (&place.row, &place.column),
            false => (&place.column, &place.row),
        };
        let (mut major, mut minor) = (major.clone(), minor.clone());
        let moved = match self.is_contiguous(place) {
            true => &mut minor,
            false => &mut major,
        };
        if next != 0 {
            *moved = emitter.op(&format!("add i64 {moved}, {next}"));
        }
        let index = emitter.op(&format!("mul i64 {major}, {}", self.stride));
        let index = emitter.op(&format!("add i64 {index}, {minor}"));
        let bits = emitter.op(&format!("mul i64 {index}, {}", self.format.bits()));
        let bytes = emitter.op(&format!("lshr i64 {bits}, 3"));
        let address = emitter.op(&format!("getelementptr i8, {}, i64 {bytes}", self.base));
        let ty = self.base.rsplit_once(' ').map_or("ptr", |(ty, _)| ty);
        format!("{ty} {address}")
    }

    /// Whether the elements of a register are side by side.
    fn is_contiguous(&self, place: &Place) -> bool {
        self.row_major == place.along_row
    }

    /// Whether a register is accessed as one. Elements of less than a byte always are.
    fn as_a_whole(&self, place: &Place) -> Option<bool> {
        let whole = self.is_contiguous(place) || self.format.per_register() == 1;
        (whole || self.format.bits() >= 8).then_some(whole)
    }

    fn load(&self, emitter: &mut Emitter, index: u32) -> Option<String> {
        let place = self.place(emitter, index)?;
        let (register, bits) = (self.format.register(), self.format.bits());
        if self.as_a_whole(&place)? {
            let address = self.address(emitter, &place, 0);
            let align = register / 8;
            return Some(emitter.op(&format!("load i{register}, {address}, align {align}")));
        }
        let mut whole = "0".to_owned();
        for next in 0..self.format.per_register() {
            let address = self.address(emitter, &place, next);
            let value = emitter.op(&format!("load i{bits}, {address}, align {}", bits / 8));
            let value = emitter.resize(&value, bits, 32, false);
            let value = emitter.op(&format!("shl i32 {value}, {}", next * bits));
            whole = emitter.op(&format!("or disjoint i32 {whole}, {value}"));
        }
        Some(whole)
    }

    fn store(&self, emitter: &mut Emitter, index: u32, value: &str) -> Option<()> {
        let place = self.place(emitter, index)?;
        let (register, bits) = (self.format.register(), self.format.bits());
        if self.as_a_whole(&place)? {
            let (address, align) = (self.address(emitter, &place, 0), register / 8);
            emitter.line(&format!(
                "  store i{register} {value}, {address}, align {align}"
            ));
            return Some(());
        }
        for next in 0..self.format.per_register() {
            let address = self.address(emitter, &place, next);
            let part = element(emitter, self.format, value, next);
            let part = emitter.resize(&part, 32, bits, false);
            emitter.line(&format!(
                "  store i{bits} {part}, {address}, align {}",
                bits / 8
            ));
        }
        Some(())
    }
}
