// A device function that nobody defines, and one that need not be defined.
#include <stdio.h>

#pragma omp begin declare target
int nowhere(int x);
int perhaps(int x) __attribute__((weak));
int helper(int x) {
    return nowhere(x);
}
int unused(int x) { return nowhere(x) + 1; }
#pragma omp end declare target

#if !defined(__NVPTX__) && !defined(__AMDGPU__)
int nowhere(int x) { return x; }
#endif

int main(void) {
    int result = 0;
#pragma omp target map(from : result)
#ifdef CALL
    result = helper(3);
#else
    result = perhaps ? perhaps(1) : 4;
#endif
    puts(result == 4 ? "PASS" : "FAIL");
}
