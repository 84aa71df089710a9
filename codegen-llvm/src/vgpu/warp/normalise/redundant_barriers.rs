//! Removes barriers that order nothing from kernels that LLVM's openmp-opt made SPMD.
//!
//! Needs: kernels of one function.
//!
//! openmp-opt puts a barrier after each piece of sequential code that only thread 0 may run. The pass `guards` puts one
//! before it, and a parallel region ends with one. So two barriers often follow each other with nothing in between, or
//! only accesses of thread 0, which are ordered anyway. A barrier orders what threads did since the last barrier before
//! what *other* threads do until the next one. Without such a pair of accesses to the same memory it is redundant
//! ([`accesses`]). All threads of such a kernel come to each of these barriers together, to those of its regions
//! because OpenMP requires it (5.2, §15.3.1). So no thread waits at another barrier instead.

use std::collections::HashSet;

use llvm_sys::LLVMOpcode;

use super::accesses::{self, Access};
use crate::analysis::control_flow::ControlFlow;
use crate::ir::{Block, Layout, Value};
use crate::vgpu::warp::analysis::callee::{self, Callee};
use crate::vgpu::warp::analysis::context_fields::{self, LaneAxis};

/// The step, for a kernel that openmp-opt made SPMD.
pub fn run(layout: Layout, kernel: Value) {
    accesses::remove_unread(layout, kernel);
    let masters = Masters::new(layout, kernel);
    for barrier in kernel.instructions().into_iter().filter(|it| is_whole(*it)) {
        let (before, after) = (masters.before(barrier), masters.after(barrier));
        if !before.conflicts(&after) {
            // SAFETY: a barrier has no result, and `masters` holds no instruction.
            unsafe { barrier.erase() };
        }
    }
}

/// The accesses to shared or global memory between two barriers, and whether thread 0 alone makes them.
#[derive(Default)]
struct Accesses(HashSet<(Access, bool)>);

impl Accesses {
    /// Whether one of them must be ordered with another thread's access among `other`.
    fn conflicts(&self, other: &Accesses) -> bool {
        self.0.iter().any(|(one, one_by_master)| {
            other.0.iter().any(|(two, two_by_master)| {
                (one.writes || two.writes)
                    && !(*one_by_master && *two_by_master)
                    && one.place.meets(&two.place)
            })
        })
    }
}

/// The blocks that only thread 0 runs.
struct Masters {
    layout: Layout,
    blocks: HashSet<Block>,
}

impl Masters {
    fn new(layout: Layout, kernel: Value) -> Masters {
        let flow = ControlFlow::new(kernel);
        let guarded: HashSet<_> = flow.blocks().iter().filter_map(|&it| guarded(it)).collect();
        let behind = |block: &Block| flow.dominators(*block).any(|it| guarded.contains(&it));
        Masters {
            layout,
            blocks: flow.blocks().iter().copied().filter(behind).collect(),
        }
    }

    /// The accesses between the barriers before a barrier and it.
    fn before(&self, barrier: Value) -> Accesses {
        self.around(barrier, |block| block.predecessors(), |all| all.reverse())
    }

    /// The accesses between a barrier and the barriers after it.
    fn after(&self, barrier: Value) -> Accesses {
        self.around(barrier, |block| block.successors(), |_| ())
    }

    fn around(
        &self,
        barrier: Value,
        next: impl Fn(Block) -> Vec<Block>,
        arrange: impl Fn(&mut Vec<Value>),
    ) -> Accesses {
        let instructions = |block: Block| {
            let mut all = block.instructions();
            arrange(&mut all);
            all
        };
        let mut accesses = Accesses::default();
        let mut seen = HashSet::new();
        let own = instructions(barrier.block()).into_iter();
        let rest = own.skip_while(|it| *it != barrier).skip(1).collect();
        let mut pending: Vec<(Block, Vec<Value>)> = vec![(barrier.block(), rest)];
        while let Some((block, run)) = pending.pop() {
            if self.reaches_end(block, run, &mut accesses) {
                let new = next(block).into_iter().filter(|it| seen.insert(*it));
                pending.extend(new.map(|it| (it, instructions(it))));
            }
        }
        accesses
    }

    /// Adds the accesses of a block's instructions; gives whether no barrier is among them.
    fn reaches_end(&self, block: Block, run: Vec<Value>, found: &mut Accesses) -> bool {
        for instruction in run {
            if is_whole(instruction) {
                return false;
            }
            if let Some(access) = accesses::of(self.layout, instruction) {
                found.0.insert((access, self.blocks.contains(&block)));
            }
        }
        true
    }
}

/// The successor to which a block sends thread 0 alone, if that is the only way there.
fn guarded(block: Block) -> Option<Block> {
    let branch = block.terminator()?;
    let condition = branch.condition()?;
    let is_guard = branch.opcode()? == LLVMOpcode::LLVMBr
        && condition.opcode()? == LLVMOpcode::LLVMICmp
        && context_fields::is_thread_id(condition.operand(0), LaneAxis::X)
        && condition.operand(1).as_int() == Some(0);
    let equal = llvm_sys::LLVMIntPredicate::LLVMIntEQ;
    let unequal = llvm_sys::LLVMIntPredicate::LLVMIntNE;
    let index = match is_guard.then(|| condition.int_predicate())? {
        predicate if predicate == equal => 0,
        predicate if predicate == unequal => 1,
        _ => return None,
    };
    let targets = branch.successors();
    let guarded = *targets.get(index)?;
    (guarded.predecessors() == [block] && targets[0] != targets[1]).then_some(guarded)
}

/// Whether an instruction is a barrier of all threads of the block.
fn is_whole(instruction: Value) -> bool {
    instruction.is_call() && callee::of(instruction) == Callee::Barrier && {
        let arguments = instruction.arguments();
        let constant = |index: usize| arguments.get(index).and_then(|it| it.as_int());
        (constant(2), constant(3)) == (Some(0), Some(0))
    }
}
