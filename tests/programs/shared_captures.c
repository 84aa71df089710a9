// Variables of a team that a region closely nested in its construct captures and writes: all threads have the same
// one, though every thread executes the code around the region (codegen-llvm: device/shared_captures.rs).
#include "check.h"

enum { N = 128, TEAMS = 3 };

struct pair {
    int first, second;
};

// Firstprivate in `target`, shared in `parallel`.
static void firstprivate(void) {
    int out[N] = {0}, x = 5, array[4] = {1, 2, 3, 4};
    struct pair pair = {7, 8};
#pragma omp target map(tofrom : out) firstprivate(array, pair)
#pragma omp parallel num_threads(N)
    {
        int i = omp_get_thread_num();
#pragma omp atomic
        x++;
#pragma omp atomic
        array[i & 3]++;
#pragma omp atomic
        pair.second += 2;
#pragma omp barrier
        out[i] = x + array[i & 3] + pair.first + pair.second;
    }
    for (int i = 0; i < N; i++)
        EXPECT(out[i], 5 + N + (i & 3) + 1 + N / 4 + 7 + 8 + 2 * N);
    EXPECT(x, 5);
}

static void add(int *to, int what) {
#pragma omp atomic
    *to += what;
}

// The address goes to a function, and through a variable.
static void by_address(void) {
    int out[N] = {0}, x = 1, y = 2;
#pragma omp target map(tofrom : out)
#pragma omp parallel num_threads(N)
    {
        int *to = &y;
        add(&x, 3);
        add(to, 4);
#pragma omp barrier
        out[omp_get_thread_num()] = x + y;
    }
    for (int i = 0; i < N; i++)
        EXPECT(out[i], 3 + 7 * N);
}

// One variable for each team, and a team smaller than its block.
static void teams(int threads) {
    int out[TEAMS] = {0}, sizes[TEAMS] = {0}, x = 5;
#pragma omp target teams num_teams(TEAMS) thread_limit(N) map(tofrom : out, sizes) firstprivate(x)
#pragma omp parallel num_threads(threads)
    {
#pragma omp atomic
        x += omp_get_team_num() + 1;
#pragma omp barrier
#pragma omp single
        {
            out[omp_get_team_num()] = x;
            sizes[omp_get_team_num()] = omp_get_num_threads();
        }
    }
    // The host may have fewer teams and threads.
    for (int team = 0; team < TEAMS; team++)
        EXPECT(out[team], sizes[team] ? 5 + sizes[team] * (team + 1) : 0);
    EXPECT(sizes[0] > 0, 1);
}

// Sums and the last iteration's value, which one thread writes.
static void one_writer(void) {
    int sum = 0, last = -1;
    double total = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum, total) lastprivate(last) map(tofrom : sum, total, last)
    for (int i = 0; i < 1000; i++) {
        sum += i;
        total += 0.5;
        last = i;
    }
    EXPECT(sum, 499500);
    EXPECT(total, 500);
    EXPECT(last, 999);
}

static void inclusive(void) {
    int in[N], out[N], sum = 0;
    for (int i = 0; i < N; i++)
        in[i] = i, out[i] = -1;
#pragma omp target map(to : in) map(from : out) map(tofrom : sum)
#pragma omp parallel for reduction(inscan, + : sum)
    for (int i = 0; i < N; i++) {
        sum += in[i];
#pragma omp scan inclusive(sum)
        out[i] = sum;
    }
    EXPECT(sum, N * (N - 1) / 2);
    for (int i = 0; i < N; i++)
        EXPECT(out[i], i * (i + 1) / 2);
}

static void exclusive(int n) {
    double in[N], out[N], largest = -1;
    for (int i = 0; i < N; i++)
        in[i] = (i * 37) % N, out[i] = -2;
#pragma omp target map(to : in) map(tofrom : out, largest)
#pragma omp parallel for reduction(inscan, max : largest)
    for (int i = 0; i < n; i++) {
        out[i] = largest;
#pragma omp scan exclusive(largest)
        largest = in[i] > largest ? in[i] : largest;
    }
    // In the first iteration it has no value yet.
    double expected = in[0];
    for (int i = 1; i < n; i++) {
        EXPECT(out[i], expected);
        expected = in[i] > expected ? in[i] : expected;
    }
    EXPECT(largest, expected);
}

// In sequential code that one thread executes, and in a function that does not know who calls it.
#pragma omp begin declare target
static long scan(long *values, int n) {
    long sum = 0;
#pragma omp parallel for reduction(inscan, + : sum)
    for (int i = 0; i < n; i++) {
        sum += values[i];
#pragma omp scan inclusive(sum)
        values[i] = sum;
    }
    return sum;
}
#pragma omp end declare target

static void in_sequential_code(void) {
    long values[N], sums[3] = {0}, last = 0;
    for (int i = 0; i < N; i++)
        values[i] = i + 1;
#pragma omp target map(tofrom : values, sums)
    {
        // Several times, as memory that is not given back would run out.
        for (int round = 0; round < 3; round++)
            sums[round] = scan(values, N);
    }
    long expected[N];
    for (int i = 0; i < N; i++)
        expected[i] = i + 1;
    for (int round = 0; round < 3; round++) {
        for (int i = 1; i < N; i++)
            expected[i] += expected[i - 1];
        EXPECT(sums[round], expected[N - 1]);
    }
    for (int i = 0; i < N; i++)
        EXPECT(values[i], expected[i]);
#pragma omp target map(tofrom : values, last)
    {
        long before = values[0];
#pragma omp parallel for reduction(inscan, + : last)
        for (int i = 0; i < N; i++) {
            last += i;
#pragma omp scan inclusive(last)
            values[i] = last + before;
        }
        last++;
    }
    EXPECT(last, N * (N - 1) / 2 + 1);
    for (int i = 0; i < N; i++)
        EXPECT(values[i], i * (i + 1) / 2 + 1);
    // Two scans, each with a buffer.
    long first = 0, second = 0;
#pragma omp target map(tofrom : values, first, second)
    {
#pragma omp parallel for reduction(inscan, + : first)
        for (int i = 0; i < N; i++) {
            first += i;
#pragma omp scan inclusive(first)
            values[i] = first;
        }
#pragma omp parallel for reduction(inscan, + : second)
        for (int i = 0; i < N; i++) {
            second += 2 * i;
#pragma omp scan inclusive(second)
            values[i] += second;
        }
    }
    EXPECT(first, N * (N - 1) / 2);
    EXPECT(second, N * (N - 1));
    for (int i = 0; i < N; i++)
        EXPECT(values[i], 3 * (i * (i + 1) / 2));
}

int main(void) {
    firstprivate();
    by_address();
    teams(N);
    teams(N / 2 + 3);
    one_writer();
    inclusive();
    exclusive(N);
    exclusive(N / 2 - 1);
    in_sequential_code();
    return done();
}
