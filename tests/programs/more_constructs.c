// Constructs and clauses that clang makes of others, in target regions: combined tasking, conditional lastprivate, loop transformations,
// variants, hints of locks, predefined allocators.

#include "check.h"

enum { N = 200 };

#pragma omp begin declare target
int on_any(int x) { return x + 1; }
int on_gpu(int x) { return x + 100; }
#pragma omp declare variant(on_gpu) match(device = {kind(gpu)})
int chosen(int x) { return on_any(x); }
int is_gpu(void) {
#if defined(__NVPTX__) || defined(__AMDGPU__)
    return 1;
#else
    return 0;
#endif
}
#pragma omp end declare target

// Every iteration once, whatever the tasks are. (`shared`: clang 22 gives combined constructs copies of what nothing is said of, on hosts, too.)
static void combined_tasking(int threads) {
    int counts[4][N] = {{0}}, sum = 0;
#pragma omp target map(tofrom : counts, sum)
    {
        int a = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
#pragma omp taskloop simd grainsize(7) simdlen(4)
        for (int i = 0; i < N; i++)
            counts[0][i]++;
#pragma omp parallel masked taskloop num_threads(threads) num_tasks(9) shared(counts) reduction(+ : a)
        for (int i = 0; i < N; i++) {
            counts[1][i]++;
            a += i;
        }
#pragma omp parallel masked num_threads(threads) filter(0)
#pragma omp taskloop collapse(2) nogroup
        for (int i = 0; i < N / 10; i++)
            for (int j = 0; j < 10; j++)
                counts[2][10 * i + j]++;
#pragma omp parallel masked taskloop simd num_threads(threads) grainsize(strict : 16) shared(counts)
        for (int i = 0; i < N; i++)
            counts[3][i]++;
        sum = a;
    }
    for (int i = 0; i < 4 * N; i++)
        EXPECT(counts[i / N][i % N], 1);
    EXPECT(sum, N * (N - 1) / 2);
}

// `if(task: …)`, dependences on everything, a wait that depends.
static void dependences(void) {
    int trace[6] = {0}, next = 0;
#pragma omp target map(tofrom : trace, next)
    {
        int x = 0, y = 0;
#pragma omp parallel num_threads(4) shared(x, y)
#pragma omp single
        {
#pragma omp task depend(out : x) shared(x)
            {
                x = 1;
                trace[next++] = 1;
            }
#pragma omp task depend(out : omp_all_memory) if (task : 0)
            trace[next++] = x == 1 ? 2 : -1;
#pragma omp task depend(inoutset : y) shared(y)
            {
                y += 1;
                trace[next++] = 3;
            }
#pragma omp task depend(inout : omp_all_memory) shared(y)
            {
                y += 10;
                trace[next++] = 4;
            }
#pragma omp taskwait depend(in : y)
            trace[next++] = y == 11 ? 5 : -1;
#pragma omp taskwait
        }
    }
    EXPECT(next, 5);
    for (int i = 0; i < 5; i++)
        EXPECT(trace[i], i + 1);
}

// The last iteration in which the condition held counts, not the last one.
static void conditional_lastprivate(int threads) {
    int last = -1, of_sections = -1;
#pragma omp target map(tofrom : last, of_sections)
    {
#pragma omp parallel for num_threads(threads) lastprivate(conditional : last) schedule(static, 3)
        for (int i = 0; i < N; i++)
            if (i % 7 == 3)
                last = i;
#pragma omp parallel sections num_threads(threads) lastprivate(of_sections)
        {
#pragma omp section
            of_sections = 1;
#pragma omp section
            of_sections = 2;
        }
    }
    EXPECT(last, 199);
    EXPECT(of_sections, 2);
}

// Doacross loops in the newer spelling. (`ordered simd threads` is not here: clang 22 makes no call of it, on hosts neither.)
static void doacross(void) {
    int chain[N];
#pragma omp target map(from : chain)
    {
        chain[0] = 1;
#pragma omp parallel for num_threads(8) ordered(1) schedule(static, 1)
        for (int i = 1; i < N; i++) {
#pragma omp ordered doacross(sink : i - 1)
            chain[i] = chain[i - 1] + 1;
#pragma omp ordered doacross(source :)
        }
    }
    for (int i = 0; i < N; i++)
        EXPECT(chain[i], i + 1);
}

// Loops that clang rewrites before it shares them.
static void transformed_loops(void) {
    int counts[3][N] = {{0}};
#pragma omp target map(tofrom : counts)
    {
#pragma omp parallel for num_threads(5)
#pragma omp reverse
        for (int i = 0; i < N; i++)
            counts[0][i]++;
#pragma omp parallel for num_threads(5)
#pragma omp interchange
        for (int i = 0; i < N / 10; i++)
            for (int j = 0; j < 10; j++)
                counts[1][10 * i + j]++;
#pragma omp parallel for num_threads(5)
#pragma omp tile sizes(16)
        for (int i = 0; i < N; i++)
            counts[2][i]++;
    }
    for (int i = 0; i < 3 * N; i++)
        EXPECT(counts[i / N][i % N], 1);
}

// Functions by device, and pointers that are the device's already.
static void variants_and_addresses(void) {
    int values[N], variant = 0, gpu = 0;
    for (int i = 0; i < N; i++)
        values[i] = i;
#pragma omp target data map(tofrom : values) use_device_addr(values)
#pragma omp target teams distribute parallel for simd has_device_addr(values) nontemporal(values) aligned(values : 4)
    for (int i = 0; i < N; i++)
        values[i] += 1;
#pragma omp target map(from : variant, gpu)
    {
        variant = chosen(1);
        gpu = is_gpu();
    }
    for (int i = 0; i < N; i++)
        EXPECT(values[i], i + 1);
    EXPECT(variant, gpu ? 101 : 2);
}

static void locks_with_hints(void) {
    int count = 0, depth = 0, free_again = 0;
#pragma omp target map(tofrom : count, depth, free_again)
    {
        omp_lock_t lock;
        omp_nest_lock_t nest;
        omp_init_lock_with_hint(&lock, omp_sync_hint_contended);
        omp_init_nest_lock_with_hint(&nest, omp_sync_hint_uncontended);
#pragma omp parallel num_threads(32)
        for (int turn = 0; turn < 32; turn++)
            if (turn == omp_get_thread_num()) {
                omp_set_lock(&lock);
                count++;
                omp_unset_lock(&lock);
#pragma omp critical(counted) hint(omp_sync_hint_contended | omp_sync_hint_nonspeculative)
                depth += omp_test_nest_lock(&nest) ? (omp_unset_nest_lock(&nest), 1) : 0;
            }
        free_again = omp_test_lock(&lock);
        omp_unset_lock(&lock);
        omp_destroy_lock(&lock);
        omp_destroy_nest_lock(&nest);
    }
    EXPECT(count, 32);
    EXPECT(depth, 32);
    EXPECT(free_again, 1);
}

// What every predefined allocator gives is memory, all of it.
static void allocators(void) {
    int wrong = 0, from_clause = 0;
#pragma omp target map(tofrom : wrong, from_clause) uses_allocators(omp_thread_mem_alloc)
    {
        const omp_allocator_handle_t all[] = {omp_default_mem_alloc, omp_large_cap_mem_alloc, omp_const_mem_alloc,
                                              omp_high_bw_mem_alloc, omp_low_lat_mem_alloc, omp_cgroup_mem_alloc,
                                              omp_pteam_mem_alloc,   omp_thread_mem_alloc};
        for (int k = 0; k < 8; k++) {
            unsigned char *block = (unsigned char *)omp_aligned_alloc(64, 1000, all[k]);
            if (!block || (size_t)block % 64) {
                wrong++;
                continue;
            }
            memset(block, k + 1, 1000);
            block = (unsigned char *)omp_realloc(block, 3000, all[k], all[k]);
            wrong += !block || block[0] != k + 1 || block[999] != k + 1;
            omp_free(block, all[k]);
        }
        int shared = 5;
#pragma omp parallel num_threads(4) private(shared) allocate(allocator(omp_thread_mem_alloc) : shared) reduction(+ : from_clause)
        {
            shared = omp_get_thread_num();
#pragma omp barrier
            from_clause += shared;
        }
        wrong += shared != 5;
    }
    EXPECT(wrong, 0);
    EXPECT(from_clause, 6);
}

int main(void) {
    const int threads[] = {1, 5, 33};
    for (int k = 0; k < 3; k++) {
        combined_tasking(threads[k]);
        conditional_lastprivate(threads[k]);
    }
    dependences();
    doacross();
    transformed_loops();
    variants_and_addresses();
    locks_with_hints();
    allocators();
    return done();
}
