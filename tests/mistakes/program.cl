// Mistakes in OpenCL programs; opencl.c runs them. Every kernel has 2 groups of 64 work-items, and 64 numbers.
#ifdef RIGHT
#define MISTAKE(wrong, right) right
#else
#define MISTAKE(wrong, right) wrong
#endif

// mistake buffer_too_small: memory, past the end
kernel void buffer_too_small(global int *x, int n) {
  int i = get_global_id(0);
  if (i < n + MISTAKE(1, 0))
    x[i] *= 2; // <- memory
}

// mistake local_tile_too_small: memory, past the end
kernel void local_tile_too_small(global int *x, int n) {
  local int tile[64];
  int t = get_local_id(0);
  tile[t + MISTAKE(1, 0)] = n; // <- memory
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_group_id(0) == 0 && t > 0)
    x[t] = tile[t];
}

// mistake barrier_missing: race
kernel void barrier_missing(global int *x, int n) {
  local int tile[64];
  int t = get_local_id(0);
  tile[t] = x[t]; // <- race
#ifdef RIGHT
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  int other = tile[(t + 32) % 64]; // <- race
  if (other == -1)
    x[t] = n;
}

// mistake groups_count_without_atomic: race
kernel void groups_count_without_atomic(global int *x, int n) {
  if (get_local_id(0) == 0) {
#ifdef RIGHT
    atomic_inc(x);
#else
    x[0] += 1; // <- race
#endif
  }
}

// mistake local_never_written: init
kernel void local_never_written(global int *x, int n) {
  local int sums[64];
  int t = get_local_id(0);
#ifdef RIGHT
  sums[t] = 0;
#endif
  sums[t] += n + t; // <- init
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_group_id(0) == 0)
    x[t] = sums[63 - t];
}

// mistake barrier_in_a_branch: sync, barrier
kernel void barrier_in_a_branch(global int *x, int n) {
  local int first;
  int t = get_local_id(0);
  if (t < MISTAKE(32, 64)) {
    if (t == 0)
      first = n;
    barrier(CLK_LOCAL_MEM_FENCE); // <- sync
    if (get_group_id(0) == 0)
      x[t] = first;
  }
}

// mistake read_without_event: race, copy from the device
kernel void read_without_event(global int *x, int n) {
  if (get_group_id(0) == 0)
    x[get_local_id(0)] += n; // <- race
}
