// Map-type modifiers and their order: ompx_hold, present, always, close, and delete between them.

#include "check.h"

static int present(const void *pointer) { return omp_target_is_present(pointer, omp_get_default_device()); }

// What is held stays mapped whatever else is said of it, and is copied back when the hold ends.
static void hold(void) {
    int x = 1;
#pragma omp target data map(ompx_hold, tofrom : x)
    {
#pragma omp target exit data map(delete : x)
        EXPECT(present(&x), 1);
#pragma omp target enter data map(to : x)
#pragma omp target exit data map(from : x)
        EXPECT(present(&x), 1);
#pragma omp target map(present, alloc : x)
        x = 7;
#ifdef OFFLOAD
        EXPECT(x, offloading() ? 1 : 7);
#endif
    }
    EXPECT(x, 7);
#ifdef OFFLOAD
    EXPECT(present(&x), !offloading());
#endif
}

// `always` copies although the storage is not new, in both directions; `delete` copies nothing.
static void always_and_delete(void) {
    int x = 1, seen = 0;
#pragma omp target enter data map(to : x)
    x = 2;
#pragma omp target map(to : x) map(from : seen)
    seen = x;
#ifdef OFFLOAD
    EXPECT(seen, offloading() ? 1 : 2);
#endif
#pragma omp target map(always, to : x) map(from : seen)
    seen = x;
    EXPECT(seen, 2);
#pragma omp target map(always, from : x)
    x = 3;
    EXPECT(x, 3);
#pragma omp target map(alloc : x)
    x = 4;
#pragma omp target enter data map(to : x)
#pragma omp target exit data map(delete : x)
#ifdef OFFLOAD
    EXPECT(x, offloading() ? 3 : 4);
    EXPECT(present(&x), !offloading());
#endif
    x = 5;
#pragma omp target map(tofrom : x)
    x++;
    EXPECT(x, 6);
}

// `close` is a wish; it changes nothing where memory is not shared.
static void close_to_the_device(void) {
    int a[50];
    for (int i = 0; i < 50; i++)
        a[i] = i;
#pragma omp target map(close, always, tofrom : a[10 : 20])
    for (int i = 10; i < 30; i++)
        a[i] += 100;
    for (int i = 0; i < 50; i++)
        EXPECT(a[i], i >= 10 && i < 30 ? i + 100 : i);
}

// Several constructs hold: the last one lets go.
static void holds_count(void) {
    int x = 1;
#pragma omp target data map(ompx_hold, tofrom : x)
    {
#pragma omp target data map(ompx_hold, tofrom : x)
#pragma omp target map(tofrom : x)
        x++;
        EXPECT(present(&x), 1);
    }
    EXPECT(x, 2);
}

int main(void) {
    hold();
    always_and_delete();
    close_to_the_device();
    holds_count();
    return done();
}
