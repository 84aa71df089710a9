//! Splits and copies the bodies that [`super::rows`] has marked.
//!
//! ```text
//! before:  …; start; values of the first active lane; enter; body; end; branch
//!
//! after:   …                                                                       all lanes
//!          values; branch: the row holds the whole subgroup → body 1; rows are long → rows; → body 3
//!          body 1 (in one row)                                                     → after
//!          rows: values; branch: not certain → body 3; in the first active lane's row → body 2, else → next
//!          body 2 (in one row)                                                     → next
//!          next: branch: it was in the row → after, else → rows
//!          body 3 (any lanes)                                                      → after
//!          after: branch
//! ```

use std::collections::HashMap;

use llvm_sys::LLVMIntPredicate::{LLVMIntUGE, LLVMIntULT};
use llvm_sys::LLVMOpcode;

use super::row_markers::{self, CHOICE, END, ENTER, Entry, Markers, START};
use crate::ir::{Block, Builder, Context, Copies, Module, Value};

/// The step, for a kernel whose phis are in memory.
pub fn run(module: &Module, markers: &Markers, kernel: Value) {
    let starts: Vec<_> = kernel
        .instructions()
        .into_iter()
        .filter(|&it| row_markers::is(it, START))
        .collect();
    for start in starts {
        let parts = Parts::separate(module.context, kernel, start);
        parts.version(module, markers, kernel);
    }
}

/// The marked code in blocks of its own.
struct Parts {
    /// Computes the first active lane's values. Has no terminator yet.
    values: Block,
    /// What is known then.
    entry: Entry,
    /// The body, its first block first.
    body: Vec<Block>,
    /// The block of the body that leaves it.
    last: Block,
    /// What follows the body.
    after: Block,
}

impl Parts {
    fn separate(context: Context, kernel: Value, start: Value) -> Parts {
        let before = start.block();
        let values = Builder::append_block(context, kernel, "");
        let first = Builder::append_block(context, kernel, "");
        let rest: Vec<_> = std::iter::successors(start.next(), |it| it.next()).collect();
        let mut instructions = rest.into_iter();
        let to_values = Builder::at_end(context, values);
        let mut entry = None;
        for instruction in instructions.by_ref() {
            if row_markers::is(instruction, ENTER) {
                entry = Some(Entry::of(instruction));
                // SAFETY: the marker has no result, and is not looked at again.
                unsafe { instruction.erase() };
                break;
            }
            to_values.take(instruction);
        }
        let to_first = Builder::at_end(context, first);
        instructions.for_each(|instruction| to_first.take(instruction));
        // SAFETY: the marker has no result, and is not looked at again.
        unsafe { start.erase() };
        Builder::at_end(context, before).jump(values);
        let (body, last) = reach(first);
        let after = cut_end(context, kernel, last);
        Parts {
            values,
            entry: entry.expect("a marked body has both markers"),
            body,
            last,
            after,
        }
    }

    /// Makes the versions.
    fn version(self, module: &Module, markers: &Markers, kernel: Value) {
        let (context, entry) = (module.context, &self.entry);
        let block = || Builder::append_block(context, kernel, "");
        let copy = |values| Copies::of(context, kernel, &self.body, values);
        let one_row = copy(HashMap::new());
        let rows = Copies::of(context, kernel, &[self.values], HashMap::new());
        let again = rows.blocks[&self.values];
        let row = copy(rows.values.clone());
        let (several, inside, next) = (block(), block(), block());
        let body = self.body[0];

        let builder = Builder::at_end(context, self.values);
        let lanes = builder.call_function(markers.lanes, &[]);
        let lanes = builder.cast_unsigned(lanes, entry.length.ty());
        let holds_all = builder.compare(LLVMIntUGE, entry.length, lanes);
        let whole = builder.binary(LLVMOpcode::LLVMAnd, entry.certain, holds_all);
        builder.branch(whole, one_row.blocks[&body], several);
        builder.move_to_end(several);
        builder.branch(entry.long, again, body);

        let there = |value: Value| *rows.values.get(&value).unwrap_or(&value);
        builder.move_to_end(again);
        builder.branch(there(entry.certain), inside, body);
        builder.move_to_end(inside);
        let wide = |id| builder.cast_unsigned(there(id), entry.length.ty());
        let distance = builder.binary(LLVMOpcode::LLVMSub, wide(entry.id), wide(entry.first_id));
        let is_in = builder.compare(LLVMIntULT, distance, there(entry.length));
        builder.branch(is_in, row.blocks[&body], next);
        builder.move_to_end(next);
        // Else LLVM would move the body behind the loop, where the rows would be together again.
        let was_in = builder.call_function(markers.same, &[is_in]);
        builder.branch(was_in, self.after, again);

        if let Some(end) = row.blocks[&self.last].terminator() {
            end.redirect(self.after, next);
        }
        choose(&self.body, 0);
        for copies in [&one_row, &row] {
            choose(copies.blocks.values(), 1);
        }
    }
}

/// The blocks of a body, and the one that leaves it.
fn reach(first: Block) -> (Vec<Block>, Block) {
    let mut found = vec![first];
    let (mut at, mut last) = (0, first);
    while let Some(&block) = found.get(at) {
        at += 1;
        if block
            .instructions()
            .into_iter()
            .any(|it| row_markers::is(it, END))
        {
            last = block;
            continue;
        }
        for next in block.successors() {
            if !found.contains(&next) {
                found.push(next);
            }
        }
    }
    (found, last)
}

/// Gives what follows a body a block of its own: the branch, and its condition where that comes from memory.
fn cut_end(context: Context, kernel: Value, last: Block) -> Block {
    let after = Builder::append_block(context, kernel, "");
    let builder = Builder::at_end(context, after);
    for instruction in last.instructions() {
        if row_markers::is(instruction, END) {
            // SAFETY: the marker has no result, and is not looked at again.
            unsafe { instruction.erase() };
        }
    }
    if let Some(end) = last.terminator() {
        let condition = end.condition().filter(|condition| {
            condition.opcode() == Some(LLVMOpcode::LLVMLoad) && condition.block() == last
        });
        condition.into_iter().for_each(|it| builder.take(it));
        builder.take(end);
    }
    Builder::at_end(context, last).jump(after);
    after
}

/// Decides the choices in blocks.
fn choose<'a>(blocks: impl IntoIterator<Item = &'a Block>, which: u32) {
    for block in blocks {
        for instruction in block.instructions() {
            if row_markers::is(instruction, CHOICE) {
                let chosen = instruction.operand(which);
                // SAFETY: `instructions` is a snapshot, and this loop does not look at the marker again.
                unsafe { instruction.replace_with(chosen) };
            }
        }
    }
}
