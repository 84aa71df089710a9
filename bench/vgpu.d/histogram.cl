#define BINS 256

kernel void histogram(global const ushort *pixels, global uint *bins, int n) {
    local uint own[BINS];
    int me = get_local_id(0), threads = get_local_size(0), share = n / get_num_groups(0);
    for (int i = me; i < BINS; i += threads)
        own[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int first = get_group_id(0) * share;
    for (int i = first + me; i < first + share; i += threads)
        atomic_inc(&own[pixels[i] >> 4]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = me; i < BINS; i += threads)
        atomic_add(&bins[i], own[i]);
}
