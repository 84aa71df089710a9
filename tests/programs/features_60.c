// Features of OpenMP 5.2 and 6.0 that the other programs do not use (docs/conformance.md).

#include "check.h"

enum { N = 100 };

int entered = 42;
int next_of(int x);
int next_of(int x) { return x + 1; }
#pragma omp declare target enter(entered, next_of)

// The names of 6.0 (§15.7 to §15.9), default map types of `enter data` and `exit data` (5.2, §5.8), a list item that the
// device is to use as it is if it can (`self`: 6.0, §7.9.6).
static void data_directives(void) {
    int a[4] = {1, 2, 3, 4}, result = 0;
#pragma omp target_data map(tofrom : a)
    {
#pragma omp target
        a[0] = 5;
    }
#pragma omp target_enter_data map(to : a)
#pragma omp target
    a[1] = 7;
#pragma omp target_update from(a)
#pragma omp target_exit_data map(delete : a)
    EXPECT(a[0] + a[1], 12);
#pragma omp target enter data map(a)
    a[0] = 9;
#pragma omp target map(a)
    a[1] = a[0] + 10;
#pragma omp target exit data map(a)
    EXPECT(a[1], offloading() ? 15 : 19);
#pragma omp target map(self, tofrom : a)
    a[2] = 30;
    EXPECT(a[2], 30);
#pragma omp target map(from : result)
    result = entered + next_of(1);
    EXPECT(result, 44);
}

// Loops that are transformed (6.0, §11), `linear` with a step (5.2, §5.4.6).
static void transformed_loops(void) {
    int sum = 0, steps[N], step = 0;
#pragma omp target map(tofrom : sum)
    {
#pragma omp stripe sizes(4)
        for (int i = 0; i < 16; i++)
            sum += i;
#pragma omp fuse
        {
            for (int i = 0; i < 4; i++)
                sum += i;
            for (int i = 0; i < 4; i++)
                sum += 10 * i;
        }
#pragma omp reverse
        for (int i = 0; i < 4; i++)
            sum += i;
    }
    EXPECT(sum, 120 + 6 + 60 + 6);
#pragma omp target parallel for reduction(+ : sum)
#pragma omp stripe sizes(4)
    for (int i = 0; i < 16; i++)
        sum += i;
    EXPECT(sum, 312);
#pragma omp target parallel for map(from : steps) linear(step : step(2))
    for (int i = 0; i < N; i++) {
        steps[i] = step;
        step += 2;
    }
    for (int i = 0; i < N; i++)
        EXPECT(steps[i], 2 * i);
}

// Tasks that know what they are (5.2, §18.5.1), beside code that asks outside of them.
static void tasks(void) {
    int inside = 0, outside = 1;
#pragma omp target parallel num_threads(8) map(tofrom : inside, outside)
#pragma omp single
    {
        outside = omp_in_explicit_task();
#pragma omp task shared(inside)
        inside = omp_in_explicit_task();
    }
    EXPECT(inside, 1);
    EXPECT(outside, 0);
}

int main(void) {
    data_directives();
    transformed_loops();
    tasks();
    return done();
}
