// What threads keep for themselves is given back with the region: many regions in a small heap.

#include "check.h"

int main(void) {
    int regions = 0, sum = 0;
#pragma omp target map(tofrom : regions, sum)
    for (int r = 0; r < 150; r++) {
#pragma omp parallel num_threads(64)
        {
            omp_set_schedule(omp_sched_dynamic, 3);
            omp_set_default_allocator(omp_large_cap_mem_alloc);
            omp_event_handle_t event;
#pragma omp taskgroup
            {
#pragma omp task detach(event) depend(out : r)
                omp_set_dynamic(1);
#pragma omp task depend(in : r)
                omp_set_dynamic(1);
                omp_fulfill_event(event);
            }
#pragma omp for ordered(1)
            for (int i = 1; i < 4; i++) {
#pragma omp ordered depend(sink : i - 1)
#pragma omp atomic
                sum++;
#pragma omp ordered depend(source)
            }
#pragma omp master
            regions++;
        }
    }
    EXPECT(regions, 150);
    EXPECT(sum, 450);
    return done();
}
