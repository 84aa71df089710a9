//! The pipeline for images that become machine code of a GPU: one table for all outputs.
//!
//! | output | who runs it | what it gets |
//! |---|---|---|
//! | PTX | `omptarget-codegen ptx` | the bitcode that clang's device link leaves |
//! | code object | `omptarget-codegen amdgcn` | the same for AMD's GPUs |
//! | NVIDIA's link | the link plugin, `lto<O2>,omptarget<O2>` | the linked program after LLVM's link-time passes |
//! | AMD's link | the link plugin, `omptarget<O2>,lto<O2>` | the linked program before them |
//!
//! For AMD's GPUs, LLVM's link-time passes end with laying out shared memory, including variables that nobody reads. So
//! our passes run before them, and begin with an optimisation of their own.

use anyhow::Result;

use super::{
    abnormal_ends, aligned_barriers, empty_assembly, ending_paths, fold, global_space, guards,
    idle_barriers, implicit_masks, launch_bounds, local_space, math_intrinsics, null_pointers,
    pack_shared, placed_shared, realloc, retarget, runtime, services, shared_accesses,
    shared_statics, static_shared, thread_arrays, traps, undefined, unrolled_reads, unsupported,
    warp_order,
};
use crate::analysis::target::Target;
use crate::ir::{Machine, Module};
use crate::pass_manager::{self, Instrumentation, Pass, Unit};

/// What the image becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// PTX text.
    Ptx,
    /// A code object for an AMD GPU.
    CodeObject,
    /// Machine code that clang's device link makes for an NVIDIA GPU.
    NvidiaLink,
    /// Machine code that clang's device link makes for an AMD GPU.
    AmdLink,
}
use Output::{AmdLink, CodeObject, NvidiaLink, Ptx};

/// Every output.
const ALL: &[Output] = &[Ptx, CodeObject, NvidiaLink, AmdLink];
/// Outputs made of an image, after clang's device link.
const OF_IMAGES: &[Output] = &[Ptx, CodeObject];
/// Outputs for NVIDIA's GPUs.
const NVIDIA: &[Output] = &[Ptx, NvidiaLink];
/// Outputs for AMD's GPUs.
const AMD: &[Output] = &[CodeObject, AmdLink];

/// A line of the table.
struct Line {
    /// The pass's name, for `--print-after`.
    name: &'static str,
    /// The outputs that need it.
    outputs: &'static [Output],
    /// The lowest optimisation level at which it runs.
    level: u8,
    /// The pass.
    run: Pass<Image>,
}

const fn line(name: &'static str, outputs: &'static [Output], level: u8, run: Pass<Image>) -> Line {
    Line {
        name,
        outputs,
        level,
        run,
    }
}

/// The pipeline: name, outputs, lowest level, pass.
const PASSES: &[Line] = &[
    line("shared-statics", OF_IMAGES, 0, |image| {
        shared_statics::run(&image.module)
    }),
    line("launch-bounds", ALL, 0, |image| {
        let warp_size = (Target::of(&image.module)?.warp_size)(&image.module);
        launch_bounds::run(&image.module, warp_size);
        Ok(())
    }),
    line("runtime", OF_IMAGES, 0, |image| {
        runtime::run(&image.module, &image.machine, image.level)
    }),
    line("services", &[CodeObject], 0, |image| {
        services::run(&image.module, &image.machine)
    }),
    line("warp-order", ALL, 0, |image| {
        warp_order::run(&image.module, false);
        Ok(())
    }),
    line("implicit-masks", NVIDIA, 0, |image| {
        implicit_masks::run(&image.module);
        Ok(())
    }),
    line("math-intrinsics", ALL, 0, |image| {
        math_intrinsics::run(&image.module, &image.machine)
    }),
    line("empty-assembly", AMD, 0, |image| {
        empty_assembly::run(&image.module);
        Ok(())
    }),
    // For the other outputs LLVM's link-time passes have done this.
    line("link-time", &[AmdLink], 0, Image::optimise),
    line("global-space", AMD, 0, |image| {
        global_space::run(&image.module);
        Ok(())
    }),
    line("guards", ALL, 0, |image| {
        guards::run(&image.module);
        Ok(())
    }),
    line("retarget", OF_IMAGES, 0, |image| {
        retarget::drop_architecture(&image.module);
        if image.output == Ptx {
            retarget::drop_linkage(&image.module);
        }
        Ok(())
    }),
    line("realloc", NVIDIA, 0, |image| {
        realloc::run(&image.module, &image.machine.layout())
    }),
    line("abnormal-ends", &[Ptx], 0, |image| {
        abnormal_ends::run(&image.module, &image.machine.layout())
    }),
    // PTX has no sections that run before and after a program. This pass makes kernels of the arrays, which the
    // plugin runs when it loads and unloads the module.
    line("constructors", &[Ptx], 0, |image| {
        image
            .machine
            .run_passes(&image.module, "nvptx-lower-ctor-dtor")
    }),
    line("hold-placed", &[CodeObject], 0, |image| {
        placed_shared::hold(&image.module);
        Ok(())
    }),
    line("fold", ALL, 1, |image| {
        fold::run(&image.machine, &image.module, image.openmp_opt)
    }),
    line("optimise", ALL, 0, Image::optimise),
    line("unread-shared", ALL, 1, |image| {
        fold::drop_unread(&image.module);
        Ok(())
    }),
    line("local-space", NVIDIA, 0, |image| {
        local_space::run(&image.module);
        Ok(())
    }),
    line("release-placed", &[CodeObject], 0, |image| {
        placed_shared::release(&image.module);
        Ok(())
    }),
    line("shared-accesses", AMD, 1, |image| {
        shared_accesses::run(&image.module);
        Ok(())
    }),
    line("unrolled-reads", NVIDIA, 2, |image| {
        unrolled_reads::run(&image.module, &image.machine)
    }),
    line("idle-barriers", ALL, 1, |image| {
        idle_barriers::run(&image.module);
        Ok(())
    }),
    line("aligned-barriers", NVIDIA, 1, |image| {
        aligned_barriers::run(&image.module);
        Ok(())
    }),
    line("thread-arrays", ALL, 0, |image| {
        thread_arrays::run(&image.module);
        Ok(())
    }),
    line("pack-shared", ALL, 0, |image| {
        pack_shared::run(&image.module);
        Ok(())
    }),
    line("ending-paths", &[CodeObject], 1, |image| {
        ending_paths::run(&image.module, &image.machine)
    }),
    line("traps", &[CodeObject], 0, |image| {
        traps::run(&image.module, &image.machine);
        Ok(())
    }),
    line("undefined", OF_IMAGES, 0, |image| match image.output {
        Ptx => undefined::refuse(&image.module, undefined::NVIDIAS_FUNCTIONS),
        _ => undefined::refuse(&image.module, &[]),
    }),
    line("unsupported", ALL, 0, |image| {
        unsupported::refuse(&image.module)
    }),
    line("static-shared", NVIDIA, 0, |image| {
        static_shared::refuse(&image.module)
    }),
    line("null-pointers", NVIDIA, 0, |image| {
        null_pointers::run(&image.module);
        Ok(())
    }),
];

/// A device image in work.
pub struct Image {
    /// Its module.
    pub module: Module,
    /// The back end of its target.
    pub machine: Machine,
    /// What it becomes.
    pub output: Output,
    /// Optimisation level, 0 to 3.
    pub level: u8,
    /// Whether LLVM's OpenMP optimiser runs.
    pub openmp_opt: bool,
}

impl Unit for Image {
    fn module(&self) -> &Module {
        &self.module
    }
}

impl Image {
    /// LLVM's own pipeline of the level. Loops for a code object are unrolled already: clang's device link did that for
    /// the same processors.
    fn optimise(&mut self) -> Result<()> {
        let unroll = self.output != CodeObject;
        let passes = format!("default<O{}>", self.level);
        self.machine.run_pipeline(&self.module, &passes, unroll)
    }
}

/// The names of the passes that an output needs, in order.
pub fn pass_names(output: Output) -> impl Iterator<Item = &'static str> {
    let lines = PASSES.iter();
    lines
        .filter(move |line| line.outputs.contains(&output))
        .map(|line| line.name)
}

/// Runs the passes that an image needs.
pub fn run(image: &mut Image, instrumentation: &Instrumentation) -> Result<()> {
    let (output, level) = (image.output, image.level);
    instrumentation.tell("optimising");
    let needed = PASSES
        .iter()
        .filter(|line| line.outputs.contains(&output) && line.level <= level);
    pass_manager::run(
        needed.map(|line| (line.name, line.run)),
        image,
        instrumentation,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_output_has_its_passes() {
        let names = |output| pass_names(output).collect::<Vec<_>>().join(" ");
        assert_eq!(
            names(AmdLink),
            "launch-bounds warp-order math-intrinsics empty-assembly link-time global-space guards fold optimise \
             unread-shared shared-accesses idle-barriers thread-arrays pack-shared unsupported"
        );
        assert_eq!(
            names(NvidiaLink),
            "launch-bounds warp-order implicit-masks math-intrinsics guards realloc fold optimise unread-shared \
             local-space unrolled-reads idle-barriers aligned-barriers thread-arrays pack-shared unsupported \
             static-shared null-pointers"
        );
        assert_eq!(
            names(CodeObject),
            "shared-statics launch-bounds runtime services warp-order math-intrinsics empty-assembly global-space \
             guards retarget hold-placed fold optimise unread-shared release-placed shared-accesses idle-barriers thread-arrays \
             pack-shared ending-paths traps undefined unsupported"
        );
        assert!(names(Ptx).starts_with(
            "shared-statics launch-bounds runtime warp-order implicit-masks math-intrinsics guards retarget realloc \
             abnormal-ends constructors fold"
        ));
    }
}
