// One of everything that LIBOMPTARGET_INFO tells of.
#include "check.h"

enum { N = 100 };

struct holder {
    int *pointer;
};

int main(int count, char **words) {
    int a[N], b[N], *none = b, shift = 3;
    for (int i = 0; i < N; i++)
        a[i] = i, b[i] = 0;
    struct holder h = {a};
#pragma omp target enter data map(to : a) // enter
#pragma omp target data map(tofrom : b)
    {
#pragma omp target update to(a[0 : 10])
#pragma omp target map(to : a) map(tofrom : b) firstprivate(shift) // region
        for (int i = 0; i < N; i++)
            b[i] = a[i] + shift;
#pragma omp target update from(b)
    }
#pragma omp target data map(to : h) map(to : h.pointer[0 : N])
    {
    }
#pragma omp target exit data map(from : a)
    int is_null = 0;
#pragma omp target map(from : is_null) map(to : none[0 : 0])
    is_null = none != 0;
    void *memory = omp_target_alloc(sizeof a, omp_get_default_device());
    EXPECT(omp_target_memcpy(memory, a, sizeof a, 0, 0, omp_get_default_device(),
                               omp_get_initial_device()), 0);
    omp_target_free(memory, omp_get_default_device());
    EXPECT(b[5], 8);
    if (count > 1 && words[1][0] == 'h') {
        int *host = a, sink = 0;
#pragma omp target data map(to : a)
        {
#pragma omp target map(from : sink) firstprivate(host) // of the host
            sink = *(volatile int *)((char *)host + 40);
        }
    }
    if (count > 1 && words[1][0] == 'b') {
        int sink = 0;
        long far = 1 << 28;
#pragma omp target map(from : sink) map(to : a) firstprivate(far) // beyond
        sink = ((volatile int *)a)[far];
    }
    return done();
}
