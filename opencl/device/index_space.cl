// The functions on the index space that libclc lacks, or has without the offset (OpenCL C 3.0, 6.15.1).

#define OVERLOADABLE __attribute__((overloadable, const))

// The compiler replaces these by parameters of the kernel (codegen-llvm/src/opencl/index_space.rs).
ulong __attribute__((const)) __omptarget_opencl_offset(uint dimension);
uint __attribute__((const)) __omptarget_opencl_dimensions(void);

OVERLOADABLE size_t get_local_id(uint dimension);
OVERLOADABLE size_t get_local_size(uint dimension);
OVERLOADABLE size_t get_global_size(uint dimension);
OVERLOADABLE size_t get_group_id(uint dimension);
OVERLOADABLE size_t get_num_groups(uint dimension);
OVERLOADABLE uint get_num_sub_groups(void);

OVERLOADABLE uint get_work_dim(void) { return __omptarget_opencl_dimensions(); }

OVERLOADABLE size_t get_global_offset(uint dimension) { return __omptarget_opencl_offset(dimension); }

OVERLOADABLE size_t get_global_id(uint dimension) {
    return get_group_id(dimension) * get_local_size(dimension) + get_local_id(dimension) + get_global_offset(dimension);
}

// All work-groups have the same size: the device says so (CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT).
OVERLOADABLE size_t get_enqueued_local_size(uint dimension) { return get_local_size(dimension); }

OVERLOADABLE uint get_enqueued_num_sub_groups(void) { return get_num_sub_groups(); }

OVERLOADABLE size_t get_local_linear_id(void) {
    return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
}

OVERLOADABLE size_t get_global_linear_id(void) {
    size_t row = get_global_id(1) - get_global_offset(1);
    size_t plane = get_global_id(2) - get_global_offset(2);
    size_t column = get_global_id(0) - get_global_offset(0);
    return (plane * get_global_size(1) + row) * get_global_size(0) + column;
}
