#define SIDE 8

// A work-group transforms a block of 8 by 8: basis * block * transposed basis.
kernel void dct(global const float *from, global float *to, constant float *basis, local float *between, int width) {
    int x = get_local_id(0), y = get_local_id(1);
    int at = (get_group_id(1) * SIDE) * width + get_group_id(0) * SIDE;
    float sum = 0.0f;
    for (int k = 0; k < SIDE; k++)
        sum += basis[y * SIDE + k] * from[at + k * width + x];
    between[y * SIDE + x] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0.0f;
    for (int k = 0; k < SIDE; k++)
        sum += between[y * SIDE + k] * basis[x * SIDE + k];
    to[at + y * width + x] = sum;
}
