// Features of OpenMP 5.0 and 5.1 that the other programs do not use (docs/conformance.md).

#include <cstdint>

#include "check.h"

enum { N = 100 };

// Default maps by category (5.2, §5.8.2).
static void default_maps() {
    struct {
        int value;
    } record = {5};
    int scalar = 1, result = 0, array[4] = {1, 2, 3, 4};
#pragma omp target defaultmap(tofrom : scalar) defaultmap(to : aggregate)
    scalar = ++array[0] + record.value;
    EXPECT(scalar, 7);
    EXPECT(array[0], offloading() ? 1 : 2);
#pragma omp target defaultmap(firstprivate : scalar) defaultmap(tofrom : aggregate)
    array[1] = ++scalar;
    EXPECT(scalar, 7);
    EXPECT(array[1], 8);
#pragma omp target data map(to : array)
    {
#pragma omp target defaultmap(present : aggregate) map(from : result)
        result = array[1];
    }
    EXPECT(result, 8);
#pragma omp target defaultmap(none : scalar) map(tofrom : scalar)
    scalar++;
#pragma omp target defaultmap(default) map(from : result)
    result = scalar;
    EXPECT(result, 8);
}

// Loops that are no rectangle, end with `!=`, or go over a range (5.2, §4.4).
static void loop_forms() {
    static int triangle[20][20];
    int cells = 0, sum = 0, values[N];
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : triangle)
    for (int i = 0; i < 20; i++)
        for (int j = i; j < 20; j++)
            triangle[i][j] += 1;
#pragma omp target parallel for collapse(2) map(tofrom : triangle)
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < 2 * i + 1; j++)
            triangle[i][j] += 1000;
    for (auto &row : triangle)
        for (int cell : row)
            cells += cell;
    EXPECT(cells, 210 + 100 * 1000);
    for (int &value : values)
        value = 2;
#pragma omp target teams distribute parallel for reduction(+ : sum)
    for (int i = 0; i != N; ++i)
        sum += i;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : values)
    for (int value : values)
        sum += value;
    EXPECT(sum, 4950 + 200);
}

#pragma omp begin declare target
int in_target() { return 1; }
int in_teams() { return 2; }
#pragma omp declare variant(in_target) match(construct = {target})
#pragma omp declare variant(in_teams) match(construct = {target, teams})
int anywhere() { return 0; }
int where() { return 3; }
#pragma omp begin declare variant match(device = {kind(gpu)})
int where() { return 7; }
#pragma omp end declare variant
#pragma omp end declare target

int only_device();
int only_device() { return 5; }
#pragma omp declare target to(only_device) device_type(nohost)
#pragma omp declare variant(only_device) match(device = {kind(nohost)})
int either();
int either() { return 4; }
#pragma omp declare target to(either)

// Variants by construct and by device (5.2, §7.5).
static void variants() {
    int one = 0, two = 0, there = 0, which = 0;
#pragma omp target map(from : one, there, which)
    one = anywhere(), there = where(), which = either();
#pragma omp target teams num_teams(1) map(from : two)
    two = anywhere();
    EXPECT(one, 1);
    EXPECT(two, 2);
    EXPECT(anywhere(), 0);
    EXPECT(there, offloading() ? 7 : 3);
    EXPECT(where(), 3);
    EXPECT(which, offloading() ? 5 : 4);
    EXPECT(either(), 4);
}

// List items that are lvalues (5.2, §5.8.3), and arrays that are given a shape (§3.2.4).
static void lvalues() {
    struct Node {
        int value;
        Node *next;
    } second = {6, nullptr}, first = {5, &second}, *node = &first;
    int result = 0, cells[20], *cell = cells, (*rows)[5] = (int(*)[5])cells;
    for (int i = 0; i < 20; i++)
        cells[i] = i;
#pragma omp target map(to : node->value) map(from : result)
    result = 10 * node->value;
    EXPECT(result, 50);
#pragma omp target map(tofrom : *cell)
    *cell += 100;
    EXPECT(cells[0], 100);
#pragma omp target map(to : rows[1][2 : 1]) map(from : result)
    result = rows[1][2];
    EXPECT(result, 7);
#pragma omp target enter data map(to : cell[0 : 20])
    for (int i = 0; i < 20; i++)
        cells[i] = -1;
#pragma omp target update from(([4][5]) cell)
    int sum = 0;
    for (int value : cells)
        sum += value;
    EXPECT(sum, offloading() ? 290 : -20);
#pragma omp target exit data map(delete : cell[0 : 20])
}

// Allocators of variables (5.2, §6.5 and §6.6).
static void allocators() {
    int own = 3, result = 0, counted = 0, team = 0;
#pragma omp target uses_allocators(omp_default_mem_alloc) allocate(omp_default_mem_alloc : own) private(own)                                \
    map(from : result)
    own = 4, result = own;
    EXPECT(result, 4);
#pragma omp target teams distribute parallel for uses_allocators(omp_cgroup_mem_alloc)                                                      \
    allocate(omp_cgroup_mem_alloc : own) firstprivate(own) reduction(+ : result)
    for (int i = 0; i < 10; i++)
        result += own;
    EXPECT(result, 34);
#pragma omp target map(from : counted)
    {
        int shared_by_all = 0;
#pragma omp allocate(shared_by_all) allocator(omp_default_mem_alloc)
#pragma omp parallel num_threads(8)
        {
#pragma omp atomic
            shared_by_all++;
        }
        counted = shared_by_all;
    }
    EXPECT(counted, 8);
#pragma omp target teams num_teams(1) map(from : team)
    {
        int parts[8];
#pragma omp allocate(parts) allocator(omp_pteam_mem_alloc)
#pragma omp parallel num_threads(8)
        parts[omp_get_thread_num()] = omp_get_thread_num();
        team = 0;
        for (int part : parts)
            team += part;
    }
    EXPECT(team, 28);
}

// `loop` bound to teams (5.2, §11.7), and `simd` alone in a region (§10.4).
static void loops() {
    int values[N], sum = 0;
#pragma omp target teams map(from : values)
#pragma omp loop bind(teams)
    for (int i = 0; i < N; i++)
        values[i] = i;
#pragma omp target parallel for reduction(+ : sum) order(reproducible : concurrent)
    for (int i = 0; i < N; i++)
        sum += values[i];
    EXPECT(sum, 4950);
#pragma omp target simd map(tofrom : values)
    for (int i = 0; i < N; i++)
        values[i] *= 2;
#pragma omp target parallel for simd reduction(+ : sum) simdlen(4) safelen(8)
    for (int i = 0; i < N; i++)
        sum += values[i];
    EXPECT(sum, 3 * 4950);
}

// Tasks: what waits for everything (5.2, §15.9.5), `affinity` (§12.5.1), `taskwait nowait` (§15.5).
static void tasks() {
    int result = 0, hinted = 0, waited = 0;
#pragma omp target map(from : result, waited, hinted)
    {
        int x = 0, y = 0, z = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
        {
#pragma omp task depend(out : x) shared(x)
            x = 1;
#pragma omp task depend(out : y) shared(y)
            y = 2;
#pragma omp task depend(inout : omp_all_memory) shared(x, y)
            x *= 10, y *= 10;
#pragma omp task depend(in : x, y) shared(x, y, result)
            result = x + y;
#pragma omp task affinity(z) shared(hinted)
            hinted = 3;
#pragma omp task depend(out : z) shared(z)
            z = 1;
#pragma omp taskwait depend(in : z) nowait
#pragma omp task depend(inout : z) shared(z)
            z++;
        }
        waited = z;
    }
    EXPECT(result, 30);
    EXPECT(hinted, 3);
    EXPECT(waited, 2);
}

// Attributes in place of directives (5.2, §3.1), `nothing` (§8.5), `weak` and `fail` (§15.8.4).
static void directives() {
    int sum = 0, swapped = 5, kept = 0;
    [[omp::directive(target teams distribute parallel for reduction(+ : sum))]]
    for (int i = 0; i < N; i++)
        sum += i;
    [[omp::sequence(directive(target map(tofrom : sum)), directive(parallel num_threads(4)))]]
    {
        [[omp::directive(atomic)]] sum++;
    }
    EXPECT(sum, 4954);
#pragma omp target map(tofrom : swapped, kept)
    {
#pragma omp nothing
#pragma omp atomic compare fail(relaxed) acq_rel
        if (swapped == 5)
            swapped = 7;
#pragma omp atomic compare capture
        {
            kept = swapped;
            if (swapped < 9)
                swapped = 9;
        }
    }
    EXPECT(swapped, 9);
    EXPECT(kept, 7);
}

// Which device (5.2, §18.7).
static void devices() {
    int here = -1;
#pragma omp target map(from : here)
    here = omp_get_device_num();
    EXPECT(here, offloading() ? omp_get_default_device() : omp_get_initial_device());
    EXPECT(omp_get_device_num(), omp_get_initial_device());
}

int main() {
    default_maps();
    loop_forms();
    variants();
    lvalues();
    allocators();
    loops();
    tasks();
    directives();
    devices();
    return done();
}
