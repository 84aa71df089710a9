//! A second copy of a loop, for passes that write loops twice behind a question.

use std::collections::HashMap;

use indexmap::IndexSet;

use crate::analysis::control_flow::Loop;
use crate::ir::{Block, Context, Copies, Value};

/// Writes a copy of a loop behind all blocks, with the same exits. Gives the jump that leads to the loop, in whose
/// place the caller puts the branch to one of both, and the copy's header. `None` if no block only leads to the loop.
///
/// Needs: exits of its own, and phis there for what leaves it. The loop itself keeps its place and what debuggers know
/// of its variables.
pub fn add(context: Context, each: &Loop) -> Option<(Value, Block)> {
    let Loop { header, body, .. } = each;
    let mut before = header.predecessors();
    before.retain(|block| !body.contains(block));
    let [preheader] = before[..] else {
        return None;
    };
    let jump = preheader.terminator();
    let jump = jump.filter(|end| end.successors() == [*header])?;
    let blocks: Vec<_> = body.iter().copied().collect();
    let copies = Copies::of(context, header.function(), &blocks, HashMap::new());
    let exits: IndexSet<_> = blocks
        .iter()
        .flat_map(|block| block.successors())
        .filter(|block| !body.contains(block))
        .collect();
    exits.into_iter().for_each(|exit| copies.add_exits(exit));
    Some((jump, copies.blocks[header]))
}
