//! cuBLAS and cuBLASLt for data on the virtual GPU: `libcublas.so.12`, which has the name `libcublasLt.so.12`, too.
//!
//! The parts, from the top down; a part knows only those below it:
//!
//! - `exports`: the symbols.
//! - `management`, `transfers`: handles and their settings; copies of vectors and matrices.
//! - `level1`, `level2`, `level3`, `batched`: the functions of BLAS, and many small problems at once.
//! - `light`: cuBLASLt.
//! - `mixed`: products of matrices whose types differ (`cublasGemmEx`).
//! - `call`: a call with its handle, its arguments checked.
//! - `product`, `triangular`: products and triangular systems, on views of matrices.
//! - `operands`: views of vectors and matrices. `scalar`: the four types. `status`: the codes.

#![allow(
    clippy::too_many_arguments,
    reason = "the functions' types are the ABI"
)]

mod batched;
mod call;
mod exports;
mod level1;
mod level2;
mod level3;
mod light;
mod management;
mod mixed;
pub mod operands;
pub mod product;
pub mod scalar;
pub mod status;
mod transfers;
mod triangular;
