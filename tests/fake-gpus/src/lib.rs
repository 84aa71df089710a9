//! The CUDA driver and the HSA runtime for tests, in one library.
//!
//! Both run kernels on virtual GPUs, and a process has one address window for the memory of all virtual GPUs. Two
//! libraries would each want it. A program that loads this one under both makers' names (two links to one file, which
//! the dynamic linker loads once) has one window, and devices of both makers in it.

use fake_cuda as _;
use fake_hsa as _;
