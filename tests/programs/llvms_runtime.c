// A program whose image brings as much of LLVM's device runtime as tells on its launches: blocks of generic kernels extend along x, the
// master is the first lane of the last warp. `__omp_rtl_device_environment` without `__omptarget_trap_record` says whose runtime it is.
#include <stdio.h>

#pragma omp begin declare target
__attribute__((used, visibility("protected"))) int __omp_rtl_device_environment[12];

#ifdef __NVPTX__
static int thread(void) { return __nvvm_read_ptx_sreg_tid_x(); }
static int threads(void) { return __nvvm_read_ptx_sreg_ntid_x(); }
static int along_y(void) { return __nvvm_read_ptx_sreg_ntid_y(); }
#else
static int thread(void) { return 0; }
static int threads(void) { return 0; }
static int along_y(void) { return 0; }
#endif

int __kmpc_target_init(void *kernel, void *launch) {
    (void)kernel, (void)launch;
    return thread() == ((threads() - 1) & ~31) ? -1 : thread();
}
void __kmpc_target_deinit(void) {}
#pragma omp end declare target

int main(void) {
    int block[2] = {0, 0}, master = -1;
#pragma omp target map(from : block, master) thread_limit(48)
    {
        block[0] = threads();
        block[1] = along_y();
        master = thread();
    }
    printf("%d x %d, master %d\n", block[0], block[1], master);
    return 0;
}
