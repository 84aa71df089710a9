// OpenCL's runtime interface: memory, commands, events, and the codes of wrong calls.

#include "setup.h"

enum { N = 64 };

static void buffers(void) {
    int data[N], got[N];
    for (int i = 0; i < N; i++)
        data[i] = i;
    cl_int code;
    cl_mem buffer = buffer_of(data, sizeof data), copy = buffer_of(data, sizeof data);
    int pattern[2] = {-1, -2};
    OK(clEnqueueFillBuffer(queue, buffer, pattern, sizeof pattern, 8, 16, 0, NULL, NULL));
    OK(clEnqueueCopyBuffer(queue, buffer, copy, 0, 128, 64, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, copy, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < N; i++) {
        int source = i >= 32 && i < 48 ? i - 32 : i;
        SAME(got[i], i >= 32 && source >= 2 && source < 6 ? -1 - source % 2 : source);
    }
    // A rectangle of 3 rows and 2 columns, from rows of 8 to rows of 16.
    size_t from[] = {4, 1, 0}, to[] = {8, 1, 0}, region[] = {8, 3, 1};
    OK(clEnqueueCopyBufferRect(queue, buffer, copy, from, to, region, 32, 0, 64, 0, 0, NULL, NULL));
    size_t zero[] = {0, 0, 0}, rows[] = {8, 3, 1};
    OK(clEnqueueReadBufferRect(queue, copy, CL_TRUE, to, zero, rows, 64, 0, 8, 0, got, 0, NULL, NULL));
    for (int i = 0; i < 6; i++)
        SAME(got[i], 8 * (i / 2 + 1) + 1 + i % 2);
    OK(clEnqueueWriteBufferRect(queue, copy, CL_TRUE, zero, zero, rows, 64, 0, 8, 0, data, 0, NULL, NULL));
    SAME(clEnqueueCopyBuffer(queue, copy, copy, 0, 4, 8, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    SAME(clEnqueueReadBuffer(queue, copy, CL_TRUE, 1, sizeof got, got, 0, NULL, NULL), CL_INVALID_VALUE);
    SAME(clEnqueueReadBuffer(queue, copy, CL_TRUE, 0, 4, NULL, 0, NULL, NULL), CL_INVALID_VALUE);

    int *mapped = clEnqueueMapBuffer(queue, copy, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 16, 32, 0, NULL, NULL, &code);
    OK(code);
    mapped[0] = 4711;
    cl_uint count;
    OK(clGetMemObjectInfo(copy, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    SAME(count, 1);
    OK(clEnqueueUnmapMemObject(queue, copy, mapped, 0, NULL, NULL));
    SAME(clEnqueueUnmapMemObject(queue, copy, mapped, 0, NULL, NULL), CL_INVALID_VALUE);
    OK(clEnqueueReadBuffer(queue, copy, CL_TRUE, 16, sizeof(int), got, 0, NULL, NULL));
    SAME(got[0], 4711);

    cl_mem host = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof data, data, &code);
    OK(code);
    OK(clEnqueueFillBuffer(queue, host, pattern, 4, 0, sizeof data, 0, NULL, NULL));
    mapped = clEnqueueMapBuffer(queue, host, CL_TRUE, CL_MAP_READ, 0, sizeof data, 0, NULL, NULL, &code);
    EXPECT(mapped == data);
    SAME(data[N - 1], -1);
    OK(clEnqueueUnmapMemObject(queue, host, mapped, 0, NULL, NULL));

    cl_buffer_region part = {128, 64};
    cl_mem sub = clCreateSubBuffer(host, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &code);
    OK(code);
    OK(clEnqueueFillBuffer(queue, sub, &pattern[1], 4, 0, 4, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, host, CL_TRUE, 128, 8, got, 0, NULL, NULL));
    EXPECT(got[0] == -2 && got[1] == -1);
    part.origin = 4;
    clCreateSubBuffer(host, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &code);
    SAME(code, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    clCreateSubBuffer(sub, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &code);
    SAME(code, CL_INVALID_MEM_OBJECT);
    clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, NULL, &code);
    SAME(code, CL_INVALID_VALUE);
    clCreateBuffer(context, 0, 0, NULL, &code);
    SAME(code, CL_INVALID_BUFFER_SIZE);
    clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 4, NULL, &code);
    SAME(code, CL_INVALID_HOST_PTR);
    OK(clReleaseMemObject(sub));
    OK(clReleaseMemObject(host));
    OK(clReleaseMemObject(copy));
    OK(clReleaseMemObject(buffer));
}

static void count_up(void *argument) { ++**(int **)argument; }

static void CL_CALLBACK note(cl_event event, cl_int status, void *argument) {
    (void)event;
    *(int *)argument = 100 + status;
}

static cl_int status_of(cl_event event) {
    cl_int status;
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

// Commands out of order, held up by a user's event.
static void events(void) {
    cl_int code;
    cl_queue_properties list[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, 0};
    cl_command_queue unordered = clCreateCommandQueueWithProperties(context, device, list, &code);
    OK(code);
    int zero = 0, noted = 0, got;
    cl_mem buffer = buffer_of(&zero, sizeof zero), other = buffer_of(&zero, sizeof zero);
    cl_event gate = clCreateUserEvent(context, &code), held, free_one, marker, native;
    const void *place = NULL;
    void *arguments[] = {NULL};
    place = &arguments[0];
    OK(clEnqueueNativeKernel(unordered, count_up, arguments, sizeof arguments, 1, &buffer, &place, 1, &gate, &held));
    OK(clEnqueueNativeKernel(unordered, count_up, arguments, sizeof arguments, 1, &other, &place, 0, NULL, &free_one));
    OK(clSetEventCallback(held, CL_COMPLETE, note, &noted));
    OK(clWaitForEvents(1, &free_one));
    EXPECT(status_of(held) > CL_COMPLETE);
    OK(clEnqueueMarkerWithWaitList(unordered, 0, NULL, &marker));
    OK(clEnqueueBarrierWithWaitList(unordered, 0, NULL, NULL));
    OK(clEnqueueNativeKernel(unordered, count_up, arguments, sizeof arguments, 1, &buffer, &place, 0, NULL, &native));
    EXPECT(status_of(native) > CL_COMPLETE);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    SAME(clSetUserEventStatus(gate, CL_COMPLETE), CL_INVALID_OPERATION);
    OK(clFinish(unordered));
    SAME(status_of(marker), CL_COMPLETE);
    SAME(noted, 100 + CL_COMPLETE);
    OK(clEnqueueReadBuffer(unordered, buffer, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL));
    SAME(got, 2);
    cl_ulong times[4];
    for (int i = 0; i < 4; i++)
        OK(clGetEventProfilingInfo(held, CL_PROFILING_COMMAND_QUEUED + i, sizeof times[i], &times[i], NULL));
    EXPECT(times[0] > 0 && times[0] <= times[1] && times[1] <= times[2] && times[2] <= times[3]);
    SAME(clGetEventProfilingInfo(gate, CL_PROFILING_COMMAND_END, 8, times, NULL), CL_PROFILING_INFO_NOT_AVAILABLE);

    // A failed event fails what waits for it.
    gate = clCreateUserEvent(context, &code);
    OK(clEnqueueFillBuffer(unordered, buffer, &zero, 4, 0, 4, 1, &gate, &held));
    OK(clSetUserEventStatus(gate, -5));
    SAME(clWaitForEvents(1, &held), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    SAME(status_of(held), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    SAME(clWaitForEvents(0, NULL), CL_INVALID_VALUE);
    SAME(clEnqueueMarkerWithWaitList(unordered, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    OK(clReleaseCommandQueue(unordered));
}

static void shared_memory(void) {
    int *shared = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, N * sizeof(int), 0);
    EXPECT(shared != NULL);
    cl_program program = build("kernel void twice(global int *p) { p[get_global_id(0)] *= 2; }", "");
    cl_kernel kernel = kernel_of(program, "twice");
    for (int i = 0; i < N; i++)
        shared[i] = i;
    OK(clSetKernelArgSVMPointer(kernel, 0, shared));
    run(kernel, N, 0);
    OK(clFinish(queue));
    for (int i = 0; i < N; i++)
        SAME(shared[i], 2 * i);
    int seven = 7;
    OK(clEnqueueSVMMemFill(queue, shared, &seven, sizeof seven, N * sizeof(int), 0, NULL, NULL));
    OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, shared, N * sizeof(int), 0, NULL, NULL));
    SAME(shared[N - 1], 7);
    OK(clEnqueueSVMUnmap(queue, shared, 0, NULL, NULL));
    void *all[] = {shared};
    OK(clEnqueueSVMFree(queue, 1, all, NULL, NULL, 0, NULL, NULL));
    OK(clFinish(queue));
    EXPECT(clSVMAlloc(context, CL_MEM_SVM_ATOMICS, 4, 0) == NULL);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

static void launches(void) {
    cl_program program = build("kernel __attribute__((reqd_work_group_size(8, 1, 1))) void fixed(global int *p) {\n"
                               "    p[get_global_id(0)] = get_local_size(0);\n"
                               "}\n"
                               "kernel void sizes(global int *p, local char *l, int n) { p[0] = n; }\n", "");
    cl_kernel fixed = kernel_of(program, "fixed"), sizes = kernel_of(program, "sizes");
    int data[N];
    cl_mem buffer = buffer_of(data, sizeof data);
    size_t global = N, local = 16, many = 2048, none = 0;
    SAME(clEnqueueNDRangeKernel(queue, fixed, 1, NULL, &global, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    OK(clSetKernelArg(fixed, 0, sizeof buffer, &buffer));
    SAME(clEnqueueNDRangeKernel(queue, fixed, 1, NULL, &global, &local, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    OK(clEnqueueNDRangeKernel(queue, fixed, 1, NULL, &global, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
    SAME(data[N - 1], 8);
    OK(clSetKernelArg(sizes, 0, sizeof buffer, &buffer));
    SAME(clSetKernelArg(sizes, 1, 0, NULL), CL_INVALID_ARG_SIZE);
    SAME(clSetKernelArg(sizes, 1, 8, data), CL_INVALID_ARG_VALUE);
    SAME(clSetKernelArg(sizes, 2, 8, data), CL_INVALID_ARG_SIZE);
    SAME(clSetKernelArg(sizes, 3, 4, data), CL_INVALID_ARG_INDEX);
    OK(clSetKernelArg(sizes, 1, 1 << 30, NULL));
    OK(clSetKernelArg(sizes, 2, sizeof N, &(int){5}));
    SAME(clEnqueueNDRangeKernel(queue, sizes, 1, NULL, &global, NULL, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
    OK(clSetKernelArg(sizes, 1, 8, NULL));
    SAME(clEnqueueNDRangeKernel(queue, sizes, 4, NULL, &global, NULL, 0, NULL, NULL), CL_INVALID_WORK_DIMENSION);
    local = 7;
    SAME(clEnqueueNDRangeKernel(queue, sizes, 1, NULL, &global, &local, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    SAME(clEnqueueNDRangeKernel(queue, sizes, 1, NULL, &many, &many, 0, NULL, NULL), CL_INVALID_WORK_ITEM_SIZE);
    OK(clEnqueueNDRangeKernel(queue, sizes, 1, NULL, &none, NULL, 0, NULL, NULL));
    cl_ulong memory;
    OK(clGetKernelWorkGroupInfo(sizes, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof memory, &memory, NULL));
    EXPECT(memory >= 8);
    OK(clFinish(queue));
    OK(clReleaseMemObject(buffer));
}

// Handles that are none, or no more, or of another sort.
static void handles(void) {
    cl_int code;
    cl_event event = clCreateUserEvent(context, &code);
    OK(clRetainEvent(event));
    cl_uint references;
    OK(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof references, &references, NULL));
    SAME(references, 2);
    OK(clReleaseEvent(event));
    OK(clReleaseEvent(event));
    SAME(clReleaseEvent(event), CL_INVALID_EVENT);
    SAME(clFinish((cl_command_queue)context), CL_INVALID_COMMAND_QUEUE);
    SAME(clReleaseMemObject((cl_mem)queue), CL_INVALID_MEM_OBJECT);
    clCreateCommandQueue(context, (cl_device_id)context, 0, &code);
    SAME(code, CL_INVALID_DEVICE);
    clCreateCommandQueue(context, device, 1u << 20, &code);
    SAME(code, CL_INVALID_VALUE);
    size_t size;
    char text[8];
    OK(clGetDeviceInfo(device, CL_DEVICE_NAME, 0, NULL, &size));
    EXPECT(size > sizeof text);
    SAME(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof text, text, NULL), CL_INVALID_VALUE);
    SAME(clGetDeviceInfo(device, 0x7777, sizeof text, text, NULL), CL_INVALID_VALUE);
}

int main(void) {
    set_up(0);
    buffers();
    events();
    shared_memory();
    launches();
    handles();
    return finish();
}
