// `num_threads` with a value of the run: regions have that many threads, whichever construct says it and whoever else
// bounds the team (docs/decisions/0058-num-threads-of-a-parameter.md). Each region asks in its first iteration.

#include "check.h"

#pragma omp begin declare target
int threads;

static void note(void) {
    if (omp_get_thread_num() == 0)
        threads = omp_get_num_threads();
}
#pragma omp end declare target

static int asked_again(void) {
#pragma omp target update from(threads)
    int asked = threads;
    threads = -1;
#pragma omp target update to(threads)
    return asked;
}

#define LOOP                                                                                                 \
    for (int i = 0; i < 200; i++)                                                                            \
    note()

// `also` is another number that the region uses.
static void ask(int t, int limit, int also) {
#pragma omp target parallel num_threads(t)
    note();
    EXPECT(asked_again(), t);
#pragma omp target parallel for num_threads(t)
    LOOP;
    EXPECT(asked_again(), t);
#pragma omp target teams distribute parallel for num_teams(1) num_threads(t)
    LOOP;
    EXPECT(asked_again(), t);
#pragma omp target teams distribute parallel for num_teams(1) num_threads(t + also)
    LOOP;
    EXPECT(asked_again(), t + also);
#pragma omp target teams num_teams(1)
#pragma omp distribute parallel for num_threads(t)
    LOOP;
    EXPECT(asked_again(), t);
#pragma omp target
#pragma omp teams num_teams(1)
#pragma omp distribute parallel for num_threads(t)
    LOOP;
    EXPECT(asked_again(), t);
#pragma omp target
#pragma omp parallel num_threads(t)
    note();
    EXPECT(asked_again(), t);
#pragma omp target
#pragma omp teams num_teams(1) thread_limit(limit)
#pragma omp distribute parallel for num_threads(t)
    for (int i = 0; i < limit; i++)
        note();
    EXPECT(asked_again(), t);
#pragma omp target
#pragma omp teams num_teams(1) thread_limit(limit)
#pragma omp parallel num_threads(t) firstprivate(limit)
    if (limit)
        note();
    EXPECT(asked_again(), t);
#pragma omp target teams distribute num_teams(1)
    for (int team = 0; team < 2; team++) {
#pragma omp parallel for num_threads(t)
        LOOP;
    }
    EXPECT(asked_again(), t);
#pragma omp target teams distribute parallel for num_teams(1) num_threads(t) thread_limit(limit) if (parallel : also)
    LOOP;
    EXPECT(asked_again(), also ? t : 1);
}

// Each thread has a place of its own in an array of the region's size.
static void places(int t) {
    double *place = calloc(t, sizeof *place), sum = 0;
#pragma omp target teams distribute parallel for num_teams(1) num_threads(t) map(tofrom : place[ : t])
    for (int i = 0; i < 10000; i++)
        place[omp_get_thread_num()] += i;
    for (int i = 0; i < t; i++)
        sum += place[i];
    EXPECT(sum, 10000 * 9999 / 2);
    free(place);
}

int main(void) {
    asked_again();
    ask(40, 96, 0);
    ask(24, 64, 8);
    ask(1, 32, 2);
    places(40);
    places(128);
    return done();
}
