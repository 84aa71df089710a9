// Constructs of OpenMP 4.5 to 5.2 that no other program here has: scan, loop, scope, masked with a filter, critical
// with hints, flush with orders, cancellation, error, assume, tile, unroll, order(concurrent), metadirective.

#include "check.h"

enum { N = 300, THREADS = 70 };

static void scans(void) {
    int in[N], inclusive[N], exclusive[N], total = 0, most = -1, peaks[N];
    for (int i = 0; i < N; i++)
        in[i] = (i * 37) % 101;
#pragma omp target map(to : in) map(from : inclusive, exclusive, peaks) map(tofrom : total, most)
    {
        int sum = 0;
#pragma omp parallel for num_threads(THREADS) reduction(inscan, + : sum)
        for (int i = 0; i < N; i++) {
            sum += in[i];
#pragma omp scan inclusive(sum)
            inclusive[i] = sum;
        }
        total = sum;
        sum = 0;
#pragma omp parallel for num_threads(THREADS) reduction(inscan, + : sum)
        for (int i = 0; i < N; i++) {
            exclusive[i] = sum;
#pragma omp scan exclusive(sum)
            sum += in[i];
        }
#pragma omp parallel for num_threads(THREADS) reduction(inscan, max : most)
        for (int i = 0; i < N; i++) {
            most = most > in[i] ? most : in[i];
#pragma omp scan inclusive(most)
            peaks[i] = most;
        }
    }
    int sum = 0, peak = -1;
    for (int i = 0; i < N; i++) {
        EXPECT(exclusive[i], sum);
        sum += in[i];
        peak = peak > in[i] ? peak : in[i];
        EXPECT(inclusive[i], sum);
        EXPECT(peaks[i], peak);
    }
    EXPECT(total, sum);
}

static void loops(void) {
    int a[N] = {0}, b[N] = {0}, c[N] = {0}, d[N] = {0}, e[8][8] = {{0}};
#pragma omp target teams loop map(tofrom : a)
    for (int i = 0; i < N; i++)
        a[i] += i;
#pragma omp target parallel loop map(tofrom : b)
    for (int i = 0; i < N; i++)
        b[i] += 2 * i;
#pragma omp target map(tofrom : c, d, e)
    {
#pragma omp loop bind(thread)
        for (int i = 0; i < N; i++)
            c[i] += 3 * i;
#pragma omp parallel num_threads(THREADS)
        {
#pragma omp loop bind(parallel)
            for (int i = 0; i < N; i++)
                d[i] += 4 * i;
#pragma omp for order(concurrent)
            for (int i = 0; i < N; i++)
                d[i]++;
        }
#pragma omp parallel for num_threads(5)
#pragma omp tile sizes(3, 2)
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++)
                e[i][j] += i * j;
#pragma omp unroll partial(4)
        for (int i = 0; i < N; i++)
            d[i]++;
    }
    for (int i = 0; i < N; i++) {
        EXPECT(a[i], i);
        EXPECT(b[i], 2 * i);
        EXPECT(c[i], 3 * i);
        EXPECT(d[i], 4 * i + 2);
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            EXPECT(e[i][j], i * j);
}

static void regions(void) {
    int filtered = 0, who = -1, counted = 0, hinted[2] = {0}, scoped = 0, flushed = 0, assumed = 0;
    int n = 3, threads = 0, meta = 0;
#pragma omp target map(tofrom : filtered, who, counted, hinted, scoped, flushed, assumed, threads, meta) map(to : n)
#pragma omp parallel num_threads(THREADS)
    {
        if (omp_get_thread_num() == 0)
            threads = omp_get_num_threads();
#pragma omp barrier
#pragma omp masked filter(n % threads)
        {
            filtered++;
            who = omp_get_thread_num();
        }
#pragma omp critical(first) hint(omp_sync_hint_contended | omp_sync_hint_nonspeculative)
        hinted[0]++;
#pragma omp critical(second) hint(omp_sync_hint_uncontended)
        hinted[1]++;
#pragma omp scope reduction(+ : scoped)
        scoped += omp_get_thread_num();
#pragma omp flush
#pragma omp flush acquire
#pragma omp flush release
#pragma omp flush acq_rel
#pragma omp flush(flushed)
#pragma omp assume holds(n == 3)
        {
#pragma omp atomic
            assumed += n;
        }
#pragma omp error at(execution) severity(warning) message("only a warning")
#pragma omp sections
        {
#pragma omp section
#pragma omp atomic
            counted += 1;
#pragma omp section
#pragma omp atomic
            counted += 10;
#pragma omp section
#pragma omp atomic
            counted += 100;
        }
#pragma omp metadirective when(device = {kind(nohost)} : masked) otherwise(master)
        meta++;
    }
    EXPECT(filtered, 1);
    EXPECT(who, 3 % threads);
    EXPECT(hinted[0], threads);
    EXPECT(hinted[1], threads);
    EXPECT(scoped, threads * (threads - 1) / 2);
    EXPECT(assumed, 3 * threads);
    EXPECT(counted, 111);
    EXPECT(meta, 1);
}

// cancel-var is false: nothing is cancelled, with all clauses and in all constructs.
static void cancellation(void) {
    int iterations = 0, regions = 0, sections = 0, tasks = 0, threads = 0, combined = 0;
#pragma omp target map(tofrom : iterations, regions, sections, tasks, threads)
    {
#pragma omp parallel num_threads(THREADS)
        {
#pragma omp single
            threads = omp_get_num_threads();
            if (threads > 0) {
#pragma omp cancel parallel
            }
#pragma omp barrier
#pragma omp cancellation point parallel
#pragma omp atomic
            regions++;
        }
#pragma omp parallel for num_threads(THREADS)
        for (int i = 0; i < N; i++) {
            if (i == 7) {
#pragma omp cancel for
            }
#pragma omp cancellation point for
#pragma omp atomic
            iterations++;
        }
#pragma omp parallel sections num_threads(4)
        {
#pragma omp section
            {
#pragma omp cancel sections if (threads)
#pragma omp atomic
                sections++;
            }
#pragma omp section
            {
#pragma omp cancellation point sections
#pragma omp atomic
                sections++;
            }
        }
#pragma omp taskgroup
        for (int i = 0; i < 10; i++) {
#pragma omp task shared(tasks)
            {
#pragma omp cancel taskgroup
#pragma omp cancellation point taskgroup
                tasks++;
            }
        }
    }
#pragma omp target parallel for map(tofrom : combined)
    for (int i = 0; i < N; i++) {
#pragma omp cancel for if (i == 3)
#pragma omp atomic
        combined++;
    }
    EXPECT(regions, threads);
    EXPECT(iterations, N);
    EXPECT(sections, 2);
    EXPECT(tasks, 10);
    EXPECT(combined, N);
}

int main(void) {
    scans();
    loops();
    regions();
    cancellation();
    return done();
}
