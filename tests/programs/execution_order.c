// Kernels that are right only if threads run in the order of their numbers: a barrier is missing, and an element that
// another block writes is read. Prints how many reads went wrong. The kernels with a barrier of their own run warp by
// warp, those without thread by thread.

#include <omp.h>
#include <stdio.h>

enum { THREADS = 128, LANES = 32, TEAMS = 50 };

static int without_barriers(void) {
    int wrong = 0;
    volatile int written[THREADS] = {0};
#pragma omp target teams num_teams(1) thread_limit(THREADS) map(tofrom : wrong, written)
#pragma omp parallel num_threads(THREADS)
    {
        int me = omp_get_thread_num();
        written[me] = 1;
        if (me >= LANES && !written[me - LANES]) {
#pragma omp atomic
            wrong++;
        }
    }
    return wrong;
}

static int with_another_barrier(void) {
    int wrong = 0;
    volatile int written[THREADS] = {0};
#pragma omp target teams num_teams(1) thread_limit(THREADS) map(tofrom : wrong, written)
#pragma omp parallel num_threads(THREADS)
    {
        int me = omp_get_thread_num();
        for (int step = 1; step < 4; step++) {
#pragma omp barrier
            written[me] = step;
            if (me >= LANES && written[me - LANES] != step) {
#pragma omp atomic
                wrong++;
            }
        }
    }
    return wrong;
}

static int blocks(void) {
    int wrong = 0;
    volatile int written[TEAMS] = {0};
#pragma omp target teams num_teams(TEAMS) thread_limit(LANES) map(tofrom : wrong, written)
    {
        int me = omp_get_team_num();
        written[me] = 1;
        if (me > 0 && !written[me - 1]) {
#pragma omp atomic
            wrong++;
        }
    }
    return wrong;
}

int main(void) {
    printf("%d %d %d\n", without_barriers(), with_another_barrier(), blocks());
    return 0;
}
