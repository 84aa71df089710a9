kernel void walsh(global float *x, int step) {
    int me = get_global_id(0), left = me % step + me / step * 2 * step, right = left + step;
    float a = x[left], b = x[right];
    x[left] = a + b;
    x[right] = a - b;
}
