// pocl's CPU device has no shuffles: the sums go through local memory.

#define PART 128

kernel void shuffle_sums(global const int *from, global int *to) {
    local int sums[PART];
    int me = get_local_id(0);
    sums[me] = from[get_global_id(0)];
    for (int step = PART / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < step)
            sums[me] += sums[me + step];
    }
    if (me == 0)
        to[get_group_id(0)] = sums[0];
}
