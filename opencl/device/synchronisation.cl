// Barriers and fences (OpenCL C 3.0, 6.15.8 and 6.15.12.4).

#define OVERLOADABLE __attribute__((overloadable))

OVERLOADABLE __attribute__((convergent)) void barrier(cl_mem_fence_flags flags);
OVERLOADABLE uint get_sub_group_size(void);

OVERLOADABLE __attribute__((convergent)) void work_group_barrier(cl_mem_fence_flags flags) { barrier(flags); }

OVERLOADABLE __attribute__((convergent)) void work_group_barrier(cl_mem_fence_flags flags, memory_scope scope) {
    if (scope != memory_scope_work_group)
        __nvvm_membar_gl();
    barrier(flags);
}

OVERLOADABLE void atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope) {
    switch (scope) {
    case memory_scope_work_item:
        break;
    case memory_scope_sub_group:
    case memory_scope_work_group:
        __nvvm_membar_cta();
        break;
    case memory_scope_device:
        __nvvm_membar_gl();
        break;
    default:
        __nvvm_membar_sys();
    }
}

// The members of the caller's sub-group.
static uint members(void) {
    uint size = get_sub_group_size();
    return size < 32 ? (1u << size) - 1 : ~0u;
}

OVERLOADABLE __attribute__((convergent)) void sub_group_barrier(cl_mem_fence_flags flags) {
    __nvvm_membar_cta();
    __nvvm_bar_warp_sync(members());
}

OVERLOADABLE __attribute__((convergent)) void sub_group_barrier(cl_mem_fence_flags flags, memory_scope scope) {
    sub_group_barrier(flags);
}
