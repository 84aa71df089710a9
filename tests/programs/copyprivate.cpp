// copyprivate of variables of many sizes and kinds: scalars, large arrays, structures, objects, references, several at
// once.

#include "check.h"

struct Point {
    char name[3];
    double at[3];
};

// Has its own assignment, which looks at what it replaces.
struct Counted {
    int value = 0, assigned = 0;
    Counted() {}
    Counted(const Counted &) = default;
    Counted &operator=(const Counted &other) {
        value = other.value;
        assigned++;
        return *this;
    }
};

enum { LARGE = 12000 };

template <int N>
static void arrays() {
    int wrong = 0, team = 0;
#pragma omp target map(tofrom : wrong, team)
#pragma omp parallel num_threads(40) reduction(+ : wrong, team)
    {
        double local[N];
        team++;
        for (int i = 0; i < N; i++)
            local[i] = -omp_get_thread_num() - 1;
#pragma omp single copyprivate(local)
        for (int i = 0; i < N; i++)
            local[i] = i;
        for (int i = 0; i < N; i++)
            wrong += local[i] != i;
    }
    EXPECT(wrong, 0);
    EXPECT(team > 0, true);
}

static void kinds() {
    int wrong = 0, assignments = 0, members = 0;
#pragma omp target map(tofrom : wrong, assignments, members)
#pragma omp parallel num_threads(33) reduction(+ : wrong, assignments, members)
    {
        char small = 0;
        Point point = {};
        Counted counted;
        long long wide = 0;
        int grid[3][5] = {};
        int *pointer = nullptr;
        static int there;
        int &reference = grid[2][1];
#pragma omp single copyprivate(small, point, counted, wide, grid, pointer)
        {
            small = 'x';
            point.name[2] = 'y';
            point.at[0] = 0.5;
            point.at[2] = -1;
            counted.value = 7;
            wide = 3;
            grid[2][4] = 24;
            pointer = &there;
        }
        wrong += small != 'x' || point.name[2] != 'y' || point.at[0] != 0.5 || point.at[1] != 0 || point.at[2] != -1;
        wrong += counted.value != 7 || wide != 3 || grid[2][4] != 24 || grid[0][0] != 0 || pointer != &there;
        assignments += counted.assigned;
        members++;
#pragma omp single copyprivate(reference)
        reference = 99;
        wrong += grid[2][1] != 99;
    }
    EXPECT(wrong, 0);
    EXPECT(assignments, members - 1);
}

// As many teams at a time as there are, each with values of its own.
static void teams() {
    int wrong = 0;
#pragma omp target teams num_teams(64) thread_limit(64) map(tofrom : wrong) reduction(+ : wrong)
    {
        int team = omp_get_team_num(), mine = 0;
#pragma omp parallel reduction(+ : mine)
        for (int round = 0; round < 5; round++) {
            long value = -1;
            float other = -1;
#pragma omp single copyprivate(value, other)
            {
                value = 1000L * team + round;
                other = round;
            }
            mine += value != 1000L * team + round || other != round;
        }
        wrong += mine;
    }
    EXPECT(wrong, 0);
}

#pragma omp begin declare target
struct Huge {
    int all[100000];
};
static Huge huge;
__attribute__((noinline)) static Huge *opaque(Huge *pointer) {
    // Assembly would do, but PTX's "r" is a register of 32 bits.
    Huge *volatile hidden = pointer;
    return hidden;
}
#pragma omp end declare target

// A reference to an object that no thread's own memory could hold, and that the compiler does not see.
static void elsewhere() {
    int wrong = 0;
#pragma omp target map(tofrom : wrong)
#pragma omp parallel num_threads(2) reduction(+ : wrong)
    {
        Huge &mine = *opaque(&huge);
#pragma omp single copyprivate(mine)
        mine.all[99999] = 5;
        wrong += mine.all[99999] != 5;
    }
    EXPECT(wrong, 0);
}

int main() {
    arrays<1>();
    arrays<5>();
    arrays<LARGE>();
    kinds();
    teams();
    elsewhere();
    return done();
}
