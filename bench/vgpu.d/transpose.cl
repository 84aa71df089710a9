#define TILE 32

kernel void transpose(global const float *from, global float *to) {
    local float tile[TILE][TILE + 1];
    int n = get_global_size(0), x = get_local_id(0);
    int row0 = get_group_id(1) * TILE, column0 = get_group_id(0) * TILE;
    for (int y = get_local_id(1); y < TILE; y += get_local_size(1))
        tile[y][x] = from[(row0 + y) * n + column0 + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int y = get_local_id(1); y < TILE; y += get_local_size(1))
        to[(column0 + y) * n + row0 + x] = tile[x][y];
}
