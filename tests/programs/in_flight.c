// Regions that are in flight when one of them fails, or when the program ends.
//
//   in_flight fault     one of many fails; the program would wait for all of them
//   in_flight forsaken  one fails while the program ends, not having waited
//   in_flight end       main returns while regions are queued and running
//   in_flight exit      the same from within a task, by exit(0)

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long values[64];

static void spin(int regions, long turns) {
    for (int i = 0; i < regions; i++) {
        long *value = &values[i];
#pragma omp target nowait map(tofrom : value[0 : 1]) firstprivate(turns)
        for (volatile long turn = 0; turn < turns; turn++)
            *value += turn;
    }
}

static void fault(int *pointer, long turns) {
#pragma omp target nowait map(tofrom : values[0 : 1]) firstprivate(pointer, turns)
    {
        for (volatile long turn = 0; turn < turns; turn++)
            values[0] += turn;
        *(volatile int *)pointer = 1; // the fault
    }
}

// Until the first region has begun; it may have ended meanwhile, and so may the last.
static void wait_for_the_first(void) {
    int device = omp_get_default_device();
    while (!omp_target_is_present(values, device) && !*(volatile long *)&values[63]) {
    }
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    int on_the_host = 0;
    if (!strcmp(what, "fault")) {
        spin(20, 1000);
        fault(&on_the_host, 0);
        spin(20, 1000);
#pragma omp taskwait
        printf("not reached\n");
    } else if (!strcmp(what, "forsaken")) {
        fault(&on_the_host, 300000);
        wait_for_the_first();
    } else if (!strcmp(what, "end")) {
        spin(64, 200000);
        wait_for_the_first();
    } else if (!strcmp(what, "exit")) {
        spin(64, 200000);
        wait_for_the_first();
#pragma omp task
        exit(0);
    }
    return 0;
}
