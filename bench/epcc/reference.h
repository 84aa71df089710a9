// Included by program.h: what the constructs are measured against: the work without a construct, and the hardware's own barriers.
#pragma omp begin declare target

// One of the block's named barriers, for as many of its threads. On AMD GPUs it is the only barrier that a block has,
// for all of its threads.
static inline void named_barrier(int number, int threads) {
#if defined __NVPTX__
    __asm__ volatile("barrier.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
#elif defined __AMDGCN__
    (void)number, (void)threads;
    __builtin_amdgcn_s_barrier();
#else
    (void)number, (void)threads;
#pragma omp barrier
#endif
}

#pragma omp end declare target

// With one thread: what the delay itself takes. With more: what the hardware takes for so many warps, "oversubscribe" in
// Fig. 4 of the fork-join paper.
IN_REGION(delays, REPEAT {
    delay(length, &sum);
})

// What a fork and a join cost at the least: barriers 1 and 2 of the hardware, nothing else.
IN_REGION(two_barriers, const int count = omp_get_num_threads(); REPEAT {
    named_barrier(1, count);
    delay(length, &sum);
    named_barrier(2, count);
})

// Whether blocks have barriers for a part of their threads. In generic mode the team is a part: the thread that forked
// it waits for its end.
static int has_named_barriers(void) {
    static int known = -1;
    int named = 1;
    if (known >= 0)
        return known;
#pragma omp target map(from : named)
#if defined __AMDGCN__
    named = 0;
#else
    named = 1;
#endif
    return known = named;
}

// How many threads and teams there are when so many are asked for.
static void probe_spmd(const struct run *run) {
    LAUNCH TEAMS OMP(parallel) if (omp_get_thread_num() == 0) OWN->threads = omp_get_num_threads();
}
static void probe_generic(const struct run *run) {
    LAUNCH TEAMS {
        sequential();
        OMP(parallel)
        if (omp_get_thread_num() == 0)
            OWN->threads = omp_get_num_threads();
    }
}

static const struct construct references[] = {
    {"reference", "delay", EACH, 0, 0, BOTH(delays)},
    {"reference", "two named barriers", EACH, 0, 0, BOTH(two_barriers)},
};

static int can_time(const struct construct *reference, int generic) {
    return !generic || reference->generic != two_barriers_generic || has_named_barriers();
}
