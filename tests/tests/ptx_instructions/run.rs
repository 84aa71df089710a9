//! Kernels of a warp, on both engines.

use e2e::ir::{Kernels, Shape};
use plugin_vgpu::Engine;

/// A kernel's argument.
pub enum Argument {
    /// A buffer of words.
    Words(Vec<u32>),
    /// A number.
    Number(u64),
}

/// A module on an engine.
pub struct Warp(Kernels);

impl Warp {
    /// Launches a kernel with one warp. Gives what the last buffer holds then.
    pub fn launch(&self, kernel: &str, arguments: &[Argument]) -> Vec<u32> {
        let mut last = None;
        let values: Vec<u64> = arguments
            .iter()
            .map(|argument| match argument {
                Argument::Words(words) => {
                    let buffer = self.0.buffer(words);
                    last = Some(buffer);
                    buffer.argument()
                }
                Argument::Number(number) => *number,
            })
            .collect();
        self.0
            .launch(kernel, Shape::spmd(1, 32), &values)
            .unwrap_or_else(|error| panic!("{error}"));
        self.0.read(last.expect("a buffer"))
    }
}

/// Calls `check` with the kernels of a PTX text, on one engine and then on the other.
pub fn on_both_engines(kernels: &str, check: impl Fn(&Warp, &str)) {
    let text = format!(".version 8.4\n.target sm_90\n.address_size 64\n{kernels}");
    for (engine, name) in [(Engine::Fiber, "fiber"), (Engine::Workgroup, "workgroup")] {
        let loaded = Kernels::load_image_on(text.as_bytes(), 1, engine);
        check(
            &Warp(loaded.unwrap_or_else(|error| panic!("{error}"))),
            name,
        );
    }
}
