//! The error function in single precision.

use crate::exponential::exp_32;
use crate::float::{Float, polynomial};

/// erf(x): below 1 x + x P(x²), else 1 - exp(Q(x)).
#[inline(always)]
pub fn erf_32(x: f32) -> f32 {
    const P: [f32; 7] = [
        0.128_379_17,
        -0.376_126_26,
        0.112_835_85,
        -0.026_853_812,
        0.005_188_327_3,
        -0.000_801_018_92,
        0.000_078_538_44,
    ];
    const Q: [f32; 8] = [
        0.000_188_029_41,
        -1.129_578_4,
        -0.633_219_99,
        -0.108_418_476,
        0.025_208_194,
        -0.004_204_538_8,
        0.000_441_331_79,
        -0.000_021_686_467,
    ];
    let size = x.abs();
    let near = f32::multiply_add(x, polynomial(x * x, P), x);
    let limited = if size > 4.0 { 4.0 } else { size };
    let far = 1.0 - exp_32(polynomial(limited, Q));
    if size < 1.0 {
        near
    } else if x.is_nan() {
        x
    } else {
        far.copysign(x)
    }
}
