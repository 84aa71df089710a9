kernel void reduction(global const float4 *x, global float *partial, local float4 *sums) {
    size_t me = get_local_id(0), size = get_local_size(0);
    size_t first = get_group_id(0) * size * 2 + me;
    sums[me] = x[first] + x[first + size];
    for (size_t step = size / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < step)
            sums[me] += sums[me + step];
    }
    if (me == 0)
        partial[get_group_id(0)] = sums[0].x + sums[0].y + sums[0].z + sums[0].w;
}
