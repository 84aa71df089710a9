// Atomic accesses that no hardware instruction serves: odd sizes, more than 8 bytes, complex numbers, bit fields,
// packed members; every form of the construct on types of every size. (Of 16-byte structures clang 22 makes atomic
// instructions that sm_80 has not, where it knows the object.)

#include <complex.h>

#include "check.h"

enum { N = 300 };

typedef struct {
    unsigned char c[3];
} S3;
typedef struct {
    int c[3];
} S12;
typedef struct {
    long c[3];
} S24;
typedef struct {
    long c[4];
} S32;
struct Bits {
    unsigned f : 3, g : 13;
    long q : 40;
};
struct __attribute__((packed)) Packed {
    char c;
    int i;
    double d;
};

#pragma omp declare target
S3 s3;
S12 s12;
S24 s24;
S32 s32;
#pragma omp end declare target

// All threads count in every byte or word of an object at once, by compare and exchange of the whole.
#define COUNT_IN(type, object)                                                                               \
    do {                                                                                                     \
        type old, new, seen;                                                                                 \
        __atomic_load(&object, &old, __ATOMIC_SEQ_CST);                                                      \
        do {                                                                                                 \
            new = old;                                                                                       \
            for (unsigned b = 0; b < sizeof new.c / sizeof new.c[0]; b++)                                    \
                new.c[b] += 1 + b;                                                                           \
        } while (!__atomic_compare_exchange(&object, &old, &new, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));    \
        __atomic_load(&object, &seen, __ATOMIC_SEQ_CST);                                                     \
        for (unsigned b = 1; b < sizeof seen.c / sizeof seen.c[0]; b++)                                      \
            torn += seen.c[b] != (__typeof__(seen.c[b]))((1 + b) * seen.c[0]);                               \
    } while (0)

static void sizes(void) {
    int torn = 0, swapped = 0, lock_free = 0;
    S3 a;
    S12 b;
    S24 c;
    S32 d;
#pragma omp target teams num_teams(3) thread_limit(100) reduction(+ : torn) map(tofrom : torn, swapped, lock_free)
#pragma omp parallel reduction(+ : torn)
    {
        COUNT_IN(S3, s3);
        COUNT_IN(S12, s12);
        COUNT_IN(S24, s24);
        COUNT_IN(S32, s32);
    }
#pragma omp target map(from : a, b, c, d) map(tofrom : swapped, lock_free)
    {
        __atomic_load(&s3, &a, __ATOMIC_RELAXED);
        __atomic_load(&s12, &b, __ATOMIC_ACQUIRE);
        __atomic_load(&s24, &c, __ATOMIC_SEQ_CST);
        S32 zero = {{0}}, before;
        __atomic_exchange(&s32, &zero, &before, __ATOMIC_ACQ_REL);
        __atomic_load(&s32, &d, __ATOMIC_SEQ_CST);
        swapped = d.c[3] == 0 && before.c[3] == 4 * before.c[0];
        __atomic_store(&s32, &before, __ATOMIC_RELEASE);
        d = before;
        lock_free = __atomic_is_lock_free(4, &lock_free) * 2 + __atomic_is_lock_free(sizeof s12, &s12);
    }
    EXPECT(torn, 0);
    EXPECT(swapped, 1);
    EXPECT(lock_free, 2);
    int threads = (int)b.c[0];
    if (offloading())
        EXPECT(threads, N);
    for (int i = 0; i < 3; i++) {
        EXPECT(a.c[i], (unsigned char)(threads * (1 + i)));
        EXPECT(b.c[i], threads * (1 + i));
    }
    EXPECT(c.c[1], threads * 2);
    EXPECT(d.c[3], threads * 4);
}

static void types(void) {
    double complex z = 1;
    float complex w = 0;
    __int128 big = 0, halves = 0;
    struct Bits bits = {0, 0, 0};
    struct Packed packed = {0, 0, 0};
    signed char c = 0;
    unsigned short s = 1;
    double quotient = 1024, minuend = 0, captured = 0;
    float flipped = 1;
    _Bool any = 0;
    int *pointer = 0, highest = -1, first = -1, exchanged = 0;
#pragma omp target parallel for num_threads(100) map(tofrom : z, w, big, halves, bits, packed, c, s)        \
    map(tofrom : quotient, minuend, captured, flipped, any, pointer, highest, first, exchanged)
    for (int k = 0; k < N; k++) {
#pragma omp atomic
        z += 1 + 2 * I;
#pragma omp atomic
        w -= 0.5f * I;
#pragma omp atomic
        big += ((__int128)1 << 70) + k;
        __int128 now;
#pragma omp atomic read
        now = big;
        if ((now >> 70) < 1 || (now >> 70) > N) {
#pragma omp atomic
            halves += 1;
        }
#pragma omp atomic
        bits.g += 3;
#pragma omp atomic
        bits.q -= 1;
#pragma omp atomic
        packed.i += k;
#pragma omp atomic
        packed.d += 0.5;
#pragma omp atomic
        c ^= (signed char)k;
        if (k < 10) {
#pragma omp atomic
            s *= 3;
#pragma omp atomic
            quotient /= 2;
        }
        double seen;
#pragma omp atomic capture
        {
            seen = minuend;
            minuend = minuend - 1;
        }
#pragma omp atomic
        captured += seen;
#pragma omp atomic
        flipped = 0 - flipped;
#pragma omp atomic
        any = any | (k == 77);
#pragma omp atomic
        pointer += 1;
#pragma omp atomic compare
        highest = highest < k ? k : highest;
        int old;
#pragma omp atomic compare capture
        {
            old = first;
            if (first == -1)
                first = k;
        }
        if (old == -1) {
#pragma omp atomic
            exchanged++;
        }
    }
    signed char parity = 0;
    for (int k = 0; k < N; k++)
        parity ^= (signed char)k;
    EXPECT(creal(z), 1 + N);
    EXPECT(cimag(z), 2 * N);
    EXPECT(cimagf(w), -0.5 * N);
    EXPECT(big >> 70, N);
    EXPECT((long)big, N * (N - 1) / 2);
    EXPECT(halves, 0);
    EXPECT(bits.f, 0);
    EXPECT(bits.g, 3 * N);
    EXPECT(bits.q, -N);
    EXPECT(packed.c, 0);
    EXPECT(packed.i, N * (N - 1) / 2);
    EXPECT(packed.d, N / 2);
    EXPECT(c, parity);
    EXPECT(s, 59049);
    EXPECT(quotient, 1);
    EXPECT(minuend, -N);
    EXPECT(captured, -N * (N - 1) / 2);
    EXPECT(flipped, 1);
    EXPECT(any, 1);
    EXPECT((long)pointer, N * (long)sizeof(int));
    EXPECT(highest, N - 1);
    EXPECT(first >= 0 && first < N, 1);
    EXPECT(exchanged, 1);
}

int main(void) {
    sizes();
    types();
    return done();
}
