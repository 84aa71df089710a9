// Team state that does not fit into shared memory: thousands of teams take state buffers and give them back; nested
// levels seen from functions that are not inlined; large shared variables.

#include "check.h"

#pragma omp begin declare target
__attribute__((noinline)) int level(void) { return omp_get_level(); }
__attribute__((noinline)) int threads(void) { return omp_get_max_threads(); }
__attribute__((noinline)) void opaque(void *p) { __asm__ volatile("" : : "r"(p) : "memory"); }
#pragma omp end declare target

static void buffers(void) {
    int wrong = 0;
#pragma omp target teams distribute num_teams(2000) thread_limit(32) reduction(+ : wrong)
    for (int t = 0; t < 2000; t++) {
        omp_set_num_threads(1 + t % 5);
        opaque(&wrong);
        int count = 0, inner = 0;
#pragma omp parallel reduction(+ : count) reduction(max : inner)
        {
            count++;
#pragma omp parallel reduction(max : inner)
            inner = level();
        }
        wrong += count != 1 + t % 5 || threads() != 1 + t % 5 || (inner != 2 && count > 1) || level() != 0;
    }
    EXPECT(wrong, 0);
}

enum { LARGE = 100 << 10 };
typedef struct {
    char bytes[LARGE];
} Large;

static void large(void) {
    int sum = 0;
#pragma omp target map(tofrom : sum)
    {
        Large shared;
        for (int i = 0; i < LARGE; i++)
            shared.bytes[i] = i % 3;
        opaque(&shared);
#pragma omp parallel for reduction(+ : sum)
        for (int i = 0; i < LARGE; i++)
            sum += shared.bytes[i];
    }
    int expected = 0;
    for (int i = 0; i < LARGE; i++)
        expected += i % 3;
    EXPECT(sum, expected);
}

int main(void) {
    buffers();
    large();
    return done();
}
