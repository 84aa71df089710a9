#define DIMENSIONS 32
#define CLUSTERS 10

kernel void clear(global int *sums) { sums[get_global_id(0)] = 0; }

kernel void assign(global const int *points, global const float *centres, global int *sums, global int *labels) {
    int p = get_global_id(0), found = 0;
    float least = INFINITY;
    for (int c = 0; c < CLUSTERS; c++) {
        float distance = 0.0f;
        for (int d = 0; d < DIMENSIONS; d++) {
            float difference = points[p * DIMENSIONS + d] - centres[c * DIMENSIONS + d];
            distance += difference * difference;
        }
        if (distance < least)
            least = distance, found = c;
    }
    labels[p] = found;
    for (int d = 0; d < DIMENSIONS; d++)
        atomic_add(&sums[found * DIMENSIONS + d], points[p * DIMENSIONS + d]);
}
