#define GROUP 128

kernel void sum(global const double *x, global double *partial, int n) {
    local double sums[GROUP];
    int me = get_local_id(0);
    double sum = 0.0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        sum += x[i];
    sums[me] = sum;
    for (int step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < step)
            sums[me] += sums[me + step];
    }
    if (me == 0)
        partial[get_group_id(0)] = sums[0];
}
