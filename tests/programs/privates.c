// Data-sharing attributes: firstprivate of every scalar type and of arrays, private, lastprivate,
// linear, and the sizes a kernel argument can have.

#include <complex.h>
#include <stdbool.h>
#include <stdint.h>

#include "check.h"

static void scalars(void) {
    bool b = true;
    char c = 'x';
    short s = -7;
    unsigned u = 4000000000u;
    long l = -5000000000;
    unsigned long long ull = 18000000000000000000ull;
    float f = 1.25f;
    double d = 2.5;
    float complex z = 3 + 4 * I;
    int *null = NULL;
    double sum = 0, re = 0, im = 0;
    int is_null = 0;
#pragma omp target map(tofrom : sum, re, im, is_null)
    {
        sum = b + c + s + (double)u + l + f + d + (ull == 18000000000000000000ull);
        re = crealf(z);
        im = cimagf(z);
        is_null = null == NULL;
        b = false;
        d = 0;
    }
    EXPECT(sum, 1 + 'x' - 7 + 4000000000.0 - 5000000000.0 + 1.25 + 2.5 + 1);
    EXPECT(re, 3);
    EXPECT(im, 4);
    EXPECT(is_null, 1);
    EXPECT(b, true);
    EXPECT(d, 2.5);
}

typedef struct {
    char bytes[3];
    double value;
} Odd;

static void aggregates(void) {
    int a[7] = {1, 2, 3, 4, 5, 6, 7};
    Odd odd = {{1, 2, 3}, 0.5};
    double out[4] = {0};
#pragma omp target firstprivate(a, odd) map(tofrom : out)
    {
        for (int i = 0; i < 7; i++)
            out[0] += a[i];
        a[0] = 100;
        out[1] = odd.bytes[2] + odd.value;
        odd.value = 9;
    }
    EXPECT(out[0], 28);
    EXPECT(out[1], 3.5);
    EXPECT(a[0], 1);
    EXPECT(odd.value, 0.5);
    // Every thread of every team has its own copy.
    int wrong = 0;
#pragma omp target teams distribute parallel for firstprivate(a) reduction(+ : wrong) num_teams(3)
    for (int i = 0; i < 500; i++) {
        wrong += a[3] < 4;
        a[3]++;
    }
    EXPECT(wrong, 0);
}

static void private_variables(void) {
    int x = 5, wrong = 0, last = -1, last_if = -1;
    int t[4] = {0};
#pragma omp target teams distribute parallel for private(x, t) reduction(+ : wrong)
    for (int i = 0; i < 300; i++) {
        x = i;
        for (int k = 0; k < 4; k++)
            t[k] = i + k;
        wrong += x != i || t[3] != i + 3;
    }
    EXPECT(wrong, 0);
    EXPECT(x, 5);
#pragma omp target map(tofrom : last, last_if)
    {
#pragma omp parallel for lastprivate(last) num_threads(37)
        for (int i = 0; i < 101; i++)
            last = i * 2;
#pragma omp parallel for lastprivate(last_if) schedule(monotonic : dynamic, 3)
        for (int i = 0; i < 50; i++)
            last_if = i;
    }
    EXPECT(last, 200);
    EXPECT(last_if, 49);
    int distributed = 0;
#pragma omp target teams distribute parallel for lastprivate(distributed) map(tofrom : distributed)
    for (int i = 0; i < 777; i++)
        distributed = i + 1;
    EXPECT(distributed, 777);
}

static void linear(void) {
    int step = 3, wrong = 0, position = 10;
#pragma omp target parallel for linear(position : step) reduction(+ : wrong)
    for (int i = 0; i < 64; i++) {
        wrong += position != 10 + 3 * i;
        position += step;
    }
    EXPECT(wrong, 0);
}

// More arguments than a CUDA programmer would dare: every one a separate kernel parameter.
#define V(i) int v##i = i;
#define S(i) +v##i
#define ALL(X)                                                                                               \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18)  \
    X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31) X(32) X(33) X(34) X(35)

static void many_arguments(void) {
    ALL(V)
    int sum = 0;
#pragma omp target map(tofrom : sum)
    sum = 0 ALL(S);
    EXPECT(sum, 630);
}

int main(void) {
    scalars();
    aggregates();
    private_variables();
    linear();
    many_arguments();
    return done();
}
