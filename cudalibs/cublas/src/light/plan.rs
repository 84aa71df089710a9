//! A product whose descriptors were checked: do they fit each other, and are the types ones that cuBLASLt has together.

use std::ffi::c_int;

use cuda_library::elements::Kind;

use super::attributes::{Layout, Operation as Descriptor};
use super::epilogue::Epilogue;
use super::layouts::Shape;
use crate::call::Operation;
use crate::status::{Result, Status};

/// The layouts of A, B, C and D.
pub type Layouts = [Layout; 4];

/// D := epilogue(α op(A) op(B) + βC).
#[derive(Clone, Copy)]
pub struct Plan {
    /// What becomes of A and B.
    pub operations: (Operation, Operation),
    /// The matrices.
    pub shapes: [Shape; 4],
    /// The type of α and β.
    pub scale: Kind,
    /// The type in which products are summed.
    pub sums: Kind,
    /// What follows for each element.
    pub epilogue: Epilogue,
    /// The number of products.
    pub count: usize,
}

/// `cublasComputeType_t` of half precision; of single, also those that may be less precise; of double; of integers.
const HALF: [c_int; 2] = [64, 65];
const SINGLE: [c_int; 6] = [68, 69, 74, 75, 77, 78];
const DOUBLE: [c_int; 2] = [70, 71];
const INTEGER: [c_int; 2] = [72, 73];

/// The type in which products are summed, if cuBLASLt has these types together.
fn sums(compute: c_int, scale: Kind, [a, b, c, d]: [Kind; 4]) -> Result<Kind> {
    use Kind::*;
    let is_one_of = |set: &[c_int]| set.contains(&compute);
    if a != b || c != d {
        return Err(Status::NOT_SUPPORTED);
    }
    let found = match (scale, a, d) {
        (F16, F16, F16) => is_one_of(&HALF).then_some(F32),
        (F32, F16, F16 | F32) | (F32, Bf16, Bf16 | F32) | (F32, I8, F32) | (F32, F32, F32) => {
            is_one_of(&SINGLE).then_some(F32)
        }
        (C32, C32, C32) => is_one_of(&SINGLE).then_some(C32),
        (F64, F64, F64) => is_one_of(&DOUBLE).then_some(F64),
        (C64, C64, C64) => is_one_of(&DOUBLE).then_some(C64),
        // Sums of products of small integers are exact in 64 bits.
        (I32, I8, I32) | (F32, I8, I8) => is_one_of(&INTEGER).then_some(F64),
        _ => None,
    };
    found.ok_or(Status::NOT_SUPPORTED)
}

impl Plan {
    /// The product that descriptors describe.
    pub fn of(descriptor: &Descriptor, layouts: &Layouts) -> Result<Plan> {
        /// `CUBLAS_FILL_MODE_FULL`.
        const FULL: i32 = 2;
        let shapes = [0, 1, 2, 3].map(|index| Shape::of(&layouts[index]));
        let [a, b, c, d] = shapes;
        let shapes = [a?, b?, c?, d?];
        let [a, b, c, d] = shapes;
        let operations = (Operation::of(descriptor.a)?, Operation::of(descriptor.b)?);
        if descriptor.c != 0 || descriptor.fill != FULL {
            return Err(Status::NOT_SUPPORTED);
        }
        let scale = Kind::of(descriptor.scale).ok_or(Status::NOT_SUPPORTED)?;
        let sums = sums(descriptor.compute, scale, shapes.map(|shape| shape.kind))?;
        let turned = |operation, shape: &Shape| match operation {
            Operation::None => (shape.rows, shape.columns),
            _ => (shape.columns, shape.rows),
        };
        let (rows, inner) = turned(operations.0, &a);
        let (other_inner, columns) = turned(operations.1, &b);
        let result = (d.rows, d.columns);
        if inner != other_inner || (rows, columns) != result || (c.rows, c.columns) != result {
            return Err(Status::INVALID_VALUE);
        }
        let counts = layouts.map(|layout| layout.count);
        let count = usize::try_from(counts[3]).map_err(|_| Status::INVALID_VALUE)?;
        if counts.iter().any(|other| *other != counts[3]) || count == 0 {
            return Err(Status::INVALID_VALUE);
        }
        let epilogue = Epilogue::of(descriptor, &d, scale)?;
        if matches!(sums, Kind::C32 | Kind::C64) && !epilogue.is_none() {
            return Err(Status::NOT_SUPPORTED);
        }
        Ok(Plan {
            operations,
            shapes,
            scale,
            sums,
            epilogue,
            count,
        })
    }
}
