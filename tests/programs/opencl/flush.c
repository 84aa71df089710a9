// Commands that nobody waits for run once they are flushed: by a call that does so, by a question how far they are, by
// the next command, by the queue's release.

#include "setup.h"

static int called;

static void CL_CALLBACK count(void *unused) {
    (void)unused;
    __atomic_fetch_add(&called, 1, __ATOMIC_SEQ_CST);
}

static cl_event enqueue(void) {
    cl_event event;
    OK(clEnqueueNativeKernel(queue, count, NULL, 0, 0, NULL, NULL, 0, NULL, &event));
    return event;
}

static void wait_for(int calls) {
    while (__atomic_load_n(&called, __ATOMIC_SEQ_CST) < calls)
        ;
}

static void CL_CALLBACK ended(cl_event event, cl_int status, void *counter) {
    (void)event, (void)status;
    __atomic_fetch_add((int *)counter, 1, __ATOMIC_SEQ_CST);
}

int main(void) {
    set_up(0);
    enqueue();
    OK(clFlush(queue));
    wait_for(1);

    cl_event event = enqueue();
    cl_int status;
    do
        OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    while (status != CL_COMPLETE);
    SAME(called, 2);

    enqueue();
    cl_event last = enqueue();
    wait_for(3);
    int ends = 0;
    OK(clSetEventCallback(last, CL_COMPLETE, ended, &ends));
    while (__atomic_load_n(&ends, __ATOMIC_SEQ_CST) == 0)
        ;
    SAME(called, 4);

    // Behind an event of the program's: what it lets run is flushed, too.
    cl_event gate = clCreateUserEvent(context, NULL);
    OK(clEnqueueMarkerWithWaitList(queue, 1, &gate, NULL));
    enqueue();
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    wait_for(5);

    enqueue();
    OK(clReleaseCommandQueue(queue));
    wait_for(6);
    return finish();
}
