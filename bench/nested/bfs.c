// bfs: breadth-first search, level by level. Outer loop: all nodes, of which those of the frontier have work; inner
// loop: a node's few edges. Not timed: the flat kernel that makes the next frontier. As in Rodinia, whose largest
// random graph has six edges a node.
#include "nested.h"

enum { EDGES = 6, FAR = -1 };

static int nodes, *targets, *cost, *expected, *frontier, *next, again;
static Kernel kernels[1];

static void search_on_host(void) {
    for (int v = 0; v < nodes; v++)
        expected[v] = FAR;
    expected[0] = 0;
    for (int level = 0, found = 1; found; level++) {
        found = 0;
        for (int v = 0; v < nodes; v++)
            for (int e = 0; e < EDGES && expected[v] == level; e++)
                if (expected[targets[v * EDGES + e]] == FAR) {
                    expected[targets[v * EDGES + e]] = level + 1;
                    found = 1;
                }
    }
}

static void setup(int size) {
    nodes = 256 * size * size;
    kernels[0].outer = nodes;
    kernels[0].inner = EDGES;
    targets = allocate((long)nodes * EDGES, sizeof *targets);
    cost = allocate(nodes, sizeof *cost);
    expected = allocate(nodes, sizeof *expected);
    frontier = allocate(nodes, sizeof *frontier);
    next = allocate(nodes, sizeof *next);
    for (long i = 0; i < (long)nodes * EDGES; i++)
        targets[i] = (int)draw(nodes);
    search_on_host();
#pragma omp target enter data map(to : targets[0 : (long)nodes * EDGES])                                               \
    map(alloc : cost[0 : nodes], frontier[0 : nodes], next[0 : nodes])
}

static void reset(void) {
    for (int v = 0; v < nodes; v++)
        cost[v] = FAR;
    memset(frontier, 0, nodes * sizeof *frontier);
    memset(next, 0, nodes * sizeof *next);
    frontier[0] = 1;
    cost[0] = 0;
#pragma omp target update to(cost[0 : nodes], frontier[0 : nodes], next[0 : nodes])
}

// Several nodes may reach one target at once: all of them write the same.
static inline void follow(int from, int to, int *cost, int *next) {
    int known;
#pragma omp atomic read
    known = cost[to];
    if (known == FAR) {
#pragma omp atomic write
        cost[to] = cost[from] + 1;
#pragma omp atomic write
        next[to] = 1;
    }
}

static void spmd(void) {
#pragma omp target teams distribute parallel for
    for (int v = 0; v < nodes; v++)
        if (frontier[v])
            for (int e = 0; e < EDGES; e++)
                follow(v, targets[v * EDGES + e], cost, next);
}

static void nested(void) {
#pragma omp target teams distribute
    for (int v = 0; v < nodes; v++)
        if (frontier[v]) {
#pragma omp parallel for
            for (int e = 0; e < EDGES; e++)
                follow(v, targets[v * EDGES + e], cost, next);
        }
}

static void advance(void) {
    again = 0;
#pragma omp target teams distribute parallel for reduction(| : again) map(tofrom : again)
    for (int v = 0; v < nodes; v++) {
        frontier[v] = next[v];
        again |= next[v];
        next[v] = 0;
    }
}

static void run(int shape) {
    do {
        launch(&kernels[0], shape);
        advance();
    } while (again);
}

static long wrong(void) {
#pragma omp target update from(cost[0 : nodes])
    return differing_ints(cost, expected, nodes);
}

static Kernel kernels[1] = {{.name = "bfs", .paper = "10,000:1", .shape = {spmd, nested}}};

int main(int argc, char **argv) {
    return measure(argc, argv, &(Program){.setup = setup, .reset = reset, .run = run, .wrong = wrong, KERNELS(kernels)});
}
