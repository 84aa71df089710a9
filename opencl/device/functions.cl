// Mathematical functions that the device's own library has faster than libclc, within OpenCL's limits of accuracy
// (OpenCL C 3.0, 7.4).

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

#define POW(WIDTH)                                                                                                     \
    OVERLOADABLE float##WIDTH pow(float##WIDTH x, float##WIDTH y) {                                                    \
        return (float##WIDTH)(pow(x.lo, y.lo), pow(x.hi, y.hi));                                                       \
    }

float __nv_powf(float x, float y);
OVERLOADABLE float pow(float x, float y) { return __nv_powf(x, y); }
POW(2)
OVERLOADABLE float3 pow(float3 x, float3 y) { return (float3)(pow(x.x, y.x), pow(x.y, y.y), pow(x.z, y.z)); }
POW(4)
POW(8)
POW(16)
