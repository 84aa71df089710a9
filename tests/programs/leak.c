// Leaves a mapping behind and moves known amounts of data, for the summary and the timeline.
#include <stdlib.h>

int main(void) {
    float *p = malloc(400);
    for (int i = 0; i < 100; i++)
        p[i] = 0;
#pragma omp target enter data map(to : p[0 : 100]) // mapped for good
    for (int step = 0; step < 3; step++) {
#pragma omp target teams distribute parallel for // the kernel
        for (int i = 0; i < 100; i++)
            p[i] += 1;
    }
#pragma omp target update from(p[0 : 50])
    return p[49] != 3;
}
