// Scheduling: loops of ITERATIONS iterations per thread, by schedule and chunk.
#include "epcc.h"

#define SCHEDULED(name, ...)                                                                                                     \
    IN_REGION(name, REPEAT {                                                                                                     \
        OMP(for schedule(__VA_ARGS__))                                                                                           \
        for (int i = 0; i < threads * ITERATIONS; i++)                                                                           \
            delay(length, &sum);                                                                                                 \
    })
SCHEDULED(even, static)
SCHEDULED(fixed, static, parameter)
SCHEDULED(dynamic, dynamic, parameter)
SCHEDULED(guided, guided, parameter)

#define WITH(name, function, chunk) {"sched", name, LOOP, chunk, 0, function##_spmd, function##_generic}
#define CHUNKS(name, function)                                                                                                   \
    WITH(name, function, 1), WITH(name, function, 2), WITH(name, function, 4), WITH(name, function, 8), WITH(name, function, 16)
static const struct construct suite[] = {
    WITH("static", even, 0), CHUNKS("static", fixed), CHUNKS("dynamic", dynamic), CHUNKS("guided", guided),
};

#include "program.h"
