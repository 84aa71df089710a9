// Every thread allocates, prints and frees (tests/tests/services.rs, amdgpu_plugin.rs).
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    long right = 0;
#pragma omp target teams distribute parallel for num_teams(4) thread_limit(128) map(tofrom : right)
    for (int i = 0; i < 512; i++) {
        int *block = malloc((size_t)(i % 7 + 1) * sizeof *block);
        if (!block)
            continue;
        for (int j = 0; j <= i % 7; j++)
            block[j] = i;
        if (i % 128 == 0)
            printf("iteration %d %s %g\n", i, "of", 512.0);
        long sum = 0;
        for (int j = 0; j <= i % 7; j++)
            sum += block[j];
        free(block);
        if (sum == (long)i * (i % 7 + 1)) {
#pragma omp atomic
            right++;
        }
    }
    printf(right == 512 ? "PASS\n" : "FAIL: %ld\n", right);
    return right != 512;
}
