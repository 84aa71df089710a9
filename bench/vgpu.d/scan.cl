#define PART 256

kernel void scan(global const int *from, global int *to) {
    local int sums[2][PART];
    int i = get_local_id(0), now = 0;
    sums[0][i] = from[get_global_id(0)];
    for (int distance = 1; distance < PART; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[1 - now][i] = sums[now][i] + (i >= distance ? sums[now][i - distance] : 0);
        now = 1 - now;
    }
    to[get_global_id(0)] = sums[now][i];
}
