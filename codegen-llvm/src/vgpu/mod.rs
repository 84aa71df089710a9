//! Compiles NVPTX or AMDGCN bitcode to a host object for the virtual GPU.
//!
//! A pass is a function in the file of its name. The file's heading says what the pass does, what it needs, and what it
//! leaves. `--print-after NAME` shows the module after one of them.

mod access_checks;
mod ahead;
mod alignments;
mod assembly;
mod block_atomics;
mod brain_floats;
mod by_value;
mod check;
mod checked_headers;
mod checked_instructions;
mod checked_locals;
mod checked_locks;
mod checked_tasks;
mod cold_values;
mod constructors;
mod count;
mod debug_info;
mod defined_arithmetic;
mod dialect;
mod division;
mod emit;
mod entries;
mod flat_addresses;
mod fused;
mod globals;
mod groups;
mod host;
mod internalise;
mod kept_choices;
mod kernels;
mod lane_access;
mod lanes;
mod loop_copy;
mod loop_load_elimination;
mod loop_versions;
mod lower;
mod lowering;
mod offsets;
mod optimise;
mod polling_loops;
mod prologue;
mod ptx_addresses;
mod ptx_divisions;
mod ptx_masks;
mod ptx_registers;
mod reflect;
mod refusal;
mod retarget;
mod rounding_to_odd;
mod runtime_variables;
mod saturating_conversions;
mod segments;
mod serve;
mod shared;
mod shared_layout;
mod short_rows;
mod sink;
mod spin;
mod textures;
mod trap_record;
pub mod undefined;
mod unit;
mod unrolled_counters;
mod variadics;
mod warp;
mod wide_counters;
mod window;
mod zero_counts;

use std::os::fd::OwnedFd;

use anyhow::Result;
use vgpu_abi::artifact::Artifact;

use crate::analysis::release;
use crate::device;
use crate::ir::Context;
use crate::pass_manager::{self, Pass};
use crate::ptx_reader;
pub use host::Architecture;
use unit::Unit;
pub use unit::{Forms, VgpuOptions};

/// The passes on a whole image.
const WHOLE: &[(&str, Pass<Unit>)] = &[
    ("check", check::run),
    ("shared-statics", shared_statics),
    ("runtime", runtime),
    ("warp-order", warp_order),
    ("wide-counters", wide_counters::run),
    ("unrolled-counters", unrolled_counters::run),
    // What only thread 0 reads needs no barrier before its guard.
    ("sink", sink::run),
    ("guards", guards),
    ("shape", shape),
    ("debug-info", debug_info::run),
    ("variadics", variadics::run),
    // The forms are kernels, with shared memory of their own.
    ("short-rows", short_rows::run),
    ("kernels", kernels::run),
    ("lanes", lanes::run),
    // Before `retarget`: openmp-opt knows kernels by their calling convention.
    ("internalise", internalise::run),
    ("idle-barriers", idle_barriers),
    ("retarget", retarget::run),
    ("reflect", reflect::run),
    ("assembly", assembly::run),
    ("textures", textures::run),
    ("ptx-registers", ptx_registers::run),
    ("ptx-sink", sink::run_on_ptx),
    // The module still has the image's own instructions and none of the virtual GPU's.
    ("count", count::run),
    ("access-checks", access_checks::run),
    ("trap-record", trap_record::run),
    ("alignments", alignments::run),
    // Lowerings and the optimiser's own arithmetic are as they should be.
    ("defined-arithmetic", defined_arithmetic::run),
    ("loop-load-elimination", loop_load_elimination::run),
    ("lowering", lowering::run),
    ("constructors", constructors::run),
    ("shared", shared::run),
    ("segments", segments::run),
    ("by-value", by_value::run),
    ("entries", entries::run),
    ("globals", globals::run),
];

/// The passes on a whole image, or on a group of its kernels (`groups`).
const GROUP: &[(&str, Pass<Unit>)] = &[
    ("simplify", optimise::simplify),
    ("inline-checks", access_checks::expand),
    ("window", window::run),
    ("mark-block-atomics", block_atomics::mark),
    // Warp forms have rules of their own for loops that wait on memory.
    ("warp", warp::run),
    ("spin", spin::run),
    ("lower-block-atomics", block_atomics::run),
    ("flat-addresses", flat_addresses::run),
    ("brain-floats", brain_floats::run),
    ("optimise", optimise::run),
    ("loop-versions", loop_versions::run),
    ("vectors", optimise::vectorise),
    ("regions", warp::regions::run),
    ("subgroup-loops", warp::subgroup_loops::run),
    ("thread-loops", warp::thread_loops::run),
    ("fused", fused::run),
    ("finish", optimise::finish),
    ("cold-values", cold_values::run),
    ("kept-choices", kept_choices::run),
    ("division", division::run),
    ("zero-counts", zero_counts::run),
    ("saturating-conversions", saturating_conversions::run),
    ("lane-access", lane_access::run),
    ("undefined", undefined::run),
    ("checked-calls", access_checks::redirect),
];

/// The names of the passes, in order.
pub fn pass_names() -> impl Iterator<Item = &'static str> {
    WHOLE.iter().chain(GROUP).map(|(name, _)| *name)
}

/// Compiles an image for the virtual GPU.
pub fn compile(context: Context, bitcode: &[u8], options: VgpuOptions) -> Result<Artifact> {
    let mut unit = begin(context, bitcode, options)?;
    finish(&mut unit)?;
    emit::run(&unit)
}

/// Compiles an image or, if that is large, what its kernels share, and then kernels as `client` asks for them
/// ([`codegen::requests`]). The first answer goes to `answer`.
pub fn compile_by_group(
    context: Context,
    bitcode: &[u8],
    options: VgpuOptions,
    client: OwnedFd,
    answer: impl FnOnce(&Artifact) -> Result<()>,
) -> Result<()> {
    serve::run(begin(context, bitcode, options)?, client, answer)
}

/// Runs the passes and returns the host module as LLVM assembly.
pub fn compile_to_text(context: Context, bitcode: &[u8], options: VgpuOptions) -> Result<String> {
    let mut unit = begin(context, bitcode, options)?;
    finish(&mut unit)?;
    Ok(unit.module.print())
}

/// Moves marked variables to shared memory (`device::shared_statics`).
fn shared_statics(unit: &mut Unit) -> Result<()> {
    device::shared_statics::run(&unit.module)
}

/// Warps are executed one after the other (`device::warp_order`). Needs: the device runtime's code.
fn warp_order(unit: &mut Unit) -> Result<()> {
    device::warp_order::run(&unit.module, true);
    Ok(())
}

/// Puts barriers before guards (`device::guards`). Needs: kernels' calling convention.
fn guards(unit: &mut Unit) -> Result<()> {
    device::guards::run(&unit.module);
    Ok(())
}

/// Folds the extents of blocks that a kernel's mode determines (`device::fold`). Needs: kernels' calling convention.
fn shape(unit: &mut Unit) -> Result<()> {
    device::fold::fold_shape(&unit.module);
    Ok(())
}

/// Drops barriers of the device runtime that order nothing (`device::idle_barriers`): threads that never wait may run
/// in any order. Needs: kernels' calling convention, state of the device runtime folded.
fn idle_barriers(unit: &mut Unit) -> Result<()> {
    if unit.options.level > 0 && !unit.options.checks.any() {
        device::idle_barriers::run_on_runtimes(&unit.module);
    }
    Ok(())
}

/// Raises generic kernels' launch bounds by the master's warp, and links the device runtime into an image that was
/// linked without one. Needs: the triple of the image.
fn runtime(unit: &mut Unit) -> Result<()> {
    let machine = unit.image_machine()?;
    device::launch_bounds::run(&unit.module, unit.manifest.warp_size);
    device::runtime::run(&unit.module, &machine, unit.options.level)
}

/// Runs the passes on the whole image.
fn begin(context: Context, bitcode: &[u8], options: VgpuOptions) -> Result<Unit> {
    let module = ptx_reader::read(context, bitcode)?;
    release::report_difference(&module);
    prologue::keep_at_the_beginning();
    let mut unit = Unit::new(module, options)?;
    run(WHOLE, &mut unit)?;
    Ok(unit)
}

/// Runs the passes on what is left in the unit.
fn finish(unit: &mut Unit) -> Result<()> {
    run(GROUP, unit)
}

fn run(passes: &[(&'static str, Pass<Unit>)], unit: &mut Unit) -> Result<()> {
    let instrumentation = unit.options.instrumentation.clone();
    pass_manager::run(passes.iter().copied(), unit, &instrumentation)
}
