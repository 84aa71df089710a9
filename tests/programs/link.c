// `declare target` globals across translation units (with link_other.c): to, link, static ones
// of the same name in both units, extern ones, arrays and structs.

#include "check.h"

#pragma omp declare target
extern int shared_counter;
// No padding: clang 22 loses the device copy of an initialised struct that has some.
typedef struct {
    double a, b;
} Shared;
extern Shared shared_struct;
static int same_name = 1;
int other_same_name(void);
int bump_shared(int by);
#pragma omp end declare target

extern double linked[1000];
#pragma omp declare target link(linked)

int entered[4] = {1, 2, 3, 4};
#pragma omp declare target to(entered)

#pragma omp declare target
int zero[300];
const char text[] = "device text";
const char *const words[] = {"alpha", "beta", "gamma"};
#pragma omp end declare target

int *linked_pointer;
#pragma omp declare target link(linked_pointer)

static void globals(void) {
    int mine = 0, theirs = 0, counter = 0;
#pragma omp target map(from : mine, theirs, counter)
    {
        same_name += 10;
        mine = same_name;
        theirs = other_same_name();
        counter = bump_shared(5);
        shared_struct.b = shared_struct.a * 1.5;
    }
    EXPECT(mine, 11);
    EXPECT(theirs, 2);
    EXPECT(counter, 105);
#pragma omp target update from(shared_counter, shared_struct)
    EXPECT(shared_counter, 105);
    EXPECT(shared_struct.b, 6);
}

static void entered_and_zero(void) {
    int sum = 0;
    entered[0] = 100;
#pragma omp target update to(entered)
#pragma omp target map(tofrom : sum)
    for (int i = 0; i < 4; i++)
        sum += entered[i] + zero[i];
    EXPECT(sum, 109);
    // A mapped declare-target variable is the device's own copy: map does nothing, always copies.
    zero[299] = 9;
#pragma omp target map(always, to : zero) map(tofrom : sum)
    sum += zero[299];
    EXPECT(sum, 118);
}

static void strings(void) {
    int length = 0, letters = 0;
#pragma omp target map(from : length) map(tofrom : letters)
    {
        length = sizeof text - 1;
        for (int w = 0; w < 3; w++)
            for (const char *c = words[w]; *c; c++)
                letters++;
        letters += text[0] == 'd';
    }
    EXPECT(length, 11);
    EXPECT(letters, 15);
}

static void links(void) {
    for (int i = 0; i < 1000; i++)
        linked[i] = i;
#pragma omp target teams distribute parallel for map(tofrom : linked)
    for (int i = 0; i < 1000; i++)
        linked[i] += 0.5;
    EXPECT(linked[999], 999.5);
#pragma omp target enter data map(to : linked)
#pragma omp target
    linked[7] = 7;
#pragma omp target update from(linked[7 : 1])
    EXPECT(linked[7], 7);
#pragma omp target exit data map(delete : linked)

    int target[3] = {1, 2, 3};
    linked_pointer = target;
#pragma omp target map(tofrom : linked_pointer[0 : 3]) map(to : linked_pointer)
    linked_pointer[2] = 30;
    EXPECT(target[2], 30);
    EXPECT(linked_pointer == target, 1);
}

int main(void) {
    globals();
    entered_and_zero();
    strings();
    links();
    return done();
}
