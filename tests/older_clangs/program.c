// Compiled by clang 17 to 21 (scripts/older-clangs), which come without headers: what clang's releases call of the device runtime differently,
// and what they do not. Ends with PASS.
int printf(const char *, ...);
int omp_is_initial_device(void);
int omp_get_num_teams(void);
int omp_get_team_num(void);
int omp_get_thread_num(void);
int omp_get_num_threads(void);

#define N 3000

static int failures;

static void expect(const char *what, long found, long wanted) {
    if (found != wanted) {
        printf("%s: %ld instead of %ld\n", what, found, wanted);
        failures++;
    }
}

#pragma omp declare target
int table[4] = {1, 2, 3, 4};
int counter;
// Defined by a unit of another release where there is one.
long other_unit(const int *values, int count);
#pragma omp end declare target

static void spmd(int *values) {
#pragma omp target teams distribute parallel for map(tofrom : values[:N])
    for (int i = 0; i < N; i++)
        values[i] = 2 * i + table[i % 4];
    long sum = 0;
    for (int i = 0; i < N; i++)
        sum += values[i];
    expect("spmd", sum, (long)N * (N - 1) + N / 4 * 10);
}

static void reductions(int *values) {
    long sum = 0, product = 1;
    int least = N, host = 1;
    for (int i = 0; i < N; i++)
        values[i] = i + 1;
#pragma omp target teams distribute parallel for reduction(+ : sum) reduction(min : least) map(to : values[:N])
    for (int i = 0; i < N; i++) {
        sum += values[i];
        if (values[i] < least)
            least = values[i];
    }
    expect("sum across teams", sum, (long)N * (N + 1) / 2);
    expect("least across teams", least, 1);
    double mean = 0;
#pragma omp target teams distribute reduction(+ : mean) map(to : values[:N]) num_teams(7)
    for (int i = 0; i < N; i++)
        mean += values[i];
    expect("sum of teams' masters", (long)mean, (long)N * (N + 1) / 2);
    sum = 0;
#pragma omp target map(tofrom : sum, product, host) map(to : values[:N])
    {
        host = omp_is_initial_device();
        long own = 5;
#pragma omp parallel for reduction(+ : sum) reduction(* : product) num_threads(50)
        for (int i = 0; i < 60; i++) {
            sum += values[i] * own;
            if (i < 10)
                product *= 2;
        }
    }
    expect("sum in a team", sum, 5 * 60 * 61 / 2);
    expect("product in a team", product, 1024);
    expect("on the device", host, 0);
}

// A sequential part, a region that shares its variables, barriers, locks; a function that begins another region.
static void __attribute__((noinline)) orphaned(int *counts, int step) {
#pragma omp parallel for schedule(dynamic, 7)
    for (int i = 0; i < N; i++)
#pragma omp atomic
        counts[i % 10] += step;
}

#pragma omp declare target to(orphaned)

static void generic(void) {
    int counts[10] = {0}, turns = 0, critical = 0, single = 0, threads = 0;
#pragma omp target map(tofrom : counts, turns, critical, single, threads)
    {
        for (turns = 0; turns < 3; turns++)
            orphaned(counts, turns);
#pragma omp parallel num_threads(40)
        {
#pragma omp critical
            critical++;
#pragma omp barrier
#pragma omp single
            {
                single = critical;
                threads = omp_get_num_threads();
            }
#pragma omp for schedule(guided) nowait
            for (int i = 0; i < 100; i++)
#pragma omp atomic
                counts[0] += 1;
        }
        counter = 41;
    }
    expect("turns", turns, 3);
    expect("dynamic loop", counts[3], N / 10 * 3);
    expect("guided loop", counts[0], N / 10 * 3 + 100);
    expect("critical", critical, threads);
    expect("single", single, threads);
#pragma omp target
    counter++;
#pragma omp target update from(counter)
    expect("a variable of the device's", counter, 42);
}

static void tasks(void) {
    int done = 0;
#pragma omp target map(tofrom : done)
#pragma omp parallel num_threads(8)
#pragma omp single
    for (int i = 1; i <= 10; i++)
#pragma omp task shared(done)
#pragma omp atomic
        done += i;
    expect("tasks", done, 55);
}

#ifdef OTHER_UNIT
static void other(const int *values) {
    long sum = 0;
#pragma omp target map(tofrom : sum) map(to : values[:N])
    sum = other_unit(values, N);
    expect("a unit of another release", sum, (long)N * (N + 1) / 2);
}
#endif

int main(void) {
    static int values[N];
    spmd(values);
    reductions(values);
    generic();
    tasks();
#ifdef OTHER_UNIT
    other(values);
#endif
    printf(failures ? "FAIL\n" : "PASS\n");
    return failures != 0;
}
