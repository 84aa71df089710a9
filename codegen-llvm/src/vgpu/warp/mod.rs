//! The warp vectoriser makes a kernel's warp form, in which one call runs many threads as the lanes of vectors.
//!
//! Needs: window checks in place, lowerings inlined. Leaves: beside each kernel that can have one, its warp form
//! (`vgpu_abi::WarpEntryFn`); for the others, the reason.
//!
//! The threads of a subgroup become the lanes of vectors. This happens in a copy of the module, so that the scalar
//! form stays as it is. In order:
//!
//! | step | what it does |
//! |---|---|
//! | [`analysis::eligibility`] | refuses kernels compiled for debugging, recursion, too much code |
//! | [`cold_functions`] | finds functions that stay scalar and are called lane by lane |
//! | [`normalise::context_marker`] | the context becomes one opaque call |
//! | [`normalise`] | inlines everything; one exit, simple loops, no switches |
//! | `normalise::workers` | of generic kernels, only what workers run |
//! | `normalise::promoted_state` | threads' nest words in local variables |
//! | `normalise::devirtualise` | calls through pointers become comparisons and direct calls |
//! | `normalise::redundant_barriers` | barriers that order nothing go |
//! | `normalise::umin_to_branch` | a minimum of the thread id and a bound becomes a branch |
//! | `normalise::loop_versioning` | a version of loops over chunks for chunks in which every thread has an iteration |
//! | `normalise::vector_casts` | registers of two halves and their like become scalars |
//! | `normalise::vector_reductions` | sums of such registers' elements become scalars |
//! | `normalise::merged_reads` | reads of consecutive elements are announced to the checker as one |
//! | `normalise::loop_facts` | loops are written twice: for consecutive elements of Fortran arrays and small indices |
//! | `normalise::row_folds` | loops that combine elements of a thread's own become calls for each lane |
//! | `normalise::lane_loops` | loops through rows of a thread's own become calls for each lane |
//! | `normalise::rows` | versions of bodies of collapsed loops, for lanes whose quotient is the same |
//! | [`analysis::context_escape`] | refuses kernels that use the context's own address |
//! | [`normalise::spin_calls`] | loops that wait for other warps let them run; refuses waits for lanes |
//! | [`analysis::width`] | how many lanes a subgroup has |
//! | [`analysis::linearise`] | the order of the blocks |
//! | [`analysis::divergence`] | the shapes of values, which blocks not all lanes run, and which an elected lane runs |
//! | [`analysis::divergent_barriers`] | refuses kernels whose lanes may wait at different barriers |
//! | [`form`] | writes the warp form |
//! | [`cost`] | refuses warp forms that the back end would take too long for |
//! | [`collect`] | links the warp forms into the unit's module |

mod address_identity;
mod analysis;
pub mod cold_functions;
mod collect;
mod cost;
mod form;
mod normalise;
mod refusal;
pub mod regions;
pub mod subgroup_loops;
pub mod thread_loops;

use anyhow::Result;
use vgpu_abi::Checks;
use vgpu_abi::artifact::WarpForm;
use vgpu_abi::summary::ExecutionMode;

use self::analysis::context_fields::LaneAxis;
use self::analysis::divergence::Divergence;
use self::analysis::linearise::BlockOrder;
use self::analysis::{context_escape, divergent_barriers, eligibility, width};
use self::normalise::{context_marker, spin_calls};
use self::refusal::Refusal;
use super::runtime_variables::RuntimeVariables;
use super::unit::{Forms, Kernel, Unit};
use crate::analysis::host_instructions;
use crate::analysis::source_locations::SourceLocations;
use crate::ir::{Module, Value};

/// The symbol of a kernel's warp form.
fn symbol(kernel: &str) -> String {
    format!("vgpu.warp.{kernel}")
}

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    if unit.options.forms != Forms::All {
        return Ok(());
    }
    let debugged = eligibility::names_variables(&unit.module);
    let fits = |kernel: &Kernel| {
        if debugged {
            eligibility::check_debugging(kernel.function)?;
        }
        eligibility::check_size(kernel.function)
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
    cold_functions::run(unit.context(), &unit.module);
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
        has_vpermi2d: unit.machine.has("avx512f"),
        register_bits: host_instructions::register_bits(&unit.machine),
        variables: unit.runtime_variables,
        window: unit.options.window,
        checks: unit.options.checks,
    };
    let mut made = Vec::new();
    let kernels = unit.kernels.len();
    for (number, (kernel, refusal)) in unit.kernels.iter_mut().zip(&mut forms).enumerate() {
        let instrumentation = &unit.options.instrumentation;
        instrumentation.tell(&format!("warp form {} of {kernels}", number + 1));
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
    has_vpermi2d: bool,
    register_bits: u64,
    /// See [`Unit::runtime_variables`].
    variables: RuntimeVariables,
    /// Index of the device window.
    window: u64,
    checks: Checks,
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
    if eligibility::takes_structures(module, &kernel.name) {
        return Err(Refusal::new(
            "it takes structures of more than 1 KiB by value",
        ));
    }
    context_escape::check(function)?;
    let axis = LaneAxis::of(kernel);
    spin_calls::run(module, locations, function, axis, host.variables)?;
    let width = width::of(function, axis, host.warp_size, kernel.bound);
    let order = BlockOrder::new(function)?;
    let divergence = Divergence::new(&order, module.layout(), &width, axis);
    divergent_barriers::check(module.context, &order, &divergence)?;
    let symbol = symbol(&kernel.name);
    // Kernels that never wait run whole subgroups, and the workers' last warp is the master's.
    let partial = width.fiber && !kernel.is_generic() && !width.whole_blocks;
    let made = form::build(&form::Request {
        module,
        kernel: function,
        places: &kernel.places,
        symbol: &symbol,
        width: width.lanes,
        order: &order,
        divergence: &divergence,
        kernel_number: function.metadata_int(module.context, "llvm.amdgcn.lds.kernel.id"),
        checks_convergence: kernel.mode != ExecutionMode::Bare,
        may_be_partial: partial,
        has_vpermi2d: host.has_vpermi2d,
        window: host.window,
        checks: host.checks,
    })?;
    cost::check(made, &module.layout(), host.register_bits)?;
    Ok((
        made,
        WarpForm::Present {
            symbol,
            width: width.lanes,
            fiber: width.fiber,
            workers: kernel.is_generic(),
            partial,
            max_threads: kernel.bound.unwrap_or(kernel.max_threads),
            regions: None,
            loops: false,
        },
    ))
}
