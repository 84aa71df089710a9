// A threadprivate variable in a target region. What clang lets through: in the region itself its value is passed in, as
// of any variable; in a function that the region calls (with -DCALL) there is no such variable.

#include "check.h"

static int counter = 7;
#pragma omp threadprivate(counter)

#ifdef CALL
static int next(void) { return ++counter; }
#else
#define next() ++counter
#endif

int main(void) {
    int found = 0;
    counter++;
#pragma omp target map(tofrom : found)
    found = next();
    EXPECT(found, 9);
    EXPECT(counter, offloading() ? 8 : 9);
    return done();
}
