// b+tree: looks keys up in a tree of two levels of wide nodes. Outer loop: queries; inner loop: the keys of a node, of
// which exactly one range holds the query's, found as a sum. Keys of a node lie side by side: fully coalesced.
#include "nested.h"

static int order, queries, *keys, *wanted, *found, *expected; // node 0 is the root, node 1 + i its i-th child
static Kernel kernels[1];

// The index of the range, among `order` that begin at `first`, that holds `key`.
static inline int range(const int *first, int order, int key) {
    int at = 0;
    for (int i = 0; i < order; i++)
        if (first[i] <= key && (i + 1 == order || key < first[i + 1]))
            at += i;
    return at;
}

static inline int range_by_team(const int *first, int order, int key) {
    int at = 0;
#pragma omp parallel for reduction(+ : at)
    for (int i = 0; i < order; i++)
        if (first[i] <= key && (i + 1 == order || key < first[i + 1]))
            at += i;
    return at;
}

static void setup(int size) {
    order = 16 * size;
    queries = 3 * order;
    kernels[0].outer = queries;
    kernels[0].inner = order;
    int nodes = 1 + order;
    keys = allocate((long)nodes * order, sizeof *keys);
    wanted = allocate(queries, sizeof *wanted);
    found = allocate(queries, sizeof *found);
    expected = allocate(queries, sizeof *expected);
    // The leaves' keys are 0, 3, 6, … in order; the root's are the leaves' first.
    for (int leaf = 0; leaf < order; leaf++)
        for (int i = 0; i < order; i++)
            keys[(1 + leaf) * order + i] = 3 * (leaf * order + i);
    for (int leaf = 0; leaf < order; leaf++)
        keys[leaf] = keys[(1 + leaf) * order];
    for (int q = 0; q < queries; q++) {
        wanted[q] = (int)draw(3 * order * order);
        expected[q] = wanted[q] / 3;
    }
#pragma omp target enter data map(to : keys[0 : (long)nodes * order], wanted[0 : queries]) map(alloc : found[0 : queries])
}

static void reset(void) {
    memset(found, 0xff, queries * sizeof *found);
#pragma omp target update to(found[0 : queries])
}

static void spmd(void) {
#pragma omp target teams distribute parallel for
    for (int q = 0; q < queries; q++) {
        int child = range(keys, order, wanted[q]);
        found[q] = child * order + range(keys + (1 + child) * order, order, wanted[q]);
    }
}

static void nested(void) {
#pragma omp target teams distribute
    for (int q = 0; q < queries; q++) {
        int child = range_by_team(keys, order, wanted[q]);
        found[q] = child * order + range_by_team(keys + (1 + child) * order, order, wanted[q]);
    }
}

static long wrong(void) {
#pragma omp target update from(found[0 : queries])
    return differing_ints(found, expected, queries);
}

static Kernel kernels[1] = {{.name = "b+tree", .paper = "3:1", .shape = {spmd, nested}}};

int main(int argc, char **argv) {
    return measure(argc, argv, &(Program){.setup = setup, .reset = reset, .wrong = wrong, KERNELS(kernels)});
}
