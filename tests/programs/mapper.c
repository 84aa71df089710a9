// User-defined mappers.

#include "check.h"

typedef struct {
    int length;
    double *values;
} Vector;
#pragma omp declare mapper(Vector v) map(v, v.values[0 : v.length])

typedef struct {
    Vector x, y;
    int tag;
} Pair;
// A mapper that uses another one.
#pragma omp declare mapper(Pair p) map(p.tag) map(p.x, p.y)

// A named one, that maps less.
#pragma omp declare mapper(head : Vector v) map(v.length, v.values) map(v.values[0 : 1])

static Vector make(int length, double first) {
    Vector v = {length, malloc(length * sizeof(double))};
    for (int i = 0; i < length; i++)
        v.values[i] = first + i;
    return v;
}

static void single(void) {
    Vector v = make(9, 1);
    double *host = v.values, sum = 0;
#pragma omp target map(tofrom : v, sum)
    for (int i = 0; i < v.length; i++) {
        sum += v.values[i];
        v.values[i] *= 2;
    }
    EXPECT(sum, 45);
    EXPECT(v.values == host, 1);
    EXPECT(v.values[8], 18);
    free(v.values);
}

static void array(void) {
    Vector v[5];
    for (int i = 0; i < 5; i++)
        v[i] = make(i + 1, 10 * i);
#pragma omp target teams distribute map(tofrom : v)
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < v[i].length; k++)
            v[i].values[k] += 0.5;
    EXPECT(v[4].values[4], 44.5);
    EXPECT(v[0].values[0], 0.5);
#pragma omp target map(tofrom : v[1 : 2])
    v[2].values[2] = -1;
    EXPECT(v[2].values[2], -1);
    for (int i = 0; i < 5; i++)
        free(v[i].values);
}

static void nested(void) {
    Pair p = {make(3, 1), make(4, 2), 6};
    double *x = p.x.values, *y = p.y.values;
#pragma omp target map(tofrom : p)
    {
        p.x.values[2] += p.tag;
        p.y.values[3] *= p.tag;
        p.tag = 60;
    }
    EXPECT(x[2], 9);
    EXPECT(y[3], 30);
    EXPECT(p.tag, 60);
    EXPECT(p.x.values == x, 1);
    free(x);
    free(y);
}

static void named(void) {
    Vector v = make(4, 7);
    double first = 0;
#pragma omp target map(mapper(head), tofrom : v) map(from : first)
    {
        first = v.values[0];
        v.values[0] = 70;
    }
    EXPECT(first, 7);
    EXPECT(v.values[0], 70);
    free(v.values);
}

static void enter_update_exit(void) {
    Vector v = make(6, 0);
#pragma omp target enter data map(to : v)
#pragma omp target map(tofrom : v)
    v.values[5] = 55;
#pragma omp target update from(v)
    EXPECT(v.values[5], 55);
    v.values[4] = 44;
#pragma omp target update to(v)
    double seen = 0;
#pragma omp target map(from : seen) map(tofrom : v)
    seen = v.values[4];
    EXPECT(seen, 44);
#pragma omp target exit data map(delete : v)
    free(v.values);
}

int main(void) {
    single();
    array();
    nested();
    named();
    enter_update_exit();
    return done();
}
