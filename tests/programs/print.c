// printf on the device: formats, widths, 64-bit, strings, %%, many arguments, none. The test compares the
// output with that of the same program without offload.

#include <stdio.h>

int main(void) {
    const int i = -42;
    const long long big = 1234567890123LL;
    const double d = 3.14159;
#pragma omp target
    {
        printf("plain\n");
        printf("%d|%5d|%-5d|%05d|%+d\n", i, i, i, i, 42);
        printf("%u %x %X %o %c\n", 3000000000u, 255u, 255u, 8u, 'z');
        printf("%ld %lld %llx %zu %hhd %hd\n", -5L, big, (unsigned long long)big, (unsigned long)77, (char)-3, (short)-9);
        printf("%f %.2f %10.3f %e %g %G\n", d, d, d, d, d, 1e-10);
        printf("%s %10s %-6s| %.3s %%\n", "text", "right", "left", "truncated");
        printf("%*d %.*f\n", 7, 11, 1, d);
        printf("%d %f %d %f %d %f %d %f %s\n", 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, "end");
        printf("%d %lld %c %f\n", 1, 2LL, '3', 4.0f);
        printf("no newline");
        printf("\n");
        int length = printf("%d", 12345);
        printf(" %s\n", length > 0 ? "counted" : "none");
    }
    int total = 0;
#pragma omp target teams distribute parallel for num_teams(2) thread_limit(32) reduction(+ : total)
    for (int k = 0; k < 64; k++) {
        if (k == 40)
            printf("thread %d of 64\n", k);
        total++;
    }
    printf("%d\n", total);
    return 0;
}
