//! cuRAND's host interface for data on the virtual GPU, and for the host's own: `libcurand.so.10`. What kernels call is
//! in headers.
//!
//! The parts, from the top down; a part knows only those below it:
//!
//! - `exports`: the symbols. `entry`: the functions behind them.
//! - `generators`: what programs hold handles of, and how numbers are handed out.
//! - `distributions`: uniform, normal, Poisson.
//! - `xorwow`, `mrg32k3a`, `philox`, `mt19937`, `sobol`, `scramble`: the generators, from their authors' papers.
//! - `status`: the codes.

#![allow(
    clippy::too_many_arguments,
    reason = "the functions' types are the ABI"
)]

mod distributions;
mod entry;
mod exports;
mod generators;
mod mrg32k3a;
mod mt19937;
mod philox;
mod scramble;
mod sobol;
mod status;
mod xorwow;
