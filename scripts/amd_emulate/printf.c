// Output of many threads, of every kind of argument (scripts/amd-emulate).
#include <stdio.h>

int main(void) {
#pragma omp target teams distribute parallel for num_teams(2) thread_limit(64)
    for (int i = 0; i < 100; i++)
        printf("thread %d of %s: %g %5.2f %ld %#x %c\n", i, i % 2 ? "odd" : "even", i * 0.5, i / 3.0, -1L - i,
               (unsigned)i * 0x10001u, 'a' + i % 26);
    return 0;
}
