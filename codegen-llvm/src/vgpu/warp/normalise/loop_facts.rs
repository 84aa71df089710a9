//! Loops are written twice: for what nearly always holds, and for the rest. One question in front of a loop decides.
//!
//! Needs: kernels in shape, with window checks. Leaves: kernels that need to be brought into shape again.
//!
//! What is asked: whether elements of Fortran arrays follow each other ([`super::unit_strides`]), and whether 32-bit
//! indices are so small that they do not wrap ([`super::bounded_counters`]). In the loop for which it holds, lanes
//! access consecutive elements as vectors.

use std::collections::HashSet;

use anyhow::Result;
use llvm_sys::LLVMOpcode::{LLVMAnd, LLVMXor};

use super::bounded_counters::{self, BoundedCounter};
use super::loop_versioning::is_cheap;
use super::row_folds::divergence;
use super::unit_strides::UnitStrides;
use crate::analysis::control_flow::{ControlFlow, Loop};
use crate::ir::{Block, Builder, Module, Value};
use crate::vgpu::loop_copy;
use crate::vgpu::unit::{Kernel, Unit};
use crate::vgpu::warp::analysis::divergence::Divergence;

/// The step, for these kernels. Gives whether it changed any.
pub fn run(unit: &Unit, module: &Module, kernels: &[(&Kernel, Value)]) -> Result<bool> {
    if unit.options.level < 2 {
        return Ok(false);
    }
    let mut changed = false;
    for &(kernel, function) in kernels {
        let loops = candidates(module, function);
        if loops.is_empty() {
            continue;
        }
        let Some(divergence) = divergence(unit, module, kernel, function) else {
            continue;
        };
        let mut written = HashSet::new();
        for each in loops {
            if written.contains(&each.header) {
                continue;
            }
            let facts = Facts::find(module, &each, &divergence);
            if facts.is_some_and(|facts| facts.write_twice(module, &each)) {
                written.extend(each.body);
                changed = true;
            }
        }
    }
    Ok(changed)
}

/// The loops that may be worth it, those around others before these.
fn candidates(module: &Module, function: Value) -> Vec<Loop> {
    let mut loops = ControlFlow::new(function).loops();
    loops.retain(|each| {
        let blocks: HashSet<Block> = each.body.iter().copied().collect();
        is_cheap(&blocks)
            && (bounded_counters::may_have(each)
                || UnitStrides::find(module.layout(), each).is_some())
    });
    loops.sort_by_key(|each| std::cmp::Reverse(each.body.len()));
    loops
}

/// What nearly always holds.
struct Facts {
    strides: Option<UnitStrides>,
    counter: Option<BoundedCounter>,
}

impl Facts {
    /// The facts of a loop for which it is worth it: an innermost one, or one whose counter has bounds.
    fn find(module: &Module, each: &Loop, divergence: &Divergence) -> Option<Facts> {
        let strides = UnitStrides::find(module.layout(), each);
        let facts = Facts {
            strides: strides.filter(|it| it.are_uniform(divergence)),
            counter: BoundedCounter::find(each, divergence),
        };
        let strides = facts.strides.is_some() && is_innermost(each);
        (strides || facts.counter.is_some()).then_some(facts)
    }

    /// Writes the loop for which they do not hold behind all blocks, and changes the loop itself. Gives whether it did:
    /// the loop has a block of its own in front.
    fn write_twice(&self, module: &Module, each: &Loop) -> bool {
        let context = module.context;
        let Some((jump, copy)) = loop_copy::add(context, each) else {
            return false;
        };
        let builder = Builder::before(context, jump);
        let strides = self.strides.as_ref().map(|it| it.hold(&builder));
        let counter = self.counter.as_ref().map(|it| it.holds(&builder));
        let all = { strides.into_iter().chain(counter) }
            .reduce(|left, right| builder.binary(LLVMAnd, left, right));
        let all = all.expect("there is a fact");
        let other = builder.binary(LLVMXor, all, Value::int(all.ty(), 1));
        // What is unlikely is written once, not for all lanes and for some.
        builder.branch_likely(other, copy, each.header);
        // SAFETY: a terminator has no users, and the new branch stands in its place.
        unsafe { jump.erase() };
        if let Some(strides) = &self.strides {
            strides.fix(each);
        }
        if let Some(counter) = &self.counter {
            counter.widen(context);
        }
        true
    }
}

/// Whether no loop is inside a loop: from no other of its blocks an edge leads back to what dominates it.
fn is_innermost(each: &Loop) -> bool {
    let back = |(at, block): (usize, &Block)| {
        let targets = block.successors().into_iter();
        let mut places = targets.filter_map(|it| each.body.get_index_of(&it));
        places.any(|to| to != 0 && to <= at)
    };
    !each.body.iter().enumerate().any(back)
}
