// reduce_warp: reductions when a warp is not full.
//
// A reduction over threads goes through warp shuffles. Which of a warp's 32 lanes take part decides how:
// all of them, the first few (the last warp of an odd team), or some here and there (threads in one side
// of a branch). The reductions here meet all three, and several types at once, one of them a struct with
// a user-defined operator.
//
//     omptarget run examples/reduce_warp.c

#include <omp.h>
#include <stdio.h>

enum { MAX_THREADS = 256 };

typedef struct {
    long sum;
    int largest;
} Pair;

#pragma omp declare target
static Pair combine(Pair a, Pair b) {
    return (Pair){a.sum + b.sum, a.largest > b.largest ? a.largest : b.largest};
}
#pragma omp end declare target

#pragma omp declare reduction(combine : Pair : omp_out = combine(omp_out, omp_in)) initializer(omp_priv = (Pair){0, -1})

// Whole warps and partial ones: a team of `threads`; each thread adds one value.
static int contiguous(int threads) {
    long sum = 0;
    double product = 1.0;
    unsigned bits = 0;
    Pair pair = {0, -1};
    int team = 0;
#pragma omp target map(tofrom : sum, product, bits, pair, team)
#pragma omp parallel num_threads(threads) reduction(+ : sum) reduction(* : product) reduction(| : bits)              \
    reduction(combine : pair)
    {
        int id = omp_get_thread_num();
        sum += id + 1;
        product *= id % 8 == 0 ? 2.0 : 1.0;
        bits |= 1u << id % 32;
        pair = combine(pair, (Pair){id, id});
        if (id == 0)
            team = omp_get_num_threads();
    }
    long n = team;
    double powers = 1.0;
    for (int id = 0; id < team; id += 8)
        powers *= 2.0;
    unsigned all = team >= 32 ? ~0u : (1u << team) - 1;
    if (team >= 1 && sum == n * (n + 1) / 2 && product == powers && bits == all && pair.sum == n * (n - 1) / 2 &&
        pair.largest == team - 1)
        return 0;
    printf("%d threads: sum %ld product %g bits %#x pair (%ld, %d)\n", team, sum, product, bits, pair.sum, pair.largest);
    return 1;
}

// Dispersed lanes: every third thread contributes through a region of its own inside the branch. The inner
// region has one thread. The outer region's reduction combines the values of the warp's scattered lanes.
static int dispersed(int threads) {
    long sum = 0, inner_wrong = 0, expected = 0;
    int team = 0;
#pragma omp target map(tofrom : sum, inner_wrong, team)
#pragma omp parallel num_threads(threads) reduction(+ : sum, inner_wrong)
    {
        int id = omp_get_thread_num();
        if (id == 0)
            team = omp_get_num_threads();
        if (id % 3 == 1) {
            long mine = 0;
#pragma omp parallel for reduction(+ : mine)
            for (int i = 0; i <= id; i++)
                mine += i;
            inner_wrong += mine != (long)id * (id + 1) / 2;
            sum += mine;
        }
    }
    for (int id = 1; id < team; id += 3)
        expected += (long)id * (id + 1) / 2;
    if (inner_wrong == 0 && sum == expected)
        return 0;
    printf("%d threads, every third: sum %ld, expected %ld; %ld inner sums wrong\n", team, sum, expected, inner_wrong);
    return 1;
}

// Fewer iterations than threads, and a loop whose trip count differs from thread to thread.
static int uneven(int threads, int iterations) {
    int count = 0, least = 1 << 30;
#pragma omp target teams distribute parallel for num_teams(3) thread_limit(threads) map(tofrom : count, least)        \
    reduction(+ : count) reduction(min : least)
    for (int i = 0; i < iterations; i++) {
        for (int k = 0; k < i % 5; k++)
            count++;
        least = 1000 - i < least ? 1000 - i : least;
    }
    int expected = 0;
    for (int i = 0; i < iterations; i++)
        expected += i % 5;
    int expected_least = iterations > 0 ? 1001 - iterations : 1 << 30;
    if (count == expected && least == expected_least)
        return 0;
    printf("%d iterations on blocks of %d: count %d least %d, expected %d %d\n", iterations, threads, count, least,
           expected, expected_least);
    return 1;
}

int main(void) {
    const int threads[] = {1, 2, 5, 31, 32, 33, 47, 64, 65, 95, 96, 100, 128, 200, MAX_THREADS};
    const int iterations[] = {0, 1, 7, 32, 33, 400};
    int wrong = 0;
    for (unsigned t = 0; t < sizeof threads / sizeof *threads; t++)
        wrong += contiguous(threads[t]) + dispersed(threads[t]);
    for (unsigned t = 0; t < sizeof threads / sizeof *threads; t += 3)
        for (unsigned i = 0; i < sizeof iterations / sizeof *iterations; i++)
            wrong += uneven(threads[t], iterations[i]);
    printf(wrong ? "FAIL: %d reductions differ\n" : "PASS\n", wrong);
    return wrong != 0;
}
