// What the host runtime costs: regions, mappings, copies. Prints `name<TAB>microseconds` per line: the median of
// several rounds. Compiled for the host as device, the same binary runs on LLVM's libomptarget.so and on ours.
#define _GNU_SOURCE
#include <malloc.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 15 };

static double microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e6 + now.tv_nsec * 1e-3;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Calls `work(argument, calls)` in rounds and prints the median time of one call.
static void measure(const char *name, void (*work)(long argument, int calls), long argument, int calls) {
    double rounds[ROUNDS];
    work(argument, calls);
    for (int round = 0; round < ROUNDS; round++) {
        double begin = microseconds();
        work(argument, calls);
        rounds[round] = (microseconds() - begin) / calls;
    }
    qsort(rounds, ROUNDS, sizeof(double), ascending);
    printf("%s\t%.4f\n", name, rounds[ROUNDS / 2]);
    fflush(stdout);
}

static void empty_region(long unused, int calls) {
    (void)unused;
    for (int call = 0; call < calls; call++) {
#pragma omp target
        {}
    }
}

static void region_with_one_int(long unused, int calls) {
    (void)unused;
    int x = 0;
    for (int call = 0; call < calls; call++) {
#pragma omp target map(tofrom : x)
        x++;
    }
    if (x != calls)
        exit(1);
}

static void region_with_teams(long unused, int calls) {
    (void)unused;
    for (int call = 0; call < calls; call++) {
#pragma omp target teams distribute parallel for num_teams(1)
        for (int i = 0; i < 32; i++) {
        }
    }
}

static void nowait_regions(long unused, int calls) {
    (void)unused;
    for (int call = 0; call < calls; call++) {
#pragma omp target nowait
        {}
#pragma omp taskwait
    }
}

enum { LAUNCHES = 200000 };

static void *launch(void *unused) {
    (void)unused;
    for (int call = 0; call < LAUNCHES; call++) {
#pragma omp target
        {}
    }
    return NULL;
}

// Regions per time of two host threads, over those of one.
static void two_threads(void) {
    double rounds[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        double begin = microseconds();
        launch(NULL);
        double one = microseconds() - begin;
        pthread_t threads[2];
        begin = microseconds();
        for (int i = 0; i < 2; i++)
            pthread_create(&threads[i], NULL, launch, NULL);
        for (int i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
        rounds[round] = 2 * one / (microseconds() - begin);
    }
    qsort(rounds, ROUNDS, sizeof(double), ascending);
    printf("two host threads over one\t%.2f\n", rounds[ROUNDS / 2]);
}

static char *bytes;
// Every 64 bytes one section of 32 is mapped.
enum { STRIDE = 64, SECTION = 32 };

static void map_and_unmap(long live, int calls) {
    char *fresh = bytes + live * STRIDE;
    for (int call = 0; call < calls; call++) {
#pragma omp target enter data map(alloc : fresh[0 : SECTION])
#pragma omp target exit data map(delete : fresh[0 : SECTION])
    }
}

static unsigned random_below(unsigned *state, long bound) {
    *state = *state * 1664525u + 1013904223u;
    return (unsigned)(((unsigned long)*state * (unsigned long)bound) >> 32);
}

static void look_up(long live, int calls) {
    unsigned state = 1;
    int present = 0, device = omp_get_default_device();
    for (int call = 0; call < calls; call++)
        present += omp_target_is_present(bytes + (size_t)random_below(&state, live) * STRIDE, device);
    if (present != calls)
        exit(1);
}

static void update_to(long length, int calls) {
    for (int call = 0; call < calls; call++) {
#pragma omp target update to(bytes[0 : length])
    }
}

static void update_from(long length, int calls) {
    for (int call = 0; call < calls; call++) {
#pragma omp target update from(bytes[0 : length])
    }
}

static char *elsewhere;

static void copy(long length, int calls) {
    for (int call = 0; call < calls; call++) {
        memcpy(elsewhere, bytes, (size_t)length);
        __asm__ volatile("" ::: "memory");
    }
}

static long heap(void) {
    struct mallinfo2 info = mallinfo2();
    return (long)(info.uordblks + info.hblkhd);
}

// What a section's device memory takes of the heap: a host device's memory is the heap's, too.
static double device_memory(long live) {
    void **all = malloc(live * sizeof *all);
    long before = heap();
    for (long i = 0; i < live; i++)
        all[i] = omp_target_alloc(SECTION, omp_get_default_device());
    double each = (double)(heap() - before) / live;
    for (long i = 0; i < live; i++)
        omp_target_free(all[i], omp_get_default_device());
    free(all);
    return each;
}

// Maps `live` sections, measures among them, and unmaps them.
static void among(long live) {
    char name[64];
    double memory = device_memory(live);
    long before = heap();
    for (long i = 0; i < live; i++) {
        char *section = bytes + i * STRIDE;
#pragma omp target enter data map(alloc : section[0 : SECTION])
    }
    double bookkeeping = (double)(heap() - before) / live - memory;
    snprintf(name, sizeof name, "enter + exit data, %ld live mappings", live);
    measure(name, map_and_unmap, live, 2000);
    snprintf(name, sizeof name, "present look-up, %ld live mappings", live);
    measure(name, look_up, live, 20000);
    if (live == 100000)
        printf("bytes per live mapping, without its memory\t%.0f\n", bookkeeping);
    for (long i = 0; i < live; i++) {
        char *section = bytes + i * STRIDE;
#pragma omp target exit data map(delete : section[0 : SECTION])
    }
}

static void updates(long length, const char *size, int calls) {
    char name[64];
    snprintf(name, sizeof name, "update to, %s", size);
    measure(name, update_to, length, calls);
    snprintf(name, sizeof name, "update from, %s", size);
    measure(name, update_from, length, calls);
    snprintf(name, sizeof name, "memcpy, %s", size);
    measure(name, copy, length, calls);
}

int main(void) {
    const long most = 64L << 20;
    bytes = malloc(most + STRIDE);
    elsewhere = malloc(most);
    memset(bytes, 1, most + STRIDE);
    memset(elsewhere, 1, most);
    measure("empty target region", empty_region, 0, 2000);
    measure("region mapping one int", region_with_one_int, 0, 2000);
    measure("region with teams and threads", region_with_teams, 0, 200);
    measure("nowait region", nowait_regions, 0, 200);
    two_threads();
    among(100);
    among(10000);
    among(100000);
#pragma omp target enter data map(alloc : bytes[0 : most])
    updates(4096, "4 KiB", 2000);
    updates(1L << 20, "1 MiB", 100);
    updates(most, "64 MiB", 2);
#pragma omp target exit data map(delete : bytes[0 : most])
    return 0;
}
