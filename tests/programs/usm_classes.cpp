// Unified shared memory and classes: static data members, virtual functions and destructors, objects of either side.

#pragma omp requires unified_shared_memory

#include "check.h"

#pragma omp begin declare target
struct Counted {
    static int alive;
    int value;
    explicit Counted(int value) : value(value) { alive++; }
    virtual int get() const;
    virtual ~Counted();
};
struct Doubled : Counted {
    explicit Doubled(int value) : Counted(value) {}
    int get() const override;
    ~Doubled() override { alive += 100; }
};
int Counted::alive = 0;
int Counted::get() const { return value + (omp_is_initial_device() ? 1000 : 0); }
Counted::~Counted() { alive--; }
int Doubled::get() const { return 2 * value + (omp_is_initial_device() ? 1000 : 0); }
#pragma omp end declare target

struct Plain {
    static int hits;
};
int Plain::hits = 3;

int main() {
    const int add = offloading() ? 0 : 1000;
    int result = 0;
#pragma omp target map(tofrom : result)
    {
        Doubled local(4);
        const Counted *one = &local;
        result = one->get() + Counted::alive;
    }
    EXPECT(result, 9 + add);
    EXPECT(Counted::alive, 100);
#pragma omp target map(tofrom : result)
    {
        Counted *made = new Doubled(9);
        result = made->get();
        delete made;
    }
    EXPECT(result, 18 + add);
    EXPECT(Counted::alive, 200);
    // The host's objects, by their own addresses. clang enters the class because one is mapped.
    Doubled mapped(6);
    const Counted *first = &mapped, *second = new Doubled(7);
#pragma omp target map(to : mapped) map(tofrom : result)
    result = first->get();
    EXPECT(result, 12 + add);
#pragma omp target map(tofrom : result)
    result = second->get();
    EXPECT(result, 14 + add);
    delete second;
    EXPECT(Counted::alive, 301);
#pragma omp target map(tofrom : Plain::hits)
    Plain::hits += 2;
    EXPECT(Plain::hits, 5);
    return done();
}
