#define PART 128

kernel void row_sums(global const int *from, global int *to) {
    int part = get_global_id(0), sum = 0;
    for (int i = 0; i < PART; i++)
        sum += from[part * PART + i];
    to[part] = sum;
}
