#define TILE 16

kernel void matmul(global const float *a, global const float *b, global float *c) {
    local float left[TILE][TILE], right[TILE][TILE];
    int n = get_global_size(0), row = get_global_id(1), column = get_global_id(0);
    int y = get_local_id(1), x = get_local_id(0);
    float sum = 0.0f;
    for (int tile = 0; tile < n; tile += TILE) {
        left[y][x] = a[row * n + tile + x];
        right[y][x] = b[(tile + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum += left[y][k] * right[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}
