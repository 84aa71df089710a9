//! The level of detail of a fetch with gradients (CUDA C++ Programming Guide, `tex2DGrad` and its like).

use crate::descriptor::{Shape, Texture};

/// The level at which neighbours of a fetch are a texel apart: the longer of the two steps counts.
pub fn of_gradients(texture: &Texture, shape: u32, dx: [f32; 3], dy: [f32; 3]) -> f32 {
    let level = texture.level(0);
    let scaled = texture.normalized_coordinates != 0 || shape == Shape::CUBE;
    let sizes = [level.width, level.height, level.depth];
    let axes = match shape {
        Shape::LINE => 1,
        Shape::PLANE => 2,
        _ => 3,
    };
    let length = |step: [f32; 3]| {
        let mut sum = 0.0;
        for axis in 0..axes {
            let size = match shape {
                // From -1 to 1.
                Shape::CUBE => sizes[0] as f32 / 2.0,
                _ if scaled => sizes[axis] as f32,
                _ => 1.0,
            };
            sum += step[axis] * size * (step[axis] * size);
        }
        sum
    };
    // The square's logarithm is twice that of the length.
    0.5 * logarithm(length(dx).max(length(dy)))
}

/// The logarithm to the base 2. That of 0 is very small.
fn logarithm(number: f32) -> f32 {
    if number < f32::MIN_POSITIVE {
        return -126.0;
    }
    let bits = number.to_bits();
    let exponent = (bits >> 23) as i32 - 127;
    let mantissa = f32::from_bits(bits & 0x7f_ffff | 0x3f80_0000);
    // The series of the inverse hyperbolic tangent.
    let t = (mantissa - 1.0) / (mantissa + 1.0);
    let square = t * t;
    let series = 1.0 + square * (1.0 / 3.0 + square * (0.2 + square * (1.0 / 7.0 + square / 9.0)));
    exponent as f32 + 2.0 * core::f32::consts::LOG2_E * t * series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms() {
        for number in [1e-6f32, 0.3, 1.0, 1.5, 7.9, 4096.0] {
            assert!((logarithm(number) - number.log2()).abs() < 1e-4, "{number}");
        }
        assert_eq!(logarithm(0.0), -126.0);
    }

    #[test]
    fn the_longer_step_counts() {
        let mut texture = Texture {
            level_count: 1,
            normalized_coordinates: 1,
            ..Texture::default()
        };
        (texture.levels[0].width, texture.levels[0].height) = (64, 32);
        let detail = of_gradients(&texture, Shape::PLANE, [0.0625, 0.0, 0.0], [0.0, 0.25, 0.0]);
        assert!((detail - 3.0).abs() < 1e-5);
    }
}
