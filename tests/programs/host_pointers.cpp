// Pointers that the host made, called in regions: to functions that are `declare target indirect` (OpenMP 5.2, §7.8.3),
// and objects' own to their tables of virtual functions. Each function says where it ran.

#include <cstdint>

#include "check.h"

#pragma omp begin declare target indirect
static int here() { return omp_is_initial_device() ? 1000 : 0; }
int twice(int x) { return 2 * x + here(); }
int thrice(int x) { return 3 * x + here(); }
#pragma omp end declare target

#pragma omp begin declare target
// The pointer comes to another function's parameter, which no optimiser looks behind.
__attribute__((noinline)) int apply(int (*f)(int), int x) { return f(x); }
int plain(int x) { return x + 1 + here(); }

// clang enters a class's table of virtual functions where an object is mapped.
struct Shape {
    int64_t size;
    explicit Shape(int64_t size) : size(size) {}
    virtual int area() const;
    virtual int corners() const { return 0; }
    virtual ~Shape();
};
struct Named {
    virtual int name() const;
    int letter = 'n';
};
struct Square : Shape, Named {
    explicit Square(int64_t size) : Shape(size) { letter = 's'; }
    int area() const override;
    int corners() const override { return 4 + here(); }
    int name() const override;
};
// All inline.
struct Inline {
    int value = 3;
    virtual int get() const { return value + here(); }
};
int Shape::area() const { return here() - 1; }
Shape::~Shape() {}
int Named::name() const { return letter + here(); }
int Square::area() const { return size * size + here(); }
int Square::name() const { return 100 * letter + here(); }
#pragma omp end declare target

static void functions() {
    const int add = offloading() ? 0 : 1000;
    int (*table[2])(int) = {twice, thrice};
    struct {
        int count;
        int (*f)(int);
    } object = {3, thrice};
    int (*pointer)(int) = twice;
    int out[6] = {0}, lanes[64];
#pragma omp target map(to : table, object) map(from : out)
    {
        for (int i = 0; i < 2; i++)
            out[i] = table[i](5);
        out[2] = object.f(object.count);
        out[3] = pointer(7);
        out[4] = apply(table[1], 11);
        int (*own)(int) = plain; // The device's own pointer.
        out[5] = apply(own, 1);
    }
    const int expected[6] = {10, 15, 9, 14, 33, 2};
    for (int i = 0; i < 6; i++)
        EXPECT(out[i], expected[i] + add);
    // Lanes of a warp that call different functions.
#pragma omp target teams distribute parallel for map(to : table) map(from : lanes)
    for (int i = 0; i < 64; i++)
        lanes[i] = table[i % 3 == 0](i);
    for (int i = 0; i < 64; i++)
        EXPECT(lanes[i], (i % 3 == 0 ? 3 : 2) * i + add);
}

static void objects() {
    const int add = offloading() ? 0 : 1000;
    Square square(6);
    Shape shape(2);
    int areas[64], more[4] = {0};
#pragma omp target map(to : square, shape) map(from : more)
    {
        const Shape *one = &square;
        const Named &other = square;
        more[0] = one->area();
        more[1] = one->corners();
        more[2] = other.name();
        one = &shape;
        more[3] = one->area();
    }
    EXPECT(more[0], 36 + add);
    EXPECT(more[1], 4 + add);
    EXPECT(more[2], 11500 + add);
    EXPECT(more[3], add - 1);
#pragma omp target teams distribute parallel for map(to : square, shape) map(from : areas)
    for (int i = 0; i < 64; i++) {
        const Shape *one = i % 5 == 0 ? &shape : &square;
        areas[i] = one->area();
    }
    for (int i = 0; i < 64; i++)
        EXPECT(areas[i], (i % 5 == 0 ? -1 : 36) + add);
    Inline mapped;
    int got = 0;
#pragma omp target map(to : mapped) map(from : got)
    {
        const Inline *one = &mapped;
        got = one->get();
    }
    EXPECT(got, 3 + add);
    // An object that the region makes has the device's table already.
    int made = 0;
#pragma omp target map(from : made) map(to : square)
    {
        Square own(7);
        const Shape *one = square.size == 6 ? &own : static_cast<Shape *>(&square);
        made = one->area();
    }
    EXPECT(made, 49 + add);
}

int main() {
    functions();
    objects();
    return done();
}
