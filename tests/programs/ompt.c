// Every kind of construct and routine that a tool hears of, on globals that it can name.

#include <omp.h>
#include <stdio.h>

int a[100], b[50], c[10];

int main(void) {
    int device = omp_get_default_device(), host = omp_get_initial_device();
#pragma omp target enter data map(to : a)
#pragma omp target teams num_teams(2) map(tofrom : b)
    b[omp_get_team_num()] = a[0] + 1;
#pragma omp target update to(a [10:20])
#pragma omp target data map(from : c)
    {
#pragma omp target
        c[1] = 2;
    }
#pragma omp target update from(a [0:5])
#pragma omp target exit data map(from : a)
    void *memory = omp_target_alloc(64, device);
    omp_target_memcpy(memory, b, 64, 0, 8, device, host);
    omp_target_memcpy(c, memory, 16, 4, 0, host, device);
    omp_target_associate_ptr(b, memory, 64, 0, device);
    omp_target_disassociate_ptr(b, device);
    omp_target_free(memory, device);
#ifdef NOWAIT
#pragma omp target nowait map(tofrom : c)
    c[2] = 3;
#pragma omp taskwait
#endif
    puts("PASS");
    return 0;
}
