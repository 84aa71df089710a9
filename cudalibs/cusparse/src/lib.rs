//! cuSPARSE for data on the virtual GPU: `libcusparse.so.12`.
//!
//! The parts, from the top down; a part knows only those below it:
//!
//! - `exports`: the symbols.
//! - `management`: handles and descriptors.
//! - `products`, `triangular`, `spgemm`, `conversions`, `vectors`, `legacy`: the operations.
//! - `call`: a call with its handle, its arguments checked.
//! - `descriptors`: what programs describe, and the elements of it.
//! - `status`: the codes.

mod call;
mod conversions;
mod descriptors;
mod exports;
mod legacy;
mod management;
mod products;
mod spgemm;
mod status;
mod triangular;
mod vectors;
