// What a team's master sends its workers: values of its own, in lists of every length; several regions of one kernel and of several;
// a team that has one worker.

#include "check.h"

#define M10(n) M(n##0) M(n##1) M(n##2) M(n##3) M(n##4) M(n##5) M(n##6) M(n##7) M(n##8) M(n##9)
#define M70 M10(1) M10(2) M10(3) M10(4) M10(5) M10(6) M10(7)

#pragma omp begin declare target
// Not the same for all threads: of a thread that asks.
static inline int own(void) {
#ifdef __NVPTX__
    return 1000 + __nvvm_read_ptx_sreg_tid_y();
#elif defined __AMDGCN__
    return 1000 + __builtin_amdgcn_workitem_id_y();
#else
    return 1000;
#endif
}
__attribute__((noinline)) static int opaque(int x) {
    __asm__ volatile("" : "+r"(x));
    return x;
}
#pragma omp end declare target

static void values_of_the_master(void) {
    int right = 0, threads = 0, few = 0, many = 0;
#pragma omp target map(tofrom : right, threads, few, many)
    {
        int mine = own();
        right = mine;
#pragma omp parallel firstprivate(mine) shared(few, threads)
        {
#pragma omp atomic
            few += mine - 1000;
#pragma omp single
            threads = omp_get_num_threads();
        }
#define M(n) int v##n = mine + n;
        M70
#undef M
#define M(n) v##n,
#pragma omp parallel firstprivate(M70 mine) shared(many)
#undef M
        {
            int sum = 0;
#define M(n) sum += v##n - mine - n;
            M70
#undef M
#pragma omp atomic
            many += sum + mine - 1000;
        }
    }
    EXPECT(few, (right - 1000) * threads);
    EXPECT(many, (right - 1000) * threads);
}

// Workers tell regions apart by what was sent.
static void regions(void) {
    int sums[3] = {0, 0, 0}, threads = 0;
#pragma omp target map(tofrom : sums, threads)
    for (int turn = 0; turn < 4; turn++) {
        int which = opaque(turn) % 3;
        if (which == 0) {
#pragma omp parallel
            {
#pragma omp atomic
                sums[0] += 1;
#pragma omp single
                threads = omp_get_num_threads();
            }
        } else if (which == 1) {
#pragma omp parallel shared(sums)
#pragma omp atomic
            sums[1] += 10;
        } else {
#pragma omp parallel firstprivate(turn)
#pragma omp atomic
            sums[2] += turn;
        }
    }
    EXPECT(sums[0], 2 * threads);
    EXPECT(sums[1], 10 * threads);
    EXPECT(sums[2], 2 * threads);
}

static void one_worker(void) {
    int seen[8] = {0}, sum = 0, dynamic = 0, copied = 0;
#pragma omp target thread_limit(1) map(tofrom : seen, sum, dynamic, copied)
    {
        int before = opaque(5);
#pragma omp parallel shared(before)
        {
            seen[0] = omp_get_num_threads() + 10 * omp_get_thread_num();
            seen[1] = omp_get_level();
            seen[2] = omp_in_parallel();
            seen[3] = omp_get_active_level();
            seen[4] += before;
#pragma omp parallel
            {
                seen[5] = omp_get_level() + 10 * omp_get_num_threads() + 100 * omp_in_parallel();
                seen[6] = omp_get_team_size(1) + 10 * omp_get_ancestor_thread_num(1);
            }
#pragma omp barrier
#pragma omp for reduction(+ : sum)
            for (int i = 0; i < 100; i++)
                sum += i;
#pragma omp for schedule(dynamic, 3)
            for (int i = 0; i < 100; i++)
                dynamic += i;
            int value = 0;
#pragma omp single copyprivate(value)
            value = 7;
            copied = value;
        }
        seen[7] = omp_get_level() + 10 * before;
    }
    const int expected[8] = {1, 1, 0, 0, 5, 12, 1, 50};
    for (int i = 0; i < 8; i++)
        EXPECT(seen[i], expected[i]);
    EXPECT(sum, 4950);
    EXPECT(dynamic, 4950);
    EXPECT(copied, 7);
}

int main(void) {
    values_of_the_master();
    regions();
    one_worker();
    return done();
}
