// nested: levels of parallelism: teams, threads, and parallel regions inside parallel regions.
//
// On a GPU the two outer levels are spread over blocks and threads. A parallel region inside another one
// runs on the thread that meets it, as a team of one: correct, and what the OpenMP queries report.
//
//     omptarget run examples/nested.c

#include <omp.h>
#include <stdio.h>

enum { TEAMS = 4, THREADS = 40 };

typedef struct {
    int level, active, team_size, ancestor, inner_level, inner_size, inner_id, innermost_level, sum;
} Seen;

#pragma omp declare target
// Called from the second level: a region of its own and one more inside it, orphaned from their context.
static void look_inside(Seen *seen) {
    int sum = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum)
    {
#pragma omp single nowait
        {
            seen->inner_level = omp_get_level();
            seen->inner_size = omp_get_num_threads();
            seen->inner_id = omp_get_thread_num();
        }
#pragma omp parallel
#pragma omp single nowait
        seen->innermost_level = omp_get_level();
#pragma omp for
        for (int i = 0; i < 10; i++)
            sum += i;
    }
    seen->sum = sum;
}
#pragma omp end declare target

static int wrong = 0;

static void expect(int team, int thread, const char *what, int is, int expected) {
    if (is == expected)
        return;
    if (++wrong <= 10)
        printf("team %d thread %d: %s is %d, expected %d\n", team, thread, what, is, expected);
}

int main(void) {
    static Seen seen[TEAMS * THREADS];
    int sizes[TEAMS] = {0};
    int serial_level = -1;

    // `distribute` rather than omp_get_team_num(): a team may run several of these iterations.
#pragma omp target teams distribute num_teams(TEAMS) thread_limit(THREADS) map(tofrom : seen, sizes)                  \
    map(from : serial_level)
    for (int team = 0; team < TEAMS; team++) {
        if (team == 0)
            serial_level = omp_get_level();
#pragma omp parallel num_threads(THREADS)
        {
            int thread = omp_get_thread_num();
            Seen *mine = &seen[team * THREADS + thread];
            mine->level = omp_get_level();
            mine->active = omp_get_active_level();
            mine->team_size = omp_get_team_size(1);
            mine->ancestor = omp_get_ancestor_thread_num(1);
            look_inside(mine);
#pragma omp single
            sizes[team] = omp_get_num_threads();
        }
    }

    if (serial_level != 0)
        wrong += printf("outside parallel the level is %d, expected 0\n", serial_level) > 0;
    for (int team = 0; team < TEAMS; team++)
        for (int thread = 0; thread < sizes[team]; thread++) {
            const Seen *one = &seen[team * THREADS + thread];
            expect(team, thread, "level", one->level, 1);
            expect(team, thread, "active level", one->active, sizes[team] > 1);
            expect(team, thread, "size of the outer team", one->team_size, sizes[team]);
            expect(team, thread, "outer thread number", one->ancestor, thread);
            expect(team, thread, "inner level", one->inner_level, 2);
            expect(team, thread, "innermost level", one->innermost_level, 3);
            expect(team, thread, "inner sum", one->sum, 45);
            if (sizes[team] > 1) { // else the inner region is the first active one and may get threads
                expect(team, thread, "inner size", one->inner_size, 1);
                expect(team, thread, "inner thread number", one->inner_id, 0);
            }
        }
    printf(wrong ? "FAIL: %d values differ\n" : "PASS\n", wrong);
    return wrong != 0;
}
