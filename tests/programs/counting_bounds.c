// Values that count up or down over the threads, compared with a bound that all threads have: by every comparison, of
// signed and unsigned numbers of 32 and 64 bits, with bounds near the ends of the type and values that wrap.
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 128, COMPARISONS = 16 };

static unsigned char marks[COMPARISONS * COUNT], expected[COMPARISONS * COUNT];

// A store, so that the comparison is a branch.
#define MARK(number, condition) \
    if (condition)              \
        to[(number) * COUNT + i] = 1;
#define COMPARE(first, value, bound)      \
    MARK(first, (value) < (bound))        \
    MARK((first) + 1, (value) <= (bound)) \
    MARK((first) + 2, (value) > (bound))  \
    MARK((first) + 3, (value) >= (bound))
#define DIRECTIONS(Unsigned, Signed)                               \
    {                                                              \
        Unsigned up = (Unsigned)base + i, down = (Unsigned)base - i; \
        COMPARE(0, up, (Unsigned)bound)                            \
        COMPARE(4, down, (Unsigned)bound)                          \
        COMPARE(8, (Signed)up, (Signed)bound)                      \
        COMPARE(12, (Signed)down, (Signed)bound)                   \
    }

static void on_host(int wide, unsigned long base, unsigned long bound) {
    unsigned char *to = expected;
    for (int i = 0; i < COUNT; i++)
        if (wide)
            DIRECTIONS(unsigned long, long)
        else
            DIRECTIONS(unsigned, int)
}

static void on_device(int wide, unsigned long base, unsigned long bound) {
    unsigned char *to = marks;
    if (wide)
#pragma omp target teams distribute parallel for map(tofrom : to[0 : COMPARISONS * COUNT])
        for (int i = 0; i < COUNT; i++)
            DIRECTIONS(unsigned long, long)
    else
#pragma omp target teams distribute parallel for map(tofrom : to[0 : COMPARISONS * COUNT])
        for (int i = 0; i < COUNT; i++)
            DIRECTIONS(unsigned, int)
}

static int check(int wide, unsigned long base, unsigned long bound) {
    memset(marks, 0, sizeof marks);
    memset(expected, 0, sizeof expected);
    on_host(wide, base, bound);
    on_device(wide, base, bound);
    if (memcmp(marks, expected, sizeof marks) == 0)
        return 0;
    printf("%d bits from %#lx: comparisons with %#lx differ\n", wide ? 64 : 32, base, bound);
    return 1;
}

int main(void) {
    int wrong = 0;
    for (int wide = 0; wide < 2; wide++) {
        unsigned long ends[] = {0, wide ? LONG_MAX : INT_MAX, 1000};
        // What lies around an end: a warp's width, a bound in the middle of a warp, neighbours of the end.
        long offsets[] = {-64, -33, -31, -30, -1, 0, 1, 30, 31, 32, 77};
        int count = sizeof offsets / sizeof *offsets;
        for (int end = 0; end < 3; end++)
            for (int from = 0; from < count; from++)
                for (int to = 0; to < count; to++)
                    wrong += check(wide, ends[end] + offsets[from], ends[end] + offsets[to]);
    }
    puts(wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
