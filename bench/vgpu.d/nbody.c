// nbody: the accelerations of bodies that attract each other, all pairs.

#include "bench.h"

enum { N = 2048 };
static const float softening = 1e-2f;
static float *x, *y, *z, *mass, *ax, *ay, *az;

static void prepare(void) {
    float **arrays[] = {&x, &y, &z, &mass, &ax, &ay, &az};
    for (int array = 0; array < 7; array++) {
        *arrays[array] = make(N * sizeof(float));
        for (int i = 0; i < N; i++)
            (*arrays[array])[i] = array < 4 ? random_float(0.0f, 1.0f) : 0.0f;
        send(*arrays[array], N);
    }
}

#ifdef BENCH_HAND
typedef float Floats __attribute__((vector_size(64)));
enum { LANES = 16, AT_ONCE = 2 };

static inline Floats of(const float *from) {
    Floats to;
    memcpy(&to, from, sizeof to);
    return to;
}

// 32 bodies in vectors, as one would write it: all others' forces on them.
static void bodies_by_hand(int i) {
    Floats sx[AT_ONCE] = {}, sy[AT_ONCE] = {}, sz[AT_ONCE] = {}, xi[AT_ONCE], yi[AT_ONCE], zi[AT_ONCE];
    for (int part = 0; part < AT_ONCE; part++)
        xi[part] = of(x + i + part * LANES), yi[part] = of(y + i + part * LANES), zi[part] = of(z + i + part * LANES);
    for (int j = 0; j < N; j++)
        for (int part = 0; part < AT_ONCE; part++) {
            Floats dx = x[j] - xi[part], dy = y[j] - yi[part], dz = z[j] - zi[part];
            Floats square = dx * dx + dy * dy + dz * dz + softening;
            Floats force = mass[j] / (square * __builtin_elementwise_sqrt(square));
            sx[part] += force * dx, sy[part] += force * dy, sz[part] += force * dz;
        }
    for (int part = 0; part < AT_ONCE; part++) {
        memcpy(ax + i + part * LANES, &sx[part], sizeof(Floats));
        memcpy(ay + i + part * LANES, &sy[part], sizeof(Floats));
        memcpy(az + i + part * LANES, &sz[part], sizeof(Floats));
    }
}
#endif

static void run(void) {
#if defined(BENCH_HAND)
#pragma omp parallel for
    for (int i = 0; i < N; i += LANES * AT_ONCE)
        bodies_by_hand(i);
#elif defined(BENCH_OPENCL)
    static cl_kernel nbody;
    int n = N;
    if (!nbody)
        nbody = cl_find("nbody");
    ARRAY(nbody, 0, x);
    ARRAY(nbody, 1, y);
    ARRAY(nbody, 2, z);
    ARRAY(nbody, 3, mass);
    ARRAY(nbody, 4, ax);
    ARRAY(nbody, 5, ay);
    ARRAY(nbody, 6, az);
    VALUE(nbody, 7, n);
    VALUE(nbody, 8, softening);
    cl_launch(nbody, N, 1, 128, 1);
#else
    float soft = softening;
    PARALLEL_FOR()
    for (int i = 0; i < N; i++) {
        float sx = 0.0f, sy = 0.0f, sz = 0.0f;
        for (int j = 0; j < N; j++) {
            float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            float square = dx * dx + dy * dy + dz * dz + soft;
            float force = mass[j] / (square * sqrtf(square));
            sx += force * dx, sy += force * dy, sz += force * dz;
        }
        ax[i] = sx, ay[i] = sy, az[i] = sz;
    }
#endif
}

static int wrong(void) {
    int bad = 0;
    fetch(ax, N);
    fetch(az, N);
    for (int i = 0; i < N; i++) {
        double sx = 0.0, sz = 0.0;
        for (int j = 0; j < N; j++) {
            double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            double square = dx * dx + dy * dy + dz * dz + softening;
            sx += mass[j] / (square * sqrt(square)) * dx;
            sz += mass[j] / (square * sqrt(square)) * dz;
        }
        bad += differs(ax[i], sx, 1e-3) + differs(az[i], sz, 1e-3);
    }
    return bad;
}
