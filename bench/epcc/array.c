// Arrays: what it costs to give every thread one of its own, by size.
#include "epcc.h"

#pragma omp begin declare target
// A delay in an array, at a place that nobody knows beforehand: all of it has to be there.
static inline void array_work(struct team *own, int length, double *array, int size) {
    float sum = (float)array[length % size];
    delay(length, &sum);
    array[(length + 1) % size] = sum;
    keep(own, (float)array[(length + 2) % size]);
}
#pragma omp end declare target

#define ARRAYS(size)                                                                                                             \
    IN_SEQUENCE(private_##size, double array[size]; REPEAT {                                                                     \
        OMP(parallel private(array)) {                                                                                           \
            array[(length + 2) % size] = array[length % size] = 1;                                                               \
            array_work(own, length, array, size);                                                                                \
        }                                                                                                                        \
    })                                                                                                                           \
    IN_SEQUENCE(firstprivate_##size, double array[size]; for (int i = 0; i < size; i++) array[i] = 1; REPEAT {                   \
        OMP(parallel firstprivate(array))                                                                                        \
        array_work(own, length, array, size);                                                                                    \
    })                                                                                                                           \
    IN_REGION(copyprivate_##size, double array[size]; for (int i = 0; i < size; i++) array[i] = 1; REPEAT {                      \
        OMP(single copyprivate(array))                                                                                           \
        array_work(own, length, array, size);                                                                                    \
    } sum = (float)array[length % size];)
ARRAYS(1)
ARRAYS(9)
ARRAYS(81)
ARRAYS(729)

#define SIZE(size)                                                                                                               \
    {"array", "private", EACH, size, 0, private_##size##_spmd, private_##size##_generic},                                           \
        {"array", "firstprivate", EACH, size, 0, firstprivate_##size##_spmd, firstprivate_##size##_generic},                        \
        {"array", "copyprivate", ONE, size, 0, copyprivate_##size##_spmd, copyprivate_##size##_generic}
static const struct construct suite[] = {SIZE(1), SIZE(9), SIZE(81), SIZE(729)};

#include "program.h"
