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
//! | [`words`] | within that: threads' places in the nest of regions in local variables |
//! | [`waiting`] | no lane waits on memory for another |
//! | [`width`] | how many lanes |
//! | [`order`] | the order of the blocks, in which lanes wait for each other |
//! | [`divergence`] | which values differ, and how; which blocks not all lanes run |
//! | [`form`] | the warp form |
//! | [`collect`] | what was made goes back to the unit's module |

mod calls;
mod collect;
mod context;
mod debugging;
mod divergence;
mod fields;
mod form;
mod normalise;
mod order;
mod refusal;
mod shape;
mod waiting;
mod width;
pub mod words;

use anyhow::Result;
use codegen::artifact::WarpForm;

use self::divergence::Divergence;
use self::order::Order;
use self::refusal::Refusal;
use super::unit::{Kernel, Unit};
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
    let copy = unit.module.duplicate();
    context::run(&copy);
    normalise::run(unit, &copy, &fitting)?;
    if unit.options.print_after.iter().any(|name| name == "warp") {
        eprintln!("; what warp forms are made of\n{}", copy.print());
    }
    let host = Host {
        warp_size: unit.manifest.warp_size,
        permutes: unit.machine.has("avx512f"),
    };
    let mut made = Vec::new();
    for (kernel, refusal) in unit.kernels.iter_mut().zip(&mut forms) {
        let built = match refusal.take() {
            Some(refusal) => Err(refusal),
            None => build(copy, kernel, &host),
        };
        kernel.warp = match built {
            Ok((function, form)) => {
                made.push(function);
                form
            }
            Err(refusal) => WarpForm::Absent(refusal.0),
        };
    }
    collect::run(unit, copy, &made)
}

/// What warp forms are made for.
struct Host {
    warp_size: u32,
    permutes: bool,
}

/// Builds one kernel's warp form.
fn build(module: Module, kernel: &Kernel, host: &Host) -> Result<(Value, WarpForm), Refusal> {
    let function = module
        .function(&kernel.function.name())
        .filter(|function| !function.is_declaration())
        .ok_or_else(|| Refusal::new("nothing is left of it after optimisation"))?;
    if normalise::takes_structures(module, &kernel.name) {
        return Err(Refusal::new("it takes a structure by value"));
    }
    context::check(function)?;
    waiting::run(module.context, function)?;
    let width = width::of(function, host.warp_size);
    let order = Order::new(function)?;
    let divergence = Divergence::new(&order, module.layout(), width.lanes);
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
        permutes: host.permutes,
    })?;
    Ok((
        made,
        WarpForm::Present {
            symbol,
            width: width.lanes,
            fiber: width.fiber,
            max_threads: kernel.bound.unwrap_or(kernel.max_threads),
        },
    ))
}
