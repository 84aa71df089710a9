// Any number of captured variables: what fits the lists in shared memory, what does not, and what is called with more
// arguments than a call of its own exists for.

#include "check.h"

// One M(i) for each variable.
#define M2(n) M(n##0) M(n##1)
#define M10(n) M2(n) M(n##2) M(n##3) M(n##4) M(n##5) M(n##6) M(n##7) M(n##8) M(n##9)
#define M100(n) M10(n##0) M10(n##1) M10(n##2) M10(n##3) M10(n##4) M10(n##5) M10(n##6) M10(n##7) M10(n##8) M10(n##9)
#define M500 M100(1) M100(2) M100(3) M100(4) M100(5)

#pragma omp begin declare target
__attribute__((noinline)) static int opaque(int x) {
    __asm__ volatile("" : "+r"(x));
    return x;
}
#pragma omp end declare target

#ifdef MANY
// With the variables for results, the 512 that a region without a state machine may have.
#define NAME capture_509
#define COUNT 509
#define EACH M500 M2(60) M2(61) M2(62) M2(63) M(7)
#include "captures.h"

// With one, there is no limit.
#define NAME capture_602
#define COUNT 602
#define EACH M500 M100(6) M2(70)
#define SENT_ONLY
#include "captures.h"
#else
#define NAME capture_21
#define COUNT 21
#define EACH M10(1) M10(2) M(3)
#include "captures.h"

#define NAME capture_129
#define COUNT 129
#define EACH M100(1) M10(20) M10(21) M2(30) M2(31) M2(32) M2(33) M(4)
#include "captures.h"
#endif

int main(int argc, char **argv) {
    (void)argv;
#ifdef MANY
    capture_509(0);
    // With an argument: one too many, where it cannot be.
    capture_602(argc > 1);
#else
    (void)argc;
    capture_21(0);
    capture_129(0);
#endif
    return done();
}
