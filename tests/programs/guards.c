// Sequential code around parallel regions that changes what it has just read: counters and sums that a loop waits for.
// LLVM's openmp-opt has every thread run it and thread 0 write (docs/codegen.md, "Guards").
#include "check.h"

enum { N = 256, TEAMS = 8 };

// The sum decides whether the loop goes on, and is set back first thing in it.
static void converges(void) {
    double x[N];
    int steps = 0;
    for (int i = 0; i < N; i++)
        x[i] = i;
#pragma omp target map(tofrom : x, steps)
    {
        double change = 1e9;
        while (change > 1.0) {
            change = 0;
#pragma omp parallel for reduction(+ : change)
            for (int i = 0; i < N; i++) {
                double half = x[i] / 2;
                change += x[i] - half;
                x[i] = half;
            }
            steps++;
        }
    }
    EXPECT(steps, 15);
    EXPECT(x[N - 1], (N - 1) / 32768.0);
}

// A counter that the regions share, and a reduction across teams around them.
static void counts(void) {
    int total = 0, sums[TEAMS] = {0};
#pragma omp target teams distribute reduction(+ : total) map(tofrom : total, sums)
    for (int t = 0; t < TEAMS; t++) {
        for (int c = 0; c < 5; c++) {
            int sum = 0;
#pragma omp parallel for reduction(+ : sum)
            for (int i = 0; i < 34; i++)
                sum += i * c + t;
            sums[t] += sum;
        }
        total++;
    }
    EXPECT(total, TEAMS);
    for (int t = 0; t < TEAMS; t++)
        EXPECT(sums[t], 561 * 10 + t * 34 * 5);
}

// Doubled from within the region, tested and changed outside.
static void grows(void) {
    int rounds = 0, least = 0;
#pragma omp target map(from : rounds, least)
    {
        int value = 1;
        rounds = 0;
        while (value < 1000) {
            int seen = value;
#pragma omp parallel num_threads(64)
            {
#pragma omp single
                value = 2 * seen;
            }
            rounds++;
            value++;
        }
        least = value;
    }
    EXPECT(rounds, 9);
    EXPECT(least, 1023);
}

int main(void) {
    converges();
    counts();
    grows();
    return done();
}
