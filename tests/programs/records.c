// Threads that each read consecutive elements of their own: fields of structures, rows of matrices, by all threads of a loop and by some; and that
// search in them.
#include "check.h"
#include <stdint.h>

enum { COUNT = 1000, COLUMNS = 24 };

struct point {
    float x, y, z;
};
struct pair {
    double first, second;
};
struct node {
    const float *values;
    const struct node *next;
    int64_t weight, offset;
};
struct mixed {
    int id;
    float value;
    int a, b, c, d, e;
    short last;
};

static struct point points[COUNT];
static struct pair pairs[COUNT];
static struct mixed mixed[COUNT];
static int matrix[COUNT][COLUMNS], which[COUNT];
static double sums[COUNT];

static double expected_row(int i) {
    double sum = 0;
    for (int j = 0; j < COLUMNS; j++)
        sum = sum * 0.5 + matrix[i][j];
    return sum;
}

static void check(const char *what, int step, double (*expected)(int)) {
    int wrong = 0;
    for (int i = 0; i < COUNT; i++)
        wrong += sums[i] != (i % step ? -1.0 : expected(i));
    if (wrong)
        printf("%s:\n", what);
    EXPECT(wrong, 0);
    for (int i = 0; i < COUNT; i++)
        sums[i] = -1.0;
}

static double expected_point(int i) { return points[which[i]].x * 2 - points[which[i]].y * points[which[i]].z; }
static double expected_pair(int i) { return pairs[which[i]].first - 3 * pairs[which[i]].second; }
static double expected_mixed(int i) {
    const struct mixed *it = &mixed[i];
    return it->id + it->value + (it->a ^ it->b) - (it->c | it->d) + it->e * 7 + it->last;
}

// `step`: only every so many threads take part.
static void structures(int step) {
#pragma omp target teams distribute parallel for map(to : points, which) map(tofrom : sums)
    for (int i = 0; i < COUNT; i++)
        if (i % step == 0) {
            const struct point *it = &points[which[i]];
            sums[i] = it->x * 2 - it->y * it->z;
        }
    check("points", step, expected_point);
#pragma omp target teams distribute parallel for map(to : pairs, which) map(tofrom : sums)
    for (int i = 0; i < COUNT; i++)
        if (i % step == 0)
            sums[i] = pairs[which[i]].first - 3 * pairs[which[i]].second;
    check("pairs", step, expected_pair);
#pragma omp target teams distribute parallel for map(to : mixed) map(tofrom : sums)
    for (int i = 0; i < COUNT; i++)
        if (i % step == 0) {
            const struct mixed *it = &mixed[i];
            sums[i] = it->id + it->value + (it->a ^ it->b) - (it->c | it->d) + it->e * 7 + it->last;
        }
    check("mixed", step, expected_mixed);
}

static void rows(int step) {
#pragma omp target teams distribute parallel for map(to : matrix) map(tofrom : sums)
    for (int i = 0; i < COUNT; i++)
        if (i % step == 0) {
            double sum = 0;
            for (int j = 0; j < COLUMNS; j++)
                sum = sum * 0.5 + matrix[i][j];
            sums[i] = sum;
        }
    check("rows", step, expected_row);
}

static int largest(const int *row) {
    int best = 0;
    for (int j = 1; j < COLUMNS; j++)
        if (row[j] > row[best])
            best = j;
    return best;
}

// The last one of the smallest, in the order of its numbers without a sign.
static long smallest(const int *row, long count) {
    long best = count - 1;
    for (long j = count - 2; j >= 0; j--)
        best = (unsigned)row[j] < (unsigned)row[best] ? j : best;
    return best;
}

static double expected_search(int i) { return largest(matrix[i]) + 100.0 * smallest(matrix[i], COLUMNS - i % 5); }

static void searches(int step) {
#pragma omp target teams distribute parallel for map(to : matrix) map(tofrom : sums)
    for (int i = 0; i < COUNT; i++)
        if (i % step == 0)
            sums[i] = largest(matrix[i]) + 100.0 * smallest(matrix[i], COLUMNS - i % 5);
    check("searches", step, expected_search);
}

// What a thread reads it has written in part just before.
static void written(void) {
    static int quads[COUNT][4];
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < 4; j++)
            quads[i][j] = i + j;
    int wrong = 0;
#pragma omp target teams distribute parallel for map(tofrom : quads) reduction(+ : wrong)
    for (int i = 0; i < COUNT; i++) {
        int *quad = quads[i];
        int first = quad[0] + quad[1];
        quad[1] = first * 3;
        quad[3] = quad[2] - quad[1];
        wrong += quad[0] != i || quad[1] != 6 * i + 3 || quad[2] != i + 2 || quad[3] != -5 * i - 1;
    }
    EXPECT(wrong, 0);
    for (int i = 0; i < COUNT; i++)
        wrong += quads[i][0] != i || quads[i][1] != 6 * i + 3 || quads[i][2] != i + 2 || quads[i][3] != -5 * i - 1;
    EXPECT(wrong, 0);
}

// Structures that hold pointers.
static void nodes(void) {
    static struct node nodes[64];
    static float values[64][4];
    int wrong = 0;
#pragma omp target data map(tofrom : nodes, values)
    {
#pragma omp target teams distribute parallel for
        for (int i = 0; i < 64; i++) {
            nodes[i] = (struct node){values[(i * 5 + 1) % 64], &nodes[(i * 3 + 2) % 64], i, -i};
            for (int j = 0; j < 4; j++)
                values[i][j] = 4 * i + j;
        }
#pragma omp target teams distribute parallel for map(tofrom : wrong) reduction(+ : wrong)
        for (int i = 0; i < 64; i++) {
            const struct node *next = nodes[i].next;
            int at = (i * 3 + 2) % 64, row = (at * 5 + 1) % 64;
            wrong += next->weight != at || next->offset != -at || next->next != &nodes[(at * 3 + 2) % 64];
            const float *of = next->values;
            wrong += of[0] + 2 * of[1] + 3 * of[2] + 4 * of[3] != 10 * (4.0f * row) + 20;
        }
    }
    EXPECT(wrong, 0);
}

int main(void) {
    for (int i = 0; i < COUNT; i++) {
        which[i] = i * 7 % COUNT;
        points[i] = (struct point){i, i % 13, i % 7};
        pairs[i] = (struct pair){i * 0.5, i % 11};
        mixed[i] = (struct mixed){i, i * 0.25f, i * 3, i * 5, i * 9, i % 31, -i, (short)(i % 17)};
        for (int j = 0; j < COLUMNS; j++)
            matrix[i][j] = i * 31 + j * 17 & 255;
        sums[i] = -1.0;
    }
    for (int step = 1; step <= 3; step += 2) {
        structures(step);
        rows(step);
        searches(step);
    }
    written();
    nodes();
    return done();
}
