// Kernels: the cases of pocl's kernel compiler (Jaaskelainen et al., IJPP 2015, section 4), each named after its
// section, and what OpenCL C 3.0 has beyond it.

#include "setup.h"
#include <math.h>

#define N 256
#define GROUP 64

static const char *source =
    // 4.3: regions between unconditional barriers.
    "kernel void parallel_regions(global int *data, local int *tile) {\n"
    "    size_t l = get_local_id(0), n = get_local_size(0);\n"
    "    tile[l] = data[get_global_id(0)];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    int other = tile[n - 1 - l];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    tile[l] = other + 1;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    data[get_global_id(0)] = tile[l ^ 1];\n"
    "}\n"
    // 4.4: a barrier in a branch that all work-items of a group take or leave.
    "kernel void conditional_barriers(global int *data, local int *tile, int limit) {\n"
    "    size_t l = get_local_id(0), g = get_group_id(0);\n"
    "    int value = data[get_global_id(0)];\n"
    "    if ((int)g < limit) {\n"
    "        tile[l] = value;\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        value = tile[(l + 1) % get_local_size(0)];\n"
    "    } else\n"
    "        value = -value;\n"
    "    data[get_global_id(0)] = value;\n"
    "}\n"
    // 4.5: barriers in a loop (b-loops): a reduction.
    "kernel void b_loops(global int *data, local int *tile) {\n"
    "    size_t l = get_local_id(0);\n"
    "    tile[l] = data[get_global_id(0)];\n"
    "    for (size_t step = get_local_size(0) / 2; step > 0; step /= 2) {\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        if (l < step)\n"
    "            tile[l] += tile[l + step];\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    data[get_global_id(0)] = tile[0];\n"
    "}\n"
    // 4.6: an inner loop without barriers, with a trip count that all work-items share.
    "kernel void horizontal_inner_loops(global int *data, constant int *weights, int count) {\n"
    "    size_t i = get_global_id(0);\n"
    "    int sum = 0;\n"
    "    for (int k = 0; k < count; k++)\n"
    "        sum += weights[k] * (int)(i + k);\n"
    "    data[i] = sum;\n"
    "}\n"
    // 4.7: variables that live across barriers, one for each work-item (context arrays) or one for all (merged).
    "kernel void context_arrays(global int *data, local int *tile, int scale) {\n"
    "    size_t l = get_local_id(0), n = get_local_size(0);\n"
    "    int own[3] = {data[get_global_id(0)], (int)l, (int)(l * l)};\n"
    "    int uniform = scale * (int)get_group_id(0);\n"
    "    tile[l] = own[l % 3];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    own[1] += tile[(l + 7) % n];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    data[get_global_id(0)] = own[0] + own[1] + own[2] + uniform;\n"
    "}\n"
    "kernel void index_space(global ulong *out) {\n"
    "    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
    "    size_t i = get_global_linear_id();\n"
    "    out[i] = x + 1000 * y + 1000000 * z + 100000000 * get_work_dim()\n"
    "        + 1000000000 * (get_global_offset(0) + get_global_offset(1) + get_global_offset(2));\n"
    "}\n"
    "kernel void collectives(global int *out) {\n"
    "    size_t i = get_global_id(0);\n"
    "    int v = (int)get_local_id(0) * 3 % 17;\n"
    "    global int *o = out + i * 10;\n"
    "    o[0] = work_group_reduce_add(v);\n"
    "    o[1] = work_group_scan_inclusive_add(v);\n"
    "    o[2] = work_group_scan_exclusive_max(v);\n"
    "    o[3] = work_group_broadcast(v, 5);\n"
    "    o[4] = work_group_any(v == 16) + 2 * work_group_all(v < 17);\n"
    "    o[5] = sub_group_reduce_min(v);\n"
    "    o[6] = sub_group_scan_exclusive_add(v);\n"
    "    o[7] = sub_group_shuffle_xor(v, 3);\n"
    "    o[8] = get_sub_group_id() * 1000 + get_sub_group_local_id();\n"
    "    o[9] = get_num_sub_groups() * 1000 + get_sub_group_size();\n"
    "}\n"
    "global int counter = 7;\n"
    "kernel void atomics(global atomic_int *sum, global float *halves, double d) {\n"
    "    local atomic_int here;\n"
    "    if (get_local_id(0) == 0)\n"
    "        atomic_init(&here, 0);\n"
    "    work_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    atomic_fetch_add_explicit(&here, 1, memory_order_relaxed, memory_scope_work_group);\n"
    "    work_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (get_local_id(0) == 0) {\n"
    "        atomic_fetch_add(sum, atomic_load(&here));\n"
    "        atomic_inc(&counter);\n"
    "    }\n"
    "    halves[get_global_id(0)] = (float)(d / 2);\n"
    "}\n"
    "kernel void variables(global int *out) { *out = counter; }\n"
    "kernel void divisions(global int *a, global int4 *v, int zero) {\n"
    "    int i = get_global_id(0);\n"
    "    a[i] = i / (zero + i % 2) + i % zero + (-2147483647 - 1) / (zero - 1) + i / 3;\n"
    "    v[i] = (int4)i / (int4)(zero, 1, 2, -1);\n"
    "}\n"
    "kernel void functions(global double2 *x) { *x = (double2)(log1p(*x).x, pow(*x, -*x).y); }\n"
    "struct pair { char c; int values[5]; };\n"
    "kernel void structures(struct pair p, float3 v, global float *out) {\n"
    "    out[get_global_id(0)] = p.c + p.values[get_global_id(0) % 5] + v.z;\n"
    "}\n"
    "int helper(generic int *p) { return *p + (int)get_global_id(0); }\n"
    "kernel void generic_space(global int *data, local int *tile) {\n"
    "    int own = 1;\n"
    "    tile[get_local_id(0)] = 10;\n"
    "    data[get_global_id(0)] = helper(data + get_global_id(0)) + helper(tile + get_local_id(0)) + helper(&own);\n"
    "}\n"
    // Work-groups of any shape: each work-item gets what the one opposite in its work-group has.
    "static global long groups = 0;\n"
    "kernel void groups_run(global long *out) { *out = groups; }\n"
    "kernel void shapes(global int *data, local int *tile) {\n"
    "    int x = get_local_id(0), y = get_local_id(1), width = get_local_size(0), height = get_local_size(1);\n"
    "    int column = get_global_id(0), row = get_global_id(1);\n"
    "    tile[y * width + x] = 1000 * row + column;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    data[(row - 3) * get_global_size(0) + column - 2] = tile[(height - 1 - y) * width + width - 1 - x];\n"
    "    if (x == 0 && y == 0)\n"
    "        atom_add(&groups, 1l << 33);\n"
    "}\n";

static cl_program program;

static void set(cl_kernel kernel, cl_mem data, int has_tile, int number) {
    OK(clSetKernelArg(kernel, 0, sizeof data, &data));
    if (has_tile)
        OK(clSetKernelArg(kernel, 1, GROUP * sizeof(int), NULL));
    if (number >= 0)
        OK(clSetKernelArg(kernel, 2, sizeof number, &number));
}

static void read_back(cl_mem buffer, void *data, size_t size) {
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size, data, 0, NULL, NULL));
    OK(clReleaseMemObject(buffer));
}

// Runs a kernel on 0, 1, 2, ….
static void on_numbers(const char *name, int *data, int number) {
    for (int i = 0; i < N; i++)
        data[i] = i;
    cl_kernel kernel = kernel_of(program, name);
    cl_mem buffer = buffer_of(data, N * sizeof(int));
    set(kernel, buffer, 1, number);
    run(kernel, N, GROUP);
    read_back(buffer, data, N * sizeof(int));
    OK(clReleaseKernel(kernel));
}

static void sections_of_the_paper(void) {
    int data[N];
    on_numbers("parallel_regions", data, -1);
    for (int i = 0; i < N; i++)
        SAME(data[i], i / GROUP * GROUP + (GROUP - 1 - (i % GROUP ^ 1)) + 1);
    on_numbers("conditional_barriers", data, 2);
    for (int i = 0; i < N; i++)
        SAME(data[i], i / GROUP < 2 ? i / GROUP * GROUP + (i + 1) % GROUP : -i);
    on_numbers("b_loops", data, -1);
    for (int i = 0; i < N; i++)
        SAME(data[i], GROUP * (i / GROUP * GROUP) + GROUP * (GROUP - 1) / 2);
    on_numbers("context_arrays", data, 5);
    for (int i = 0; i < N; i++) {
        int l = i % GROUP, other = (l + 7) % GROUP;
        int of_other[3] = {i - l + other, other, other * other};
        SAME(data[i], i + l + of_other[other % 3] + l * l + 5 * (i / GROUP));
    }
    int weights[9], count = 9;
    for (int k = 0; k < 9; k++)
        weights[k] = k - 3;
    cl_kernel kernel = kernel_of(program, "horizontal_inner_loops");
    cl_mem buffer = buffer_of(data, sizeof data), constants = buffer_of(weights, sizeof weights);
    set(kernel, buffer, 0, count);
    OK(clSetKernelArg(kernel, 1, sizeof constants, &constants));
    run(kernel, N, 0);
    read_back(buffer, data, sizeof data);
    for (int i = 0; i < N; i++) {
        int sum = 0;
        for (int k = 0; k < 9; k++)
            sum += weights[k] * (i + k);
        SAME(data[i], sum);
    }
}

static void index_space(void) {
    cl_ulong out[4 * 3 * 2];
    cl_kernel kernel = kernel_of(program, "index_space");
    cl_mem buffer = buffer_of(out, sizeof out);
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    size_t offset[] = {5, 6, 7}, global[] = {4, 3, 2}, local[] = {2, 3, 1};
    OK(clEnqueueNDRangeKernel(queue, kernel, 3, offset, global, local, 0, NULL, NULL));
    read_back(buffer, out, sizeof out);
    for (int i = 0; i < 24; i++)
        SAME(out[i], (i % 4 + 5) + 1000 * (i / 4 % 3 + 6) + 1000000 * (i / 12 + 7) + 300000000 + 18000000000ll);
}

static void shapes(void) {
    enum { WIDTH = 48, HEIGHT = 32 };
    static const size_t sizes[][2] = {{16, 16}, {8, 8}, {16, 2}, {8, 1}, {24, 8}, {4, 32}, {48, 4}, {1, 32}, {16, 1}};
    static int data[HEIGHT][WIDTH];
    cl_kernel kernel = kernel_of(program, "shapes");
    cl_long expected = 0, total;
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size_t *size = sizes[i], global[] = {WIDTH, HEIGHT}, offset[] = {2, 3};
        cl_mem out = buffer_of(data, sizeof data);
        OK(clSetKernelArg(kernel, 0, sizeof out, &out));
        OK(clSetKernelArg(kernel, 1, size[0] * size[1] * sizeof(int), NULL));
        OK(clEnqueueNDRangeKernel(queue, kernel, 2, offset, global, size, 0, NULL, NULL));
        read_back(out, data, sizeof data);
        expected += (cl_long)(WIDTH * HEIGHT / (size[0] * size[1])) << 33;
        for (size_t y = 0; y < HEIGHT; y++)
            for (size_t x = 0; x < WIDTH; x++) {
                size_t row = y / size[1] * size[1] + size[1] - 1 - y % size[1];
                size_t column = x / size[0] * size[0] + size[0] - 1 - x % size[0];
                SAME(data[y][x], 1000 * (row + 3) + column + 2);
            }
    }
    OK(clReleaseKernel(kernel));
    kernel = kernel_of(program, "groups_run");
    cl_mem out = buffer_of(&total, sizeof total);
    OK(clSetKernelArg(kernel, 0, sizeof out, &out));
    run(kernel, 1, 1);
    read_back(out, &total, sizeof total);
    SAME(total, expected);
    OK(clReleaseKernel(kernel));
}

static void collectives(void) {
    enum { ITEMS = 80, WORDS = 10 };
    static int out[2 * ITEMS * WORDS];
    cl_kernel kernel = kernel_of(program, "collectives");
    cl_mem buffer = buffer_of(out, sizeof out);
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    run(kernel, 2 * ITEMS, ITEMS);
    read_back(buffer, out, sizeof out);
    int total = 0;
    for (int l = 0; l < ITEMS; l++)
        total += l * 3 % 17;
    for (int i = 0; i < 2 * ITEMS; i++) {
        int l = i % ITEMS, first = l / 32 * 32, size = ITEMS - first < 32 ? ITEMS - first : 32;
        int before = 0, most = -2147483647 - 1, least = 99, in_sub_group = 0;
        for (int k = 0; k < l; k++) {
            before += k * 3 % 17;
            most = k * 3 % 17 > most ? k * 3 % 17 : most;
            in_sub_group += k >= first ? k * 3 % 17 : 0;
        }
        for (int k = first; k < first + size; k++)
            least = k * 3 % 17 < least ? k * 3 % 17 : least;
        int wanted[WORDS] = {total, before + l * 3 % 17, most, 15, 3, least, in_sub_group,
            (first + ((l - first) ^ 3)) * 3 % 17, l / 32 * 1000 + l % 32, 3000 + size};
        for (int word = 0; word < WORDS; word++)
            SAME(out[i * WORDS + word], wanted[word]);
    }
}

static void memory_and_arguments(void) {
    int sum = 0, value;
    float halves[N];
    double d = 9;
    cl_kernel kernel = kernel_of(program, "atomics");
    cl_mem total = buffer_of(&sum, sizeof sum), floats = buffer_of(halves, sizeof halves);
    OK(clSetKernelArg(kernel, 0, sizeof total, &total));
    OK(clSetKernelArg(kernel, 1, sizeof floats, &floats));
    OK(clSetKernelArg(kernel, 2, sizeof d, &d));
    run(kernel, N, GROUP);
    read_back(total, &sum, sizeof sum);
    read_back(floats, halves, sizeof halves);
    SAME(sum, N);
    EXPECT(halves[N - 1] == 4.5f);
    kernel = kernel_of(program, "variables");
    cl_mem out = buffer_of(&sum, sizeof sum);
    OK(clSetKernelArg(kernel, 0, sizeof out, &out));
    run(kernel, 1, 1);
    read_back(out, &value, sizeof value);
    SAME(value, 7 + N / GROUP);

    // A division by zero gives some number, and ends nothing.
    int numbers[N], vectors[4 * N], zero = 0;
    kernel = kernel_of(program, "divisions");
    cl_mem scalars = buffer_of(numbers, sizeof numbers);
    out = buffer_of(vectors, sizeof vectors);
    OK(clSetKernelArg(kernel, 0, sizeof scalars, &scalars));
    OK(clSetKernelArg(kernel, 1, sizeof out, &out));
    OK(clSetKernelArg(kernel, 2, sizeof zero, &zero));
    run(kernel, N, GROUP);
    read_back(scalars, numbers, sizeof numbers);
    read_back(out, vectors, sizeof vectors);
    SAME(vectors[4 * 9 + 2], 4);
    SAME(vectors[4 * 9 + 3], -9);

    struct { char c; int values[5]; } pair = {1, {10, 20, 30, 40, 50}};
    cl_float3 vector = {{1, 2, 3}};
    kernel = kernel_of(program, "structures");
    out = buffer_of(halves, sizeof halves);
    OK(clSetKernelArg(kernel, 0, sizeof pair, &pair));
    OK(clSetKernelArg(kernel, 1, sizeof vector, &vector));
    OK(clSetKernelArg(kernel, 2, sizeof out, &out));
    run(kernel, N, 0);
    read_back(out, halves, sizeof halves);
    for (int i = 0; i < N; i++)
        EXPECT(halves[i] == 1 + 10 * (i % 5 + 1) + 3);

    int data[N];
    on_numbers("generic_space", data, -1);
    for (int i = 0; i < N; i++)
        SAME(data[i], i + 10 + 1 + 3 * i);
}

// Values that libclc has wrong.
static void functions(void) {
    double x[2] = {INFINITY, 0x1p366};
    cl_kernel kernel = kernel_of(program, "functions");
    cl_mem buffer = buffer_of(x, sizeof x);
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    run(kernel, 1, 1);
    read_back(buffer, x, sizeof x);
    EXPECT(x[0] == INFINITY);
    EXPECT(x[1] == 0.0);
    OK(clReleaseKernel(kernel));
}

int main(void) {
    set_up(0);
    program = build(source, "-cl-std=CL3.0");
    sections_of_the_paper();
    index_space();
    shapes();
    collectives();
    memory_and_arguments();
    functions();
    return finish();
}
