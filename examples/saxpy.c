// saxpy: the smallest useful offload program.
//
// `target` moves execution to the device, `map` says which host data goes along and what comes back,
// and `teams distribute parallel for` spreads the iterations over blocks (teams) and their threads.
//
//     omptarget run examples/saxpy.c

#include <stdio.h>
#include <stdlib.h>

int main(void) {
    const int n = 1 << 20;
    const float a = 2.5f;
    float *x = malloc(n * sizeof *x);
    float *y = malloc(n * sizeof *y);
    for (int i = 0; i < n; i++) {
        x[i] = (float)(i % 1000);
        y[i] = (float)(i % 7);
    }

    // x is only read: copied to the device. y is read and written: copied there and back.
    // The scalars a and n need no map clause: they become firstprivate, an argument of the kernel.
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
    for (int i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];

    int wrong = 0;
    for (int i = 0; i < n; i++) {
        float expected = a * (float)(i % 1000) + (float)(i % 7); // exact in float: multiples of 0.5
        if (y[i] != expected && ++wrong <= 5)
            printf("y[%d] is %g, expected %g\n", i, y[i], expected);
    }
    free(x);
    free(y);
    printf(wrong ? "FAIL: %d of %d elements differ\n" : "PASS\n", wrong, n);
    return wrong != 0;
}
