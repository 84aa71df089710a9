// printf on the device: every conversion, flag and length of C, many arguments, none. The test compares the output
// with that of the same program without offload.

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int main(void) {
    const int i = -42;
    const long long big = 1234567890123LL;
    const double d = 3.14159;
#pragma omp target
    {
        printf("plain\n");
        printf("%d|%5d|%-5d|%05d|%+d|% d|%.4d|%8.3d|%-8.3d|%+.0d\n", i, i, i, i, 42, 42, 42, 42, 42, 0);
        printf("%i %u %x %X %o %#x %#X %#o %c|%3c|%-3c|\n", i, 3000000000u, 255u, 255u, 8u, 255u, 255u, 8u, 'z', 'z', 'z');
        printf("%hhd %hd %hhu %hu %hhx %hx\n", (signed char)-3, (short)-9, (unsigned char)200, (unsigned short)60000,
               (unsigned char)0xab, (unsigned short)0xabcd);
        printf("%ld %lld %li %lli %lu %llu %lx %llx %lo %llX\n", -5L, big, 7L, -big, 9UL, ~0ULL, 10UL,
               (unsigned long long)big, 11UL, ~0ULL);
        printf("%zu %zd %zx %jd %ju %jx %td %ti\n", (size_t)77, (size_t)78, (size_t)79, (intmax_t)-80, (uintmax_t)81,
               (uintmax_t)82, (ptrdiff_t)-83, (ptrdiff_t)84);
        printf("%+lld|% ld|%020lld|%-20lldx|%#llx|%.15lld\n", big, 5L, big, big, (unsigned long long)big, big);
        printf("%f %.2f %10.3f %-10.3f| %+f % f %010.2f %#.0f %.0f %F\n", d, d, d, d, d, d, -d, 2.0, 2.5, 1e10);
        printf("%e %.0e %E %+.3e %#.0e %12.2e|%-12.2E|\n", d, d, d, d, d, d, d);
        printf("%g %G %.10g %#g %g %g %g %+g\n", d, 1e-10, d, 1.0, 1e20, 1e-5, 100000.0, 1e5);
        printf("%a %A %.2a %+a %a\n", d, d, d, 1.0, 0.0);
        printf("%f %F %e %g %5f|%-6f|\n", 1 / 0.0, -1 / 0.0, 1 / 0.0, -1 / 0.0, 1 / 0.0, 1 / 0.0);
        printf("%Lf %Lg %.3Le\n", 2.5L, 2.5L, 2.5L);
        printf("%s %10s %-6s| %.3s %*s %-*s| %.*s %%\n", "text", "right", "left", "truncated", 8, "star", 8, "star", 2, "cut");
        printf("%s|%.0s|%5s|\n", "", "none", "");
        printf("%p %20p %-20p|\n", (void *)0x1234abcd, (void *)0x1234, (void *)0x1234);
        printf("%*d %-*d| %.*f %*.*f %*d|\n", 7, 11, 7, 11, 1, d, 9, 2, d, -7, 11);
        printf("%.*d %.*f\n", -1, 5, -1, d);
        printf("%d %f %d %f %d %f %d %f %s\n", 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, "end");
        printf("%d %lld %c %f\n", 1, 2LL, '3', 4.0f);
        printf("%%d %d%% 100%%\n", 5);
        printf("no newline");
        printf("\n");
        int length = printf("%d", 12345);
        printf(" %s\n", length > 0 ? "counted" : "none");
        puts("puts");
        putchar('c');
        putchar('\n');
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
