// Mathematical functions that the device's own library has faster than libclc, or right where libclc is not, within
// OpenCL's limits of accuracy (OpenCL C 3.0, 7.4).

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define OVERLOADABLE __attribute__((overloadable, const))

// A function of one argument, for vectors.
#define VECTOR(name, TYPE, WIDTH)                                                                                      \
    OVERLOADABLE TYPE##WIDTH name(TYPE##WIDTH x) { return (TYPE##WIDTH)(name(x.lo), name(x.hi)); }

#define VECTORS(name, TYPE)                                                                                            \
    VECTOR(name, TYPE, 2)                                                                                              \
    OVERLOADABLE TYPE##3 name(TYPE##3 x) { return (TYPE##3)(name(x.x), name(x.y), name(x.z)); }                        \
    VECTOR(name, TYPE, 4)                                                                                              \
    VECTOR(name, TYPE, 8)                                                                                              \
    VECTOR(name, TYPE, 16)

#define FUNCTION(name, TYPE, theirs)                                                                                   \
    TYPE theirs(TYPE x);                                                                                               \
    OVERLOADABLE TYPE name(TYPE x) { return theirs(x); }                                                               \
    VECTORS(name, TYPE)

FUNCTION(cbrt, float, __nv_cbrtf)
FUNCTION(erf, float, __nv_erff)
FUNCTION(exp, float, __nv_expf)
FUNCTION(log, float, __nv_logf)
FUNCTION(sin, float, __nv_sinf)
FUNCTION(cos, float, __nv_cosf)
FUNCTION(tan, float, __nv_tanf)
// libclc's give 0 for denormal results.
FUNCTION(erfc, float, __nv_erfcf)
FUNCTION(exp2, float, __nv_exp2f)
FUNCTION(exp10, float, __nv_exp10f)
FUNCTION(log10, float, __nv_log10f)
FUNCTION(log1p, float, __nv_log1pf)
FUNCTION(log2, float, __nv_log2f)
FUNCTION(tanh, float, __nv_tanhf)
// libclc's are wrong for negative numbers.
FUNCTION(tgamma, float, __nv_tgammaf)
FUNCTION(tgamma, double, __nv_tgamma)

// libclc's for vectors is finite at infinity.
FUNCTION(log1p, double, __nv_log1p)
// libclc's for vectors are not a number far from 0.
FUNCTION(cosh, double, __nv_cosh)
FUNCTION(sinh, double, __nv_sinh)

// libclc's have the wrong sign where they are 0.
float __nv_cospif(float x);
double __nv_cospi(double x);
double __nv_sinpi(double x);
double __nv_asin(double x);
double __nv_atan(double x);
OVERLOADABLE float cospi(float x) { return __nv_cospif(x) + 0.0f; }
OVERLOADABLE double cospi(double x) { return __nv_cospi(x) + 0.0; }
OVERLOADABLE double tanpi(double x) { return __nv_sinpi(x) / (__nv_cospi(x) + 0.0); }
OVERLOADABLE float tanpi(float x) { return (float)tanpi((double)x); }
OVERLOADABLE double asinpi(double x) { return __nv_asin(x) / M_PI; }
OVERLOADABLE double atanpi(double x) { return __nv_atan(x) / M_PI; }
VECTORS(cospi, float)
VECTORS(cospi, double)
VECTORS(tanpi, float)
VECTORS(tanpi, double)
VECTORS(asinpi, double)
VECTORS(atanpi, double)

// A function of two arguments, for vectors.
#define VECTOR2(name, TYPE, WIDTH)                                                                                     \
    OVERLOADABLE TYPE##WIDTH name(TYPE##WIDTH x, TYPE##WIDTH y) {                                                      \
        return (TYPE##WIDTH)(name(x.lo, y.lo), name(x.hi, y.hi));                                                      \
    }

#define VECTORS2(name, TYPE)                                                                                           \
    VECTOR2(name, TYPE, 2)                                                                                             \
    OVERLOADABLE TYPE##3 name(TYPE##3 x, TYPE##3 y) {                                                                  \
        return (TYPE##3)(name(x.x, y.x), name(x.y, y.y), name(x.z, y.z));                                              \
    }                                                                                                                  \
    VECTOR2(name, TYPE, 4)                                                                                             \
    VECTOR2(name, TYPE, 8)                                                                                             \
    VECTOR2(name, TYPE, 16)

float __nv_powf(float x, float y);
OVERLOADABLE float pow(float x, float y) { return __nv_powf(x, y); }
VECTORS2(pow, float)

// libclc's is infinite where the result is 0 and the exponent beyond 2^300.
double __nv_pow(double x, double y);
OVERLOADABLE double pow(double x, double y) { return __nv_pow(x, y); }
VECTORS2(pow, double)

// libclc's for vectors is not a number where both are infinite.
OVERLOADABLE double atan2pi(double y, double x);
VECTORS2(atan2pi, double)

// Not defined where the logarithm is not, or its product with `y` (OpenCL C 3.0, 7.5.1).
OVERLOADABLE double powr(double x, double y) {
    bool is_undefined = !(x >= 0.0) || y != y || (x == 0.0 && y == 0.0) || (x == 1.0 && __builtin_isinf(y)) ||
                        (__builtin_isinf(x) && y == 0.0);
    return is_undefined ? __builtin_nan("") : __nv_pow(__builtin_fabs(x), y);
}
VECTORS2(powr, double)

// libclc's takes denormal numbers for 0.
OVERLOADABLE double rootn(double x, int n);
OVERLOADABLE float rootn(float x, int n) { return (float)rootn((double)x, n); }

#define ROOTN(WIDTH)                                                                                                   \
    OVERLOADABLE float##WIDTH rootn(float##WIDTH x, int##WIDTH n) {                                                    \
        return (float##WIDTH)(rootn(x.lo, n.lo), rootn(x.hi, n.hi));                                                   \
    }
ROOTN(2)
OVERLOADABLE float3 rootn(float3 x, int3 n) { return (float3)(rootn(x.x, n.x), rootn(x.y, n.y), rootn(x.z, n.z)); }
ROOTN(4)
ROOTN(8)
ROOTN(16)

// libclc's loses what is not a number, and numbers whose exponents are far apart.
#define LDEXP(TYPE, WIDTH)                                                                                             \
    OVERLOADABLE TYPE##WIDTH ldexp(TYPE##WIDTH x, int##WIDTH n) {                                                      \
        return (TYPE##WIDTH)(ldexp(x.lo, n.lo), ldexp(x.hi, n.hi));                                                    \
    }                                                                                                                  \
    OVERLOADABLE TYPE##WIDTH ldexp(TYPE##WIDTH x, int n) { return ldexp(x, (int##WIDTH)n); }
#define LDEXPS(TYPE, theirs)                                                                                           \
    TYPE theirs(TYPE x, int n);                                                                                        \
    OVERLOADABLE TYPE ldexp(TYPE x, int n) { return theirs(x, n); }                                                    \
    LDEXP(TYPE, 2)                                                                                                     \
    OVERLOADABLE TYPE##3 ldexp(TYPE##3 x, int3 n) {                                                                    \
        return (TYPE##3)(ldexp(x.x, n.x), ldexp(x.y, n.y), ldexp(x.z, n.z));                                           \
    }                                                                                                                  \
    OVERLOADABLE TYPE##3 ldexp(TYPE##3 x, int n) { return ldexp(x, (int3)n); }                                         \
    LDEXP(TYPE, 4)                                                                                                     \
    LDEXP(TYPE, 8)                                                                                                     \
    LDEXP(TYPE, 16)
LDEXPS(float, __nv_ldexpf)
LDEXPS(double, __nv_ldexp)

// libclc's gives 1 for what holds in vectors, not -1.
#define ISINF(WIDTH)                                                                                                   \
    OVERLOADABLE int##WIDTH isinf(float##WIDTH x) {                                                                    \
        return (__builtin_astype(x, int##WIDTH) & 0x7fffffff) == 0x7f800000;                                           \
    }                                                                                                                  \
    OVERLOADABLE long##WIDTH isinf(double##WIDTH x) {                                                                  \
        return (__builtin_astype(x, long##WIDTH) & 0x7fffffffffffffffL) == 0x7ff0000000000000L;                        \
    }
ISINF(2)
ISINF(3)
ISINF(4)
ISINF(8)
ISINF(16)

// libclc's for vectors is not a number at infinity.
OVERLOADABLE float trunc(float x);
OVERLOADABLE double trunc(double x);
OVERLOADABLE float copysign(float x, float y);
OVERLOADABLE double copysign(double x, double y);
#define MODF(TYPE, SPACE)                                                                                              \
    __attribute__((overloadable)) TYPE modf(TYPE x, SPACE TYPE *whole) {                                               \
        TYPE part = trunc(x);                                                                                          \
        *whole = part;                                                                                                 \
        return copysign(__builtin_isinf(x) ? (TYPE)0 : x - part, x);                                                   \
    }                                                                                                                  \
    MODFS(TYPE, 2, SPACE)                                                                                              \
    MODFS(TYPE, 3, SPACE)                                                                                              \
    MODFS(TYPE, 4, SPACE)                                                                                              \
    MODFS(TYPE, 8, SPACE)                                                                                              \
    MODFS(TYPE, 16, SPACE)
#define MODFS(TYPE, WIDTH, SPACE)                                                                                      \
    __attribute__((overloadable)) TYPE##WIDTH modf(TYPE##WIDTH x, SPACE TYPE##WIDTH *whole) {                          \
        TYPE##WIDTH rest, parts;                                                                                       \
        for (int index = 0; index < WIDTH; index++) {                                                                  \
            TYPE part;                                                                                                 \
            rest[index] = modf(x[index], &part);                                                                       \
            parts[index] = part;                                                                                       \
        }                                                                                                              \
        *whole = parts;                                                                                                \
        return rest;                                                                                                   \
    }
MODF(float, )
MODF(double, )
MODF(float, global)
MODF(double, global)
MODF(float, local)
MODF(double, local)
