// A work-group values one option: its leaves first, then level by level to the root.
kernel void binomial(global const float *price, global const float *strike, global float *value, local float *a,
                     local float *b, float up, float discount, float chance) {
    int me = get_local_id(0), steps = get_local_size(0) - 1, option = get_group_id(0);
    float leaf = price[option] * exp(up * (2.0f * me - steps));
    a[me] = max(leaf - strike[option], 0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int level = steps; level > 0; level -= 2) {
        if (me < level)
            b[me] = discount * (chance * a[me + 1] + (1.0f - chance) * a[me]);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < level - 1)
            a[me] = discount * (chance * b[me + 1] + (1.0f - chance) * b[me]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (me == 0)
        value[option] = steps % 2 ? b[0] : a[0];
}
