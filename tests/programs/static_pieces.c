// schedule(static), written out: of whole loops, backwards, with reductions, fewer threads, several loops in one, other
// types of counters, the last value, and where code asks for the thread.
#include "check.h"

enum { MOST = 3000 };
static int a[MOST], by[MOST];

static void filled(int n, int times) {
    for (int i = 0; i < MOST; i++)
        EXPECT(a[i], i < n ? times * (i + 1) : 0);
}

static void run(int n) {
    int last = -1, whole = n / 10;
    long sum = 0;
    memset(a, 0, sizeof a);
#pragma omp target teams distribute parallel for schedule(static) map(tofrom : a)
    for (int i = 0; i < n; i++)
        a[i] += i + 1;
    filled(n, 1);
#pragma omp target teams distribute parallel for schedule(static) reduction(+ : sum) map(to : a)
    for (int i = n - 1; i >= 0; i--)
        sum += a[i];
    EXPECT(sum, (long)n * (n + 1) / 2);
#pragma omp target teams distribute parallel for simd schedule(static) num_threads(50) collapse(2) map(tofrom : a)
    for (int i = 0; i < whole; i++)
        for (unsigned j = 0; j < 10; j++)
            a[i * 10 + j] *= 2;
#pragma omp target teams distribute parallel for schedule(static) map(tofrom : a)
    for (size_t i = whole * 10; i < (size_t)n; i++)
        a[i] *= 2;
    filled(n, 2);
#pragma omp target teams distribute parallel for schedule(static) lastprivate(last) map(tofrom : last, a)
    for (int i = 0; i < n; i += 3) {
        a[i] /= 2;
        last = i;
    }
    EXPECT(last, (n - 1) / 3 * 3);
#pragma omp target teams distribute parallel for schedule(static) map(from : by)
    for (int i = 0; i < n; i++)
        by[i] = omp_get_thread_num();
    for (int i = 0; i < n; i++)
        EXPECT(by[i] >= 0 && by[i] < 1024, 1);
}

int main(void) {
    for (int n = 1; n <= MOST; n += n < 200 ? 31 : 701)
        run(n);
    return done();
}
