// Second translation unit of link.c.

#pragma omp declare target
int shared_counter = 100;
// No padding: clang 22 loses the device copy of an initialised struct that has some.
typedef struct {
    double a, b;
} Shared;
Shared shared_struct = {4, 0};
static int same_name = 2;

int other_same_name(void) { return same_name; }

int bump_shared(int by) {
    shared_counter += by;
    return shared_counter;
}
#pragma omp end declare target

double linked[1000];
#pragma omp declare target link(linked)
