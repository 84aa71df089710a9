// build: milliseconds from a program's source to the end of its first kernel, by the clock and of CPU time, compilers
// that were started included.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "opencl.h"

static double seconds(struct timeval time) { return time.tv_sec + time.tv_usec * 1e-6; }

static double cpu(void) {
    double sum = 0.0;
    for (int who = 0; who < 2; who++) {
        struct rusage usage;
        getrusage(who ? RUSAGE_CHILDREN : RUSAGE_SELF, &usage);
        sum += seconds(usage.ru_utime) + seconds(usage.ru_stime);
    }
    return sum * 1e3;
}

static double wall(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e3 + time.tv_nsec * 1e-6;
}

int main(void) {
    cl_platform_id platform;
    cl_device_id device;
    cl_check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    cl_check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL), "clGetDeviceIDs");
    int counted = 0;
    double started = wall(), used = cpu();
    cl_send(&counted, sizeof counted);
    cl_kernel launch = cl_find("launch");
    ARRAY(launch, 0, &counted);
    cl_launch(launch, 64, 1, 64, 1);
    cl_fetch(&counted, sizeof counted);
    if (counted != 1) {
        printf("FAIL: %d launches were counted\n", counted);
        return 1;
    }
    printf("%.3f %.3f\n", wall() - started, cpu() - used);
    return 0;
}
