// What gdb sees of a target region (tests/gdb.rs): the lines with a breakpoint are marked.
#include <stdio.h>

static int twice(int x)
{
    int y = x * 2; // in a function
    return y;
}

int main(void)
{
    int a[128];
#pragma omp target teams distribute parallel for map(from: a) num_teams(1) thread_limit(64)
    for (int i = 0; i < 128; i++)
        a[i] = twice(i); // in the region
    for (int i = 0; i < 128; i++)
        if (a[i] != 2 * i)
            return 1;
    puts("PASS");
}
