// Functions of all work-items of a work-group together (OpenCL C 3.0, 6.15.16).

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define OVERLOADABLE __attribute__((overloadable, convergent))
#define CONST __attribute__((overloadable, const))

CONST size_t get_local_id(uint dimension);
CONST size_t get_local_size(uint dimension);
CONST uint get_sub_group_id(void);
CONST uint get_sub_group_local_id(void);
CONST uint get_sub_group_size(void);
CONST uint get_num_sub_groups(void);
OVERLOADABLE void barrier(cl_mem_fence_flags flags);

// A value for each sub-group (scratch.ll).
local ulong *__omptarget_opencl_scratch(void);

OVERLOADABLE int sub_group_all(int predicate);
OVERLOADABLE int sub_group_any(int predicate);

#define ADD(a, b) ((a) + (b))
#define MIN(a, b) ((b) < (a) ? (b) : (a))
#define MAX(a, b) ((a) < (b) ? (b) : (a))

// A barrier before the last return: the memory may be written again.
#define OPERATION(TYPE, name, OP, identity)                                                                            \
    OVERLOADABLE TYPE sub_group_scan_inclusive_##name(TYPE value);                                                     \
    OVERLOADABLE TYPE sub_group_scan_exclusive_##name(TYPE value);                                                     \
    OVERLOADABLE TYPE sub_group_reduce_##name(TYPE value);                                                             \
    static TYPE before_##name##_##TYPE(TYPE total, uint first, uint end) {                                             \
        local TYPE *totals = (local TYPE *)__omptarget_opencl_scratch();                                               \
        if (get_sub_group_local_id() == 0)                                                                             \
            totals[get_sub_group_id()] = total;                                                                        \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                  \
        TYPE result = identity;                                                                                        \
        for (uint index = first; index < end; index++)                                                                 \
            result = OP(result, totals[index]);                                                                        \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                  \
        return result;                                                                                                 \
    }                                                                                                                  \
    OVERLOADABLE TYPE work_group_reduce_##name(TYPE value) {                                                           \
        return before_##name##_##TYPE(sub_group_reduce_##name(value), 0, get_num_sub_groups());                        \
    }                                                                                                                  \
    OVERLOADABLE TYPE work_group_scan_inclusive_##name(TYPE value) {                                                   \
        TYPE before = before_##name##_##TYPE(sub_group_reduce_##name(value), 0, get_sub_group_id());                   \
        TYPE own = sub_group_scan_inclusive_##name(value);                                                             \
        return OP(before, own);                                                                                        \
    }                                                                                                                  \
    OVERLOADABLE TYPE work_group_scan_exclusive_##name(TYPE value) {                                                   \
        TYPE before = before_##name##_##TYPE(sub_group_reduce_##name(value), 0, get_sub_group_id());                   \
        TYPE own = sub_group_scan_exclusive_##name(value);                                                             \
        return OP(before, own);                                                                                        \
    }

#define OPERATIONS(TYPE, least, greatest)                                                                              \
    OPERATION(TYPE, add, ADD, 0)                                                                                       \
    OPERATION(TYPE, min, MIN, greatest)                                                                                \
    OPERATION(TYPE, max, MAX, least)                                                                                   \
    OVERLOADABLE TYPE work_group_broadcast(TYPE value, size_t x, size_t y, size_t z) {                                 \
        local TYPE *place = (local TYPE *)__omptarget_opencl_scratch();                                                \
        if (get_local_id(0) == x && get_local_id(1) == y && get_local_id(2) == z)                                      \
            *place = value;                                                                                            \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                  \
        TYPE result = *place;                                                                                          \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                  \
        return result;                                                                                                 \
    }                                                                                                                  \
    OVERLOADABLE TYPE work_group_broadcast(TYPE value, size_t x, size_t y) {                                           \
        return work_group_broadcast(value, x, y, 0);                                                                   \
    }                                                                                                                  \
    OVERLOADABLE TYPE work_group_broadcast(TYPE value, size_t x) { return work_group_broadcast(value, x, 0, 0); }

OPERATIONS(int, INT_MIN, INT_MAX)
OPERATIONS(uint, 0, UINT_MAX)
OPERATIONS(long, LONG_MIN, LONG_MAX)
OPERATIONS(ulong, 0, ULONG_MAX)
OPERATIONS(half, -INFINITY, INFINITY)
OPERATIONS(float, -INFINITY, INFINITY)
OPERATIONS(double, -INFINITY, INFINITY)

OVERLOADABLE int work_group_all(int predicate) { return work_group_reduce_min(predicate != 0 ? 1 : 0); }
OVERLOADABLE int work_group_any(int predicate) { return work_group_reduce_max(predicate != 0 ? 1 : 0); }
