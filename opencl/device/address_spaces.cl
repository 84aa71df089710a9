// Questions about generic addresses (OpenCL C 3.0, 6.15.10).

#define OVERLOADABLE __attribute__((overloadable))

OVERLOADABLE cl_mem_fence_flags get_fence(const generic void *address) {
    return __nvvm_isspacep_shared(address) ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE;
}

OVERLOADABLE cl_mem_fence_flags get_fence(generic void *address) { return get_fence((const generic void *)address); }
