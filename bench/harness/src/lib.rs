//! `omptarget bench`: measures what the project states goals for.

mod epcc;
mod kernels;
mod llvm_host;
mod nested;
mod plot;
mod programs;
mod report;
mod statistics;
mod suite;
mod vgpu;

use clap::Subcommand;
use omptarget_driver::Result;

/// Arguments of `omptarget bench`.
#[derive(clap::Args)]
pub struct Options {
    #[command(subcommand)]
    subject: Subject,
}

/// What can be measured.
#[derive(Subcommand)]
enum Subject {
    /// The virtual GPU's engine: switches, barriers, shuffles, launches
    Vgpu(vgpu::Options),
    /// Kernels on the virtual GPU's two engines, LLVM's host offload, plain OpenMP and pocl
    Kernels(kernels::Options),
    /// Kernels in two shapes on the default device: inner loops sequential (SPMD) or parallel (nested)
    Nested(nested::Options),
    /// OpenMP constructs in target regions: the EPCC micro-benchmarks
    Epcc(Box<epcc::Options>),
    /// Programs of public suites: the virtual GPU, LLVM's host offload, the initial device
    Programs(suite::Options),
}

/// Measures and prints.
pub fn bench(options: &Options) -> Result<()> {
    match &options.subject {
        Subject::Vgpu(options) => vgpu::bench(options),
        Subject::Kernels(options) => kernels::bench(options),
        Subject::Nested(options) => nested::bench(options),
        Subject::Epcc(options) => epcc::bench(options),
        Subject::Programs(options) => suite::bench(options),
    }
}
