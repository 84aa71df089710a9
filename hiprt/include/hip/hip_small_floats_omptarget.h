// What numbers of 16 bits have in common: pairs, arithmetic, comparisons, functions and shuffles. Included once for
// each such type, with the type's name in OMPTARGET_SMALL, that of its pairs in OMPTARGET_PAIR, and OMPTARGET_BOTH
// for what host and kernels have. `omptarget_number` is what the type is computed in. No include guard: each
// inclusion is for another type.

struct OMPTARGET_PAIR {
    OMPTARGET_SMALL x, y;

    OMPTARGET_PAIR() = default;
    __host__ __device__ OMPTARGET_PAIR(OMPTARGET_SMALL x, OMPTARGET_SMALL y) : x(x), y(y) {}

    __host__ __device__ OMPTARGET_PAIR &operator+=(const OMPTARGET_PAIR &other) {
        return x += other.x, y += other.y, *this;
    }
    __host__ __device__ OMPTARGET_PAIR &operator-=(const OMPTARGET_PAIR &other) {
        return x -= other.x, y -= other.y, *this;
    }
    __host__ __device__ OMPTARGET_PAIR &operator*=(const OMPTARGET_PAIR &other) {
        return x *= other.x, y *= other.y, *this;
    }
    __host__ __device__ OMPTARGET_PAIR &operator/=(const OMPTARGET_PAIR &other) {
        return x /= other.x, y /= other.y, *this;
    }
    __host__ __device__ OMPTARGET_PAIR operator-() const { return OMPTARGET_PAIR(-x, -y); }
} __attribute__((aligned(4)));

// Operators, each with its function, and the same for pairs.
#define OMPTARGET_SMALL_OPERATION(symbol, function, of_pairs)                                                        \
    OMPTARGET_BOTH OMPTARGET_SMALL operator symbol(const OMPTARGET_SMALL &a, const OMPTARGET_SMALL &b) {             \
        return OMPTARGET_SMALL(a.omptarget_number() symbol b.omptarget_number());                                    \
    }                                                                                                                \
    OMPTARGET_BOTH OMPTARGET_SMALL function(OMPTARGET_SMALL a, OMPTARGET_SMALL b) { return a symbol b; }             \
    OMPTARGET_BOTH OMPTARGET_PAIR operator symbol(const OMPTARGET_PAIR &a, const OMPTARGET_PAIR &b) {                \
        return OMPTARGET_PAIR(a.x symbol b.x, a.y symbol b.y);                                                       \
    }                                                                                                                \
    OMPTARGET_BOTH OMPTARGET_PAIR of_pairs(OMPTARGET_PAIR a, OMPTARGET_PAIR b) { return a symbol b; }
OMPTARGET_SMALL_OPERATION(+, __hadd, __hadd2)
OMPTARGET_SMALL_OPERATION(-, __hsub, __hsub2)
OMPTARGET_SMALL_OPERATION(*, __hmul, __hmul2)
OMPTARGET_SMALL_OPERATION(/, __hdiv, __h2div)
#undef OMPTARGET_SMALL_OPERATION

#define OMPTARGET_SMALL_COMPARISON(symbol, function)                                                                 \
    OMPTARGET_BOTH bool operator symbol(const OMPTARGET_SMALL &a, const OMPTARGET_SMALL &b) {                        \
        return a.omptarget_number() symbol b.omptarget_number();                                                     \
    }                                                                                                                \
    OMPTARGET_BOTH bool __h##function(OMPTARGET_SMALL a, OMPTARGET_SMALL b) { return a symbol b; }                   \
    OMPTARGET_BOTH OMPTARGET_PAIR __h##function##2(OMPTARGET_PAIR a, OMPTARGET_PAIR b) {                             \
        return OMPTARGET_PAIR(OMPTARGET_SMALL((int)(a.x symbol b.x)), OMPTARGET_SMALL((int)(a.y symbol b.y)));       \
    }                                                                                                                \
    OMPTARGET_BOTH bool __hb##function##2(OMPTARGET_PAIR a, OMPTARGET_PAIR b) {                                      \
        return a.x symbol b.x && a.y symbol b.y;                                                                     \
    }
OMPTARGET_SMALL_COMPARISON(==, eq)
OMPTARGET_SMALL_COMPARISON(!=, ne)
OMPTARGET_SMALL_COMPARISON(<, lt)
OMPTARGET_SMALL_COMPARISON(<=, le)
OMPTARGET_SMALL_COMPARISON(>, gt)
OMPTARGET_SMALL_COMPARISON(>=, ge)
#undef OMPTARGET_SMALL_COMPARISON

// Arithmetic beyond the operators.
OMPTARGET_BOTH OMPTARGET_SMALL __hneg(OMPTARGET_SMALL value) { return -value; }
OMPTARGET_BOTH OMPTARGET_SMALL __habs(OMPTARGET_SMALL value) {
    return __builtin_bit_cast(OMPTARGET_SMALL, (unsigned short)(__builtin_bit_cast(unsigned short, value) & 0x7fff));
}
OMPTARGET_BOTH bool __hisnan(OMPTARGET_SMALL value) { return value != value; }
OMPTARGET_BOTH int __hisinf(OMPTARGET_SMALL value) {
    float number = (float)value;
    return __builtin_isinf(number) ? (number > 0 ? 1 : -1) : 0;
}
// A product is exact in `double`. The sum is rounded twice, which seldom makes a difference.
OMPTARGET_BOTH OMPTARGET_SMALL __hfma(OMPTARGET_SMALL a, OMPTARGET_SMALL b, OMPTARGET_SMALL c) {
    return OMPTARGET_SMALL((double)(float)a * (double)(float)b + (double)(float)c);
}
OMPTARGET_BOTH OMPTARGET_SMALL __hmax(OMPTARGET_SMALL a, OMPTARGET_SMALL b) {
    return OMPTARGET_SMALL(__builtin_fmaxf((float)a, (float)b));
}
OMPTARGET_BOTH OMPTARGET_SMALL __hmin(OMPTARGET_SMALL a, OMPTARGET_SMALL b) {
    return OMPTARGET_SMALL(__builtin_fminf((float)a, (float)b));
}
OMPTARGET_BOTH OMPTARGET_SMALL omptarget_in_0_1(OMPTARGET_SMALL value) {
    return __hmin(__hmax(value, OMPTARGET_SMALL(0)), OMPTARGET_SMALL(1));
}
OMPTARGET_BOTH OMPTARGET_SMALL __hadd_sat(OMPTARGET_SMALL a, OMPTARGET_SMALL b) { return omptarget_in_0_1(a + b); }
OMPTARGET_BOTH OMPTARGET_SMALL __hsub_sat(OMPTARGET_SMALL a, OMPTARGET_SMALL b) { return omptarget_in_0_1(a - b); }
OMPTARGET_BOTH OMPTARGET_SMALL __hmul_sat(OMPTARGET_SMALL a, OMPTARGET_SMALL b) { return omptarget_in_0_1(a * b); }
OMPTARGET_BOTH OMPTARGET_SMALL __hfma_sat(OMPTARGET_SMALL a, OMPTARGET_SMALL b, OMPTARGET_SMALL c) {
    return omptarget_in_0_1(__hfma(a, b, c));
}
OMPTARGET_BOTH OMPTARGET_PAIR __hneg2(OMPTARGET_PAIR pair) { return -pair; }
OMPTARGET_BOTH OMPTARGET_PAIR __habs2(OMPTARGET_PAIR pair) { return OMPTARGET_PAIR(__habs(pair.x), __habs(pair.y)); }
OMPTARGET_BOTH OMPTARGET_PAIR __hfma2(OMPTARGET_PAIR a, OMPTARGET_PAIR b, OMPTARGET_PAIR c) {
    return OMPTARGET_PAIR(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
OMPTARGET_BOTH OMPTARGET_PAIR __hmax2(OMPTARGET_PAIR a, OMPTARGET_PAIR b) {
    return OMPTARGET_PAIR(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
OMPTARGET_BOTH OMPTARGET_PAIR __hmin2(OMPTARGET_PAIR a, OMPTARGET_PAIR b) {
    return OMPTARGET_PAIR(__hmin(a.x, b.x), __hmin(a.y, b.y));
}
OMPTARGET_BOTH OMPTARGET_PAIR __hisnan2(OMPTARGET_PAIR pair) {
    return OMPTARGET_PAIR(OMPTARGET_SMALL((int)__hisnan(pair.x)), OMPTARGET_SMALL((int)__hisnan(pair.y)));
}

// Functions, computed in single precision.
#define OMPTARGET_SMALL_FUNCTION(name, expression)                                                                   \
    OMPTARGET_BOTH OMPTARGET_SMALL h##name(OMPTARGET_SMALL value) {                                                  \
        float x = (float)value;                                                                                      \
        return OMPTARGET_SMALL(expression);                                                                          \
    }                                                                                                                \
    OMPTARGET_BOTH OMPTARGET_PAIR h2##name(OMPTARGET_PAIR pair) {                                                    \
        return OMPTARGET_PAIR(h##name(pair.x), h##name(pair.y));                                                     \
    }
OMPTARGET_SMALL_FUNCTION(sqrt, sqrtf(x))
OMPTARGET_SMALL_FUNCTION(rsqrt, 1.0f / sqrtf(x))
OMPTARGET_SMALL_FUNCTION(rcp, 1.0f / x)
OMPTARGET_SMALL_FUNCTION(exp, expf(x))
OMPTARGET_SMALL_FUNCTION(exp2, exp2f(x))
OMPTARGET_SMALL_FUNCTION(exp10, exp2f(x * 3.3219280948873623f))
OMPTARGET_SMALL_FUNCTION(log, logf(x))
OMPTARGET_SMALL_FUNCTION(log2, log2f(x))
OMPTARGET_SMALL_FUNCTION(log10, log10f(x))
OMPTARGET_SMALL_FUNCTION(sin, sinf(x))
OMPTARGET_SMALL_FUNCTION(cos, cosf(x))
OMPTARGET_SMALL_FUNCTION(ceil, __builtin_ceilf(x))
OMPTARGET_SMALL_FUNCTION(floor, __builtin_floorf(x))
OMPTARGET_SMALL_FUNCTION(trunc, __builtin_truncf(x))
OMPTARGET_SMALL_FUNCTION(rint, __builtin_rintf(x))
#undef OMPTARGET_SMALL_FUNCTION

#ifdef __HIP__
// The sum of a pair in memory and another, as one atomic operation; gives the pair before it.
static inline __device__ OMPTARGET_PAIR unsafeAtomicAdd(OMPTARGET_PAIR *address, OMPTARGET_PAIR value) {
    unsigned *bits = (unsigned *)address, old = *bits, expected;
    do {
        expected = old;
        OMPTARGET_PAIR sum = __builtin_bit_cast(OMPTARGET_PAIR, expected) + value;
        old = atomicCAS(bits, expected, __builtin_bit_cast(unsigned, sum));
    } while (old != expected);
    return __builtin_bit_cast(OMPTARGET_PAIR, old);
}

// Shuffles.
#define OMPTARGET_SMALL_SHUFFLE(name, argument)                                                                      \
    static inline __device__ OMPTARGET_SMALL name(OMPTARGET_SMALL value, argument which, int width = warpSize) {     \
        return __builtin_bit_cast(                                                                                   \
            OMPTARGET_SMALL, (unsigned short)name((int)__builtin_bit_cast(unsigned short, value), which, width));    \
    }                                                                                                                \
    static inline __device__ OMPTARGET_PAIR name(OMPTARGET_PAIR pair, argument which, int width = warpSize) {        \
        return __builtin_bit_cast(OMPTARGET_PAIR, name(__builtin_bit_cast(int, pair), which, width));                \
    }
OMPTARGET_SMALL_SHUFFLE(__shfl, int)
OMPTARGET_SMALL_SHUFFLE(__shfl_up, unsigned)
OMPTARGET_SMALL_SHUFFLE(__shfl_down, unsigned)
OMPTARGET_SMALL_SHUFFLE(__shfl_xor, int)
#undef OMPTARGET_SMALL_SHUFFLE
#endif
