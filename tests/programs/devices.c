// Every device from a host thread of its own: data that stays, regions, copies from device to device, regions that do not wait.

#include <stdio.h>
#include <stdlib.h>

#include <omp.h>

#include "check.h"

enum { N = 4096, ROUNDS = 8, MOST = 8 };

// What device `d` has after all rounds: each adds its own number to every element, and that of the element.
static void work(int d, int *numbers) {
#pragma omp target data device(d) map(tofrom : numbers[0 : N])
    {
        for (int round = 0; round < ROUNDS; round++) {
#pragma omp target teams distribute parallel for device(d) nowait depend(inout : numbers[0])
            for (int i = 0; i < N; i++)
                numbers[i] += d + i;
        }
#pragma omp taskwait
    }
}

int main(void) {
    int devices = omp_get_num_devices(), host = omp_get_initial_device();
    if (devices == 0)
        return done();
    if (devices > MOST)
        devices = MOST;
    static int numbers[MOST][N];
#pragma omp parallel for num_threads(devices) schedule(static, 1)
    for (int d = 0; d < devices; d++)
        work(d, numbers[d]);
    for (int d = 0; d < devices; d++)
        for (int i = 0; i < N; i++)
            EXPECT(numbers[d][i], ROUNDS * (d + i));

    // Round the devices and back to the host.
    size_t bytes = sizeof numbers[0];
    int *copies[MOST], result[N] = {0};
    for (int d = 0; d < devices; d++)
        copies[d] = omp_target_alloc(bytes, d);
    EXPECT(omp_target_memcpy(copies[0], numbers[0], bytes, 0, 0, 0, host), 0);
    for (int d = 1; d < devices; d++)
        EXPECT(omp_target_memcpy(copies[d], copies[d - 1], bytes, 0, 0, d, d - 1), 0);
    EXPECT(omp_target_memcpy(result, copies[devices - 1], bytes, 0, 0, host, devices - 1), 0);
    for (int i = 0; i < N; i++)
        EXPECT(result[i], ROUNDS * i);
    for (int d = 0; d < devices; d++)
        omp_target_free(copies[d], d);
    return done();
}
