#define LIMIT 256

kernel void mandelbrot(global int *counts) {
    int column = get_global_id(0), row = get_global_id(1), columns = get_global_size(0), rows = get_global_size(1);
    float cx = 3.0f * column / columns - 2.25f, cy = 2.5f * row / rows - 1.25f, x = 0.0f, y = 0.0f;
    int count = 0;
    while (count < LIMIT && x * x + y * y <= 4.0f) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        count++;
    }
    counts[row * columns + column] = count;
}
