//! The cost of running an image.

use crate::arch::Arch;

/// The cost of running an image. Lower is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LoadCost {
    /// No compilation: machine code for exactly this architecture.
    Exact,
    /// No compilation: machine code for an older architecture of the same family.
    Compatible,
    /// Compilation by this project's compiler and the driver's.
    Bitcode,
    /// Compilation by the driver's compiler. It comes after bitcode, which this project's compiler optimises for
    /// the architecture.
    Ptx,
}

/// The cost of running machine code for `arch`.
pub fn machine_code_cost(arch: Arch, device: Arch) -> Option<LoadCost> {
    arch.code_runs_on(device).then_some({
        if arch.number == device.number {
            LoadCost::Exact
        } else {
            LoadCost::Compatible
        }
    })
}
