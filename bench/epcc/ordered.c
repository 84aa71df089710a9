// `ordered`, of the synchronisation suite; it has a program of its own because the runtime then keeps more per thread.
#include "epcc.h"

IN_REGION(ordered, {
    OMP(for ordered schedule(static, 1))
    for (int i = 0; i < inner; i++) {
        OMP(ordered)
        delay(length, &sum);
    }
})

static const struct construct suite[] = {
    {"sync", "ordered", ONE, 0, 0, BOTH(ordered)},
};

#include "program.h"
