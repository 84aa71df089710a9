// Launches to be recorded: device memory that points at other device memory, a device variable, mapped sections whose base
// lies outside, reductions, generic and SPMD kernels.

#include <omp.h>
#include <stdio.h>

struct Node {
    struct Node *next;
    double value;
};

#pragma omp declare target
int calls;
#pragma omp end declare target

int main(void) {
    int n = 1000;
    static double large[100000];
    double sum = 0;
    struct Node *nodes = omp_target_alloc(10 * sizeof *nodes, omp_get_default_device());
    // The first launch makes the list.
#pragma omp target is_device_ptr(nodes)
    for (int i = 0; i < 10; i++) {
        nodes[i].next = i < 9 ? &nodes[i + 1] : 0;
        nodes[i].value = i;
        calls++;
    }
    // The second follows it, from teams of a generic kernel.
#pragma omp target teams distribute num_teams(4) is_device_ptr(nodes) map(tofrom : large [90000:n])
    for (int i = 90000; i < 90000 + n; i++) {
        double here = 0;
#pragma omp parallel for reduction(+ : here)
        for (int j = 0; j < 10; j++) {
            struct Node *node = nodes;
            for (int k = 0; k < j; k++)
                node = node->next;
            here += node->value;
        }
        large[i] += here + calls;
    }
    // The third reduces.
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : large [90000:n])
    for (int i = 90000; i < 90000 + n; i++)
        sum += large[i];
    omp_target_free(nodes, omp_get_default_device());
    puts(sum == 55.0 * n ? "PASS" : "FAIL");
    return sum != 55.0 * n;
}
