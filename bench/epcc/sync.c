// Synchronisation: what a construct costs.
#include "epcc.h"

IN_SEQUENCE(parallel, REPEAT {
    OMP(parallel)
    work(own, length);
})
IN_SEQUENCE(parallel_for, REPEAT {
    OMP(parallel for)
    for (int i = 0; i < threads; i++)
        work(own, length);
})
IN_REGION(for_loop, REPEAT {
    OMP(for)
    for (int i = 0; i < threads; i++)
        delay(length, &sum);
})
IN_REGION(for_nowait, REPEAT {
    OMP(for nowait)
    for (int i = 0; i < threads; i++)
        delay(length, &sum);
})
IN_REGION(barrier, REPEAT {
    delay(length, &sum);
    OMP(barrier)
})
IN_REGION(single, REPEAT {
    OMP(single)
    delay(length, &sum);
})
IN_REGION(master, REPEAT {
    OMP(masked)
    delay(length, &sum);
})
IN_REGION(critical, TURN {
    OMP(critical)
    delay(length, &sum);
})
IN_REGION(lock, TURN {
    omp_set_lock(&own->lock);
    delay(length, &sum);
    omp_unset_lock(&own->lock);
})
IN_REGION(atomic, TURN {
    OMP(atomic)
    own->counter++;
})

// The region adds what each thread has; as in EPCC's own, the construct is `parallel reduction`.
#define REDUCTION(name, type)                                                                                                    \
    IN_SEQUENCE(name, type total = 0; REPEAT {                                                                                   \
        OMP(parallel reduction(+ : total)) {                                                                                     \
            work(own, length);                                                                                                   \
            total += 1;                                                                                                          \
        }                                                                                                                        \
    } keep(own, (float)total);)
REDUCTION(reduction_int, int)
REDUCTION(reduction_long, long)
REDUCTION(reduction_float, float)
REDUCTION(reduction_double, double)
IN_SEQUENCE(reduction_several, int a = 0; long b = 0; float c = 0; double d = 0; REPEAT {
    OMP(parallel reduction(+ : a, b, c, d)) {
        work(own, length);
        a += 1, b += 1, c += 1, d += 1;
    }
} keep(own, a + b + c + (float)d);)
IN_REGION_SHARING(for_reduction, double total = 0;, REPEAT {
    OMP(for reduction(+ : total))
    for (int i = 0; i < threads; i++) {
        delay(length, &sum);
        total += 1;
    }
} keep(own, (float)total);)

static const struct construct suite[] = {
    {"sync", "parallel", EACH, 0, 0, BOTH(parallel)},
    {"sync", "for", EACH, 0, 0, BOTH(for_loop)},
    {"sync", "for nowait", EACH, 0, 0, BOTH(for_nowait)},
    {"sync", "parallel for", EACH, 0, 0, BOTH(parallel_for)},
    {"sync", "barrier", EACH, 0, 0, BOTH(barrier)},
    {"sync", "single", ONE, 0, 0, BOTH(single)},
    {"sync", "master", ONE, 0, 0, BOTH(master)},
    {"sync", "critical", TURNS, 0, 0, BOTH(critical)},
    {"sync", "lock/unlock", TURNS, 0, 0, BOTH(lock)},
    {"sync", "atomic", NONE, 0, 0, BOTH(atomic)},
    {"sync", "reduction int", EACH, 0, 0, BOTH(reduction_int)},
    {"sync", "reduction long", EACH, 0, 0, BOTH(reduction_long)},
    {"sync", "reduction float", EACH, 0, 0, BOTH(reduction_float)},
    {"sync", "reduction double", EACH, 0, 0, BOTH(reduction_double)},
    {"sync", "reduction of four", EACH, 0, 0, BOTH(reduction_several)},
    {"sync", "for reduction double", EACH, 0, 0, BOTH(for_reduction)},
};

#include "program.h"
