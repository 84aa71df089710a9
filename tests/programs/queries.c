// What the omp_* routines say inside target regions, at every level.

#include "check.h"

typedef struct {
    int team, teams, thread, threads, level, active, in_parallel, limit, max, procs, dynamic, levels, initial,
        size0, size1, ancestor0, ancestor1, beyond, cancellation;
} Seen;

#pragma omp declare target
static Seen look(void) {
    return (Seen){
        .team = omp_get_team_num(),
        .teams = omp_get_num_teams(),
        .thread = omp_get_thread_num(),
        .threads = omp_get_num_threads(),
        .level = omp_get_level(),
        .active = omp_get_active_level(),
        .in_parallel = omp_in_parallel(),
        .limit = omp_get_thread_limit(),
        .max = omp_get_max_threads(),
        .procs = omp_get_num_procs(),
        .dynamic = omp_get_dynamic(),
        .levels = omp_get_max_active_levels(),
        .initial = omp_is_initial_device(),
        .size0 = omp_get_team_size(0),
        .size1 = omp_get_team_size(1),
        .ancestor0 = omp_get_ancestor_thread_num(0),
        .ancestor1 = omp_get_ancestor_thread_num(1),
        .beyond = omp_get_team_size(5),
        .cancellation = omp_get_cancellation(),
    };
}
#pragma omp end declare target

static void serial(void) {
    Seen s;
#pragma omp target map(from : s)
    s = look();
    EXPECT(s.team, 0);
    EXPECT(s.teams, 1);
    EXPECT(s.thread, 0);
    EXPECT(s.threads, 1);
    EXPECT(s.level, 0);
    EXPECT(s.active, 0);
    EXPECT(s.in_parallel, 0);
    EXPECT(s.size0, 1);
    EXPECT(s.ancestor0, 0);
    EXPECT(s.size1, -1);
    EXPECT(s.ancestor1, -1);
    EXPECT(s.beyond, -1);
    EXPECT(s.max >= 1, 1);
    EXPECT(s.procs >= 1, 1);
    EXPECT(s.limit >= s.max || !offloading(), 1);
    EXPECT(s.dynamic, 0);
    EXPECT(s.cancellation, 0);
    EXPECT(s.levels >= 1, 1);
    EXPECT(s.initial, !offloading());
}

static void parallel(void) {
    Seen s[48];
    int count = 0;
#pragma omp target map(from : s) map(tofrom : count)
#pragma omp parallel num_threads(48)
    {
        s[omp_get_thread_num()] = look();
#pragma omp atomic
        count++;
    }
    if (offloading())
        EXPECT(count, 48);
    for (int t = 0; t < count; t++) {
        EXPECT(s[t].thread, t);
        EXPECT(s[t].threads, count);
        EXPECT(s[t].level, 1);
        EXPECT(s[t].active, count > 1);
        EXPECT(s[t].in_parallel, count > 1);
        EXPECT(s[t].size0, 1);
        EXPECT(s[t].size1, count);
        EXPECT(s[t].ancestor1, t);
    }
}

static void teams(void) {
    Seen s[6][20];
    int threads[6] = {0}, teams = 0;
#pragma omp target teams num_teams(6) thread_limit(20) map(from : s) map(tofrom : threads, teams)
    {
        int team = omp_get_team_num();
        if (team == 0)
            teams = omp_get_num_teams();
#pragma omp parallel
        {
            s[team][omp_get_thread_num()] = look();
#pragma omp single
            threads[team] = omp_get_num_threads();
        }
    }
    if (offloading())
        EXPECT(teams, 6);
    for (int team = 0; team < teams; team++) {
        EXPECT(threads[team] >= 1 && threads[team] <= 20, 1);
        if (offloading())
            EXPECT(threads[team], 20);
        for (int t = 0; t < threads[team]; t++) {
            EXPECT(s[team][t].team, team);
            EXPECT(s[team][t].teams, teams);
            EXPECT(s[team][t].limit, 20);
            EXPECT(s[team][t].threads, threads[team]);
        }
    }
}

// A team of one is not an active region; a region inside an active one is not active either.
static void inactive(void) {
    Seen one, inner;
#pragma omp target map(from : one, inner)
    {
#pragma omp parallel num_threads(1)
        one = look();
#pragma omp parallel num_threads(8)
        if (omp_get_thread_num() == omp_get_num_threads() - 1) {
#pragma omp parallel num_threads(4)
#pragma omp master
            inner = look();
        }
    }
    EXPECT(one.level, 1);
    EXPECT(one.active, 0);
    EXPECT(one.in_parallel, 0);
    EXPECT(one.threads, 1);
    EXPECT(inner.level, 2);
    EXPECT(inner.thread, 0);
    EXPECT(inner.ancestor0, 0);
    if (offloading()) {
        EXPECT(inner.active, 1);
        EXPECT(inner.threads, 1);
        EXPECT(inner.in_parallel, 1);
        EXPECT(inner.ancestor1, 7);
        EXPECT(inner.size1, 8);
    }
}

// Settings made inside a region hold there, for the task that made them.
static void settings(void) {
    int max_before = 0, max_after = 0, used = 0, chunk = 0;
    omp_sched_t kind = omp_sched_static;
#pragma omp target map(from : max_before, max_after, used, kind, chunk)
    {
        max_before = omp_get_max_threads();
        omp_set_num_threads(5);
        max_after = omp_get_max_threads();
        used = 0;
#pragma omp parallel
#pragma omp single
        used = omp_get_num_threads();
        omp_set_schedule(omp_sched_dynamic, 3);
        omp_get_schedule(&kind, &chunk);
        omp_set_dynamic(1);
        omp_set_max_active_levels(1);
    }
    EXPECT(max_before >= 1, 1);
    EXPECT(max_after, 5);
    if (offloading()) {
        EXPECT(used, 5);
        EXPECT((kind & ~omp_sched_monotonic), omp_sched_dynamic);
        EXPECT(chunk, 3);
    }
}

static void clocks(void) {
    double start = 0, end = 0, tick = 0;
#pragma omp target map(from : start, end, tick)
    {
        start = omp_get_wtime();
        tick = omp_get_wtick();
        end = omp_get_wtime();
    }
    EXPECT(end >= start, 1);
    EXPECT(tick > 0 && tick < 1, 1);
}

static void if_clauses(void) {
    int threads[2] = {0}, level = 0;
    for (int on = 0; on < 2; on++) {
#pragma omp target parallel if (parallel : on) num_threads(6) map(tofrom : threads, level)
#pragma omp single
        {
            threads[on] = omp_get_num_threads();
            level += omp_get_level();
        }
    }
    EXPECT(threads[0], 1);
    if (offloading())
        EXPECT(threads[1], 6);
    EXPECT(level, 2);
}

int main(void) {
    serial();
    parallel();
    teams();
    inactive();
    settings();
    clocks();
    if_clauses();
    return done();
}
