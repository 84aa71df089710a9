//! Computes values in the unlikely blocks that alone use them.
//!
//! Needs: everything optimised. Leaves: in likely blocks, no computation that only unlikely ones need.
//!
//! Behind each test of a warp form (are the elements consecutive? is the address inside of device memory?) stands an
//! unlikely block that wants an address per lane. Several such blocks share these vectors, so LLVM computes them once,
//! before the tests. Here each block gets a copy.

use std::collections::HashSet;

use anyhow::Result;
use llvm_sys::LLVMOpcode;

use super::unit::Unit;
use crate::analysis::likely_blocks;
use crate::ir::{Block, Builder, Context, Value};

/// Most copies of a value.
const MOST_COPIES: usize = 8;

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    if unit.options.level < 2 {
        return Ok(());
    }
    for function in unit.module.definitions() {
        let likely = likely_blocks::of(unit.context(), function);
        if likely.len() < function.blocks().len() {
            sink(unit.context(), function, &likely);
        }
    }
    Ok(())
}

/// Moves what only unlikely blocks use there: users first, then what they alone use.
fn sink(context: Context, function: Value, likely: &HashSet<Block>) {
    let mut open: Vec<_> = function.instructions();
    let mut erased = HashSet::new();
    while let Some(value) = open.pop() {
        if erased.contains(&value) || !likely.contains(&value.block()) || !only_computes(value) {
            continue;
        }
        let Some(blocks) = unlikely_users(value, likely) else {
            continue;
        };
        blocks
            .into_iter()
            .for_each(|block| copy_into(context, value, block));
        let operands = value.operands();
        // SAFETY: the copies have taken all its users, and `erased` keeps the list from it.
        unsafe { value.erase() };
        erased.insert(value);
        // They may have come before, when this one still used them.
        open.extend(operands.into_iter().filter(|it| it.is_instruction()));
    }
}

/// The blocks where a value is used, if there are any, few, and none of them likely.
fn unlikely_users(value: Value, likely: &HashSet<Block>) -> Option<Vec<Block>> {
    let mut blocks = Vec::new();
    for (_, _, block) in uses(value) {
        if likely.contains(&block) {
            return None;
        }
        if !blocks.contains(&block) {
            blocks.push(block);
        }
    }
    (1..=MOST_COPIES).contains(&blocks.len()).then_some(blocks)
}

/// The users of a value, the operand's number, and the block where it must be known.
fn uses(value: Value) -> Vec<(Value, u32, Block)> {
    let mut users = value.users();
    users.dedup();
    let mut found = Vec::new();
    for user in users {
        for at in 0..user.operand_count() {
            if user.operand_or_none(at) == Some(value) {
                let block = match user.is_phi() {
                    true => user.incoming()[at as usize].1,
                    false => user.block(),
                };
                found.push((user, at, block));
            }
        }
    }
    found
}

/// Computes a value at the beginning of a block, for its users there.
fn copy_into(context: Context, value: Value, block: Block) {
    let first = block.instructions().into_iter().find(|it| !it.is_phi());
    let first = first.expect("a block has a terminator");
    let copy = Builder::before(context, first).copy_of(value);
    for (user, at, at_block) in uses(value) {
        if at_block == block {
            user.set_operand(at, copy);
        }
    }
}

/// Whether an instruction does nothing but compute, cheaply.
fn only_computes(value: Value) -> bool {
    use LLVMOpcode::*;
    matches!(
        value.opcode(),
        Some(
            LLVMAdd
                | LLVMSub
                | LLVMMul
                | LLVMShl
                | LLVMLShr
                | LLVMAShr
                | LLVMAnd
                | LLVMOr
                | LLVMXor
                | LLVMTrunc
                | LLVMZExt
                | LLVMSExt
                | LLVMPtrToInt
                | LLVMIntToPtr
                | LLVMBitCast
                | LLVMAddrSpaceCast
                | LLVMGetElementPtr
                | LLVMICmp
                | LLVMSelect
                | LLVMInsertElement
                | LLVMExtractElement
                | LLVMShuffleVector
        )
    )
}
