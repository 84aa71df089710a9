// Reductions in teams of odd sizes, whose threads come to them from both ways of a branch: lanes of a warp arrive at different times.

#include "check.h"

enum { MOST = 959, N = 1500, CUT = 977 };

// Not inlined: both ways come to the same construct, as all threads of a team have to.
#pragma omp declare target
__attribute__((noinline)) static void add_up(const int *values, long *sum, int *most) {
#pragma omp for reduction(+ : sum[0 : 1]) reduction(max : most[0 : 1])
    for (int i = 0; i < N; i++) {
        sum[0] += values[i];
        most[0] = most[0] > values[i] ? most[0] : values[i];
    }
}
#pragma omp end declare target

int main(void) {
    static int values[N];
    long expected = 0;
    for (int i = 0; i < N; i++) {
        values[i] = i * 7919 % CUT;
        expected += values[i];
    }
#pragma omp target data map(to : values)
    for (int size = 1; size <= MOST; size += 2) {
        long sum = 0;
        int most = -1;
#pragma omp target map(tofrom : sum, most) thread_limit(1024)
#pragma omp parallel num_threads(size)
        {
            if (omp_get_thread_num() % 3 == 1)
                add_up(values, &sum, &most);
            else
                add_up(values, &sum, &most);
        }
        EXPECT(sum, expected);
        EXPECT(most, CUT - 1);
    }
    return done();
}
