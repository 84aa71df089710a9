//! Functions of reals that flang leaves to its run-time library: `mod`, `modulo`, and the parts of a number in
//! Fortran's model (Fortran 2023, 16.4).

use core::ffi::{c_char, c_int};

/// The bits of a `real(8)`.
const FRACTION: u64 = (1 << 52) - 1;
const BIAS: i64 = 1023;

/// Mantissa and power of two of a number that is positive and finite: `mantissa` · 2^`power`.
fn parts(value: f64) -> (u64, i64) {
    let bits = value.to_bits();
    match (bits >> 52) as i64 {
        0 => (bits, 1 - BIAS - 52),
        biased => (bits & FRACTION | 1 << 52, biased - BIAS - 52),
    }
}

/// `mantissa` · 2^`power`, which is a number of the kind.
fn whole(mantissa: u64, power: i64) -> f64 {
    scaled(mantissa as f64, power)
}

/// The rest of a division, exact, with the sign of the dividend.
fn rest(value: f64, divisor: f64) -> f64 {
    if !value.is_finite() || divisor.is_nan() || divisor == 0.0 {
        return f64::NAN;
    }
    let (dividend, divisor) = (value.abs(), divisor.abs());
    if dividend < divisor {
        return value;
    }
    let ((mut mantissa, mut power), (other, other_power)) = (parts(dividend), parts(divisor));
    mantissa %= other;
    while power > other_power && mantissa != 0 {
        // 11 bits at a time are what 64 bits leave beside 53.
        let bits = (power - other_power).min(11);
        mantissa = (mantissa << bits) % other;
        power -= bits;
    }
    whole(mantissa, power).copysign(value)
}

/// The same with the sign of the divisor.
fn modulo(value: f64, divisor: f64) -> f64 {
    let rest = rest(value, divisor);
    if rest == 0.0 {
        return rest.copysign(divisor);
    }
    if divisor.is_infinite() && value.is_sign_negative() != divisor.is_sign_negative() {
        return divisor;
    }
    if rest.is_sign_negative() == divisor.is_sign_negative() {
        rest
    } else {
        rest + divisor
    }
}

/// 2^`power` for powers that a normal number has.
fn power_of_two(power: i64) -> f64 {
    f64::from_bits(((power + BIAS) as u64) << 52)
}

/// `value` · 2^`power`, rounded once.
fn scaled(mut value: f64, power: i64) -> f64 {
    // Nothing is left, or nothing fits, beyond.
    let mut power = power.clamp(-4_400, 4_400);
    while power > 1_023 {
        value *= power_of_two(1_023);
        power -= 1_023;
    }
    // A step that keeps 53 bits above the least normal number, so that only the last one rounds.
    while power < -1_022 {
        value *= power_of_two(-1_022 + 53);
        power += 1_022 - 53;
    }
    value * power_of_two(power)
}

/// The exponent in Fortran's model, of a number other than 0: the fraction is from 0.5 up to 1.
fn exponent(value: f64) -> i64 {
    let (mantissa, power) = parts(value.abs());
    power + 64 - i64::from(mantissa.leading_zeros())
}

/// `exponent` for numbers that have none: the greatest integer.
fn exponent_or(value: f64, none: i64) -> i64 {
    match value {
        _ if !value.is_finite() => none,
        0.0 => 0,
        _ => exponent(value),
    }
}

fn fraction(value: f64) -> f64 {
    if value == 0.0 || value.is_nan() {
        value
    } else if value.is_infinite() {
        f64::NAN
    } else {
        scaled(value, -exponent(value))
    }
}

fn set_exponent(value: f64, power: i64) -> f64 {
    if value.is_infinite() {
        f64::NAN
    } else {
        scaled(fraction(value), power)
    }
}

/// The distance of neighbours in a kind with that many digits and that least exponent.
fn spacing(value: f64, digits: i64, least: i64) -> f64 {
    if value.is_nan() {
        value
    } else if value.is_infinite() {
        f64::NAN
    } else if value == 0.0 {
        scaled(1.0, least - 1)
    } else {
        scaled(1.0, (exponent(value) - digits).max(least - 1))
    }
}

/// The reciprocal of the relative distance of neighbours.
fn rrspacing(value: f64, digits: i64) -> f64 {
    scaled(fraction(value.abs()), digits)
}

macro_rules! for_kinds {
    ($($float:ident, digits $digits:literal, least $least:literal:
        $modulus:ident $modulo:ident $exponent4:ident $exponent8:ident $fraction:ident $scale:ident $set:ident
        $nearest:ident $spacing:ident $rrspacing:ident;)*) => {
        entries! {$(
            /// `mod`
            fn $modulus(value: $float, divisor: $float, _source: *const c_char, _line: c_int) -> $float {
                rest(value.into(), divisor.into()) as $float
            }
            /// `modulo`
            fn $modulo(value: $float, divisor: $float, _source: *const c_char, _line: c_int) -> $float {
                modulo(value.into(), divisor.into()) as $float
            }
            /// `exponent` as an `integer(4)`.
            fn $exponent4(value: $float) -> i32 {
                exponent_or(value.into(), i32::MAX.into()) as i32
            }
            /// `exponent` as an `integer(8)`.
            fn $exponent8(value: $float) -> i64 {
                exponent_or(value.into(), i64::MAX)
            }
            /// `fraction`
            fn $fraction(value: $float) -> $float {
                fraction(value.into()) as $float
            }
            /// `scale`
            fn $scale(value: $float, power: i64) -> $float {
                scaled(value.into(), power) as $float
            }
            /// `set_exponent`
            fn $set(value: $float, power: i64) -> $float {
                set_exponent(value.into(), power) as $float
            }
            /// `nearest`
            fn $nearest(value: $float, up: bool) -> $float {
                if up { value.next_up() } else { value.next_down() }
            }
            /// `spacing`
            fn $spacing(value: $float) -> $float {
                spacing(value.into(), $digits, $least) as $float
            }
            /// `rrspacing`
            fn $rrspacing(value: $float) -> $float {
                rrspacing(value.into(), $digits) as $float
            }
        )*}
    };
}

for_kinds! {
    f32, digits 24, least -125:
        _FortranAModReal4 _FortranAModuloReal4 _FortranAExponent4_4 _FortranAExponent4_8 _FortranAFraction4
        _FortranAScale4 _FortranASetExponent4 _FortranANearest4 _FortranASpacing4 _FortranARRSpacing4;
    f64, digits 53, least -1021:
        _FortranAModReal8 _FortranAModuloReal8 _FortranAExponent8_4 _FortranAExponent8_8 _FortranAFraction8
        _FortranAScale8 _FortranASetExponent8 _FortranANearest8 _FortranASpacing8 _FortranARRSpacing8;
}

entries! {
    /// Floating-point exceptions as flang numbers them. GPUs have none.
    fn _FortranAMapException(exceptions: u32) -> u32 { exceptions }
    /// Raises exceptions, which GPUs do not have.
    fn _FortranAferaiseexcept(_exceptions: u32) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rests_are_exact() {
        for (value, divisor) in [
            (7.5, 2.0),
            (-7.5, 2.0),
            (1e300, 7.0),
            (5e-324, 3e-324),
            (1e17, 0.1),
            (3.0, 1e300),
        ] {
            assert_eq!(rest(value, divisor), value % divisor);
        }
        assert!(rest(1.0, 0.0).is_nan() && rest(f64::INFINITY, 1.0).is_nan());
        assert_eq!(
            (modulo(-7.5, 2.0), modulo(7.5, -2.0), modulo(6.0, 2.0)),
            (0.5, -0.5, 0.0)
        );
    }

    #[test]
    fn parts_of_numbers() {
        assert_eq!(
            (exponent(1.0), exponent(0.75), exponent(5e-324)),
            (1, 0, -1073)
        );
        assert_eq!((fraction(-6.0), set_exponent(6.0, 0)), (-0.75, 0.75));
        assert_eq!(
            (scaled(3.0, -1075), scaled(1.0, 1023)),
            (1e-323, 2f64.powi(1023))
        );
        assert_eq!(spacing(1.0, 53, -1021), f64::EPSILON);
        assert_eq!(rrspacing(-3.0, 24), 12_582_912.0);
    }
}
