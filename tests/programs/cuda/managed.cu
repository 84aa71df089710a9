// Variables that host and kernels use alike: numbers, arrays, structures, of this unit, static, and of another unit.
#include <cstdio>
#include <cuda_runtime.h>

#define CHECK(condition)                                                                                              \
    do {                                                                                                              \
        if (!(condition)) {                                                                                           \
            printf("line %d: %s\n", __LINE__, #condition);                                                            \
            return 1;                                                                                                 \
        }                                                                                                             \
    } while (0)

struct Node {
    int value;
    Node *next;
};

__managed__ int counter = 5;
__device__ __managed__ float table[64];
static __managed__ double scale = 0.5;
__managed__ Node nodes[3] = {{1, nullptr}, {2, nullptr}, {3, nullptr}};
__managed__ Node *head;
extern __managed__ int matrix[4][4];
extern __managed__ int total;

int host_total();

__global__ void fill() {
    table[threadIdx.x] = threadIdx.x * (float)scale;
    atomicAdd(&counter, 1);
    if (threadIdx.x < 16)
        matrix[threadIdx.x / 4][threadIdx.x % 4] += threadIdx.x;
}

__global__ void sum() {
    int found = 0;
    for (Node *node = head; node; node = node->next)
        found += node->value;
    total = found;
}

__global__ void add(int *number) { ++*number; }

// The address of one of two variables, by a branch.
__attribute__((noinline)) static int *chosen(bool first) { return first ? &counter : &matrix[1][2]; }

int main() {
    CHECK(counter == 5 && scale == 0.5 && nodes[2].value == 3 && matrix[3][3] == 7);
    scale = 2;
    fill<<<1, 64>>>();
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(counter == 69 && table[63] == 126);
    float all = 0;
    for (float number : table)
        all += number;
    CHECK(all == 64 * 63);
    CHECK(matrix[2][3] == 11 && matrix[3][3] == 22);

    head = nodes;
    nodes[0].next = &nodes[1];
    nodes[1].next = &nodes[2];
    sum<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(total == 6 && host_total() == 6);

    add<<<1, 1>>>(&counter);
    add<<<1, 1>>>(chosen(false));
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(*chosen(true) == 70 && matrix[1][2] == 7);

    int number = 100;
    CHECK(cudaMemcpyToSymbol(counter, &number, sizeof number) == cudaSuccess && counter == 100);
    counter = 101;
    CHECK(cudaMemcpyFromSymbol(&number, counter, sizeof number) == cudaSuccess && number == 101);
    void *address;
    CHECK(cudaGetSymbolAddress(&address, counter) == cudaSuccess && address == &counter);
    size_t size;
    CHECK(cudaGetSymbolSize(&size, table) == cudaSuccess && size == sizeof table);
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, &table[3]) == cudaSuccess);
    CHECK(attributes.type == cudaMemoryTypeManaged && attributes.devicePointer == &table[3]);
    CHECK(cudaMemPrefetchAsync(table, sizeof table, 0, 0) == cudaSuccess);
    puts("PASS");
}
