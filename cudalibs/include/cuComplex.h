// Complex numbers as CUDA's C interface has them: pairs of numbers. Names and layouts are those of CUDA.
#ifndef OMPTARGET_CUCOMPLEX_H
#define OMPTARGET_CUCOMPLEX_H

#include <math.h>

#include <vector_types.h>

#if defined(__CUDACC__) || defined(__CUDA__) || defined(__HIP__)
#define OMPTARGET_COMPLEX __attribute__((host)) __attribute__((device)) static inline
#else
#define OMPTARGET_COMPLEX static inline
#endif

// The functions of one precision. The product of two magnitudes must not overflow before it is divided: `abs` is
// hypot, and `div` scales by the greater part of the divisor.
#define OMPTARGET_COMPLEX_FUNCTIONS(pair, part, make, real, imag, conj, add, sub, mul, div, abs, hypot_of, fabs_of)    \
    OMPTARGET_COMPLEX pair make(part re, part im) {                                                                    \
        pair z;                                                                                                        \
        z.x = re;                                                                                                      \
        z.y = im;                                                                                                      \
        return z;                                                                                                      \
    }                                                                                                                  \
    OMPTARGET_COMPLEX part real(pair z) { return z.x; }                                                                \
    OMPTARGET_COMPLEX part imag(pair z) { return z.y; }                                                                \
    OMPTARGET_COMPLEX pair conj(pair z) { return make(z.x, -z.y); }                                                    \
    OMPTARGET_COMPLEX pair add(pair a, pair b) { return make(a.x + b.x, a.y + b.y); }                                  \
    OMPTARGET_COMPLEX pair sub(pair a, pair b) { return make(a.x - b.x, a.y - b.y); }                                  \
    OMPTARGET_COMPLEX pair mul(pair a, pair b) { return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }          \
    OMPTARGET_COMPLEX pair div(pair a, pair b) {                                                                       \
        part scale = fabs_of(b.x) + fabs_of(b.y);                                                                      \
        part ax = a.x / scale, ay = a.y / scale, bx = b.x / scale, by = b.y / scale;                                   \
        part norm = bx * bx + by * by;                                                                                 \
        return make((ax * bx + ay * by) / norm, (ay * bx - ax * by) / norm);                                           \
    }                                                                                                                  \
    OMPTARGET_COMPLEX part abs(pair z) { return hypot_of(z.x, z.y); }

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

OMPTARGET_COMPLEX_FUNCTIONS(cuFloatComplex, float, make_cuFloatComplex, cuCrealf, cuCimagf, cuConjf, cuCaddf, cuCsubf,
                            cuCmulf, cuCdivf, cuCabsf, hypotf, fabsf)
OMPTARGET_COMPLEX_FUNCTIONS(cuDoubleComplex, double, make_cuDoubleComplex, cuCreal, cuCimag, cuConj, cuCadd, cuCsub,
                            cuCmul, cuCdiv, cuCabs, hypot, fabs)

OMPTARGET_COMPLEX cuComplex make_cuComplex(float re, float im) { return make_cuFloatComplex(re, im); }

OMPTARGET_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return make_cuDoubleComplex(z.x, z.y); }

OMPTARGET_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
    return make_cuFloatComplex((float)z.x, (float)z.y);
}

// x * y + d
OMPTARGET_COMPLEX cuComplex cuCfmaf(cuComplex x, cuComplex y, cuComplex d) {
    return make_cuComplex(x.x * y.x + d.x - x.y * y.y, x.x * y.y + d.y + x.y * y.x);
}

OMPTARGET_COMPLEX cuDoubleComplex cuCfma(cuDoubleComplex x, cuDoubleComplex y, cuDoubleComplex d) {
    return make_cuDoubleComplex(x.x * y.x + d.x - x.y * y.y, x.x * y.y + d.y + x.y * y.x);
}

#endif
