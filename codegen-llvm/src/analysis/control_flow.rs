//! Dominators and loops of a function; LLVM's C API offers neither.

use std::collections::{BTreeSet, HashMap, HashSet};

use indexmap::IndexSet;

use crate::ir::{Block, Value};

/// The control flow graph of a function, unreachable blocks left out.
pub struct ControlFlow {
    /// Blocks in reverse post-order; the indices below are into this.
    blocks: Vec<Block>,
    index: HashMap<Block, usize>,
    predecessors: Vec<Vec<usize>>,
    /// Immediate dominators; the entry's is itself.
    dominator: Vec<usize>,
}

/// A natural loop: a back edge, and the blocks it encloses.
pub struct Loop {
    /// The block the edge goes back to.
    pub header: Block,
    /// The block the edge leaves.
    pub latch: Block,
    /// The blocks that lead to the latch without passing the header again, header included, in reverse post-order.
    pub body: IndexSet<Block>,
}

impl Loop {
    /// The instructions of its blocks, in their order.
    pub fn instructions(&self) -> impl Iterator<Item = Value> + '_ {
        self.body.iter().flat_map(|block| block.instructions())
    }
}

impl ControlFlow {
    /// Analyses a function.
    pub fn new(function: Value) -> ControlFlow {
        let blocks = reverse_post_order(function);
        let index: HashMap<_, _> = blocks
            .iter()
            .enumerate()
            .map(|(at, &block)| (block, at))
            .collect();
        let mut predecessors = vec![Vec::new(); blocks.len()];
        for (at, block) in blocks.iter().enumerate() {
            for successor in block.successors() {
                predecessors[index[&successor]].push(at);
            }
        }
        let dominator = dominators(&predecessors);
        ControlFlow {
            blocks,
            index,
            predecessors,
            dominator,
        }
    }

    /// The reachable blocks, every block after its dominators.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The blocks that dominate `block`, itself first, the entry last.
    pub fn dominators(&self, block: Block) -> impl Iterator<Item = Block> {
        let start = self.index.get(&block).copied();
        let up = |&at: &usize| (self.dominator[at] != at).then(|| self.dominator[at]);
        std::iter::successors(start, up).map(|at| self.blocks[at])
    }

    /// The reachable blocks that may go to `block` next, once per edge.
    pub fn predecessors(&self, block: Block) -> impl Iterator<Item = Block> {
        let at = self.index.get(&block).copied();
        at.into_iter()
            .flat_map(|at| &self.predecessors[at])
            .map(|&at| self.blocks[at])
    }

    /// All loops. In an irreducible graph, an edge that goes backwards in reverse post-order counts.
    pub fn loops(&self) -> Vec<Loop> {
        let mut loops = Vec::new();
        for (header, predecessors) in self.predecessors.iter().enumerate() {
            let mut latches: Vec<_> = predecessors
                .iter()
                .copied()
                .filter(|&latch| latch >= header)
                .collect();
            latches.dedup();
            for latch in latches {
                loops.push(Loop {
                    header: self.blocks[header],
                    latch: self.blocks[latch],
                    body: self.body(header, latch),
                });
            }
        }
        loops
    }

    fn body(&self, header: usize, latch: usize) -> IndexSet<Block> {
        let mut body = BTreeSet::from([header]);
        let mut pending = vec![latch];
        while let Some(at) = pending.pop() {
            if body.insert(at) {
                pending.extend(&self.predecessors[at]);
            }
        }
        body.into_iter().map(|at| self.blocks[at]).collect()
    }
}

/// What is reached from a block, itself first, without entering one of `barred`.
pub fn reached(start: Block, barred: &[Block]) -> Vec<Block> {
    let (mut found, mut seen) = (vec![start], HashSet::from([start]));
    let mut at = 0;
    while let Some(&block) = found.get(at) {
        at += 1;
        for next in block.successors() {
            if !barred.contains(&next) && seen.insert(next) {
                found.push(next);
            }
        }
    }
    found
}

fn reverse_post_order(function: Value) -> Vec<Block> {
    let Some(&entry) = function.blocks().first() else {
        return Vec::new();
    };
    let mut order = Vec::new();
    let mut seen = HashSet::from([entry]);
    let mut stack = vec![(entry, entry.successors())];
    while let Some((block, successors)) = stack.last_mut() {
        match successors.pop() {
            Some(next) if seen.insert(next) => stack.push((next, next.successors())),
            Some(_) => {}
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

/// Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm" (2001).
fn dominators(predecessors: &[Vec<usize>]) -> Vec<usize> {
    const UNKNOWN: usize = usize::MAX;
    let mut dominator = vec![UNKNOWN; predecessors.len()];
    if let Some(entry) = dominator.first_mut() {
        *entry = 0;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for at in 1..predecessors.len() {
            let known = predecessors[at]
                .iter()
                .copied()
                .filter(|&before| dominator[before] != UNKNOWN);
            let meet = known
                .reduce(|left, right| intersect(&dominator, left, right))
                .unwrap_or(UNKNOWN);
            changed |= std::mem::replace(&mut dominator[at], meet) != meet;
        }
    }
    dominator
}

fn intersect(dominator: &[usize], mut left: usize, mut right: usize) -> usize {
    while left != right {
        while left > right {
            left = dominator[left];
        }
        while right > left {
            right = dominator[right];
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Context, Module};

    /// Names of the blocks of each loop body, sorted, with the latch first.
    fn loops_of(text: &str) -> Vec<(String, Vec<String>)> {
        let module = Module::parse(Context::new(), text, "test").unwrap();
        let flow = ControlFlow::new(module.function("f").unwrap());
        let mut found: Vec<_> = flow
            .loops()
            .into_iter()
            .map(|each| {
                let mut body: Vec<_> = each.body.iter().map(|block| block.name()).collect();
                body.sort();
                (each.latch.name(), body)
            })
            .collect();
        found.sort();
        found
    }

    /// What a pass finds first in a loop must not change from run to run.
    #[test]
    fn the_blocks_of_a_loop_are_in_order() {
        let blocks: Vec<String> = (1..40)
            .map(|at| format!("b{at}:\n br label %b{}\n", at + 1))
            .collect();
        let text = format!(
            "define void @f(i1 %c) {{\n br label %b1\n{}b40:\n br i1 %c, label %b1, label %x\nx:\n ret void\n}}",
            blocks.concat()
        );
        let module = Module::parse(Context::new(), &text, "test").unwrap();
        let flow = ControlFlow::new(module.function("f").unwrap());
        let [ref only] = flow.loops()[..] else {
            panic!("one loop")
        };
        assert!(only.body.iter().eq(&flow.blocks()[1..41]));
    }

    #[test]
    fn nested_loops_are_told_apart() {
        let found = loops_of(
            "define void @f(i1 %c) {\ne:\n br label %o\no:\n br label %i\ni:\n br i1 %c, label %i, label %l\nl:\n \
             br i1 %c, label %o, label %x\nx:\n ret void\n}",
        );
        let own = |names: &[&str]| {
            names
                .iter()
                .map(|name| name.to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            found,
            vec![
                ("i".to_string(), own(&["i"])),
                ("l".to_string(), own(&["i", "l", "o"]))
            ]
        );
    }

    #[test]
    fn dominators_go_up_to_the_entry() {
        let text = "define void @f(i1 %c) {
e:
  br i1 %c, label %a, label %b
a:
  br label %j
b:
  br label %j
j:
  ret void
}";
        let module = Module::parse(Context::new(), text, "test").unwrap();
        let flow = ControlFlow::new(module.function("f").unwrap());
        let join = *flow
            .blocks()
            .iter()
            .find(|block| block.name() == "j")
            .unwrap();
        let names: Vec<_> = flow.dominators(join).map(|block| block.name()).collect();
        assert_eq!(names, ["j", "e"]);
    }
}
