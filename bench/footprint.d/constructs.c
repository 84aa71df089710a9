// A kernel for each construct that the other programs leave out: -DRUNTIME, -DORDERED, …
#include <omp.h>
#pragma omp begin declare target
// Nobody sees what it does with the value.
#ifdef __AMDGCN__
#define ADDRESS "v"
#else
#define ADDRESS "l"
#endif
static inline void use(double *p) { __asm__ volatile("" : : ADDRESS(p) : "memory"); }
#pragma omp end declare target

void kernel(int n, double *a, omp_nest_lock_t *nest_lock) {
#if defined RUNTIME
#pragma omp target teams distribute parallel for schedule(runtime) map(tofrom : a[:n])
    for (int i = 0; i < n; i++)
        a[i] += 1;
#elif defined DYNAMIC
#pragma omp target teams distribute parallel for schedule(dynamic) map(tofrom : a[:n])
    for (int i = 0; i < n; i++)
        a[i] += 1;
#elif defined GUIDED
#pragma omp target teams distribute parallel for schedule(guided) map(tofrom : a[:n])
    for (int i = 0; i < n; i++)
        a[i] += 1;
#elif defined ORDERED
#pragma omp target parallel for ordered map(tofrom : a[:n])
    for (int i = 0; i < n; i++) {
#pragma omp ordered
        a[0] += a[i];
    }
#elif defined DOACROSS
#pragma omp target parallel for ordered(1) map(tofrom : a[:n])
    for (int i = 1; i < n; i++) {
#pragma omp ordered depend(sink : i - 1)
        a[i] += a[i - 1];
#pragma omp ordered depend(source)
    }
#elif defined TASKS
#pragma omp target parallel map(tofrom : a[:n])
    {
        int me = omp_get_thread_num();
#pragma omp task firstprivate(me)
        a[me] += 1;
#pragma omp taskwait
        a[me] += 1;
    }
#elif defined TASKLOOP
#pragma omp target parallel map(tofrom : a[:n])
#pragma omp single
#pragma omp taskloop
    for (int i = 0; i < n; i++)
        a[i] += 1;
#elif defined TASKGROUP
#pragma omp target parallel map(tofrom : a[:n])
    {
        double sum = 0;
        int me = omp_get_thread_num();
#pragma omp taskgroup task_reduction(+ : sum)
        {
#pragma omp task in_reduction(+ : sum) firstprivate(me)
            sum += a[me];
        }
        a[me] = sum;
    }
#elif defined DETACH
#pragma omp target parallel map(tofrom : a[:n])
    {
        omp_event_handle_t event;
        int me = omp_get_thread_num();
#pragma omp task detach(event) firstprivate(me)
        a[me] += 1;
        omp_fulfill_event(event);
#pragma omp taskwait
        a[me] += 1;
    }
#elif defined SCAN
    double sum = 0;
#pragma omp target map(tofrom : a[:1000])
#pragma omp parallel for reduction(inscan, + : sum)
    for (int i = 0; i < 1000; i++) {
        sum += a[i];
#pragma omp scan inclusive(sum)
        a[i] = sum;
    }
#elif defined NEST_LOCK
#pragma omp target parallel map(tofrom : a[:n], nest_lock[:1])
    {
        omp_set_nest_lock(nest_lock);
        a[0] += 1;
        omp_unset_nest_lock(nest_lock);
    }
#elif defined ALLOCATOR
#pragma omp target parallel map(tofrom : a[:n])
    {
        double *own = omp_alloc(n * sizeof *own, omp_default_mem_alloc);
        use(own);
        a[omp_get_thread_num()] = own[0];
        omp_free(own, omp_default_mem_alloc);
    }
#elif defined ALLOCATE
#pragma omp target parallel map(tofrom : a[:n])
    {
        double own[4];
#pragma omp allocate(own) allocator(omp_thread_mem_alloc)
        use(own);
        a[omp_get_thread_num()] = own[0];
    }
#elif defined SECTIONS
#pragma omp target map(tofrom : a[:n])
#pragma omp parallel sections
    {
        a[0] += 1;
#pragma omp section
        a[1] += 1;
#pragma omp section
        a[2] += 1;
    }
#elif defined LOOP
#pragma omp target teams loop map(tofrom : a[:n])
    for (int i = 0; i < n; i++)
        a[i] += 1;
#elif defined COPYPRIVATE
#pragma omp target parallel map(tofrom : a[:n])
    {
        double value;
#pragma omp single copyprivate(value)
        value = a[0];
        a[omp_get_thread_num()] = value;
    }
#elif defined NUM_THREADS
#pragma omp target map(tofrom : a[:n])
#pragma omp parallel num_threads(n / 2)
    {
        a[omp_get_thread_num()] += 1;
#pragma omp barrier
        a[0] += 1;
    }
#elif defined SET_SCHEDULE
#pragma omp target map(tofrom : a[:n])
    {
        omp_set_schedule(omp_sched_dynamic, 4);
#pragma omp parallel for schedule(runtime)
        for (int i = 0; i < n; i++)
            a[i] += 1;
    }
#elif defined SET_IN_REGION
#pragma omp target parallel map(tofrom : a[:n])
    {
        omp_set_num_threads(2);
        a[omp_get_thread_num()] = omp_get_max_threads();
    }
#elif defined TEAM_REDUCTION
    double sum = 0;
#pragma omp target parallel for reduction(+ : sum) map(to : a[:n])
    for (int i = 0; i < n; i++)
        sum += a[i];
    a[0] = sum;
#elif defined ARRAY_REDUCTION
    double sum[4] = {0};
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : a[:n])
    for (int i = 0; i < n; i++)
        sum[i & 3] += a[i];
    a[0] = sum[0];
#elif defined DISPERSED
#pragma omp target parallel map(tofrom : a[:n])
    {
        double sum = 0;
        if (omp_get_thread_num() & 1)
#pragma omp parallel for reduction(+ : sum)
            for (int i = 0; i < 10; i++)
                sum += a[i];
        a[omp_get_thread_num()] = sum;
    }
#else
#error "which construct?"
#endif
}
