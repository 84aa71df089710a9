//! Kernels of a warp, on both engines.

use e2e::cuda::assemble;
use e2e::ir::{Kernels, Shape};
use plugin_vgpu::Engine;

/// A module on an engine.
pub struct Warp(Kernels);

impl Warp {
    /// Launches a kernel with one warp and buffers of words. Gives what the last one holds then.
    pub fn launch(&self, kernel: &str, words: &[Vec<u32>]) -> Vec<u32> {
        self.launch_with_shared(kernel, words, 0)
    }

    /// The same with so many bytes of dynamic shared memory.
    pub fn launch_with_shared(&self, kernel: &str, words: &[Vec<u32>], shared: u32) -> Vec<u32> {
        let buffers: Vec<_> = words.iter().map(|words| self.0.buffer(words)).collect();
        let arguments: Vec<_> = buffers.iter().map(|buffer| buffer.argument()).collect();
        self.0
            .launch_with(kernel, Shape::spmd(1, 32), shared, &arguments)
            .unwrap_or_else(|error| panic!("{error}"));
        self.0.read(*buffers.last().expect("a buffer"))
    }
}

/// Calls `check` with the kernels of a PTX text, on one engine and then on the other.
pub fn on_both_engines(kernels: &str, check: impl Fn(&Warp, &str)) {
    on_both_engines_for("sm_90", kernels, check);
}

/// The same with PTX for a GPU. An NVIDIA GPU would have to be of this architecture.
pub fn on_both_engines_for(target: &str, kernels: &str, check: impl Fn(&Warp, &str)) {
    if target != "sm_90" && e2e::ir::wants_nvidia_gpu() {
        return;
    }
    let text = format!(".version 8.7\n.target {target}\n.address_size 64\n{kernels}");
    assemble(&text, target);
    for (engine, name) in [(Engine::Fiber, "fiber"), (Engine::Workgroup, "workgroup")] {
        let loaded = Kernels::load_image_on(text.as_bytes(), 1, engine);
        check(
            &Warp(loaded.unwrap_or_else(|error| panic!("{error}"))),
            name,
        );
    }
}
