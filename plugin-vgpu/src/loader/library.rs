//! The functions of the C library and of compiler support that compiled code may call.

use super::brain_float;

/// Declares the functions and the table of their addresses. They are resolved when this crate is linked, so that
/// no definition in the user's program can replace them.
macro_rules! functions {
    ($($name:ident),* $(,)?) => {
        mod addresses {
            // Only the addresses are used. Compiled code knows the types.
            unsafe extern "C" { $(pub fn $name();)* }
        }

        /// The address of a library function.
        pub fn function(symbol: &str) -> Option<u64> {
            match symbol {
                $(stringify!($name) => Some(addresses::$name as *const () as u64),)*
                "__truncsfbf2" => Some(brain_float::from_float as *const () as u64),
                "__truncdfbf2" => Some(brain_float::from_double as *const () as u64),
                _ => None,
            }
        }
    };
}

functions! {
        memcpy, memmove, memset, memcmp, bcmp, strlen, wcslen, sin, sinf, cos, cosf, tan, tanf, asin, asinf, acos, acosf, atan,
        atanf, atan2, atan2f, sinh, sinhf, cosh, coshf, tanh, tanhf, exp, expf, exp2, exp2f, exp10, exp10f,
        log, logf, log2, log2f, log10, log10f, pow, powf, fmod, fmodf, fma, fmaf, floor, floorf, ceil, ceilf,
        trunc, truncf, rint, rintf, nearbyint, nearbyintf, round, roundf, roundeven, roundevenf, lround,
        lroundf, llround, llroundf, lrint, lrintf, llrint, llrintf, ldexp, ldexpf, frexp, frexpf, modf, modff,
        fmin, fminf, fmax, fmaxf, sincos, sincosf, cbrt, cbrtf, hypot, hypotf, __udivti3, __umodti3, __divti3,
        __modti3, __multi3, __extendhfsf2, __truncsfhf2, __truncdfhf2, __fixunsdfti, __fixdfti, __floatuntidf,
        __floattidf, __fixunssfti, __fixsfti, __floatuntisf, __floattisf, __ashlti3, __ashrti3, __lshrti3
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_library_symbol_exists() {
        for symbol in vgpu_abi::LIBRARY_SYMBOLS {
            assert!(super::function(symbol).is_some(), "{symbol}");
        }
        assert_eq!(super::function("system"), None);
    }
}
