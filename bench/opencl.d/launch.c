// launch: what a launch of a small kernel and the wait for it take.

#include "bench.h"

static int counted[16], runs;

static void prepare(void) { send(counted, 16); }

static void run(void) {
    static cl_kernel launch;
    if (!launch)
        launch = cl_find("launch");
    ARRAY(launch, 0, counted);
    cl_launch(launch, 64, 1, 64, 1);
    runs++;
}

static int wrong(void) {
    fetch(counted, 16);
    return counted[0] != runs;
}
