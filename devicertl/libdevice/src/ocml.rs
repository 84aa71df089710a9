//! The same functions under the names of ROCm's `ocml`, which clang's headers call on AMD GPUs. What takes pointers
//! into a thread's own memory (address space 5, which Rust has no type for) is in ocml.ll.

use crate::elementary::*;
use crate::export;
use crate::rounding::*;
use crate::special::*;

/// `__ocml_NAME_f64` and `__ocml_NAME_f32` by the names of CUDA's libdevice, for functions with these arguments.
macro_rules! same {
    ($result:ident $arguments:tt: $($name:ident = $double:ident, $single:ident;)*) => {
        $(
            same!(@one __ocml_, $name, _f64, $double, f64, $result, $arguments);
            same!(@one __ocml_, $name, _f32, $single, f32, $result, $arguments);
        )*
    };
    (@one $prefix:ident, $name:ident, $suffix:ident, $function:ident, $float:ident, same, ($($argument:ident),*)) => {
        export! { ${concat($prefix, $name, $suffix)}($($argument: $float),*) -> $float { $function($($argument),*) } }
    };
    (@one $prefix:ident, $name:ident, $suffix:ident, $function:ident, $float:ident, int, ($($argument:ident),*)) => {
        export! { ${concat($prefix, $name, $suffix)}($($argument: $float),*) -> i32 { $function($($argument),*) } }
    };
}

same! { same (x):
    acos = __nv_acos, __nv_acosf;
    acosh = __nv_acosh, __nv_acoshf;
    asin = __nv_asin, __nv_asinf;
    asinh = __nv_asinh, __nv_asinhf;
    atan = __nv_atan, __nv_atanf;
    atanh = __nv_atanh, __nv_atanhf;
    cbrt = __nv_cbrt, __nv_cbrtf;
    ceil = __nv_ceil, __nv_ceilf;
    cos = __nv_cos, __nv_cosf;
    cosh = __nv_cosh, __nv_coshf;
    cospi = __nv_cospi, __nv_cospif;
    erf = __nv_erf, __nv_erff;
    erfc = __nv_erfc, __nv_erfcf;
    erfcinv = __nv_erfcinv, __nv_erfcinvf;
    erfcx = __nv_erfcx, __nv_erfcxf;
    erfinv = __nv_erfinv, __nv_erfinvf;
    exp = __nv_exp, __nv_expf;
    exp10 = __nv_exp10, __nv_exp10f;
    exp2 = __nv_exp2, __nv_exp2f;
    expm1 = __nv_expm1, __nv_expm1f;
    fabs = __nv_fabs, __nv_fabsf;
    floor = __nv_floor, __nv_floorf;
    i0 = __nv_cyl_bessel_i0, __nv_cyl_bessel_i0f;
    i1 = __nv_cyl_bessel_i1, __nv_cyl_bessel_i1f;
    j0 = __nv_j0, __nv_j0f;
    j1 = __nv_j1, __nv_j1f;
    lgamma = __nv_lgamma, __nv_lgammaf;
    log = __nv_log, __nv_logf;
    log10 = __nv_log10, __nv_log10f;
    log1p = __nv_log1p, __nv_log1pf;
    log2 = __nv_log2, __nv_log2f;
    logb = __nv_logb, __nv_logbf;
    ncdf = __nv_normcdf, __nv_normcdff;
    ncdfinv = __nv_normcdfinv, __nv_normcdfinvf;
    nearbyint = __nv_nearbyint, __nv_nearbyintf;
    rcbrt = __nv_rcbrt, __nv_rcbrtf;
    rint = __nv_rint, __nv_rintf;
    round = __nv_round, __nv_roundf;
    rsqrt = __nv_rsqrt, __nv_rsqrtf;
    sin = __nv_sin, __nv_sinf;
    sinh = __nv_sinh, __nv_sinhf;
    sinpi = __nv_sinpi, __nv_sinpif;
    sqrt = __nv_sqrt, __nv_sqrtf;
    sqrt_rte = __nv_dsqrt_rn, __nv_fsqrt_rn;
    sqrt_rtn = __nv_dsqrt_rd, __nv_fsqrt_rd;
    sqrt_rtp = __nv_dsqrt_ru, __nv_fsqrt_ru;
    sqrt_rtz = __nv_dsqrt_rz, __nv_fsqrt_rz;
    tan = __nv_tan, __nv_tanf;
    tanh = __nv_tanh, __nv_tanhf;
    tgamma = __nv_tgamma, __nv_tgammaf;
    trunc = __nv_trunc, __nv_truncf;
    y0 = __nv_y0, __nv_y0f;
    y1 = __nv_y1, __nv_y1f;
}

same! { same (x, y):
    atan2 = __nv_atan2, __nv_atan2f;
    copysign = __nv_copysign, __nv_copysignf;
    fdim = __nv_fdim, __nv_fdimf;
    fmax = __nv_fmax, __nv_fmaxf;
    fmin = __nv_fmin, __nv_fminf;
    fmod = __nv_fmod, __nv_fmodf;
    hypot = __nv_hypot, __nv_hypotf;
    nextafter = __nv_nextafter, __nv_nextafterf;
    pow = __nv_pow, __nv_powf;
    remainder = __nv_remainder, __nv_remainderf;
    rhypot = __nv_rhypot, __nv_rhypotf;
    add_rte = __nv_dadd_rn, __nv_fadd_rn;
    add_rtn = __nv_dadd_rd, __nv_fadd_rd;
    add_rtp = __nv_dadd_ru, __nv_fadd_ru;
    add_rtz = __nv_dadd_rz, __nv_fadd_rz;
    sub_rte = __nv_dsub_rn, __nv_fsub_rn;
    sub_rtn = __nv_dsub_rd, __nv_fsub_rd;
    sub_rtp = __nv_dsub_ru, __nv_fsub_ru;
    sub_rtz = __nv_dsub_rz, __nv_fsub_rz;
    mul_rte = __nv_dmul_rn, __nv_fmul_rn;
    mul_rtn = __nv_dmul_rd, __nv_fmul_rd;
    mul_rtp = __nv_dmul_ru, __nv_fmul_ru;
    mul_rtz = __nv_dmul_rz, __nv_fmul_rz;
    div_rte = __nv_ddiv_rn, __nv_fdiv_rn;
    div_rtn = __nv_ddiv_rd, __nv_fdiv_rd;
    div_rtp = __nv_ddiv_ru, __nv_fdiv_ru;
    div_rtz = __nv_ddiv_rz, __nv_fdiv_rz;
}

same! { same (x, y, z):
    fma = __nv_fma, __nv_fmaf;
    fma_rte = __nv_fma_rn, __nv_fmaf_rn;
    fma_rtn = __nv_fma_rd, __nv_fmaf_rd;
    fma_rtp = __nv_fma_ru, __nv_fmaf_ru;
    fma_rtz = __nv_fma_rz, __nv_fmaf_rz;
    len3 = __nv_norm3d, __nv_norm3df;
    rlen3 = __nv_rnorm3d, __nv_rnorm3df;
}

same! { same (x, y, z, t):
    len4 = __nv_norm4d, __nv_norm4df;
    rlen4 = __nv_rnorm4d, __nv_rnorm4df;
}

same! { int (x):
    ilogb = __nv_ilogb, __nv_ilogbf;
    isfinite = __nv_isfinited, __nv_finitef;
    isinf = __nv_isinfd, __nv_isinff;
    isnan = __nv_isnand, __nv_isnanf;
    signbit = __nv_signbitd, __nv_signbitf;
}

/// x times 2 to the power of a whole y.
fn scalb(x: f64, y: f64) -> f64 {
    if y.is_nan() {
        return y;
    }
    // Beyond the exponents there are, whatever x is; the conversion saturates.
    libm::scalbn(x, libm::rint(y) as i32)
}

export! {
    __ocml_ldexp_f64(x: f64, n: i32) -> f64 { __nv_ldexp(x, n) }
    __ocml_ldexp_f32(x: f32, n: i32) -> f32 { __nv_ldexpf(x, n) }
    __ocml_scalbn_f64(x: f64, n: i32) -> f64 { __nv_scalbn(x, n) }
    __ocml_scalbn_f32(x: f32, n: i32) -> f32 { __nv_scalbnf(x, n) }
    __ocml_scalb_f64(x: f64, y: f64) -> f64 { scalb(x, y) }
    __ocml_scalb_f32(x: f32, y: f32) -> f32 { scalb(x.into(), y.into()) as f32 }
    __ocml_pown_f64(x: f64, n: i32) -> f64 { __nv_powi(x, n) }
    __ocml_pown_f32(x: f32, n: i32) -> f32 { __nv_powif(x, n) }
    __ocml_native_cos_f32(x: f32) -> f32 { __nv_fast_cosf(x) }
    __ocml_native_sin_f32(x: f32) -> f32 { __nv_fast_sinf(x) }
    __ocml_native_sqrt_f32(x: f32) -> f32 { __nv_sqrtf(x) }
    __ocml_native_exp_f32(x: f32) -> f32 { __nv_fast_expf(x) }
    __ocml_native_exp10_f32(x: f32) -> f32 { __nv_fast_exp10f(x) }
    __ocml_native_log_f32(x: f32) -> f32 { __nv_fast_logf(x) }
    __ocml_native_log2_f32(x: f32) -> f32 { __nv_fast_log2f(x) }
    __ocml_native_log10_f32(x: f32) -> f32 { __nv_fast_log10f(x) }
}
