//! Optimises for the host: `simplify` before the checks are inserted, `run`, `vectorise` and `finish` after.

use anyhow::Result;
use vgpu_abi::artifact::WarpForm;

use super::unit::{Forms, Unit, counted};
use crate::ir::{Value, set_llvm_options};

/// Options of LLVM's passes from here on, including those of the warp form.
const OPTIONS: &[&str] = &[
    // clang's device link and `internalise` have run it already. In `default<O1>` it takes half of the time and finds
    // nothing.
    "-openmp-opt-disable",
    // The back end's loop strength reduction takes a tenth of the compile time of warp forms, which are as fast without
    // it (docs/measurements.md, "Compile time by size"). `finish` runs it on scalar forms.
    "-disable-lsr",
    // Warp forms have more live vectors than registers. The register allocator's search for regions in which to split
    // them took a third of the compile time of such kernels, and did not improve the code. (With 30, code is 3 %
    // slower; with 10, 9 %.)
    "-grow-region-complexity-budget=100",
    // How many instructions `gvn` looks back from a load for a store that it may read. With LLVM's default of 100,
    // compiling a large kernel took 7 percent more instructions, for the same code (docs/measurements.md, "Compiling
    // both forms").
    "-memdep-block-scan-limit=30",
    // How deep `slp-vectorizer` follows operands. With LLVM's default of 12 it takes half of the compile time of code
    // that is one long computation, such as arithmetic of large numbers, and finds the same vectors
    // (docs/measurements.md, "Compiling both forms").
    "-slp-recursion-max-depth=6",
    // clang marks one instruction of a statement as the place where debuggers stop (`-gkey-instructions`). A warp form
    // has several instructions in place of that one, and some of them may not run.
    "-dwarf-use-key-instructions=false",
];

/// Inlines the lowerings and simplifies.
///
/// Needs: entries and lowerings in place. Leaves: no unreachable blocks; at -O1 and above, locals in registers, so that
/// the checks that follow see the same address computed twice as one value.
pub fn simplify(unit: &mut Unit) -> Result<()> {
    set_llvm_options(OPTIONS);
    let passes = if unit.options.level == 0 {
        "always-inline,function(unreachableblockelim)"
    } else {
        "always-inline,function(unreachableblockelim,sroa,early-cse<memssa>)"
    };
    unit.machine.run_passes(&unit.module, passes)
}

/// LLVM's passes at -O2 and above: what comes before vectors.
///
/// Images come optimised from the device link, and warp forms are made of normalised code. LLVM's own pipeline runs
/// `instcombine` eight times and most other passes twice. It takes a fifth to a third more of the whole compilation's
/// time, for code that is no faster. The device link has unrolled the loops that can be unrolled.
const SIMPLIFY: &str = "globalopt,\
    function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg),cgscc(inline),\
    function(sroa,jump-threading,correlated-propagation,simplifycfg,\
        loop-mssa(licm<allowspeculation>,loop-rotate,licm<allowspeculation>),\
        loop(loop-idiom,indvars,loop-deletion,loop-unroll-full),sroa,gvn,sccp,instcombine<no-verify-fixpoint>,adce,dse,\
        loop-mssa(licm<allowspeculation>),\
        simplifycfg<hoist-common-insts;sink-common-insts;switch-to-lookup>),globaldce";

/// Makes vectors of loops.
const VECTORISE: &str = "loop-vectorize";

/// Makes vectors of scalars. Warp forms do without: they have vectors, and this pass takes time by the square of their
/// operations on single lanes (docs/decisions/0054-no-slp-in-warp-forms.md). So do scalar forms beside them that seldom
/// run.
const SUPERWORDS: &str = "slp-vectorizer";

/// Loop strength reduction: addresses that count.
const COUNTING_ADDRESSES: &str = "loop(loop-reduce)";

/// What comes after.
const FINISH: &str = "function(vector-combine,\
        instcombine<no-verify-fixpoint>,sroa,infer-alignment,loop-mssa(licm<allowspeculation>),instsimplify,\
        div-rem-pairs,simplifycfg<hoist-common-insts;sink-common-insts;switch-to-lookup>),constmerge";

/// Optimises a complete host module, but for vectors.
///
/// LLVM's transformations are valid for fibers. An engine call may change any memory that has escaped. Only the context
/// reads the stack pointer. `convergent` calls are not made conditional on more than they were.
pub fn run(unit: &mut Unit) -> Result<()> {
    unit.module.verify("after the passes of the virtual GPU")?;
    let kernels = counted(unit.kernels.len(), "kernel");
    let progress = &unit.options.instrumentation;
    progress.tell(&format!("optimising {kernels}"));
    let (module, machine) = (&unit.module, &unit.machine);
    let passes = match unit.options.level {
        0 => "default<O0>",
        1 => "default<O1>",
        _ => SIMPLIFY,
    };
    machine.run_passes(module, passes)
}

/// Makes vectors of the loops and scalars of optimised code.
pub fn vectorise(unit: &mut Unit) -> Result<()> {
    // The form in which a kernel starts should take little time to compile.
    if unit.options.level < 2 || unit.options.forms == Forms::Start {
        return Ok(());
    }
    let (module, machine) = (&unit.module, &unit.machine);
    machine.run_passes(module, VECTORISE)?;
    for function in scalar_forms(unit) {
        machine.run_function_passes(module, function, SUPERWORDS)?;
    }
    Ok(())
}

/// Cleans up behind [`run`] and the passes between.
pub fn finish(unit: &mut Unit) -> Result<()> {
    if unit.options.level < 2 {
        return Ok(());
    }
    let (module, machine) = (&unit.module, &unit.machine);
    machine.run_passes(module, FINISH)?;
    for function in scalar_forms(unit) {
        machine.run_function_passes(module, function, COUNTING_ADDRESSES)?;
    }
    Ok(())
}

/// The functions that are no warp form, but for scalar forms that seldom run: beside a warp form that waits, they run
/// only blocks that this form cannot.
pub(super) fn scalar_forms(unit: &Unit) -> Vec<Value> {
    let is_one = |function: &Value| {
        let name = function.name();
        unit.kernels.iter().all(|kernel| match &kernel.warp {
            WarpForm::Present { symbol, fiber, .. } => {
                *symbol != name && !(*fiber && kernel.name == name)
            }
            WarpForm::Absent(_) => true,
        })
    };
    let all = unit.module.definitions();
    all.into_iter().filter(is_one).collect()
}
