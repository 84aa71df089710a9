// The constructs of the EPCC synchronisation benchmark, one kernel each: -DFOR, -DBARRIER, …
#include <omp.h>
enum { REPETITIONS = 100 };
#pragma omp begin declare target
static inline void delay(int length, float *a) {
    for (int i = 0; i < length; i++)
        *a += i;
}
#pragma omp end declare target

void kernel(int length, int *total, omp_lock_t *lock) {
#pragma omp target parallel map(tofrom : total[:1], lock[:1])
    {
        float mine = 0;
        for (int j = 0; j < REPETITIONS; j++) {
#if defined FOR
#pragma omp for
            for (int i = 0; i < 128; i++)
                delay(length, &mine);
#elif defined BARRIER
            delay(length, &mine);
#pragma omp barrier
#elif defined SINGLE
#pragma omp single
            delay(length, &mine);
#elif defined MASTER
#pragma omp master
            delay(length, &mine);
#elif defined ATOMIC
#pragma omp atomic
            *total += j;
#elif defined CRITICAL
#pragma omp critical
            *total += j;
#elif defined LOCK
            omp_set_lock(lock);
            *total += j;
            omp_unset_lock(lock);
#else
#error "which construct?"
#endif
        }
        if (mine < 0)
            *total = -1;
    }
}
