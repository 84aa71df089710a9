//! Makes warp forms run by *regions*: from one barrier to the next, for all warps of a block in a loop.
//!
//! A warp that waits at a barrier on a fiber of its own costs a switch of stacks, and its code is entered anew for each
//! warp. Here one function runs all warps. Each barrier begins a region: the blocks that are reached from it without
//! another barrier. Blocks that belong to several regions are copied. Around each region is a loop over warps, in which
//! LLVM moves what is the same for all of them out. What a warp still needs behind a barrier goes to its frame
//! (`vgpu_abi::WarpFrame`). This is how pocl compiles work-groups (Jääskeläinen et al. 2015, section 4: parallel
//! regions and context arrays), and COX blocks of warps (section 3). Unlike there, which warp waits at which barrier is
//! found when the kernel runs: the engine calls a region for those that are there, so barriers in branches that only
//! some warps take need no analysis.
//!
//! Needs: warp forms, optimised. Leaves: `WarpForm::Present::regions`, and functions as `vgpu_abi::RegionCall` says.

mod arrivals;
mod build;
mod eligibility;
mod kept;
mod recompute;
mod together;

pub use build::is_shared_field;
pub use eligibility::PROMPT;

use anyhow::Result;
use vgpu_abi::artifact::WarpForm;

use crate::ir::{Block, Builder, Context, Value};
use crate::vgpu::unit::{Kernel, Unit};

/// Most instructions of all regions.
const MAX_INSTRUCTIONS: usize = 20_000;

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    if unit.options.level < 2 {
        return Ok(());
    }
    let mut made = Vec::new();
    for (number, kernel) in unit.kernels.iter().enumerate() {
        let Some(function) = form_that_waits(unit, kernel) else {
            continue;
        };
        if let Some(frame) = split(unit, function)? {
            made.push((number, frame));
        }
    }
    for (number, frame) in made {
        if let WarpForm::Present { regions, .. } = &mut unit.kernels[number].warp {
            *regions = Some(frame);
        }
    }
    Ok(())
}

/// The warp form of a kernel, if all its warps are of that form and need fibers.
fn form_that_waits(unit: &Unit, kernel: &Kernel) -> Option<Value> {
    match &kernel.warp {
        WarpForm::Present {
            symbol,
            fiber: true,
            workers: false,
            ..
        } => unit.module.function(symbol),
        _ => None,
    }
}

/// Keeps values that cross blocks in memory, as `normalise` does, so that blocks can be copied as they are.
const PHIS_TO_MEMORY: &str = "reg2mem";

/// Undoes that in what has become another function, with other blocks and with values that the copies have alike.
const MEMORY_TO_PHIS: &str = "unreachableblockelim,sroa,early-cse<memssa>,\
    instcombine<no-verify-fixpoint>,simplifycfg,gvn,adce,simplifycfg";

/// Makes a form run by regions. Gives the bytes of a frame; `None` if it stays as it is.
fn split(unit: &Unit, form: Value) -> Result<Option<u32>> {
    let Some(barriers) = eligibility::barriers(form) else {
        return Ok(None);
    };
    let context = unit.context();
    let starts: Vec<_> = barriers
        .iter()
        .map(|&barrier| cut(context, form, barrier))
        .collect();
    if build::size(form, &starts) > MAX_INSTRUCTIONS {
        return Ok(None);
    }
    recompute::run(context, form, &starts);
    unit.machine
        .run_function_passes(&unit.module, form, PHIS_TO_MEMORY)?;
    let frame = build::run(unit, form, &barriers, &starts);
    unit.machine
        .run_function_passes(&unit.module, form, MEMORY_TO_PHIS)?;
    Ok(frame)
}

/// Ends a block behind a barrier. Gives the block that follows.
fn cut(context: Context, form: Value, barrier: Value) -> Block {
    let before = barrier.block();
    let after = Builder::append_block(context, form, "");
    let successors = before.successors();
    let rest: Vec<_> = std::iter::successors(barrier.next(), |it| it.next()).collect();
    let builder = Builder::at_end(context, after);
    rest.into_iter()
        .for_each(|instruction| builder.take(instruction));
    Builder::at_end(context, before).jump(after);
    for successor in successors {
        successor.rename_incoming(context, before, after);
    }
    after
}
