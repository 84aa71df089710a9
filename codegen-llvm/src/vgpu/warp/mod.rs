//! Needs: window checks in place, lowerings inlined. Leaves: beside each kernel that can have one, its
//! warp form (`codegen::vgpu_abi::WarpEntryFn`); of the others, the reason.
//!
//! The lanes of a warp become those of vectors, in a copy of the module so that the scalar form stays as it is.
//! In order:
//!
//! | step | what it does |
//! |---|---|
//! | [`debugging`] | not of what is to be debugged |
//! | [`context`] | the context becomes one opaque call |
//! | [`normalise`] | everything inlined, one exit, simple loops, no switches |
//! | [`workers`] | within that: of generic kernels, only what workers run |
//! | [`pointers`] | within that: what calls through pointers may call |
//! | [`barriers`] | within that: barriers that order nothing go |
//! | [`clamps`] | within that: the question whether a thread has a share of a chunk is a branch |
//! | [`chunks`] | within that: chunks of iterations of which every thread has a share, aside |
//! | [`words`] | within that: threads' places in the nest of regions in local variables |
//! | [`waiting`] | no lane waits on memory for another of its warp; loops that wait for others let them run |
//! | [`width`] | how many lanes |
//! | [`order`] | the order of the blocks, in which lanes wait for each other |
//! | [`divergence`] | which values differ, and how; which blocks not all lanes run |
//! | [`apart`] | lanes do not come to different barriers |
//! | [`form`] | the warp form |
//! | [`collect`] | what was made goes back to the unit's module |

mod apart;
mod barriers;
mod calls;
mod chunks;
mod clamps;
mod collect;
mod context;
mod debugging;
mod divergence;
mod fields;
mod form;
mod identity;
mod normalise;
mod order;
mod places;
mod pointers;
mod refusal;
mod shape;
mod waiting;
mod width;
mod words;
mod workers;

use anyhow::Result;
use codegen::artifact::WarpForm;
use codegen::summary::ExecutionMode;

use self::divergence::Divergence;
use self::fields::Row;
use self::order::Order;
use self::refusal::Refusal;
use super::runtime_variables::RuntimeVariables;
use super::unit::{Kernel, Unit};
use crate::analysis::source_locations::Sites;
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
    let shared = identity::share(&unit.module);
    let copy = unit.module.duplicate();
    let none = Sites::new(unit.context());
    let mut sites = std::mem::replace(&mut unit.sites, none);
    context::run(&copy);
    normalise::run(unit, &mut sites, &copy, &fitting)?;
    unit.sites = sites;
    if unit.options.print_after.iter().any(|name| name == "warp") {
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
            None => build(copy, &mut unit.sites, kernel, &host),
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
    module: Module,
    sites: &mut Sites,
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
    context::check(function)?;
    let row = if kernel.is_generic() { Row::Y } else { Row::X };
    waiting::run(&module, sites, function, row, host.variables)?;
    let width = width::of(function, row, host.warp_size);
    let order = Order::new(function)?;
    let divergence = Divergence::new(&order, module.layout(), width.lanes, row);
    apart::check(module.context, &order, &divergence)?;
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
