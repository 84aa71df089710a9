// dot: one pass over the data, several reductions of different types and operators at once.
//
// Every thread keeps private partial results; the runtime combines them within each warp by shuffles,
// within each block through shared memory and across blocks through global memory.
//
//     omptarget run examples/dot.c

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    double dot;      // sum of products
    float largest;   // maximum
    int smallest;    // minimum
    long positives;  // count
    unsigned parity; // exclusive or of all bits
    bool finite;     // logical and
} Summary;

static int differs(const char *what, double is, double expected) {
    if (is == expected)
        return 0;
    printf("%s is %.17g, expected %.17g\n", what, is, expected);
    return 1;
}

static Summary on_host(const double *x, const double *y, int n) {
    Summary s = {0.0, -INFINITY, INT_MAX, 0, 0u, true};
    for (int i = 0; i < n; i++) {
        s.dot += x[i] * y[i];
        s.largest = fmaxf(s.largest, (float)x[i]);
        s.smallest = (int)y[i] < s.smallest ? (int)y[i] : s.smallest;
        s.positives += x[i] > 0;
        s.parity ^= (unsigned)i * 2654435761u;
        s.finite = s.finite && x[i] < 1e300;
    }
    return s;
}

static Summary on_device(const double *x, const double *y, int n) {
    double dot = 0.0;
    float largest = -INFINITY;
    int smallest = INT_MAX;
    long positives = 0;
    unsigned parity = 0;
    bool finite = true;
    // Reduction variables are mapped `tofrom` of themselves: the results come back to these names.
#pragma omp target teams distribute parallel for map(to : x[0 : n], y[0 : n])                       \
    reduction(+ : dot, positives) reduction(max : largest) reduction(min : smallest)               \
    reduction(^ : parity) reduction(&& : finite)
    for (int i = 0; i < n; i++) {
        dot += x[i] * y[i];
        largest = fmaxf(largest, (float)x[i]);
        smallest = (int)y[i] < smallest ? (int)y[i] : smallest;
        positives += x[i] > 0;
        parity ^= (unsigned)i * 2654435761u;
        finite = finite && x[i] < 1e300;
    }
    return (Summary){dot, largest, smallest, positives, parity, finite};
}

int main(void) {
    // Lengths around the sizes of warps, blocks and grids: the last partial block matters.
    const int lengths[] = {1, 31, 33, 1000, 4097, 300001};
    int wrong = 0;
    for (unsigned l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        int n = lengths[l];
        double *x = malloc(n * sizeof *x);
        double *y = malloc(n * sizeof *y);
        for (int i = 0; i < n; i++) {
            // Small integers: every sum is exact, whatever the order of additions.
            x[i] = (double)((i * 37) % 201 - 100);
            y[i] = (double)((i * 11) % 103 - 51);
        }
        Summary host = on_host(x, y, n), device = on_device(x, y, n);
        wrong += differs("dot", device.dot, host.dot);
        wrong += differs("largest", device.largest, host.largest);
        wrong += differs("smallest", device.smallest, host.smallest);
        wrong += differs("positives", (double)device.positives, (double)host.positives);
        wrong += differs("parity", device.parity, host.parity);
        wrong += differs("finite", device.finite, host.finite);
        printf("n = %6d: dot = %.1f\n", n, device.dot);
        free(x);
        free(y);
    }
    printf(wrong ? "FAIL: %d reductions differ\n" : "PASS\n", wrong);
    return wrong != 0;
}
