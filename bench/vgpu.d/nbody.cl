kernel void nbody(global const float *x, global const float *y, global const float *z, global const float *mass,
                  global float *ax, global float *ay, global float *az, int n, float softening) {
    int i = get_global_id(0);
    float sx = 0.0f, sy = 0.0f, sz = 0.0f;
    for (int j = 0; j < n; j++) {
        float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
        float square = dx * dx + dy * dy + dz * dz + softening;
        float force = mass[j] / (square * sqrt(square));
        sx += force * dx, sy += force * dy, sz += force * dz;
    }
    ax[i] = sx, ay[i] = sy, az[i] = sz;
}
