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

enum { ROUNDS = 6 };

// What searches find.
struct found {
    int largest, sum, below;
};

// Searches, and whether there is nothing left to find.
static int search(const int *x, int round, struct found *found) {
    int largest = 0;
    for (int i = 1; i < N; i++)
        if (x[i] > x[largest])
            largest = i;
    found->largest = largest;
    int sum = 0;
    for (int i = 0; i < 10 * round; i++)
        sum += x[i];
    found->sum = sum;
    int below = 0;
    while (below < N && x[below] >= 5 - round)
        below++;
    found->below = below;
    return below == N;
}

// Searches between regions. Of two the result is only stored: thread 0 alone does them (docs/codegen.md, "Sinking"). The third
// decides what all threads do next.
static void searches(void) {
    int x[N], y[N], rounds = 0, expected = 0;
    struct found found[ROUNDS] = {0};
    for (int i = 0; i < N; i++)
        x[i] = y[i] = i * 37 % N;
#pragma omp target map(tofrom : x, found, rounds)
    for (int round = 0; round < ROUNDS; round++) {
        if (search(x, round, &found[round]))
            break;
#pragma omp parallel for
        for (int i = 0; i < N; i++)
            x[i] = (x[i] * 5 + i) % 199;
        rounds++;
    }
    for (int round = 0; round < ROUNDS; round++) {
        struct found same;
        int ends = search(y, round, &same);
        EXPECT(found[round].largest, same.largest);
        EXPECT(found[round].sum, same.sum);
        EXPECT(found[round].below, same.below);
        if (ends)
            break;
        for (int i = 0; i < N; i++)
            y[i] = (y[i] * 5 + i) % 199;
        expected++;
    }
    EXPECT(rounds, expected);
}

int main(void) {
    converges();
    counts();
    grows();
    searches();
    return done();
}
