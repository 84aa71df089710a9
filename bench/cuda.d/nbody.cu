// Bodies come by blocks into shared memory.
#include "kernel.cuh"

enum { BLOCK = 128 };

__global__ void nbody(const float *x, const float *y, const float *z, const float *mass, float *ax, float *ay,
                      float *az, int n, float softening) {
    __shared__ float4 bodies[BLOCK];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float px = x[i], py = y[i], pz = z[i], sx = 0.0f, sy = 0.0f, sz = 0.0f;
    for (int first = 0; first < n; first += BLOCK) {
        int other = first + threadIdx.x;
        bodies[threadIdx.x] = make_float4(x[other], y[other], z[other], mass[other]);
        __syncthreads();
        for (int j = 0; j < BLOCK; j++) {
            float4 body = bodies[j];
            float dx = body.x - px, dy = body.y - py, dz = body.z - pz;
            float square = dx * dx + dy * dy + dz * dz + softening;
            float force = body.w / (square * sqrtf(square));
            sx += force * dx, sy += force * dy, sz += force * dz;
        }
        __syncthreads();
    }
    ax[i] = sx, ay[i] = sy, az[i] = sz;
}

BENCH_KERNEL(nbody)
