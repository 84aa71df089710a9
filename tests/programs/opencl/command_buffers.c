// Command buffers (cl_khr_command_buffer 0.9.8): commands that are recorded once and run often. The types are stated
// here, as systems' headers have those of earlier versions.

#include "setup.h"

typedef struct buffer *Commands;
typedef cl_uint Point;
#define PLACE Commands, cl_command_queue, const cl_ulong *
#define WAITS cl_uint, const Point *, Point *, void *

static Commands (*create)(cl_uint, const cl_command_queue *, const cl_ulong *, cl_int *);
static cl_int (*finalize)(Commands), (*retain)(Commands), (*release)(Commands);
static cl_int (*enqueue)(cl_uint, cl_command_queue *, Commands, cl_uint, const cl_event *, cl_event *);
static cl_int (*info)(Commands, cl_uint, size_t, void *, size_t *);
static cl_int (*barrier)(PLACE, WAITS);
static cl_int (*copy)(PLACE, cl_mem, cl_mem, size_t, size_t, size_t, WAITS);
static cl_int (*copy_rect)(PLACE, cl_mem, cl_mem, const size_t *, const size_t *, const size_t *, size_t, size_t,
                           size_t, size_t, WAITS);
static cl_int (*fill)(PLACE, cl_mem, const void *, size_t, size_t, size_t, WAITS);
static cl_int (*launch)(PLACE, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, WAITS);
static cl_int (*copy_shared)(PLACE, void *, const void *, size_t, WAITS);

enum {
    INVALID_COMMAND_BUFFER = -1138,
    INVALID_WAIT_LIST = -1139,
    COMMANDS = 0x12a8,
    STATE = 0x1297,
    REFERENCES = 0x1296,
    FLAGS = 0x1293,
    N = 1000
};

static void *function(const char *name) {
    cl_platform_id platform;
    OK(clGetPlatformIDs(1, &platform, NULL));
    void *found = clGetExtensionFunctionAddressForPlatform(platform, name);
    EXPECT(found);
    if (!found)
        exit(1);
    return found;
}

static void find(void) {
    create = function("clCreateCommandBufferKHR");
    finalize = function("clFinalizeCommandBufferKHR");
    retain = function("clRetainCommandBufferKHR");
    release = function("clReleaseCommandBufferKHR");
    enqueue = function("clEnqueueCommandBufferKHR");
    info = function("clGetCommandBufferInfoKHR");
    barrier = function("clCommandBarrierWithWaitListKHR");
    copy = function("clCommandCopyBufferKHR");
    copy_rect = function("clCommandCopyBufferRectKHR");
    fill = function("clCommandFillBufferKHR");
    launch = function("clCommandNDRangeKernelKHR");
    copy_shared = function("clCommandSVMMemcpyKHR");
}

static cl_uint asked(Commands commands, cl_uint what) {
    cl_uint value = 99;
    OK(info(commands, what, sizeof value, &value, NULL));
    return value;
}

// Fills `from`, adds to it, copies it behind what `to` has; the arguments are those of the recording.
static void runs_often(cl_kernel add) {
    int first[N] = {0}, amount = 5, zero = 0;
    size_t size = N, origin[3] = {0}, place[3] = {4, 1}, region[3] = {8, 2, 1};
    cl_mem from = buffer_of(first, sizeof first), to = buffer_of(first, sizeof first);
    Commands commands = create(1, &queue, NULL, NULL);
    SAME(asked(commands, STATE), 0);
    SAME(enqueue(0, NULL, commands, 0, NULL, NULL), CL_INVALID_OPERATION);
    Point filled, added;
    OK(fill(commands, NULL, NULL, from, &zero, sizeof zero, 0, sizeof first, 0, NULL, &filled, NULL));
    OK(clSetKernelArg(add, 0, sizeof from, &from));
    OK(clSetKernelArg(add, 1, sizeof amount, &amount));
    OK(launch(commands, NULL, NULL, add, 1, NULL, &size, NULL, 1, &filled, &added, NULL));
    // What the kernel's arguments are later does not matter.
    amount = 7;
    OK(clSetKernelArg(add, 1, sizeof amount, &amount));
    OK(barrier(commands, NULL, NULL, 1, &added, NULL, NULL));
    OK(launch(commands, NULL, NULL, add, 1, NULL, &size, NULL, 0, NULL, NULL, NULL));
    OK(copy_rect(commands, NULL, NULL, from, to, origin, place, region, 16, 0, 16, 0, 0, NULL, NULL, NULL));
    OK(copy(commands, NULL, NULL, from, to, 0, 400, 400, 0, NULL, NULL, NULL));
    OK(finalize(commands));
    SAME(asked(commands, STATE), 1);
    SAME(finalize(commands), CL_INVALID_OPERATION);
    SAME(barrier(commands, NULL, NULL, 0, NULL, NULL, NULL), CL_INVALID_OPERATION);
    cl_event gate = clCreateUserEvent(context, NULL), event;
    OK(enqueue(0, NULL, commands, 1, &gate, &event));
    cl_command_type type = 0;
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    SAME(type, COMMANDS);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    for (int round = 0; round < 3; round++)
        OK(enqueue(1, &queue, commands, 0, NULL, NULL));
    OK(release(commands));
    OK(clFinish(queue));
    int got[N];
    OK(clEnqueueReadBuffer(queue, from, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        SAME(got[i], 12 + 2 * i);
    OK(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    SAME(got[100], 12);
    SAME(got[199], 12 + 2 * 99);
    SAME(got[200], 0);
    SAME(got[5], 12);
    SAME(got[9], 12 + 2 * 4);
    SAME(got[4], 0);
}

// A failing command ends the command buffer, and its event says so.
static void fails(cl_kernel wild) {
    size_t one = 1;
    Commands commands = create(1, &queue, NULL, NULL);
    OK(launch(commands, NULL, NULL, wild, 1, NULL, &one, NULL, 0, NULL, NULL, NULL));
    OK(finalize(commands));
    cl_event event;
    OK(enqueue(0, NULL, commands, 0, NULL, &event));
    EXPECT(clWaitForEvents(1, &event) != CL_SUCCESS);
    OK(release(commands));
}

static void refuses(void) {
    cl_int code;
    cl_ulong twice[] = {FLAGS, 0, FLAGS, 0, 0}, unknown[] = {FLAGS, 1 << 9, 0}, lacking[] = {FLAGS, 2, 0};
    create(1, &queue, twice, &code);
    SAME(code, CL_INVALID_VALUE);
    create(1, &queue, unknown, &code);
    SAME(code, CL_INVALID_VALUE);
    create(1, &queue, lacking, &code);
    SAME(code, CL_INVALID_PROPERTY);
    create(0, NULL, NULL, &code);
    SAME(code, CL_INVALID_VALUE);
    SAME(finalize(NULL), INVALID_COMMAND_BUFFER);
    Commands commands = create(1, &queue, NULL, &code);
    Point later = 1;
    SAME(barrier(commands, NULL, NULL, 1, &later, NULL, NULL), INVALID_WAIT_LIST);
    SAME(barrier(commands, NULL, NULL, 1, NULL, NULL, NULL), INVALID_WAIT_LIST);
    SAME(barrier(commands, queue, NULL, 0, NULL, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    void *handle;
    SAME(barrier(commands, NULL, NULL, 0, NULL, NULL, &handle), CL_INVALID_VALUE);
    OK(retain(commands));
    SAME(asked(commands, REFERENCES), 2);
    OK(release(commands));
    OK(release(commands));
    SAME(release(commands), INVALID_COMMAND_BUFFER);
}

static void shared_memory(void) {
    int *memory = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 2 * sizeof *memory, 0);
    Commands commands = create(1, &queue, NULL, NULL);
    OK(copy_shared(commands, NULL, NULL, memory + 1, memory, sizeof *memory, 0, NULL, NULL, NULL));
    OK(finalize(commands));
    for (int round = 1; round < 4; round++) {
        memory[0] = round;
        OK(enqueue(0, NULL, commands, 0, NULL, NULL));
        OK(clFinish(queue));
        SAME(memory[1], round);
    }
    OK(release(commands));
    clSVMFree(context, memory);
}

int main(void) {
    set_up(0);
    find();
    cl_program program = build("kernel void add(global int *x, int by) { x[get_global_id(0)] += by + get_global_id(0); }\n"
                               "kernel void wild(void) { *(volatile global int *)64 = 1; }\n",
                               "");
    runs_often(kernel_of(program, "add"));
    fails(kernel_of(program, "wild"));
    refuses();
    shared_memory();
    return finish();
}
