//! cuBLASLt: products of matrices that descriptors describe, and what is done to each element of the result.
//!
//! - `entry`: the functions. `descriptors`: those that make descriptors. `algorithms`: those about algorithms.
//! - `plan`: a product whose descriptors were checked. `product`: computes it. `epilogue`: what follows for each
//!   element.
//! - `transform`: matrices from one order into another.
//! - `layouts`: orders of elements. `attributes`: descriptors and their attributes.

pub mod algorithms;
pub mod attributes;
pub mod descriptors;
pub mod entry;
mod epilogue;
mod layouts;
mod plan;
mod product;
pub mod transform;
