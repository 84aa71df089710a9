// Memory and events of another process: the parent's kernels and those of a child take turns.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                                                              \
    do {                                                                                                              \
        if (!(condition)) {                                                                                           \
            fprintf(stderr, "%s, line %d: %s\n", is_child ? "child" : "parent", __LINE__, #condition);                \
            _exit(1);                                                                                                 \
        }                                                                                                             \
    } while (0)
#define OK(call) CHECK((call) == cudaSuccess)

static bool is_child;
const int count = 3 << 18;

struct Handles {
    cudaIpcMemHandle_t large, small;
    cudaIpcEventHandle_t of_parent, of_child;
};

__global__ void scale_and_add(int *numbers, int factor, const int *term) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    numbers[index] = numbers[index] * factor + *term;
}

static void child(int from, int to) {
    is_child = true;
    Handles handles;
    CHECK(read(from, &handles, sizeof handles) == sizeof handles);
    int *large, *small, *again;
    cudaEvent_t of_parent, of_child;
    OK(cudaIpcOpenMemHandle((void **)&large, handles.large, cudaIpcMemLazyEnablePeerAccess));
    OK(cudaIpcOpenMemHandle((void **)&small, handles.small, cudaIpcMemLazyEnablePeerAccess));
    OK(cudaIpcOpenMemHandle((void **)&again, handles.small, cudaIpcMemLazyEnablePeerAccess));
    CHECK(again == small);
    OK(cudaIpcCloseMemHandle(again));
    OK(cudaIpcOpenEventHandle(&of_parent, handles.of_parent));
    OK(cudaIpcOpenEventHandle(&of_child, handles.of_child));
    cudaPointerAttributes attributes;
    OK(cudaPointerGetAttributes(&attributes, large + 5));
    CHECK(attributes.type == cudaMemoryTypeDevice);

    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamWaitEvent(stream, of_parent, 0));
    scale_and_add<<<count / 256, 256, 0, stream>>>(large, 3, small);
    OK(cudaEventRecord(of_child, stream));
    char word = 1;
    CHECK(write(to, &word, 1) == 1);
    // The parent's last words: it has seen the results.
    CHECK(read(from, &word, 1) == 1);
    OK(cudaStreamSynchronize(stream));
    int first;
    OK(cudaMemcpy(&first, large, sizeof first, cudaMemcpyDeviceToHost));
    CHECK(first == -1);
    OK(cudaEventDestroy(of_parent));
    OK(cudaIpcCloseMemHandle(large));
    OK(cudaIpcCloseMemHandle(small));
    CHECK(cudaIpcCloseMemHandle(small) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(&first, large, sizeof first, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    _exit(0);
}

int main() {
    int down[2], up[2];
    CHECK(pipe(down) == 0 && pipe(up) == 0);
    pid_t other = fork();
    if (other == 0) {
        close(down[1]);
        close(up[0]);
        child(down[0], up[1]);
    }
    close(down[0]);
    close(up[1]);

    cudaDeviceProp properties;
    OK(cudaGetDeviceProperties(&properties, 0));
    CHECK(properties.ipcEventSupported == 1);
    int *large, *small, *neighbour;
    OK(cudaMalloc(&large, count * sizeof *large));
    OK(cudaMalloc(&small, sizeof *small));
    OK(cudaMallocManaged(&neighbour, sizeof *neighbour));
    *neighbour = 77;
    int term = 10;
    OK(cudaMemcpy(small, &term, sizeof term, cudaMemcpyHostToDevice));
    OK(cudaMemset(large, 0, count * sizeof *large));

    Handles handles;
    memset(&handles, 0, sizeof handles);
    cudaEvent_t of_parent, of_child, plain;
    OK(cudaEventCreateWithFlags(&of_parent, cudaEventDisableTiming | cudaEventInterprocess));
    OK(cudaEventCreateWithFlags(&of_child, cudaEventDisableTiming | cudaEventInterprocess));
    OK(cudaEventCreate(&plain));
    CHECK(cudaEventCreateWithFlags(&plain, cudaEventInterprocess) == cudaErrorInvalidValue);
    CHECK(cudaIpcGetEventHandle(&handles.of_parent, plain) == cudaErrorInvalidResourceHandle);
    CHECK(cudaIpcGetMemHandle(&handles.large, neighbour) == cudaErrorInvalidValue);
    // While its memory moves, a kernel writes to it.
    scale_and_add<<<count / 256, 256>>>(large, 1, small);
    OK(cudaEventRecord(of_parent, 0));
    OK(cudaIpcGetMemHandle(&handles.large, large));
    OK(cudaIpcGetMemHandle(&handles.small, small));
    OK(cudaDeviceSynchronize());
    OK(cudaIpcGetEventHandle(&handles.of_parent, of_parent));
    OK(cudaIpcGetEventHandle(&handles.of_child, of_child));
    void *own;
    CHECK(cudaIpcOpenMemHandle(&own, handles.large, cudaIpcMemLazyEnablePeerAccess) != cudaSuccess);
    CHECK(write(down[1], &handles, sizeof handles) == sizeof handles);

    char word;
    CHECK(read(up[0], &word, 1) == 1);
    OK(cudaStreamWaitEvent(0, of_child, 0));
    *neighbour += 1;
    scale_and_add<<<count / 256, 256>>>(large, 1, small);
    OK(cudaEventSynchronize(of_child));
    OK(cudaEventQuery(of_child));
    static int back[count];
    OK(cudaMemcpy(back, large, sizeof back, cudaMemcpyDeviceToHost));
    for (int number : back)
        CHECK(number == (10 * 3 + 10) + 10);
    CHECK(*neighbour == 78);
    OK(cudaMemset(large, 0xff, sizeof *large));
    OK(cudaDeviceSynchronize());
    CHECK(write(down[1], &word, 1) == 1);
    int status;
    CHECK(waitpid(other, &status, 0) == other && status == 0);
    OK(cudaFree(large));
    OK(cudaFree(small));
    OK(cudaMalloc(&large, count * sizeof *large));
    OK(cudaMemset(large, 1, count * sizeof *large));
    OK(cudaDeviceSynchronize());
    puts("PASS");
}
