//! `ldmatrix`, `stmatrix`, `movmatrix`: matrices of 8 rows of 16 bytes. Each row has an address of its own, which a
//! lane knows.

use super::super::emitter::Emitter;
use super::super::memory::is_shared;
use super::super::syntax::{Instruction, Operand};
use super::super::types::unsigned;
use super::exchange::{Lane, from_lane};
use super::{assign, values};

/// How many matrices an instruction moves, of 8 rows and columns.
fn count(instruction: &Instruction) -> Option<usize> {
    let is_known = instruction.has("m8n8") && instruction.has("b16");
    let counts = [("x1", 1), ("x2", 2), ("x4", 4)];
    let (_, count) = counts.into_iter().find(|(word, _)| instruction.has(word))?;
    is_known.then_some(count)
}

/// `ldmatrix.sync.aligned.m8n8.num[.trans][.ss].b16 r, [p]`
pub fn load(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    let [to, from] = instruction.operands.as_slice() else {
        return None;
    };
    let own = row_address(emitter, instruction, from)?;
    let lane = Lane::new(emitter);
    let mut loaded = Vec::new();
    for matrix in 0..count(instruction)? {
        loaded.push(match instruction.has("trans") {
            false => {
                let address = word_address(emitter, &lane, &own, matrix);
                emitter.op(&format!("load i32, ptr addrspace(3) {address}, align 4"))
            }
            true => {
                let halves = [0, 1].map(|side| {
                    let address = half_address(emitter, &lane, &own, matrix, side);
                    let half =
                        emitter.op(&format!("load i16, ptr addrspace(3) {address}, align 2"));
                    emitter.resize(&half, 16, 32, false)
                });
                let upper = emitter.op(&format!("shl i32 {}, 16", halves[1]));
                emitter.op(&format!("or disjoint i32 {}, {upper}", halves[0]))
            }
        });
    }
    assign(emitter, to, 32, &loaded)
}

/// `stmatrix.sync.aligned.m8n8.num[.trans][.ss].b16 [p], r`
pub fn store(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    let [to, from] = instruction.operands.as_slice() else {
        return None;
    };
    let own = row_address(emitter, instruction, to)?;
    let registers = values(emitter, from, count(instruction)?, 32)?;
    let lane = Lane::new(emitter);
    for (matrix, register) in registers.iter().enumerate() {
        if !instruction.has("trans") {
            let address = word_address(emitter, &lane, &own, matrix);
            emitter.line(&format!(
                "  store i32 {register}, ptr addrspace(3) {address}, align 4"
            ));
            continue;
        }
        for side in 0..2 {
            let address = half_address(emitter, &lane, &own, matrix, side);
            let half = emitter.op(&format!("lshr i32 {register}, {}", 16 * side));
            let half = emitter.resize(&half, 32, 16, false);
            emitter.line(&format!(
                "  store i16 {half}, ptr addrspace(3) {address}, align 2"
            ));
        }
    }
    Some(())
}

/// `movmatrix.sync.aligned.m8n8.trans.b16 d, a`
pub fn transpose(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    let [to, from] = instruction.operands.as_slice() else {
        return None;
    };
    if !(instruction.has("m8n8") && instruction.has("trans") && instruction.has("b16")) {
        return None;
    }
    let value = emitter.value(from, unsigned(32))?;
    let lane = Lane::new(emitter);
    // The other's row is this one's column: 4 lanes for each row, 2 elements for each lane.
    let first = emitter.op(&format!("shl i32 {}, 3", lane.place));
    let pair = emitter.op(&format!("lshr i32 {}, 1", lane.group));
    let side = emitter.op(&format!("and i32 {}, 1", lane.group));
    let shift = emitter.op(&format!("shl i32 {side}, 4"));
    let halves = [0, 4].map(|row| {
        let from = emitter.op(&format!("add i32 {first}, {row}"));
        let from = emitter.op(&format!("add i32 {from}, {pair}"));
        let word = from_lane(emitter, &value, 32, &from);
        let half = emitter.op(&format!("lshr i32 {word}, {shift}"));
        emitter.op(&format!("and i32 {half}, 65535"))
    });
    let upper = emitter.op(&format!("shl i32 {}, 16", halves[1]));
    let whole = emitter.op(&format!("or disjoint i32 {}, {upper}", halves[0]));
    emitter.assign(to, unsigned(32), &whole)
}

/// The address that the lane gives, 64 bits. These instructions take addresses of shared memory only.
fn row_address(
    emitter: &mut Emitter,
    instruction: &Instruction,
    operand: &Operand,
) -> Option<String> {
    let address = emitter.address(operand, is_shared(instruction))?;
    Some(emitter.op(&format!("ptrtoint ptr {address} to i64")))
}

/// The address of a lane's two elements of a matrix.
fn word_address(emitter: &mut Emitter, lane: &Lane, own: &str, matrix: usize) -> String {
    let row = emitter.op(&format!("add i32 {}, {}", lane.group, 8 * matrix));
    let offset = emitter.op(&format!("shl i32 {}, 2", lane.place));
    in_row(emitter, own, &row, &offset)
}

/// The address of one of a lane's two elements of a transposed matrix.
fn half_address(
    emitter: &mut Emitter,
    lane: &Lane,
    own: &str,
    matrix: usize,
    side: usize,
) -> String {
    let row = emitter.op(&format!("shl i32 {}, 1", lane.place));
    let row = emitter.op(&format!("add i32 {row}, {}", 8 * matrix + side));
    let offset = emitter.op(&format!("shl i32 {}, 1", lane.group));
    in_row(emitter, own, &row, &offset)
}

fn in_row(emitter: &mut Emitter, own: &str, row: &str, offset: &str) -> String {
    let address = from_lane(emitter, own, 64, row);
    let offset = emitter.resize(offset, 32, 64, false);
    let address = emitter.op(&format!("add i64 {address}, {offset}"));
    let pointer = emitter.op(&format!("inttoptr i64 {address} to ptr"));
    emitter.op(&format!("addrspacecast ptr {pointer} to ptr addrspace(3)"))
}
