// Target regions in tasks that depend on each other in every way, against a sequential model.
//
//   dag [regions]    a random graph of so many regions (default 4000), then the constructs beside `target`

#include "check.h"

enum { CELLS = 61 };
static const long MODULUS = 1000003;

static unsigned state;

static unsigned below(unsigned bound) {
    state = state * 1664525u + 1013904223u;
    return (unsigned)(((unsigned long)state * bound) >> 32);
}

// A cell that is none of those taken.
static unsigned another(unsigned taken, unsigned taken_too) {
    unsigned cell;
    do
        cell = below(CELLS);
    while (cell == taken || cell == taken_too);
    return cell;
}

// Every region reads up to two cells and changes a third, each mapped by itself. The runtime may run at once only
// regions of which none changes what another uses.
static void graph(int regions, int mapped_around) {
    static long cells[CELLS], model[CELLS], sums[CELLS], expected[CELLS];
    for (int cell = 0; cell < CELLS; cell++)
        cells[cell] = model[cell] = cell, sums[cell] = expected[cell] = 0;
    // With a mapping around them the regions move nothing.
#pragma omp target enter data map(to : cells, sums) if (mapped_around)
    for (int region = 0; region < regions; region++) {
        unsigned to = below(CELLS), from = another(to, to), also = another(to, from), sum = below(CELLS);
        long *target = &cells[to], *one = &cells[from], *two = &cells[also], *total = &sums[sum];
        switch (below(4)) {
        case 0: // reads nothing
#pragma omp target nowait depend(out : *target) map(tofrom : target[0 : 1]) firstprivate(region)
            *target = region;
            model[to] = region;
            break;
        case 1:
#pragma omp target nowait depend(in : *one) depend(inout : *target) firstprivate(region)                               \
    map(to : one[0 : 1]) map(tofrom : target[0 : 1])
            *target = (*target * 3 + *one + region) % MODULUS;
            model[to] = (model[to] * 3 + model[from] + region) % MODULUS;
            break;
        case 2:
#pragma omp target nowait depend(in : *one, *two) depend(inout : *target)                                              \
    map(to : one[0 : 1], two[0 : 1]) map(tofrom : target[0 : 1])
            *target = (*target + *one * 5 + *two) % MODULUS;
            model[to] = (model[to] + model[from] * 5 + model[also]) % MODULUS;
            break;
        default: // in any order, but not at once
#pragma omp target nowait depend(in : *one) depend(mutexinoutset : *total)                                             \
    map(to : one[0 : 1]) map(tofrom : total[0 : 1])
            *total += *one;
            expected[sum] += model[from];
        }
    }
#pragma omp taskwait
#pragma omp target exit data map(from : cells, sums) if (mapped_around)
    for (int cell = 0; cell < CELLS; cell++) {
        EXPECT(cells[cell], model[cell]);
        EXPECT(sums[cell], expected[cell]);
    }
}

// Regions that change two cells in any order, but not at once, each after one of its own. A region that waits for the
// device holds its cell, and regions that want the same cell pile up in front of it.
static void exclusive(void) {
    enum { REGIONS = 200 };
    static long sums[2], parts[REGIONS];
    for (int i = 0; i < REGIONS; i++) {
        long *sum = &sums[i % 2], *part = &parts[i];
#pragma omp target nowait depend(out : *part) map(from : part[0 : 1]) firstprivate(i)
        {
            volatile int spin = 0;
            while (spin < 2000)
                spin = spin + 1;
            *part = i;
        }
#pragma omp target nowait depend(in : *part) depend(mutexinoutset : *sum) map(tofrom : sum[0 : 1])                     \
    map(to : part[0 : 1])
        {
            volatile int spin = 0;
            while (spin < 2000)
                spin = spin + 1;
            *sum += *part;
        }
    }
#pragma omp taskwait
    EXPECT(sums[0], REGIONS / 2 * (REGIONS / 2 - 1));
    EXPECT(sums[1], REGIONS / 2 * (REGIONS / 2));
}

// The life of an array in tasks of its own: mapped, updated, used, copied back and unmapped, all of them `nowait`.
static void data_in_tasks(void) {
    enum { N = 1000, ARRAYS = 8 };
    static int arrays[ARRAYS][N];
    for (int i = 0; i < ARRAYS; i++) {
        int *a = arrays[i];
#pragma omp target enter data map(alloc : a[0 : N]) nowait depend(out : a[0])
#pragma omp task depend(inout : a[0]) firstprivate(a, i)
        for (int k = 0; k < N; k++)
            a[k] = k + i;
#pragma omp target update to(a[0 : N]) nowait depend(inout : a[0])
#pragma omp target teams distribute parallel for nowait depend(inout : a[0]) map(alloc : a[0 : N])
        for (int k = 0; k < N; k++)
            a[k] *= 2;
#pragma omp target update from(a[0 : N / 2]) nowait depend(inout : a[0])
#pragma omp task depend(inout : a[0]) firstprivate(a)
        for (int k = 0; k < N / 2; k++)
            a[k] += 1000000; // lost where the rest is copied back
#pragma omp target exit data map(from : a[0 : N]) nowait depend(inout : a[0])
    }
#pragma omp taskwait
    for (int i = 0; i < ARRAYS; i++)
        for (int k = 0; k < N; k++)
            EXPECT(arrays[i][k], 2 * (k + i));
}

// Regions nobody orders share what they read, in a mapping that the first of them makes and the last removes.
static void readers(void) {
    enum { N = 4096, READERS = 60 };
    static int shared[N], sums[READERS];
    for (int round = 0; round < 10; round++) {
        for (int k = 0; k < N; k++)
            shared[k] = k % 7 + round;
        for (int i = 0; i < READERS; i++) {
#pragma omp target nowait map(to : shared) map(from : sums[i : 1]) firstprivate(i)
            {
                int sum = 0;
                for (int k = i; k < N; k += READERS)
                    sum += shared[k];
                sums[i] = sum;
            }
        }
#pragma omp taskwait
        for (int i = 0; i < READERS; i++) {
            int sum = 0;
            for (int k = i; k < N; k += READERS)
                sum += shared[k];
            EXPECT(sums[i], sum);
        }
    }
}

struct node {
    struct node *next;
    int value;
};

// Pointers attached by one region are there for the others, and the host's stay as they are.
static void attached(void) {
    static struct node head, tails[20];
    for (int i = 0; i < 20; i++) {
        struct node *tail = &tails[i];
        tail->value = i;
        head.next = tail;
#pragma omp target nowait map(tofrom : head) map(tofrom : head.next[0 : 1]) depend(inout : head)
        {
            head.next->value *= 3;
            head.value += head.next->value;
        }
#pragma omp taskwait depend(in : head)
        EXPECT(head.next == tail, 1);
        EXPECT(tail->value, 3 * i);
    }
    EXPECT(head.value, 3 * 190);
}

// A detached task is complete only when its event is fulfilled, here by a task that follows a region; what depends on
// it waits so long.
static void detached(void) {
    int before = 0, after = 0;
    omp_event_handle_t event = 0;
#pragma omp parallel num_threads(2) firstprivate(event) shared(before, after)
#pragma omp single
    {
#pragma omp task detach(event) depend(out : before) shared(before)
        {
        }
#pragma omp target nowait map(tofrom : after) map(to : before) depend(in : before) depend(out : after)
        after = before + 1;
        before = 41;
        omp_fulfill_event(event);
#pragma omp taskwait depend(in : after)
        EXPECT(after, 42);
    }
}

// The routines do as the constructs do: they begin after what their objects name, and can be depended on.
static void routines(void) {
    enum { N = 500 };
    int device = omp_get_default_device(), host = omp_get_initial_device();
    static int from[N], to[N];
    int *there = omp_target_alloc(sizeof from, device);
    omp_depend_t object;
#pragma omp depobj(object) depend(inout : from)
    for (int round = 0; round < 20; round++) {
#pragma omp task depend(inout : from) firstprivate(round)
        for (int k = 0; k < N; k++)
            from[k] = k + round;
        EXPECT(omp_target_memcpy_async(there, from, sizeof from, 0, 0, device, host, 1, &object), 0);
#pragma omp target nowait is_device_ptr(there) depend(inout : from)
        for (int k = 0; k < N; k++)
            there[k] *= 2;
        EXPECT(omp_target_memcpy_async(to, there, sizeof from, 0, 0, host, device, 1, &object), 0);
#pragma omp taskwait
        for (int k = 0; k < N; k += 33)
            EXPECT(to[k], 2 * (k + round));
        omp_target_memset_async(there, round, sizeof from, device, 1, &object);
        size_t volume[] = {1, 10}, at[] = {0, 5}, nowhere[] = {0, 0}, whole[] = {1, N};
        EXPECT(omp_target_memcpy_rect_async(to, there, sizeof(int), 2, volume, at, nowhere, whole, whole, host, device, 1,
                                            &object),
               0);
#pragma omp taskwait
        EXPECT(to[5], 0x01010101 * round);
        EXPECT(to[4], 2 * (4 + round));
    }
#pragma omp depobj(object) destroy
    omp_target_free(there, device);
}

int main(int argc, char **argv) {
    int regions = argc > 1 ? atoi(argv[1]) : 4000;
    for (state = 1; state <= 2; state++) {
        unsigned seed = state;
        graph(regions / 2, seed == 1);
        state = seed;
    }
    exclusive();
    data_in_tasks();
    readers();
    attached();
    detached();
    routines();
    return done();
}
