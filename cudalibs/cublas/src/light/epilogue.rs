//! What follows a product for each element of the result: a bias, an activation function, or what their gradients need
//! (`cublasLtEpilogue_t`).

use cuda_library::elements::{Kind, Stored};
use cuda_library::with_type;
use num_complex::Complex64;

use super::attributes::Operation;
use super::layouts::Shape;
use crate::call::{Call, Target};
use crate::status::{Result, Status};

/// Parts of `cublasLtEpilogue_t`.
mod part {
    pub const NONE: u32 = 1;
    pub const RELU: u32 = 2;
    pub const BIAS: u32 = 4;
    pub const RELU_GRADIENT: u32 = 8;
    pub const BIAS_GRADIENT: u32 = 16;
    pub const GELU: u32 = 32;
    pub const GELU_GRADIENT: u32 = 64;
    pub const AUX: u32 = 128;
    pub const BIAS_GRADIENT_A: u32 = 256;
    pub const BIAS_GRADIENT_B: u32 = 512;
}

/// An activation function, or its gradient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Activation {
    None,
    Relu,
    ReluGradient,
    Gelu,
    GeluGradient,
}

/// Whose sums are the gradient of a bias.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gradient {
    /// The result's, of each row.
    Result,
    /// A's, of each row.
    A,
    /// B's, of each column.
    B,
}

/// An epilogue.
#[derive(Clone, Copy, Debug)]
pub struct Epilogue {
    activation: Activation,
    has_bias: bool,
    keeps_aux: bool,
    gradient: Option<Gradient>,
    bias: Vector,
    aux: Aux,
    rows: usize,
    columns: usize,
}

/// A bias, or the place for its gradient.
#[derive(Clone, Copy, Debug)]
struct Vector {
    address: usize,
    kind: Kind,
    step: i64,
}

/// What an activation leaves for its gradient: bits that say which elements are positive, or the function's arguments.
#[derive(Clone, Copy, Debug)]
struct Aux {
    address: usize,
    kind: Kind,
    leading: usize,
    step: i64,
}

impl Epilogue {
    /// The epilogue of a descriptor for a result.
    pub fn of(descriptor: &Operation, result: &Shape, scale: Kind) -> Result<Epilogue> {
        use part::*;
        let parts = descriptor.epilogue;
        let (activation, keeps_aux, rest) = match parts {
            _ if parts & GELU_GRADIENT != 0 => (Activation::GeluGradient, false, parts & !AUX),
            _ if parts & RELU_GRADIENT != 0 => (Activation::ReluGradient, false, parts & !AUX),
            _ if parts & GELU != 0 => (Activation::Gelu, parts & AUX != 0, parts & !AUX),
            _ if parts & RELU != 0 => (Activation::Relu, parts & AUX != 0, parts & !AUX),
            _ => (Activation::None, false, parts),
        };
        let (has_bias, gradient) = match rest {
            NONE | RELU | GELU | RELU_GRADIENT | GELU_GRADIENT => (false, None),
            _ if matches!(rest & !BIAS, 0 | RELU | GELU) && rest & BIAS != 0 => (true, None),
            _ if matches!(rest & !BIAS_GRADIENT, RELU_GRADIENT | GELU_GRADIENT) => {
                (false, Some(Gradient::Result))
            }
            BIAS_GRADIENT_A => (false, Some(Gradient::A)),
            BIAS_GRADIENT_B => (false, Some(Gradient::B)),
            _ => return Err(Status::NOT_SUPPORTED),
        };
        // The usual types, if the program names none.
        let of_result = match result.kind {
            Kind::I8 | Kind::I32 => scale,
            kind => kind,
        };
        let kind = |number: i32| match number {
            -1 => Ok(of_result),
            _ => Kind::of(number).ok_or(Status::NOT_SUPPORTED),
        };
        let leading = usize::try_from(descriptor.aux_leading);
        let epilogue = Epilogue {
            activation,
            has_bias,
            keeps_aux,
            gradient,
            bias: Vector {
                address: descriptor.bias,
                kind: kind(descriptor.bias_kind)?,
                step: descriptor.bias_step,
            },
            aux: Aux {
                address: descriptor.aux,
                kind: kind(descriptor.aux_kind)?,
                leading: leading.map_err(|_| Status::INVALID_VALUE)?,
                step: descriptor.aux_step,
            },
            rows: result.rows,
            columns: result.columns,
        };
        match epilogue.needs_aux() && epilogue.aux.leading < result.rows {
            true => Err(Status::INVALID_VALUE),
            false => Ok(epilogue),
        }
    }

    /// Whether nothing follows.
    pub fn is_none(&self) -> bool {
        self.activation == Activation::None && !self.has_bias && self.gradient.is_none()
    }

    /// Whose sums are the gradient of a bias.
    pub fn gradient(&self) -> Option<Gradient> {
        self.gradient
    }

    fn needs_aux(&self) -> bool {
        let is_gradient = matches!(
            self.activation,
            Activation::ReluGradient | Activation::GeluGradient
        );
        self.keeps_aux || is_gradient
    }

    fn is_of_bits(&self) -> bool {
        matches!(self.activation, Activation::Relu | Activation::ReluGradient)
    }

    /// Elements of the bias or its gradient.
    fn bias_len(&self) -> usize {
        match self.gradient {
            Some(Gradient::B) => self.columns,
            _ => self.rows,
        }
    }

    /// Checks the memory that it needs for a batch.
    pub fn check(&self, call: &Call, count: usize) -> Result<()> {
        let check = |address: usize, step: i64, bytes_of: &dyn Fn(usize) -> usize, len: usize| {
            let last = step.checked_mul(count as i64 - 1);
            let last = last.and_then(|last| usize::try_from(last).ok());
            let all = last.and_then(|last| last.checked_add(len));
            let bytes = bytes_of(all.ok_or(Status::INVALID_VALUE)?);
            call.elements(address as *const u8, bytes).map(drop)
        };
        if self.has_bias || self.gradient.is_some() {
            let size = self.bias.kind.bytes();
            check(
                self.bias.address,
                self.bias.step,
                &|all| all * size,
                self.bias_len(),
            )?;
        }
        if self.needs_aux() {
            let size = self.aux.kind.bytes();
            let len = self.columns.saturating_sub(1) * self.aux.leading + self.rows;
            let bytes = |all: usize| match self.is_of_bits() {
                true => all.div_ceil(8),
                false => all * size,
            };
            check(self.aux.address, self.aux.step, &bytes, len)?;
        }
        Ok(())
    }

    /// What becomes of the results of one product, which lie column by column.
    pub fn apply<W: Stored>(&self, index: usize, elements: &mut [W]) {
        let bias = self.has_bias.then(|| self.read_bias(index));
        let first = index as i64 * self.aux.step;
        for (column, elements) in elements.chunks_exact_mut(self.rows.max(1)).enumerate() {
            for (row, element) in elements.iter_mut().enumerate() {
                let mut value = element.value().re;
                if let Some(bias) = &bias {
                    value += bias[row];
                }
                let place = first as usize + column * self.aux.leading + row;
                *element = W::of_value(self.activated(value, place).into());
            }
        }
    }

    fn activated(&self, value: f64, place: usize) -> f64 {
        match self.activation {
            Activation::None => value,
            Activation::Relu => {
                if self.keeps_aux {
                    self.write_bit(place, value > 0.0);
                }
                value.max(0.0)
            }
            Activation::ReluGradient if self.bit(place) => value,
            Activation::ReluGradient => 0.0,
            Activation::Gelu => {
                if self.keeps_aux {
                    self.write_aux(place, value);
                }
                gelu(value)
            }
            Activation::GeluGradient => value * gelu_gradient(self.aux(place)),
        }
    }

    fn read_bias(&self, index: usize) -> Vec<f64> {
        with_type!(self.bias.kind, S => {
            let base = self.bias_of::<S>(index);
            // SAFETY: `check` has seen that so much is there. The address may be misaligned.
            let element = |row| unsafe { base.add(row).read_unaligned() };
            (0..self.rows).map(|row| element(row).value().re).collect()
        })
    }

    fn bias_of<S>(&self, index: usize) -> *mut S {
        (self.bias.address as *mut S).wrapping_offset(index as isize * self.bias.step as isize)
    }

    /// Writes the gradient of the bias.
    pub fn write_gradient(&self, index: usize, sums: impl Iterator<Item = Complex64>) {
        with_type!(self.bias.kind, S => {
            let base = self.bias_of::<S>(index);
            for (place, sum) in sums.enumerate() {
                // SAFETY: as in `read_bias`.
                unsafe { base.add(place).write_unaligned(S::of_value(sum)) };
            }
        });
    }

    fn aux(&self, place: usize) -> f64 {
        with_type!(self.aux.kind, S => {
            // SAFETY: as in `read_bias`.
            unsafe { (self.aux.address as *const S).add(place).read_unaligned() }.value().re
        })
    }

    fn write_aux(&self, place: usize, value: f64) {
        with_type!(self.aux.kind, S => {
            // SAFETY: as in `read_bias`.
            unsafe { (self.aux.address as *mut S).add(place).write_unaligned(S::of_value(value.into())) }
        });
    }

    fn bit(&self, place: usize) -> bool {
        let bytes = Target(self.aux.address as *mut u8);
        // SAFETY: as in `read_bias`.
        unsafe { bytes.read(place / 8) >> (place % 8) & 1 != 0 }
    }

    fn write_bit(&self, place: usize, is_set: bool) {
        let bytes = Target(self.aux.address as *mut u8);
        let bit = 1 << (place % 8);
        // SAFETY: as in `read_bias`.
        unsafe {
            let byte = bytes.read(place / 8) & !bit;
            bytes.write(place / 8, byte | if is_set { bit } else { 0 });
        }
    }
}

/// √(2/π), and the factor of the cube (Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016).
const FACTORS: (f64, f64) = (0.797_884_560_802_865_4, 0.044_715);

/// The approximation of GELU by the hyperbolic tangent, which cuBLASLt computes.
fn gelu(x: f64) -> f64 {
    0.5 * x * (1.0 + (FACTORS.0 * (x + FACTORS.1 * x.powi(3))).tanh())
}

/// Its derivative.
fn gelu_gradient(x: f64) -> f64 {
    let tanh = (FACTORS.0 * (x + FACTORS.1 * x.powi(3))).tanh();
    let inner = FACTORS.0 * (1.0 + 3.0 * FACTORS.1 * x * x);
    0.5 * (1.0 + tanh) + 0.5 * x * (1.0 - tanh * tanh) * inner
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gradient_is_the_slope() {
        for x in [-3.0, -0.5, 0.0, 0.1, 2.0] {
            let slope = (gelu(x + 1e-5) - gelu(x - 1e-5)) / 2e-5;
            assert!((slope - gelu_gradient(x)).abs() < 1e-8, "{x}");
        }
        assert!((gelu(1.0) - 0.841_192).abs() < 1e-6);
    }
}
