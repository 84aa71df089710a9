#define WINDOW 24
#define CELLS (WINDOW * WINDOW)
#define ROWS 200
#define COLUMNS 320
#define GROUP 128

double add_up(double own, local double *sums) {
    int me = get_local_id(0);
    sums[me] = own;
    for (int step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < step)
            sums[me] += sums[me + step];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    double total = sums[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return total;
}

kernel void track(global const float *frame, global float *windows, global double *totals, global double *deviations,
                  global int *best) {
    local double sums[GROUP];
    int point = get_group_id(0), me = get_local_id(0);
    int row = point * 17 % (ROWS - WINDOW), column = point * 31 % (COLUMNS - WINDOW);
    global float *window = windows + point * CELLS;
    for (int i = me; i < CELLS; i += GROUP)
        window[i] = frame[(row + i % WINDOW) * COLUMNS + column + i / WINDOW];
    barrier(CLK_GLOBAL_MEM_FENCE);
    double own = 0.0;
    for (int i = me; i < CELLS; i += GROUP)
        own += window[i];
    double sum = add_up(own, sums);
    if (me == 0) {
        int found = 0;
        for (int i = 1; i < CELLS; i++)
            if (window[i] > window[found])
                found = i;
        totals[point] = sum;
        best[point] = found;
    }
    int mean = (int)(sum / CELLS);
    own = 0.0;
    for (int i = me; i < CELLS; i += GROUP)
        own += (window[i] - mean) * (window[i] - mean);
    double deviation = add_up(own, sums);
    if (me == 0)
        deviations[point] = deviation;
}
