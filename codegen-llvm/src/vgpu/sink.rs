//! Moves loops behind a guard if only thread 0 uses their results there.
//!
//! Needs: guards as openmp-opt leaves them (`device::guards`).
//!
//! In a kernel that openmp-opt made SPMD, every thread runs the sequential code, and only side effects are guarded. So
//! all threads of the block run a loop that searches for something, and one thread stores the result. A GPU's warps
//! run such a loop at the same time; here they run one after the other. So this pass moves the code before a guard
//! behind it: a region with one entry that ends at the guard, contains a loop, has no side effects, and whose values
//! are used only behind the guard. It then reads memory later, but nothing is written in between.
//!
//! If the loop never ends, thread 0 still runs it, and the other threads wait for thread 0 at the guard's barrier.
//!
//! PTX has the barrier before a guard already (`device::guards`), behind the loop. The loop moves over it, too: from
//! there to the barrier behind the guard, the other threads do nothing. What they wrote before the first barrier would
//! have been a race with the loop, and what they write behind the second comes after it. All threads must come to these
//! two barriers: elsewhere the others may meet thread 0 there from other places.

use std::collections::HashSet;

use anyhow::Result;

use super::unit::Unit;
use crate::analysis::control_flow::{ControlFlow, reached};
use crate::analysis::effects::has_no_effects;
use crate::analysis::intrinsics::is_block_barrier;
use crate::analysis::uniform_control::UniformControl;
use crate::analysis::{exec_mode, kernels};
use crate::device::guards;
use crate::ir::{Block, Builder, Context, Value};
use crate::ptx_reader::was_ptx;
use vgpu_abi::summary::ExecutionMode;

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    for kernel in kernels::find(&unit.module) {
        if exec_mode::of(&unit.module, &kernel.name) != ExecutionMode::GenericSpmd {
            continue;
        }
        while let Some(found) = find(kernel.function, |_, block| block_has_no_effects(block)) {
            found.apply(unit.context());
        }
    }
    Ok(())
}

/// The pass for kernels that were PTX. Needs: registers made values.
pub fn run_on_ptx(unit: &mut Unit) -> Result<()> {
    if unit.options.level == 0 || !was_ptx(&unit.module) {
        return Ok(());
    }
    for kernel in &unit.kernels {
        if kernel.mode != ExecutionMode::GenericSpmd {
            continue;
        }
        while let Some(found) = find(kernel.function, is_passed) {
            found.apply(unit.context());
        }
    }
    Ok(())
}

/// Whether a loop may move behind all instructions of a block, which may have barriers to which all threads come.
fn is_passed(flow: &ControlFlow, block: Block) -> bool {
    let instructions = block.instructions();
    let mut instructions = instructions.into_iter();
    instructions.all(|it| has_no_effects(it) || is_block_barrier(it))
        && UniformControl::new(flow).reaches(block)
}

/// A guard and the region that can move behind it.
struct Sinking {
    /// The guard's branch.
    branch: Value,
    /// The block to which it sends thread 0.
    guarded: Block,
    /// The first block that moves; its instructions in `stay` do not.
    first: Block,
    /// Instructions of `first`, then of the guard's block, that all threads still run, in order.
    stay: Vec<Value>,
}

/// The blocks between the end of `first` and the guard.
struct Region {
    first: Block,
    guard: Block,
    inner: HashSet<Block>,
}

/// The first guard behind which a region can move, if the guard's block is `passed`.
fn find(function: Value, passed: fn(&ControlFlow, Block) -> bool) -> Option<Sinking> {
    let flow = ControlFlow::new(function);
    let headers = flow.loops().into_iter().map(|each| each.header).collect();
    flow.blocks().iter().find_map(|&block| {
        let (branch, guarded) = guards::guarded(block)?;
        if guarded.predecessors() != [block] || !passed(&flow, block) {
            return None;
        }
        let others = HashSet::from_iter(reached(flow.blocks()[0], &[guarded]));
        let (first, stay) = largest(&flow, &headers, block, &others)?;
        Some(Sinking {
            branch,
            guarded,
            first,
            stay,
        })
    })
}

/// The first block of the largest region that can move behind a guard, and the instructions of it and of the guard's
/// block that stay. Only `others` are reachable without passing the guard.
fn largest(
    flow: &ControlFlow,
    headers: &HashSet<Block>,
    guard: Block,
    others: &HashSet<Block>,
) -> Option<(Block, Vec<Value>)> {
    let mut found = None;
    for first in flow.dominators(guard).skip(1) {
        let Some(region) = Region::new(first, guard) else {
            break;
        };
        let loops = region.inner.intersection(headers).next().is_some();
        if loops && region.is_closed(flow) {
            found = region.stays(others).map(|stay| (first, stay)).or(found);
        }
        if !block_has_no_effects(first) {
            break;
        }
    }
    found
}

impl Region {
    /// The region from `first` to a guard that it dominates; `None` if it has side effects. A larger region then has
    /// them, too.
    fn new(first: Block, guard: Block) -> Option<Region> {
        let mut inner = HashSet::new();
        let mut pending = vec![first];
        while let Some(block) = pending.pop() {
            for next in block.successors() {
                if next != guard && inner.insert(next) {
                    if !block_has_no_effects(next) {
                        return None;
                    }
                    pending.push(next);
                }
            }
        }
        Some(Region {
            first,
            guard,
            inner,
        })
    }

    /// Whether control enters the region through `first` only, and once.
    fn is_closed(&self, flow: &ControlFlow) -> bool {
        let inside = |block| self.inner.contains(&block) || block == self.first;
        let entered_here = |block: &Block| flow.predecessors(*block).all(inside);
        !self.inner.contains(&self.first)
            && self.inner.iter().all(entered_here)
            && entered_here(&self.guard)
    }

    /// The instructions that stay if the rest can move; `None` if all threads need a value that only one would have.
    fn stays(&self, others: &HashSet<Block>) -> Option<Vec<Value>> {
        let late = self.late();
        let end = self.guard.terminator()?;
        let mut moving = self.inner.iter().flat_map(|block| block.instructions());
        let behind = |value: Value| self.used_behind(value, &late, others);
        if late.contains(&end) || !moving.all(behind) || !late.iter().copied().all(behind) {
            return None;
        }
        let early = self.early(&late, others);
        let first = self.first.instructions().into_iter();
        let stay = first.filter(|it| Some(*it) != self.first.terminator() && !early.contains(it));
        let guard = self.guard.instructions().into_iter();
        Some(stay.chain(guard.filter(|it| !late.contains(it))).collect())
    }

    /// The instructions of the guard's block that need values of the region.
    fn late(&self) -> HashSet<Value> {
        let mut late = HashSet::new();
        for instruction in self.guard.instructions() {
            let needs = |value: &Value| {
                late.contains(value)
                    || value.is_instruction() && self.inner.contains(&value.block())
            };
            if instruction.is_phi() || instruction.operands().iter().any(needs) {
                late.insert(instruction);
            }
        }
        late
    }

    /// `late`, and the last instructions of `first` that only moving instructions need.
    fn early(&self, late: &HashSet<Value>, others: &HashSet<Block>) -> HashSet<Value> {
        let mut moving = late.clone();
        for instruction in self.first.instructions().into_iter().rev().skip(1) {
            if instruction.is_phi() || !has_no_effects(instruction) {
                break;
            }
            if self.used_behind(instruction, &moving, others) {
                moving.insert(instruction);
            }
        }
        moving
    }

    /// Whether a value is used only within the region, by `moving` instructions, and behind the guard.
    fn used_behind(&self, value: Value, moving: &HashSet<Value>, others: &HashSet<Block>) -> bool {
        value.users().into_iter().all(|user| {
            let block = user.block();
            let moves = moving.contains(&user)
                || self.inner.contains(&block)
                || Some(user) == self.first.terminator();
            moves
                || match user.is_phi() {
                    true => user
                        .incoming()
                        .iter()
                        .all(|(given, from)| *given != value || !others.contains(from)),
                    false => !others.contains(&block),
                }
        })
    }
}

impl Sinking {
    /// Moves the region. A new block in the place of `first` has what stays and the guard's branch, which leads to
    /// `first`. The guard's old block leads to the guarded code.
    fn apply(&self, context: Context) {
        let guard = self.branch.block();
        let head = Builder::block_before(context, self.first);
        for before in self.first.predecessors() {
            if let Some(end) = before.terminator() {
                end.redirect(self.first, head);
            }
        }
        let builder = Builder::at_end(context, head);
        for &instruction in &self.stay {
            builder.take(instruction);
        }
        Builder::at_end(context, guard).jump(self.guarded);
        self.branch.redirect(self.guarded, self.first);
        for way in self.branch.successors() {
            way.rename_incoming(context, guard, head);
        }
    }
}

fn block_has_no_effects(block: Block) -> bool {
    block.instructions().into_iter().all(has_no_effects)
}
