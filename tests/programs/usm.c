// requires unified_shared_memory: regions follow host pointers, nothing is copied unless the program says `close`.
#pragma omp requires unified_shared_memory

#include "check.h"

struct node {
    struct node *next;
    long value;
};

static long global = 5;
#pragma omp declare target to(global)

int main(void) {
    enum { N = 100 };
    struct node *list = NULL;
    for (long i = 0; i < N; i++) {
        struct node *node = malloc(sizeof *node);
        node->next = list, node->value = i;
        list = node;
    }
    long sum = 0, *heap = malloc(N * sizeof *heap);
#pragma omp target
    for (struct node *node = list; node; node = node->next)
        node->value *= 2;
#pragma omp target map(tofrom : sum)
    for (struct node *node = list; node; node = node->next)
        sum += node->value;
    EXPECT(sum, N * (N - 1));
#pragma omp target teams distribute parallel for
    for (int i = 0; i < N; i++)
        heap[i] = i + global;
    for (int i = 0; i < N; i++)
        EXPECT(heap[i], i + 5);
    // A map is no copy: each side sees at once what the other writes.
#pragma omp target data map(to : heap[0 : N])
    {
        heap[3] = 70;
#pragma omp target
        heap[4] = heap[3] + 1;
        EXPECT(heap[4], 71);
    }
    // `close` asks for memory of the device's own, with copies as without the requirement.
    long *there = heap;
#pragma omp target data map(close, tofrom : heap[0 : N]) use_device_ptr(there)
    {
        heap[5] = -1;
#pragma omp target map(close, tofrom : heap[0 : N])
        heap[6] = heap[5] + 1;
        EXPECT(there != heap, offloading());
    }
    EXPECT(heap[6], offloading() ? 11 : 0);
    EXPECT(heap[5], offloading() ? 10 : -1);
    free(heap);
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return done();
}
