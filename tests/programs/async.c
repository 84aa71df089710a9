// nowait, depend, tasks, and several host threads that offload at once.

#include "check.h"

static void depend(void) {
    enum { N = 1000 };
    static double a[N], b[N], c[N];
    int finished = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp target enter data map(alloc : a, b, c) nowait depend(out : a, b, c)
#pragma omp target nowait depend(inout : a)
        for (int i = 0; i < N; i++)
            a[i] = i;
#pragma omp target nowait depend(inout : b)
        for (int i = 0; i < N; i++)
            b[i] = 2 * i;
#pragma omp target teams distribute parallel for nowait depend(in : a, b) depend(out : c)
        for (int i = 0; i < N; i++)
            c[i] = a[i] + b[i];
#pragma omp target update from(c) nowait depend(inout : c)
#pragma omp task depend(in : c) shared(finished)
        finished = c[N - 1] == 3.0 * (N - 1);
#pragma omp target exit data map(delete : a, b, c) nowait depend(inout : a, b, c)
#pragma omp taskwait
    }
    EXPECT(finished, 1);
    EXPECT(c[1], 3);
}

// A chain through one variable: each region sees what the one before it left.
static void chain(void) {
    long value = 1;
#pragma omp target data map(tofrom : value)
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < 20; i++) {
#pragma omp target nowait depend(inout : value) firstprivate(i) map(tofrom : value)
        value = (value * 3 + i) % 100003;
    }
    long expected = 1;
    for (int i = 0; i < 20; i++)
        expected = (expected * 3 + i) % 100003;
    EXPECT(value, expected);
}

static void tasks(void) {
    int results[16] = {0};
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int i = 0; i < 16; i++) {
#pragma omp task firstprivate(i) shared(results)
        {
            int sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum)
            for (int k = 0; k < 100 * (i + 1); k++)
                sum += k % 7;
            results[i] = sum;
        }
    }
    for (int i = 0; i < 16; i++) {
        int expected = 0;
        for (int k = 0; k < 100 * (i + 1); k++)
            expected += k % 7;
        EXPECT(results[i], expected);
    }
}

// Every host thread maps memory of its own and memory all share; reference counts must survive that.
static void host_threads(void) {
    if (!offloading())
        return; // the host's libomp mixes up reductions of teams inside a parallel region
    enum { THREADS = 8, ROUNDS = 12, N = 257 };
    static int shared[N];
    int wrong = 0;
    for (int i = 0; i < N; i++)
        shared[i] = i;
#pragma omp parallel num_threads(THREADS) reduction(+ : wrong)
    {
        int me = omp_get_thread_num(), *own = malloc(N * sizeof *own);
        for (int round = 0; round < ROUNDS; round++) {
            int sum = 0;
#pragma omp target teams distribute parallel for map(to : shared) map(from : own[0 : N]) map(tofrom : sum) reduction(+ : sum)
            for (int i = 0; i < N; i++) {
                own[i] = shared[i] * (me + 1) + round;
                sum += shared[i];
            }
            for (int i = 0; i < N; i++)
                wrong += own[i] != i * (me + 1) + round;
            wrong += sum != N * (N - 1) / 2;
        }
        free(own);
    }
    EXPECT(wrong, 0);
#ifdef OFFLOAD
    EXPECT(omp_target_is_present(shared, omp_get_default_device()), 0);
#endif
}

static void taskgroup(void) {
    int a = 0, b = 0;
#pragma omp taskgroup
    {
#pragma omp target nowait map(tofrom : a)
        a = 1;
#pragma omp target nowait map(tofrom : b)
        b = 2;
    }
    EXPECT(a + b, 3);
#pragma omp target nowait map(tofrom : a)
    a = 10;
#pragma omp taskwait
    EXPECT(a, 10);
}

int main(void) {
    depend();
    chain();
    tasks();
    host_threads();
    taskgroup();
    return done();
}
