// Reductions in teams of every odd size, whose last warp is a partial one, and across as many teams.

#include "check.h"

enum { MOST = 1023, N = 1500, CUT = 977 };

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
        double halves = 0;
        int most = -1;
#pragma omp target parallel for num_threads(size) thread_limit(1024) reduction(+ : sum, halves) reduction(max : most) map(tofrom : sum, halves, most)
        for (int i = 0; i < N; i++) {
            sum += values[i];
            halves += values[i] * 0.5;
            most = most > values[i] ? most : values[i];
        }
        EXPECT(sum, expected);
        EXPECT(halves, expected * 0.5);
        EXPECT(most, CUT - 1);
    }
#pragma omp target data map(to : values)
    for (int size = 1; size <= MOST; size += 62) {
        long sum = 0;
#pragma omp target teams distribute parallel for num_teams(size) num_threads(size % 64) thread_limit(64) reduction(+ : sum) map(tofrom : sum)
        for (int i = 0; i < N; i++)
            sum += values[i];
        EXPECT(sum, expected);
    }
    return done();
}
