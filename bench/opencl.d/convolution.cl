// Pixels beyond the edge count as 0.
kernel void convolution(global const float *from, global float *to, constant float *mask, int side) {
    int width = get_global_size(0), height = get_global_size(1), x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int dy = 0; dy < side; dy++)
        for (int dx = 0; dx < side; dx++) {
            int column = x + dx - side / 2, row = y + dy - side / 2;
            if (column >= 0 && column < width && row >= 0 && row < height)
                sum += from[row * width + column] * mask[dy * side + dx];
        }
    to[y * width + x] = sum;
}
