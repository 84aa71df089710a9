// A histogram of bytes: a histogram per team, added up.
#include <omp.h>

#include "peers.h"

enum { BINS = 256 };

static long n;
static unsigned char *data;
static unsigned *bins;

static void histogram(void) {
    unsigned char *from = data;
    unsigned *all = bins;
#pragma omp target teams distribute parallel for
    for (int b = 0; b < BINS; b++)
        all[b] = 0;
#pragma omp target teams
    {
        unsigned own[BINS];
#pragma omp parallel
        {
#pragma omp for
            for (int b = 0; b < BINS; b++)
                own[b] = 0;
            long first = omp_get_team_num() * (long)omp_get_num_threads() + omp_get_thread_num();
            long step = omp_get_num_teams() * (long)omp_get_num_threads();
            for (long i = first; i < n; i += step) {
#pragma omp atomic
                own[from[i]]++;
            }
#pragma omp barrier
#pragma omp for
            for (int b = 0; b < BINS; b++) {
#pragma omp atomic
                all[b] += own[b];
            }
        }
    }
}

int main(int argc, char **argv) {
    struct options chosen = options(argc, argv);
    unsigned expected[BINS] = {0};
    n = chosen.elements;
    data = (unsigned char *)allocate(n);
    bins = (unsigned *)allocate(BINS * sizeof *bins);
    for (long i = 0; i < n; i++)
        expected[data[i] = (unsigned char)(i * 2654435761u >> 13)]++;
#pragma omp target enter data map(to : data[0 : n]) map(alloc : bins[0 : BINS])
    measure("histogram", (double)n, 1, chosen.samples, histogram);
#pragma omp target update from(bins[0 : BINS])
    return ended(memcmp(bins, expected, sizeof expected) != 0);
}
