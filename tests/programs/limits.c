// Requests the runtime must refuse or bound, one per argument.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <omp.h>

#pragma omp begin declare target
typedef struct {
    char bytes[2 << 20];
} Large;
__attribute__((noinline)) static void opaque(void *p) { __asm__ volatile("" : : "r"(p) : "memory"); }
#pragma omp end declare target

static void run(const char *what) {
    int sink = 0, a[100];
    memset(a, 0, sizeof a);
    if (strcmp(what, "num-teams") == 0) {
        // 2^31 teams: one more than a grid can have.
        unsigned teams = 1u << 31;
#pragma omp target teams distribute parallel for num_teams(teams) thread_limit(32) reduction(+ : sink)
        for (int i = 0; i < 1000; i++)
            sink += 1;
        printf("iterations %d\n", sink);
    } else if (strcmp(what, "reducing-teams") == 0) {
        long sum = 0;
#pragma omp target teams num_teams(1073741825) thread_limit(32) reduction(+ : sum)
        sum += 1;
        printf("%ld\n", sum);
    } else if (strcmp(what, "thread-limit") == 0) {
        // More threads than a block can have: bounded.
        int threads = 0;
#pragma omp target teams num_teams(1) thread_limit(100000) map(tofrom : threads)
#pragma omp parallel num_threads(50000)
#pragma omp single
        threads = omp_get_num_threads();
        printf("threads %s\n", threads >= 1 && threads <= 1024 ? "within the limit" : "over the limit");
    } else if (strcmp(what, "zero-teams") == 0) {
        int none = 0;
#pragma omp target teams distribute parallel for num_teams(none) thread_limit(none) reduction(+ : sink)
        for (int i = 0; i < 1000; i++)
            sink += 1;
        printf("iterations %d\n", sink);
    } else if (strcmp(what, "present") == 0) {
#pragma omp target map(present, tofrom : a)
        a[0] = 1;
        printf("survived\n");
    } else if (strcmp(what, "update-present") == 0) {
#pragma omp target update to(present : a)
        printf("survived\n");
    } else if (strcmp(what, "extend") == 0) {
        // Part of an array is mapped, then all of it.
#pragma omp target data map(tofrom : a[10 : 20])
#pragma omp target map(tofrom : a)
        a[5] = 1;
        printf("survived\n");
    } else if (strcmp(what, "memory") == 0) {
        size_t size = (size_t)1 << 30; // more than OMPTARGET_VGPU_MEMORY in the test
        char *big = malloc(size);
#pragma omp target map(alloc : big[0 : size])
        big[0] = 1;
        printf("survived\n");
    } else if (strcmp(what, "shared-variables") == 0) {
        // More than OMPTARGET_VGPU_HEAP in the test, for a variable that all threads of a region see.
#pragma omp target map(tofrom : sink) // too large
        {
            Large shared;
            opaque(&shared);
#pragma omp parallel reduction(+ : sink)
            sink += shared.bytes[omp_get_thread_num()];
        }
        printf("survived\n");
    } else if (strcmp(what, "alloc") == 0) {
        // The routine reports by a null pointer, and what was freed can be had again.
        size_t size = (size_t)24 << 20;
        int device = omp_get_default_device(), failed = 0;
        void *huge = omp_target_alloc((size_t)1 << 50, device);
        for (int i = 0; i < 20; i++) {
            void *p = omp_target_alloc(size, device);
            failed += p == NULL;
            omp_target_free(p, device);
        }
        printf("huge %s, %d failed\n", huge ? "given" : "refused", failed);
    } else if (strcmp(what, "double-free") == 0) {
        void *p = omp_target_alloc(100, 0);
        omp_target_free(p, 0);
        omp_target_free(p, 0);
        printf("done\n");
    } else if (strcmp(what, "shared-memory") == 0) {
#pragma omp target teams map(tofrom : sink) ompx_dyn_cgroup_mem(100000000)
        sink = 1;
    } else if (strcmp(what, "wild-copy") == 0) {
        printf("refused %d\n", omp_target_memcpy((void *)16, &sink, sizeof sink, 0, 0, 0, omp_get_initial_device()));
    } else if (strcmp(what, "freed-association") == 0) {
        void *p = omp_target_alloc(sizeof a, 0);
        omp_target_associate_ptr(a, p, sizeof a, 0, 0);
        omp_target_free(p, 0);
#pragma omp target update to(a)
        printf("survived\n");
    } else if (strcmp(what, "double-delete") == 0) {
#pragma omp target enter data map(to : a)
#pragma omp target exit data map(delete : a)
#pragma omp target exit data map(delete : a)
        printf("no effect\n");
    } else if (strcmp(what, "device-number") == 0) {
#pragma omp target device(1000) map(tofrom : sink)
        sink = omp_is_initial_device() ? 1 : 2;
        printf("ran on the %s\n", sink == 1 ? "host" : "device");
    } else if (strcmp(what, "where") == 0) {
#pragma omp target map(tofrom : sink)
        sink = omp_is_initial_device() ? 1 : 2;
        printf("%s, %d devices\n", sink == 1 ? "host" : "device", omp_get_num_devices() > 0);
    } else {
        fprintf(stderr, "unknown limit %s\n", what);
        exit(99);
    }
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        run(argv[i]);
    return 0;
}
