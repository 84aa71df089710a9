// Types and operations a kernel may use: 128-bit integers, every conversion, division by constants and
// variables, bit operations, vectors, bool, switch tables, recursion, large local arrays.

#include <stdbool.h>
#include <stdint.h>

#include "check.h"

typedef __int128 i128;
typedef unsigned __int128 u128;

static int same(u128 a, u128 b) { return a == b; }

static void wide_integers(void) {
    u128 a = (u128)0x0123456789abcdefULL << 64 | 0xfedcba9876543210ULL, b = 0x1000000007ULL;
    i128 c = -(i128)a, device[14], host[14];
    double d[3], e[3];
#define WIDE(out, real)                                                                                      \
    out[0] = (i128)(a + b);                                                                                  \
    out[1] = (i128)(a * b);                                                                                  \
    out[2] = (i128)(a / b);                                                                                  \
    out[3] = (i128)(a % b);                                                                                  \
    out[4] = c / (i128)b;                                                                                    \
    out[5] = c % (i128)b;                                                                                    \
    out[6] = c >> 37;                                                                                        \
    out[7] = (i128)(a >> 70);                                                                                \
    out[8] = (i128)(a << 90);                                                                                \
    out[9] = c < (i128)b ? c : (i128)b;                                                                      \
    out[10] = (i128)(a ^ ~b);                                                                                \
    out[11] = (i128)1e30;                                                                                    \
    real[0] = (double)a;                                                                                     \
    real[1] = (double)c;                                                                                     \
    real[2] = (float)b;                                                                                      \
    out[12] = (i128)(real[0] / 1e9);                                                                         \
    out[13] = (i128)__builtin_popcountll((uint64_t)(a >> 64));
#pragma omp target map(from : device, d)
    {
        WIDE(device, d)
    }
    WIDE(host, e)
    for (int i = 0; i < 14; i++)
        EXPECT(same((u128)device[i], (u128)host[i]), 1);
    for (int i = 0; i < 3; i++)
        EXPECT(d[i], e[i]);

    // As firstprivate scalar and as array element, by many threads.
    u128 sums[64];
#pragma omp target teams distribute parallel for map(from : sums) firstprivate(a)
    for (int i = 0; i < 64; i++)
        sums[i] = a * (u128)(i + 1);
    for (int i = 0; i < 64; i++)
        EXPECT(same(sums[i], a * (u128)(i + 1)), 1);
}

static void conversions(void) {
    double out[12] = {0};
    float big = 3e9f;
    double negative = -2.75;
    int64_t large = INT64_MIN + 5;
    uint64_t unsigned_large = UINT64_MAX - 1023;
    signed char narrow = -128;
#pragma omp target map(from : out)
    {
        out[0] = (unsigned)big;
        out[1] = (int)negative;
        out[2] = (double)large;
        out[3] = (double)unsigned_large;
        out[4] = (float)unsigned_large;
        out[5] = (unsigned char)narrow;
        out[6] = (short)(narrow * 300);
        out[7] = (bool)negative;
        out[8] = (uint64_t)1.8e19;
        out[9] = (int64_t)-9e18;
        out[10] = (unsigned short)-1;
        out[11] = (long)(float)16777217;
    }
    EXPECT(out[0], 3000000000.0);
    EXPECT(out[1], -2);
    EXPECT(out[2], -9223372036854775808.0);
    EXPECT(out[3], 18446744073709550592.0);
    EXPECT(out[4], 18446744073709551616.0);
    EXPECT(out[5], 128);
    EXPECT(out[6], 27136);
    EXPECT(out[7], 1);
    EXPECT(out[8], 1.8e19);
    EXPECT(out[9], -9e18);
    EXPECT(out[10], 65535);
    EXPECT(out[11], 16777216);
}

static void division_and_bits(void) {
    int wrong = 0;
#pragma omp target teams distribute parallel for reduction(+ : wrong)
    for (int i = 1; i < 400; i++) {
        int q = 1000003 / i, r = 1000003 % i, n = -1000003 / i;
        uint64_t wide = UINT64_MAX / (unsigned)i;
        wrong += q * i + r != 1000003 || n != -q;
        wrong += wide * i + UINT64_MAX % (unsigned)i != UINT64_MAX;
        wrong += i / 7 * 7 + i % 7 != i;
        wrong += __builtin_clz(i) + (32 - __builtin_clz(i)) != 32 || 1 << (31 - __builtin_clz(i)) > i;
        wrong += __builtin_ctz(i) != __builtin_popcount((i & -i) - 1);
        wrong += __builtin_bswap32(__builtin_bswap32(i)) != (unsigned)i;
        int sum;
        wrong += __builtin_add_overflow(i, 2147483647, &sum) != 1;
        wrong += (int)((unsigned)i << 5 | (unsigned)i >> 27) != (int)__builtin_rotateleft32(i, 5);
    }
    EXPECT(wrong, 0);
}

typedef float float4 __attribute__((vector_size(16)));
typedef int int8 __attribute__((vector_size(32)));

static void vectors(void) {
    float4 f = {1, 2, 3, 4};
    int8 v = {1, 2, 3, 4, 5, 6, 7, 8};
#pragma omp target map(tofrom : f, v)
    {
        f = f * f + (float4){0.5f, 0.5f, 0.5f, 0.5f};
        v = __builtin_shufflevector(v, v, 7, 6, 5, 4, 3, 2, 1, 0) + v;
        v[1] = (int)f[1];
    }
    EXPECT(f[3], 16.5);
    EXPECT(v[1], 4);
    EXPECT(v[7], 9);
}

#pragma omp declare target
static int table(int i) {
    switch (i) {
    case 0: return 10;
    case 1: return 21;
    case 2: return 32;
    case 3: return 43;
    case 4: return 54;
    case 5: return 65;
    case 9: return 109;
    default: return -i;
    }
}
static long ackermann(long m, long n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
#pragma omp end declare target

static void control_flow(void) {
    int sum = 0, words = 0;
    long deep = 0;
#pragma omp target map(tofrom : sum, deep, words)
    {
        for (int i = 0; i < 12; i++)
            sum += table(i);
        deep = ackermann(2, 9);
        int i = 0;
    again:
        if (++i < 5)
            goto again;
        words = i;
    }
    EXPECT(sum, 10 + 21 + 32 + 43 + 54 + 65 - 6 - 7 - 8 + 109 - 10 - 11);
    EXPECT(deep, 21);
    EXPECT(words, 5);
}

static void local_arrays(int n) {
    long sum = 0, shared_sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) num_teams(2) thread_limit(40)
    for (int i = 0; i < 80; i++) {
        int big[2000]; // 8,000 bytes of each thread's own stack
        for (int k = 0; k < 2000; k++)
            big[k] = i + k;
        sum += big[(i * 37) % 2000];
    }
    EXPECT(sum, 37 * 3160 + 3160 - 2000L * 25);
#pragma omp target map(tofrom : shared_sum)
    {
        double large[4000]; // 32,000 bytes of the initial thread's, shared with the workers
#pragma omp parallel for reduction(+ : shared_sum)
        for (int k = 0; k < 4000; k++) {
            large[k] = k % n;
            shared_sum += (long)large[k];
        }
    }
    long expected = 0;
    for (int k = 0; k < 4000; k++)
        expected += k % n;
    EXPECT(shared_sum, expected);
}

int main(void) {
    wide_integers();
    conversions();
    division_and_bits();
    vectors();
    control_flow();
    local_arrays(123);
    return done();
}
