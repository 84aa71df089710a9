// Elements of consecutive threads that lie two to four elements apart: points, complex numbers, pixels; all of what
// lies between them, and some of it; by all threads of a loop and by some.
#include "check.h"
#include <stdint.h>

enum { COUNT = 1003 };

struct point {
    float x, y, z;
};
struct complex {
    float re, im;
};
struct wide_complex {
    double re, im;
};
struct wide_point {
    double x, y, z;
};
struct pixel {
    uint8_t red, green, blue;
};
struct quad {
    int16_t a, b, c, d;
};

static struct point points[COUNT], moved[COUNT];
static struct complex values[COUNT], squares[COUNT];
static struct wide_complex wide[COUNT], wide_squares[COUNT];
static struct wide_point wide_points[COUNT], wide_moved[COUNT];
static struct pixel pixels[COUNT], swapped[COUNT];
static struct quad quads[COUNT], turned[COUNT];
static int64_t numbers[4 * COUNT];

static void begin(void) {
    for (int i = 0; i < COUNT; i++) {
        points[i] = (struct point){i, i * 0.5f, 3 - i};
        values[i] = (struct complex){i % 17, i % 13 - 6};
        wide[i] = (struct wide_complex){i % 19, i % 11 - 5};
        wide_points[i] = (struct wide_point){i, i * 0.25, 1 - i};
        pixels[i] = (struct pixel){(uint8_t)i, (uint8_t)(i * 3), (uint8_t)(i * 7)};
        quads[i] = (struct quad){(int16_t)i, (int16_t)-i, (int16_t)(2 * i), (int16_t)(i * i)};
        moved[i] = (struct point){-1, -2, -3};
        squares[i] = (struct complex){-1, -2};
        wide_squares[i] = (struct wide_complex){-1, -2};
        wide_moved[i] = (struct wide_point){-1, -2, -3};
        swapped[i] = (struct pixel){101, 102, 103};
        turned[i] = (struct quad){-11, -12, -13, -14};
    }
    for (int i = 0; i < 4 * COUNT; i++)
        numbers[i] = i;
}

// All members, and only every so many threads.
static void whole(int step) {
    begin();
#pragma omp target teams distribute parallel for map(to : points, values, wide, wide_points, pixels, quads)             \
    map(tofrom : moved, squares, wide_squares, wide_moved, swapped, turned)
    for (int i = 0; i < COUNT; i++)
        if (i % step == 0) {
            moved[i] = (struct point){points[i].y + 1, points[i].z * 2, points[i].x - 3};
            struct complex v = values[i];
            squares[i] = (struct complex){v.re * v.re - v.im * v.im, 2 * v.re * v.im};
            struct wide_complex w = wide[i];
            wide_squares[i] = (struct wide_complex){w.re * w.re - w.im * w.im, 2 * w.re * w.im};
            wide_moved[i].z = wide_points[i].x;
            wide_moved[i].x = wide_points[i].y;
            wide_moved[i].y = wide_points[i].z;
            swapped[i] = (struct pixel){pixels[i].blue, pixels[i].red, pixels[i].green};
            turned[i] = (struct quad){quads[i].d, quads[i].a, quads[i].b, quads[i].c};
        }
    int wrong = 0;
    for (int i = 0; i < COUNT; i++) {
        int on = i % step == 0;
        struct complex v = values[i];
        struct wide_complex w = wide[i];
        wrong += moved[i].x != (on ? points[i].y + 1 : -1) || moved[i].y != (on ? points[i].z * 2 : -2) ||
                 moved[i].z != (on ? points[i].x - 3 : -3);
        wrong += squares[i].re != (on ? v.re * v.re - v.im * v.im : -1) || squares[i].im != (on ? 2 * v.re * v.im : -2);
        wrong += wide_squares[i].re != (on ? w.re * w.re - w.im * w.im : -1) ||
                 wide_squares[i].im != (on ? 2 * w.re * w.im : -2);
        wrong += wide_moved[i].x != (on ? wide_points[i].y : -1) || wide_moved[i].y != (on ? wide_points[i].z : -2) ||
                 wide_moved[i].z != (on ? wide_points[i].x : -3);
        wrong += swapped[i].red != (on ? pixels[i].blue : 101) || swapped[i].green != (on ? pixels[i].red : 102) ||
                 swapped[i].blue != (on ? pixels[i].green : 103);
        wrong += turned[i].a != (on ? quads[i].d : -11) || turned[i].b != (on ? quads[i].a : -12) ||
                 turned[i].c != (on ? quads[i].b : -13) || turned[i].d != (on ? quads[i].c : -14);
    }
    EXPECT(wrong, 0);
}

// Some members: what lies between them stays.
static void parts(void) {
    begin();
#pragma omp target teams distribute parallel for map(to : points, values, wide, pixels, quads)                          \
    map(tofrom : moved, squares, wide_squares, wide_moved, swapped, turned)
    for (int i = 1; i < COUNT - 1; i++) {
        moved[i].x = points[i].z + points[i + 1].x + points[i - 1].z;
        moved[i].z = points[i].x;
        squares[i].im = values[i].re;
        wide_squares[i].re = wide[i].im;
        wide_moved[i].y = wide[i - 1].re + wide[i + 1].im;
        swapped[i].green = pixels[i].red;
        turned[i].d = quads[i].b;
        turned[i].a = quads[i].c;
    }
    int wrong = 0;
    for (int i = 0; i < COUNT; i++) {
        int on = i > 0 && i < COUNT - 1;
        wrong += moved[i].x != (on ? points[i].z + points[i + 1].x + points[i - 1].z : -1) || moved[i].y != -2 ||
                 moved[i].z != (on ? points[i].x : -3);
        wrong += squares[i].re != -1 || squares[i].im != (on ? values[i].re : -2);
        wrong += wide_squares[i].re != (on ? wide[i].im : -1) || wide_squares[i].im != -2;
        wrong += wide_moved[i].x != -1 || wide_moved[i].z != -3 ||
                 wide_moved[i].y != (on ? wide[i - 1].re + wide[i + 1].im : -2);
        wrong += swapped[i].red != 101 || swapped[i].blue != 103 || swapped[i].green != (on ? pixels[i].red : 102);
        wrong += turned[i].a != (on ? quads[i].c : -11) || turned[i].b != -12 || turned[i].c != -13 ||
                 turned[i].d != (on ? quads[i].b : -14);
    }
    EXPECT(wrong, 0);
}

// The distance is a variable; one element is written twice; loads between stores; a step backwards.
static void others(int distance) {
    begin();
#pragma omp target teams distribute parallel for map(tofrom : numbers)
    for (int i = 0; i < COUNT; i++) {
        int64_t *own = numbers + distance * i;
        own[1] = own[0] + 1;
        own[0] = -own[distance - 1];
        own[1] = own[0] * 3;
    }
    int64_t wrong = 0;
    for (int i = 0; i < 4 * COUNT; i++) {
        int64_t first = i - i % distance, last = distance == 2 ? first + 1 : first + distance - 1;
        int64_t changed = -(distance == 2 ? first + 1 : last);
        int64_t expected = i % distance == 0 ? changed : i % distance == 1 ? changed * 3 : i;
        wrong += numbers[i] != (i < distance * COUNT ? expected : i);
    }
    EXPECT((int)wrong, 0);
    begin();
#pragma omp target teams distribute parallel for map(to : points) map(tofrom : moved)
    for (int i = 0; i < COUNT; i++)
        moved[COUNT - 1 - i] = points[i];
    for (int i = 0; i < COUNT; i++)
        wrong += moved[COUNT - 1 - i].y != points[i].y || moved[COUNT - 1 - i].z != points[i].z;
    EXPECT((int)wrong, 0);
}

int main(void) {
    whole(1);
    whole(3);
    parts();
    for (int distance = 2; distance <= 4; distance++)
        others(distance);
    return done();
}
