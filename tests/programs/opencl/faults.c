// Kernels that fail: the command ends with a negative status, what waits for it does, too, and the process goes on.

#include "setup.h"

static const char *source = "kernel void wild(global int *data, ulong where) {\n"
                            "    data[where] = 1;\n"
                            "}\n"
                            "kernel void deadlock(global int *data) {\n"
                            "    if (get_local_id(0) < 8 && data[0] == 0)\n"
                            "        while (atomic_add(data + 1, 0) == 0)\n"
                            "            barrier(CLK_LOCAL_MEM_FENCE);\n"
                            "    else\n"
                            "        sub_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
                            "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
                            "    data[get_global_id(0)] = 3;\n"
                            "}\n"
                            "kernel void fine(global int *data) { data[get_global_id(0)] = 7; }\n";

static cl_int status_of(cl_event event) {
    cl_int status;
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

int main(void) {
    set_up(0);
    int data[64] = {0};
    cl_program program = build(source, "-cl-std=CL3.0");
    cl_mem buffer = buffer_of(data, sizeof data);
    cl_ulong where = 1ull << 40;
    size_t items = 64;
    cl_event failed, behind, other;

    cl_kernel wild = kernel_of(program, "wild"), fine = kernel_of(program, "fine");
    OK(clSetKernelArg(wild, 0, sizeof buffer, &buffer));
    OK(clSetKernelArg(wild, 1, sizeof where, &where));
    OK(clSetKernelArg(fine, 0, sizeof buffer, &buffer));
    OK(clEnqueueNDRangeKernel(queue, wild, 1, NULL, &items, NULL, 0, NULL, &failed));
    OK(clEnqueueNDRangeKernel(queue, fine, 1, NULL, &items, NULL, 1, &failed, &behind));
    OK(clEnqueueNDRangeKernel(queue, fine, 1, NULL, &items, NULL, 0, NULL, &other));
    SAME(clWaitForEvents(1, &behind), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    OK(clWaitForEvents(1, &other));
    EXPECT(status_of(failed) < 0);
    SAME(status_of(behind), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    SAME(status_of(other), CL_COMPLETE);
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
    SAME(data[63], 7);

    memset(data, 0, sizeof data);
    OK(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
    cl_kernel deadlock = kernel_of(program, "deadlock");
    OK(clSetKernelArg(deadlock, 0, sizeof buffer, &buffer));
    OK(clEnqueueNDRangeKernel(queue, deadlock, 1, NULL, &items, &items, 0, NULL, &failed));
    SAME(clWaitForEvents(1, &failed), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    EXPECT(status_of(failed) < 0);
    OK(clEnqueueNDRangeKernel(queue, fine, 1, NULL, &items, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    return finish();
}
