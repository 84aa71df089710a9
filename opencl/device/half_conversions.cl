// Conversions from and to half precision (cl_khr_fp16; OpenCL C 3.0, 6.4.3).

#include "half.h"

#define ROUNDINGS(MACRO, ...)                                                                                          \
    MACRO(, __VA_ARGS__) MACRO(_rte, __VA_ARGS__) MACRO(_rtz, __VA_ARGS__) MACRO(_rtp, __VA_ARGS__)                    \
    MACRO(_rtn, __VA_ARGS__)

// From halves: singles have the same values.
#define TO_INTEGER(MODE, N, TYPE)                                                                                      \
    CONST TYPE##N convert_##TYPE##N##MODE(half##N x) { return convert_##TYPE##N##MODE(wide(x)); }                      \
    CONST TYPE##N convert_##TYPE##N##_sat##MODE(half##N x) { return convert_##TYPE##N##_sat##MODE(wide(x)); }
#define TO_OTHERS(MODE, N)                                                                                             \
    CONST float##N convert_float##N##MODE(half##N x) { return wide(x); }                                               \
    CONST double##N convert_double##N##MODE(half##N x) { return convert_double##N(wide(x)); }                          \
    CONST half##N convert_half##N##MODE(half##N x) { return x; }

// From singles and doubles: as stores of halves round.
#define FROM_FLOATS(MODE, N, TYPE)                                                                                     \
    CONST half##N convert_half##N##MODE(TYPE##N x) {                                                                   \
        half##N result;                                                                                                \
        vstore_half##N##MODE(x, 0, (half *)&result);                                                                   \
        return result;                                                                                                 \
    }
// From integers: those that are too large for a half stay so when they are cut to 18 bits, which a single has.
#define FROM_INTEGER(MODE, N, TYPE)                                                                                    \
    CONST half##N convert_half##N##MODE(TYPE##N x) {                                                                   \
        return convert_half##N##MODE(convert_float##N(clamp(x, (TYPE##N)LEAST_##TYPE, (TYPE##N)MOST_##TYPE)));         \
    }
// clang-format off
#define LEAST_char CHAR_MIN
#define LEAST_uchar 0
#define LEAST_short SHRT_MIN
#define LEAST_ushort 0
#define LEAST_int -0x20000
#define LEAST_uint 0
#define LEAST_long -0x20000
#define LEAST_ulong 0
#define MOST_char CHAR_MAX
#define MOST_uchar UCHAR_MAX
#define MOST_short SHRT_MAX
#define MOST_ushort USHRT_MAX
#define MOST_int 0x20000
#define MOST_uint 0x20000
#define MOST_long 0x20000
#define MOST_ulong 0x20000
// clang-format on

#define INTEGER(N, TYPE) ROUNDINGS(TO_INTEGER, N, TYPE) ROUNDINGS(FROM_INTEGER, N, TYPE)
#define WIDTH(N)                                                                                                       \
    ROUNDINGS(TO_OTHERS, N)                                                                                            \
    ROUNDINGS(FROM_FLOATS, N, float)                                                                                   \
    ROUNDINGS(FROM_FLOATS, N, double)                                                                                  \
    INTEGER(N, char)                                                                                                   \
    INTEGER(N, uchar)                                                                                                  \
    INTEGER(N, short)                                                                                                  \
    INTEGER(N, ushort)                                                                                                 \
    INTEGER(N, int)                                                                                                    \
    INTEGER(N, uint)                                                                                                   \
    INTEGER(N, long)                                                                                                   \
    INTEGER(N, ulong)
SCALAR_AND_VECTORS(WIDTH)
