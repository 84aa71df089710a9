kernel void floyd(global int *distance, int through) {
    int n = get_global_size(0), from = get_global_id(1), to = get_global_id(0);
    distance[from * n + to] =
        min(distance[from * n + to], distance[from * n + through] + distance[through * n + to]);
}
