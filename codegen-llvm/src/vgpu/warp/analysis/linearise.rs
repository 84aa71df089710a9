//! Linearisation: the order in which the warp form lays out the blocks of a function whose loops have one latch each.
//!
//! Lanes on different paths wait for each other in this order: the lanes at the earliest block run first. So a block
//! comes after everything that leads to it. A loop's blocks are contiguous and its latch is the last of them, so that
//! no lane is left behind in the loop when the latch runs. Blocks from which every path ends in a fault come as soon
//! as something leads to them: a fault is reported before the other lanes wait for other warps.

use std::collections::{HashMap, HashSet};

use indexmap::IndexSet;
use llvm_sys::LLVMOpcode;

use crate::analysis::control_flow::ControlFlow;
use crate::ir::{Block, Value};
use crate::vgpu::warp::refusal::Refusal;

/// A function's blocks in order.
pub struct BlockOrder {
    /// The reachable blocks.
    pub blocks: Vec<Block>,
    /// The position of each block.
    pub index: HashMap<Block, usize>,
    /// The positions of each block's successors, without repetition.
    pub successors: Vec<Vec<usize>>,
    /// The blocks of each loop, smallest loop first.
    pub loops: Vec<IndexSet<Block>>,
    /// The function's dominators and loops.
    pub flow: ControlFlow,
}

impl BlockOrder {
    /// The order of a function's blocks. Refuses loops with several entries or latches.
    pub fn new(function: Value) -> Result<BlockOrder, Refusal> {
        let flow = ControlFlow::new(function);
        let loops = loops(&flow)?;
        let blocks = arrange(&flow, &loops);
        let index: HashMap<_, _> = blocks
            .iter()
            .enumerate()
            .map(|(at, &block)| (block, at))
            .collect();
        let successors = blocks
            .iter()
            .map(|block| {
                let mut all: Vec<_> = block.successors().iter().map(|next| index[next]).collect();
                all.sort_unstable();
                all.dedup();
                all
            })
            .collect();
        Ok(BlockOrder {
            blocks,
            index,
            successors,
            loops,
            flow,
        })
    }
}

/// The blocks of each loop, smallest loop first.
fn loops(flow: &ControlFlow) -> Result<Vec<IndexSet<Block>>, Refusal> {
    let mut headers = HashSet::new();
    let mut found = Vec::new();
    for each in flow.loops() {
        let regular = flow
            .dominators(each.latch)
            .any(|block| block == each.header);
        if !regular || !headers.insert(each.header) {
            return Err(Refusal::new("a loop has several entries or latches"));
        }
        found.push(each.body);
    }
    found.sort_by_key(IndexSet::len);
    Ok(found)
}

/// A topological order that completes a loop before it goes on behind it.
fn arrange(flow: &ControlFlow, loops: &[IndexSet<Block>]) -> Vec<Block> {
    let original: HashMap<_, _> = flow
        .blocks()
        .iter()
        .enumerate()
        .map(|(at, &block)| (block, at))
        .collect();
    // Back edges go backwards in reverse post-order.
    let mut missing = vec![0usize; flow.blocks().len()];
    for (at, block) in flow.blocks().iter().enumerate() {
        let ahead = block.successors().into_iter().map(|next| original[&next]);
        ahead
            .filter(|&next| next > at)
            .for_each(|next| missing[next] += 1);
    }
    let ends = dead_ends(flow, &original);
    let mut unplaced: Vec<usize> = loops.iter().map(|each| each.len()).collect();
    let mut ready: Vec<usize> = (0..missing.len()).filter(|&at| missing[at] == 0).collect();
    let mut open: Vec<usize> = Vec::new();
    let mut placed = Vec::new();
    while !ready.is_empty() {
        while open.last().is_some_and(|&inner| unplaced[inner] == 0) {
            open.pop();
        }
        let inside = |&&at: &&usize| {
            open.last()
                .is_none_or(|&inner| loops[inner].contains(&flow.blocks()[at]))
        };
        let end = ready.iter().find(|&&at| ends[at]);
        let Some(&next) = end.or_else(|| ready.iter().filter(inside).min()) else {
            break;
        };
        ready.retain(|&at| at != next);
        let block = flow.blocks()[next];
        placed.push(block);
        // Outer loops are larger, so they are opened first.
        for (index, each) in loops.iter().enumerate().rev() {
            if each.contains(&block) {
                unplaced[index] -= 1;
                if !open.contains(&index) {
                    open.push(index);
                }
            }
        }
        for next_block in block.successors() {
            let at = original[&next_block];
            if at > next {
                missing[at] -= 1;
                let first = ends[at] && !ready.contains(&at) && !placed.contains(&next_block);
                if first || missing[at] == 0 && !ends[at] {
                    ready.push(at);
                }
            }
        }
    }
    // The exit comes last. Lanes that wait at any other block, such as one that ends in a fault, must still run.
    let is_exit = |block: &Block| {
        let end = block.terminator();
        end.is_some_and(|end| end.opcode() == Some(LLVMOpcode::LLVMRet))
    };
    let (exits, mut rest): (Vec<_>, Vec<_>) = placed.into_iter().partition(is_exit);
    rest.extend(exits);
    rest
}

/// The blocks from which every path ends in a fault.
fn dead_ends(flow: &ControlFlow, original: &HashMap<Block, usize>) -> Vec<bool> {
    let mut found = vec![false; flow.blocks().len()];
    for (at, block) in flow.blocks().iter().enumerate().rev() {
        let end = block.terminator().and_then(Value::opcode);
        let next = block.successors();
        found[at] = end == Some(LLVMOpcode::LLVMUnreachable)
            || !next.is_empty() && next.iter().all(|next| found[original[next]]);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Context, Module};

    fn order_of(text: &str) -> String {
        let module = Module::parse(Context::new(), text, "test").unwrap();
        let order = BlockOrder::new(module.function("f").unwrap()).unwrap();
        let names: Vec<_> = order.blocks.iter().map(|block| block.name()).collect();
        names.join(" ")
    }

    #[test]
    fn what_a_loop_leaves_to_comes_after_its_latch() {
        let order = order_of(
            "define void @f(i1 %c) {\ne:\n br label %h\nh:\n br i1 %c, label %a, label %b\na:\n br label %l\n\
             b:\n br i1 %c, label %x, label %l\nl:\n br i1 %c, label %h, label %y\nx:\n br label %r\n\
             y:\n br label %r\nr:\n ret void\n}",
        );
        let place = |name: &str| order.split(' ').position(|each| each == name).unwrap();
        assert!(
            place("l") < place("x") && place("l") < place("y"),
            "{order}"
        );
        assert_eq!(place("r"), 7);
    }

    #[test]
    fn a_fault_in_a_loop_comes_before_the_latch() {
        let order = order_of(
            "define void @f(i1 %c) {\ne:\n br label %h\nh:\n br i1 %c, label %l, label %w\nw:\n br label %u\n\
             l:\n br i1 %c, label %h, label %v\nv:\n br i1 %c, label %u, label %r\nu:\n unreachable\nr:\n ret void\n}",
        );
        assert_eq!(order, "e h w u l v r");
    }

    #[test]
    fn an_inner_loop_is_contiguous() {
        let order = order_of(
            "define void @f(i1 %c) {\ne:\n br label %o\no:\n br i1 %c, label %i, label %k\n\
             i:\n br i1 %c, label %i, label %j\nj:\n br label %l\nk:\n br label %l\n\
             l:\n br i1 %c, label %o, label %x\nx:\n ret void\n}",
        );
        assert!(
            order.starts_with("e o ") && order.ends_with("l x"),
            "{order}"
        );
    }

    #[test]
    fn a_loop_with_two_entries_is_refused() {
        let text = "define void @f(i1 %c) {\ne:\n br i1 %c, label %a, label %b\n\
                    a:\n br i1 %c, label %b, label %x\nb:\n br label %a\nx:\n ret void\n}";
        let module = Module::parse(Context::new(), text, "test").unwrap();
        assert!(BlockOrder::new(module.function("f").unwrap()).is_err());
    }
}
