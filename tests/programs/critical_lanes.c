// `critical` for all lanes of a warp, for some, and for one: in loops, in generic mode, around loops, one in another.
#include "check.h"

enum { N = 3001, LOOPS = 600 };

static int numbers[N];

#pragma omp begin declare target
long kept;
#pragma omp end declare target

// Not atomic by itself.
static void add(long *sum, long by) { *sum += by; }

// The first, every third and one of the iterations.
static void in_loops(int n) {
    long all = 0, some = 0, one = 0;
#pragma omp target teams distribute parallel for map(tofrom : all, some, one)
    for (int i = 0; i < n; i++) {
#pragma omp critical
        add(&all, numbers[i]);
        if (numbers[i] % 3 == 1) {
#pragma omp critical(third)
            add(&some, i);
        }
        if (i == n / 2) {
#pragma omp critical
            add(&one, 7);
        }
    }
    long expected_all = 0, expected_some = 0;
    for (int i = 0; i < n; i++) {
        expected_all += numbers[i];
        expected_some += numbers[i] % 3 == 1 ? i : 0;
    }
    EXPECT(all, expected_all);
    EXPECT(some, expected_some);
    EXPECT(one, 7);
}

// The least number and its place: two variables that belong together.
static long order(int i) { return (numbers[i] * 53L + 11) % 997 + 1; }

static void least_and_place(int n) {
    long least = 1000, place = 0;
#pragma omp target teams distribute parallel for map(tofrom : least, place)
    for (int i = 0; i < n; i++) {
        long mine = (numbers[i] * 53L + 11) % 997 + 1;
#pragma omp critical(least)
        if (mine < least || (mine == least && i < place)) {
            least = mine;
            place = i;
        }
    }
    int expected = 0;
    for (int i = 0; i < n; i++)
        expected = order(i) < order(expected) ? i : expected;
    EXPECT(least, order(expected));
    EXPECT(place, expected);
}

// In loops of different lengths, around a loop, and one in another.
static void nested(void) {
    long steps = 0, inner = 0, outer = 0;
#pragma omp target teams distribute parallel for num_teams(5) thread_limit(96) map(tofrom : steps, inner, outer)
    for (int i = 0; i < LOOPS; i++)
        for (int j = 0; j < numbers[i] % 4; j++) {
#pragma omp critical(outer)
            {
                outer++;
                for (int k = 0; k <= j; k++)
                    add(&steps, k);
#pragma omp critical(inner)
                add(&inner, j);
            }
        }
    long expected[3] = {0, 0, 0};
    for (int i = 0; i < LOOPS; i++)
        for (int j = 0; j < numbers[i] % 4; j++) {
            expected[0] += j * (j + 1) / 2;
            expected[1] += j;
            expected[2]++;
        }
    EXPECT(steps, expected[0]);
    EXPECT(inner, expected[1]);
    EXPECT(outer, expected[2]);
}

// Generic mode: the threads of a region, and one of them.
static void generic(void) {
    long threads = 0, members = 0, first = 0;
#pragma omp target thread_limit(64) map(tofrom : threads, members, first)
    {
        int before = 3;
#pragma omp parallel num_threads(40)
        {
#pragma omp single
            members = omp_get_num_threads();
#pragma omp critical(threads)
            threads += before;
            if (omp_get_thread_num() == 0) {
#pragma omp critical(threads)
                first++;
            }
        }
    }
    EXPECT(threads, 3 * members);
    EXPECT(first, 1);
}

// A variable of the device, and a lock that all constructs without a name share.
static void unnamed(int n) {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
#pragma omp critical
        kept += i & 1 ? 3 : -1;
#pragma omp target update from(kept)
    EXPECT(kept, n / 2 * 3L - (n + 1) / 2);
}

int main(void) {
    for (int i = 0; i < N; i++)
        numbers[i] = i * 37 % 101;
    in_loops(N);
    least_and_place(N);
    nested();
    generic();
    unnamed(N);
    return done();
}
