//! Rows of left factors and columns of right ones, which are in registers of four lanes.

use super::super::emitter::Emitter;
use super::exchange::{Lane, from_lane};
use super::format::Format;
use super::fragment::Shape;

/// What a register gives to a line: its elements, or words of several.
pub type Split<'a> = &'a dyn Fn(&mut Emitter, Format, &str) -> Vec<String>;

/// The lines of a factor that a lane needs.
type Lines = Vec<Vec<String>>;

/// The rows and the columns of the elements of the sum that a lane has. Factors have shapes and formats of their own.
pub fn lines(
    emitter: &mut Emitter,
    [of_rows, of_columns]: [Shape; 2],
    [a_format, b_format]: [Format; 2],
    [a, b]: [&[String]; 2],
    lane: &Lane,
    split: Split<'_>,
) -> Option<(Lines, Lines)> {
    let blocks = of_rows.row_blocks();
    let rows = (0..blocks).map(|block| {
        let first = emitter.op(&format!("and i32 {}, 28", lane.number));
        let chunks = 0..of_rows.chunks(a_format)?;
        let registers = chunks.map(|chunk| &a[(chunk * blocks + block) as usize]);
        Some(line(emitter, a_format, registers, &first, split))
    });
    let rows: Option<Lines> = rows.collect();
    let chunks = of_columns.chunks(b_format)?;
    let sides = (0..of_columns.column_blocks()).flat_map(|block| [(block, 0), (block, 1)]);
    // A lane has elements of two neighbouring columns.
    let columns = sides.map(|(block, side)| {
        let first = emitter.op(&format!("shl i32 {}, 3", lane.place));
        let first = emitter.op(&format!("add i32 {first}, {}", 4 * side));
        let registers = (0..chunks).map(|chunk| &b[(block * chunks + chunk) as usize]);
        line(emitter, b_format, registers, &first, split)
    });
    let columns: Lines = columns.collect();
    Some((rows?, columns))
}

/// What four lanes from `first` on have in some registers.
fn line<'a>(
    emitter: &mut Emitter,
    format: Format,
    registers: impl Iterator<Item = &'a String>,
    first: &str,
    split: Split<'_>,
) -> Vec<String> {
    let mut found = Vec::new();
    for register in registers {
        for next in 0..4 {
            let from = emitter.op(&format!("add i32 {first}, {next}"));
            let register = from_lane(emitter, register, format.register(), &from);
            found.extend(split(emitter, format, &register));
        }
    }
    found
}
