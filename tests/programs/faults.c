// Kernels that go wrong, one per argument. None of them may end well, hang, or say nothing of where.

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <omp.h>

#pragma omp declare target
static int depth(int n) {
    volatile char frame[1000];
    frame[n % 1000] = (char)n;
    return n < 0 ? frame[0] : depth(n + 1) + frame[n % 1000];
}
#pragma omp end declare target

static void run(const char *what) {
    int zero = 0, on_host = 7, sink = 0, *host_pointer = &on_host, *null = NULL;
    if (strcmp(what, "assert") == 0) {
#pragma omp target parallel num_threads(40) firstprivate(zero)
        assert(omp_get_thread_num() != 35 + zero && "the thirty-sixth thread");
    } else if (strcmp(what, "trap") == 0) {
#pragma omp target
        __builtin_trap();
    } else if (strcmp(what, "host-load") == 0) {
#pragma omp target firstprivate(host_pointer) map(from : sink)
        sink = *host_pointer;
    } else if (strcmp(what, "host-store") == 0) {
#pragma omp target firstprivate(host_pointer)
        *host_pointer = 8;
    } else if (strcmp(what, "null") == 0) {
#pragma omp target firstprivate(null)
        *(volatile int *)null = 1;
    } else if (strcmp(what, "divide") == 0) {
#pragma omp target map(tofrom : sink) firstprivate(zero)
        sink = 1000 / (zero + 0);
    } else if (strcmp(what, "divide-lanes") == 0) {
        int quotients[256];
#pragma omp target teams distribute parallel for map(from : quotients) firstprivate(zero)
        for (int i = 0; i < 256; i++)
            quotients[i] = (1000 + i) / (zero + 0);
        sink = quotients[3];
    } else if (strcmp(what, "recursion") == 0) {
#pragma omp target map(tofrom : sink) firstprivate(zero)
        sink = depth(zero);
    } else if (strcmp(what, "deadlock") == 0) {
        // A barrier that only the first threads reach; the others wait for the region's end.
#pragma omp target map(tofrom : sink) firstprivate(zero)
        {
            sink = 1;
#pragma omp parallel num_threads(64)
            if (omp_get_thread_num() < 32 + zero) {
#pragma omp barrier
            }
            sink = 2;
        }
    } else if (strcmp(what, "lock") == 0) {
        // A lock taken twice by one thread: it waits on memory, for ever.
        omp_lock_t lock;
#pragma omp target map(alloc : lock)
        {
            omp_init_lock(&lock);
            omp_set_lock(&lock);
            omp_set_lock(&lock);
        }
    } else if (strcmp(what, "flag") == 0) {
        // One thread waits for what nobody writes, the others for that thread.
        int flag = 0;
#pragma omp target parallel num_threads(64) map(tofrom : flag)
        {
            if (omp_get_thread_num() == 0) {
                int set = 0;
                while (!set) {
#pragma omp atomic read acquire
                    set = flag;
                }
            }
#pragma omp barrier
        }
    } else if (strcmp(what, "outside") == 0) {
        // Far behind a mapped array.
        int a[16] = {0};
#pragma omp target map(tofrom : a)
        ((volatile int *)a)[zero + (1 << 28)] = 1;
    } else if (strcmp(what, "scatter") == 0) {
        // Each thread at places of its own, at last far behind a mapped array.
        int to[64], a[64];
        for (int i = 0; i < 64; i++)
            to[i] = i * 37 % 64;
#pragma omp target parallel for num_threads(64) map(to : to) map(from : a)
        for (int i = 0; i < 64; i++) {
            int j = i;
#pragma unroll
            for (int step = 0; step < 30; step++)
                a[j = to[j]] = i;
            a[to[j] + (1 << 28)] = i;
        }
    } else {
        fprintf(stderr, "unknown fault %s\n", what);
        exit(99);
    }
    printf("survived %s: %d %d\n", what, sink, on_host);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        run(argv[i]);
    return 0;
}
