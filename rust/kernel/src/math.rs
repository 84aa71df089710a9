//! Mathematics that `core` does not have. It is the device's math library, as in CUDA and OpenMP.

/// Functions of a floating-point number. They have the names of `std`'s.
pub trait Math: Sized {
    /// The square root.
    fn sqrt(self) -> Self;
    /// The cube root.
    fn cbrt(self) -> Self;
    /// e to this power.
    fn exp(self) -> Self;
    /// 2 to this power.
    fn exp2(self) -> Self;
    /// The natural logarithm.
    fn ln(self) -> Self;
    /// The logarithm to base 2.
    fn log2(self) -> Self;
    /// The logarithm to base 10.
    fn log10(self) -> Self;
    /// The sine.
    fn sin(self) -> Self;
    /// The cosine.
    fn cos(self) -> Self;
    /// The tangent.
    fn tan(self) -> Self;
    /// The arc sine.
    fn asin(self) -> Self;
    /// The arc cosine.
    fn acos(self) -> Self;
    /// The arc tangent.
    fn atan(self) -> Self;
    /// The hyperbolic tangent.
    fn tanh(self) -> Self;
    /// The largest integer that is not larger.
    fn floor(self) -> Self;
    /// The smallest integer that is not smaller.
    fn ceil(self) -> Self;
    /// Without its fraction.
    fn trunc(self) -> Self;
    /// The nearest integer; halves away from zero.
    fn round(self) -> Self;
    /// This number to the power of `exponent`.
    fn powf(self, exponent: Self) -> Self;
    /// The angle of the point (`x`, this number).
    fn atan2(self, x: Self) -> Self;
    /// The distance of the point (`other`, this number) from the origin.
    fn hypot(self, other: Self) -> Self;
    /// This number times `a`, plus `b`, rounded once.
    fn mul_add(self, a: Self, b: Self) -> Self;
}

/// Implements [`Math`] with functions of the device's math library: of one, two and three arguments.
macro_rules! implement {
    ($type:ty: $($one:ident $one_symbol:literal)*; $($two:ident $two_symbol:literal)*; $three_symbol:literal) => {
        impl Math for $type {
            $(
                #[inline(always)]
                fn $one(self) -> $type {
                    unsafe extern "C" {
                        #[link_name = $one_symbol]
                        safe fn function(x: $type) -> $type;
                    }
                    function(self)
                }
            )*
            $(
                #[inline(always)]
                fn $two(self, other: $type) -> $type {
                    unsafe extern "C" {
                        #[link_name = $two_symbol]
                        safe fn function(x: $type, y: $type) -> $type;
                    }
                    function(self, other)
                }
            )*
            #[inline(always)]
            fn mul_add(self, a: $type, b: $type) -> $type {
                unsafe extern "C" {
                    #[link_name = $three_symbol]
                    safe fn function(x: $type, y: $type, z: $type) -> $type;
                }
                function(self, a, b)
            }
        }
    };
}

implement! { f32:
    sqrt "__nv_sqrtf" cbrt "__nv_cbrtf" exp "__nv_expf" exp2 "__nv_exp2f" ln "__nv_logf" log2 "__nv_log2f"
    log10 "__nv_log10f" sin "__nv_sinf" cos "__nv_cosf" tan "__nv_tanf" asin "__nv_asinf" acos "__nv_acosf"
    atan "__nv_atanf" tanh "__nv_tanhf" floor "__nv_floorf" ceil "__nv_ceilf" trunc "__nv_truncf"
    round "__nv_roundf";
    powf "__nv_powf" atan2 "__nv_atan2f" hypot "__nv_hypotf";
    "__nv_fmaf"
}

implement! { f64:
    sqrt "__nv_sqrt" cbrt "__nv_cbrt" exp "__nv_exp" exp2 "__nv_exp2" ln "__nv_log" log2 "__nv_log2"
    log10 "__nv_log10" sin "__nv_sin" cos "__nv_cos" tan "__nv_tan" asin "__nv_asin" acos "__nv_acos"
    atan "__nv_atan" tanh "__nv_tanh" floor "__nv_floor" ceil "__nv_ceil" trunc "__nv_trunc"
    round "__nv_round";
    powf "__nv_pow" atan2 "__nv_atan2" hypot "__nv_hypot";
    "__nv_fma"
}
