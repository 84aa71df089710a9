// Remainders of single precision. libclc's take denormal numbers for 0 (OpenCL C 3.0, 7.5.3: devices that support them
// keep them).

#define OVERLOADABLE __attribute__((overloadable))

// A function of two numbers, for vectors.
#define VECTOR(name, WIDTH)                                                                                            \
    OVERLOADABLE float##WIDTH name(float##WIDTH x, float##WIDTH y) {                                                   \
        float##WIDTH rest;                                                                                             \
        for (int index = 0; index < WIDTH; index++) rest[index] = name(x[index], y[index]);                            \
        return rest;                                                                                                   \
    }
#define FUNCTION(name, theirs)                                                                                         \
    float theirs(float x, float y);                                                                                    \
    OVERLOADABLE float name(float x, float y) { return theirs(x, y); }                                                 \
    VECTOR(name, 2)                                                                                                    \
    VECTOR(name, 3)                                                                                                    \
    VECTOR(name, 4)                                                                                                    \
    VECTOR(name, 8)                                                                                                    \
    VECTOR(name, 16)

FUNCTION(fmod, __nv_fmodf)
FUNCTION(remainder, __nv_remainderf)

float __nv_remquof(float x, float y, int *quotient);

// The quotient is given by its lower seven bits and its sign.
#define REMQUO(SPACE)                                                                                                  \
    OVERLOADABLE float remquo(float x, float y, SPACE int *quotient) {                                                 \
        int whole;                                                                                                     \
        float rest = __nv_remquof(x, y, &whole);                                                                       \
        int low = (int)(__builtin_abs(whole) & 0x7f);                                                                  \
        *quotient = whole < 0 ? -low : low;                                                                            \
        return rest;                                                                                                   \
    }                                                                                                                  \
    REMQUOS(2, SPACE)                                                                                                  \
    REMQUOS(3, SPACE)                                                                                                  \
    REMQUOS(4, SPACE)                                                                                                  \
    REMQUOS(8, SPACE)                                                                                                  \
    REMQUOS(16, SPACE)
#define REMQUOS(WIDTH, SPACE)                                                                                          \
    OVERLOADABLE float##WIDTH remquo(float##WIDTH x, float##WIDTH y, SPACE int##WIDTH *quotient) {                     \
        float##WIDTH rest;                                                                                             \
        int##WIDTH quotients;                                                                                          \
        for (int index = 0; index < WIDTH; index++) {                                                                  \
            int low;                                                                                                   \
            rest[index] = remquo(x[index], y[index], &low);                                                            \
            quotients[index] = low;                                                                                    \
        }                                                                                                              \
        *quotient = quotients;                                                                                         \
        return rest;                                                                                                   \
    }
REMQUO()
REMQUO(global)
REMQUO(local)
