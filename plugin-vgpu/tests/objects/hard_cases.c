// Kernels that are hard to run as loops over work items, under their names in the literature: pocl (Jääskeläinen
// et al., 2015, section 4) and COX (Han et al., 2022). Each writes a word per thread.

#define KERNEL __attribute__((nvptx_kernel)) void
#define shared __attribute__((address_space(3)))
#define ALL 0xffffffffu

static int thread(void) { return __nvvm_read_ptx_sreg_tid_x(); }
static int threads(void) { return __nvvm_read_ptx_sreg_ntid_x(); }
static int block(void) { return __nvvm_read_ptx_sreg_ctaid_x(); }
static void barrier(void) { __nvvm_barrier_sync(0); }
static int *own(int *out) { return out + block() * threads() + thread(); }

static shared int words[1024];

KERNEL early_return_before_a_barrier(int *out) {
    int t = thread();
    words[t] = 1;
    if (t % 3 == 0)
        return;
    words[t] = t;
    barrier();
    *own(out) = words[(t + 1) % threads()];
}

KERNEL several_exits(int *out) {
    int t = thread();
    *own(out) = 1;
    if (t % 5 == 1)
        return;
    words[t] = t;
    barrier();
    if (t % 5 == 2) {
        *own(out) = 2;
        return;
    }
    barrier();
    if (t > 40) {
        *own(out) = 3;
        return;
    }
    barrier();
    *own(out) = 4;
}

KERNEL barrier_at_loop_entry(int *out, int rounds) {
    int t = thread(), sum = 0;
    words[t] = t;
    if (rounds > 0)
        for (int i = 0; i < rounds; i++) {
            barrier();
            int next = words[(t + 1) % threads()];
            barrier();
            words[t] = next;
            sum += next;
        }
    *own(out) = sum;
}

KERNEL divergent_condition_around_an_implicit_barrier(int *out, int rounds) {
    int t = thread(), sum = 0;
    words[t] = 0;
    for (int i = 0; i < rounds; i++) {
        if (t % 2 == i % 2)
            words[t] += t + i;
        barrier();
        if (t < 20)
            sum += words[(t + 1) % threads()];
        else
            sum -= words[(t + 2) % threads()];
        barrier();
    }
    *own(out) = sum;
}

KERNEL loops_nested_around_barriers(int *out, int rounds) {
    int t = thread(), sum = 0;
    words[t] = t;
    for (int i = 0; i < rounds; i++)
        for (int j = 0; j <= i; j++) {
            barrier();
            int next = words[(t + j) % threads()] + i;
            barrier();
            words[t] = next;
            for (int k = 0; k < t % 3; k++)
                sum += next + k;
        }
    *own(out) = sum;
}

KERNEL infinite_loop_left_through_a_barrier(int *out, int rounds) {
    int t = thread(), i = 0;
    words[t] = t == 0 ? rounds : 0;
    for (;;) {
        barrier();
        if (words[0] == 0)
            break;
        barrier();
        if (t == 0)
            words[0]--;
        i++;
    }
    *own(out) = i;
}

KERNEL stale_work_item_id(int *out, int rounds) {
    // The thread's own number before, inside and after a conditional barrier.
    int t = thread();
    words[t] = t;
    if (rounds != 3)
        barrier();
    int seen = words[t];
    if (rounds > 1) {
        barrier();
        seen += 100 * thread();
    }
    *own(out) = seen == t + 100 * t ? 1000 + t : -1;
}

// COX, table 1: `reduce0` to `reduce3` of the CUDA samples add up in shared memory, all threads of the block together.
KERNEL block_cooperative_group(int *out) {
    int t = thread();
    words[t] = t * t;
    barrier();
    for (int distance = 1; distance < threads(); distance *= 2) {
        if (t % (2 * distance) == 0 && t + distance < threads())
            words[t] += words[t + distance];
        barrier();
    }
    *own(out) = words[0] + t;
}

// `reduce4` to `reduce6` end with a tile of the warp; here tiles of 8, which have a mask each.
KERNEL warp_cooperative_group(int *out) {
    int t = thread(), sum = t;
    unsigned tile = 0xffu << (t & 24);
    for (int distance = 4; distance > 0; distance /= 2) {
        __nvvm_bar_warp_sync(tile);
        sum += __nvvm_shfl_sync_bfly_i32(tile, sum, distance, 31);
    }
    *own(out) = sum;
}

// The first tile of each warp goes on alone and its lanes meet there.
KERNEL tile_in_a_branch(int *out) {
    int t = thread();
    words[t] = t;
    *own(out) = -1;
    if (t % 32 < 8) {
        __nvvm_bar_warp_sync(0xff);
        int next = words[t ^ 1];
        __nvvm_bar_warp_sync(0xff);
        words[t] = 2 * next;
        __nvvm_bar_warp_sync(0xff);
        *own(out) = words[t ^ 2];
    }
}

// COX, Code 1.
KERNEL shuffle_reduction_of_one_warp(int *out) {
    int t = thread();
    words[t] = t;
    barrier();
    int sum = 0;
    if (t < 32) {
        for (int i = t; i < threads(); i += 32)
            sum += words[i];
        for (int distance = 16; distance > 0; distance /= 2)
            sum += __nvvm_shfl_sync_down_i32(ALL, sum, distance, 31);
    }
    *own(out) = t == 0 ? sum : t;
}

// COX, Code 4.
KERNEL vote(int *out) {
    int t = thread();
    int any = __nvvm_vote_any_sync(ALL, t == 40), all = __nvvm_vote_all_sync(ALL, t < 64);
    *own(out) = 2 * any + all;
}

KERNEL consecutive_votes(int *out) {
    // Each vote reads what the one before wrote, and a variable that the next overwrites.
    int t = thread(), value = t % 4;
    unsigned first = __nvvm_vote_ballot_sync(ALL, value > 1);
    value = (first >> (t + 1) % 32) & 1;
    unsigned second = __nvvm_vote_ballot_sync(ALL, value);
    value = (second >> (t + 1) % 32) & 1;
    unsigned third = __nvvm_vote_ballot_sync(ALL, value);
    *own(out) = first ^ second << 1 ^ third << 2;
}

KERNEL activated_threads(int *out) {
    // The lanes that are here elect one of them.
    int t = thread();
    *own(out) = -1;
    if (t % 3 == 1) {
        unsigned here = __nvvm_activemask();
        int leader = __builtin_ctz(here);
        *own(out) = __nvvm_shfl_sync_idx_i32(here, t, leader, 31);
    }
}

KERNEL masked_shuffle_in_a_branch(int *out) {
    int t = thread();
    unsigned odd = __nvvm_vote_ballot_sync(ALL, t & 1);
    *own(out) = t;
    if (t & 1)
        *own(out) = __nvvm_shfl_sync_bfly_i32(odd, t, 2, 31);
}

KERNEL spin_wait(int *out, int *flag) {
    // Lane by lane, in order: every lane waits for the one before.
    int t = thread();
    while (__atomic_load_n(flag + block(), __ATOMIC_ACQUIRE) != t)
        ;
    *own(out) = t;
    __atomic_store_n(flag + block(), t + 1, __ATOMIC_RELEASE);
}

KERNEL grid_wide_synchronisation(int *out, int *arrived) {
    int t = thread(), blocks = __nvvm_read_ptx_sreg_nctaid_x();
    *own(out) = block();
    barrier();
    if (t == 0) {
        __atomic_fetch_add(arrived, 1, __ATOMIC_ACQ_REL);
        while (__atomic_load_n(arrived, __ATOMIC_ACQUIRE) < blocks)
            ;
    }
    barrier();
    int other = ((volatile int *)out)[(block() + 1) % blocks * threads() + t];
    barrier();
    if (t == 0) {
        __atomic_fetch_add(arrived + 1, 1, __ATOMIC_ACQ_REL);
        while (__atomic_load_n(arrived + 1, __ATOMIC_ACQUIRE) < blocks)
            ;
    }
    barrier();
    *own(out) = 10 * block() + other;
}

static __attribute__((noinline)) int meet(int value) {
    words[thread()] = value;
    barrier();
    int got = words[threads() - 1 - thread()];
    barrier();
    return got;
}

KERNEL a_function_that_synchronises(int *out) {
    int t = thread();
    *own(out) = meet(t * t) + meet(t);
}
