// Mathematical functions that the device's own library has faster than libclc, or right where libclc is not, within
// OpenCL's limits of accuracy (OpenCL C 3.0, 7.4).

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define OVERLOADABLE __attribute__((overloadable, const))

#define VECTOR(name, WIDTH)                                                                                            \
    OVERLOADABLE float##WIDTH name(float##WIDTH x) { return (float##WIDTH)(name(x.lo), name(x.hi)); }

#define FUNCTION(name)                                                                                                 \
    float __nv_##name##f(float x);                                                                                     \
    OVERLOADABLE float name(float x) { return __nv_##name##f(x); }                                                     \
    VECTOR(name, 2)                                                                                                    \
    OVERLOADABLE float3 name(float3 x) { return (float3)(name(x.x), name(x.y), name(x.z)); }                           \
    VECTOR(name, 4)                                                                                                    \
    VECTOR(name, 8)                                                                                                    \
    VECTOR(name, 16)

FUNCTION(cbrt)
FUNCTION(erf)
FUNCTION(exp)
FUNCTION(exp10)
FUNCTION(log10)
FUNCTION(log1p)
FUNCTION(log2)
FUNCTION(tanh)

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

// libclc's overflows where the result is 0 and the exponent beyond 2^300.
double __nv_pow(double x, double y);
OVERLOADABLE double pow(double x, double y) { return __nv_pow(x, y); }
VECTORS2(pow, double)

// Not defined where the logarithm is not, or its product with `y` (OpenCL C 3.0, 7.5.1).
OVERLOADABLE double powr(double x, double y) {
    bool is_undefined = !(x >= 0.0) || y != y || (x == 0.0 && y == 0.0) || (x == 1.0 && __builtin_isinf(y)) ||
                        (__builtin_isinf(x) && y == 0.0);
    return is_undefined ? __builtin_nan("") : __nv_pow(__builtin_fabs(x), y);
}
VECTORS2(powr, double)
