kernel void stencil(global const float *from, global float *to) {
    int column = get_global_id(0), row = get_global_id(1), columns = get_global_size(0), rows = get_global_size(1);
    int at = row * columns + column;
    if (row > 0 && row < rows - 1 && column > 0 && column < columns - 1)
        to[at] = 0.5f * from[at] + 0.125f * (from[at - columns] + from[at + columns] + from[at - 1] + from[at + 1]);
}
