//! cuFFT for data on the virtual GPU: `libcufft.so.11`.
//!
//! The parts, from the top down; a part knows only those below it:
//!
//! - `exports`: the symbols.
//! - `planning`, `execution`: the functions that make plans and that run them.
//! - `plans`: what programs hold handles of.
//! - `transform`: a transform in one, two or three dimensions, on the crates `rustfft` and `realfft`.
//! - `layout`: where elements are. `status`: the codes.

mod execution;
mod exports;
mod layout;
mod planning;
mod plans;
mod status;
mod transform;
