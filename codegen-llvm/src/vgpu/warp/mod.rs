//! Needs: window checks in place, lowerings inlined. Leaves: beside each kernel that can have one, its
//! warp form (`vgpu_abi::WarpEntryFn`); of the others, the reason.
//!
//! The lanes of a warp become those of vectors, in a copy of the module so that the scalar form stays as it is.
//! In order:
//!
//! | step | what it does |
//! |---|---|
//! | [`debugging`] | refuses what is to be debugged |
//! | [`context_marker`] | the context becomes one opaque call |
//! | [`normalise`] | everything inlined, one exit, simple loops, no switches |
//! | `normalise::workers` | within that: of generic kernels, only what workers run |
//! | `normalise::devirtualise` | within that: what calls through pointers may call |
//! | `normalise::redundant_barriers` | within that: barriers that order nothing go |
//! | `normalise::umin_to_branch` | within that: the question whether a thread has a share of a chunk is a branch |
//! | `normalise::loop_versioning` | within that: a copy of chunks' loops for chunks of which every thread has a share |
//! | `normalise::promoted_state` | within that: threads' places in the nest of regions in local variables |
//! | [`forward_progress`] | no lane waits on memory for another of its warp; loops that wait for others let them run |
//! | [`width`] | how many lanes |
//! | [`analysis::linearise`] | the order of the blocks, in which lanes wait for each other |
//! | [`analysis::divergence`] | which values differ, and how; which blocks not all lanes run |
//! | [`divergent_barriers`] | lanes do not come to different barriers |
//! | [`form`] | the warp form |
//! | [`collect`] | what was made goes back to the unit's module |

mod address_identity;
mod analysis;
mod collect;
mod form;
mod normalise;
mod refusal;

use anyhow::Result;
use vgpu_abi::artifact::WarpForm;
use vgpu_abi::summary::ExecutionMode;

use self::analysis::context_fields::LaneAxis;
use self::analysis::divergence::Divergence;
use self::analysis::linearise::BlockOrder;
use self::analysis::{debugging, divergent_barriers, forward_progress, width};
use self::normalise::context_marker;
use self::refusal::Refusal;
use super::runtime_variables::RuntimeVariables;
use super::unit::{Kernel, Unit};
use crate::analysis::source_locations::SourceLocations;
use crate::ir::{Module, Value};

/// The symbol of a kernel's entry in warp form.
fn symbol(kernel: &str) -> String {
    format!("vgpu.warp.{kernel}")
}

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    if !unit.options.warp_forms {
        return Ok(());
    }
    let debugged = debugging::names_variables(&unit.module);
    let fits = |kernel: &Kernel| {
        if debugged {
            debugging::check(kernel.function)?;
        }
        normalise::fits(kernel.function)
    };
    let mut forms: Vec<_> = unit
        .kernels
        .iter()
        .map(|kernel| fits(kernel).err())
        .collect();
    let fitting: Vec<_> = unit
        .kernels
        .iter()
        .zip(&forms)
        .filter(|(_, refusal)| refusal.is_none())
        .map(|(kernel, _)| kernel)
        .collect();
    let shared = address_identity::share(&unit.module);
    let copy = unit.module.duplicate();
    let none = SourceLocations::new(unit.context());
    let mut locations = std::mem::replace(&mut unit.locations, none);
    context_marker::run(&copy);
    normalise::run(unit, &mut locations, &copy, &fitting)?;
    unit.locations = locations;
    if unit.options.instrumentation.prints_after("warp") {
        eprintln!("; what warp forms are made of\n{}", copy.print());
    }
    let host = Host {
        warp_size: unit.manifest.warp_size,
        permutes: unit.machine.has("avx512f"),
        variables: unit.runtime_variables,
    };
    let mut made = Vec::new();
    for (kernel, refusal) in unit.kernels.iter_mut().zip(&mut forms) {
        let built = match refusal.take() {
            Some(refusal) => Err(refusal),
            None => build(&copy, &mut unit.locations, kernel, &host),
        };
        kernel.warp = match built {
            Ok((function, form)) => {
                made.push(function);
                form
            }
            Err(refusal) => WarpForm::Absent(refusal.0),
        };
    }
    shared.refer(&copy);
    collect::run(unit, copy, &made)?;
    shared.end();
    Ok(())
}

/// What warp forms are made for.
struct Host {
    warp_size: u32,
    permutes: bool,
    /// See [`Unit::runtime_variables`].
    variables: RuntimeVariables,
}

/// Builds one kernel's warp form.
fn build(
    module: &Module,
    locations: &mut SourceLocations,
    kernel: &Kernel,
    host: &Host,
) -> Result<(Value, WarpForm), Refusal> {
    let function = module
        .function(&kernel.function.name())
        .filter(|function| !function.is_declaration())
        .ok_or_else(|| Refusal::new("nothing is left of it after optimisation"))?;
    if normalise::takes_structures(module, &kernel.name) {
        return Err(Refusal::new("it takes a structure by value"));
    }
    context_marker::check(function)?;
    let axis = if kernel.is_generic() {
        LaneAxis::Y
    } else {
        LaneAxis::X
    };
    forward_progress::run(module, locations, function, axis, host.variables)?;
    let width = width::of(function, axis, host.warp_size);
    let order = BlockOrder::new(function)?;
    let divergence = Divergence::new(&order, module.layout(), width.lanes, axis);
    divergent_barriers::check(module.context, &order, &divergence)?;
    let symbol = symbol(&kernel.name);
    let made = form::build(&form::Request {
        module,
        kernel: function,
        parameters: &kernel.parameters,
        symbol: &symbol,
        width: width.lanes,
        order: &order,
        divergence: &divergence,
        kernel_number: function.metadata_int(module.context, "llvm.amdgcn.lds.kernel.id"),
        may_split: kernel.mode != ExecutionMode::Bare,
        permutes: host.permutes,
    })?;
    Ok((
        made,
        WarpForm::Present {
            symbol,
            width: width.lanes,
            fiber: width.fiber,
            workers: kernel.is_generic(),
            max_threads: kernel.bound.unwrap_or(kernel.max_threads),
        },
    ))
}
