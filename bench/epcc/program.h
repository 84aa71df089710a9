// The program, included at the end of each suite's file: runs the suite and prints what it measured, a line of JSON each. No
// statistics: `omptarget bench epcc` does those. README.md, "epcc", has the lines' fields.
//
// A program per suite, so that what one suite makes the runtime keep does not cost the constructs of another.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"

enum { SCHEMA = 1, MOST = 64 };

enum { CONSTRUCTS = sizeof suite / sizeof *suite, REFERENCES = sizeof references / sizeof *references };

// A vendor's routine of libomptarget (docs/vgpu.md, "Counting"); other libraries have none.
int ompx_get_device_counters(int device, uint64_t *instructions, uint64_t *switches) __attribute__((weak));

struct list {
    int count, values[MOST];
};

static struct options {
    struct list threads, teams;
    int repetitions, inner, length, device;
    int spmd, generic, counts;
    const char *constructs[MOST];
    int construct_count;
} options = {
    .threads = {6, {32, 64, 128, 256, 512, 992}},
    .teams = {1, {1}},
    .repetitions = 20,
    .inner = 100,
    .length = 16,
    .device = -1,
    .spmd = 1,
    .generic = 1,
};

static const char usage[] =
    "usage: epcc [options]\n"
    "\n"
    "Measures OpenMP constructs in target regions and prints a line of JSON per construct and shape.\n"
    "\n"
    "  --constructs LIST   suites, constructs or both, as --list names them (default: all)\n"
    "  --threads LIST      threads per team, 1 to 992 (default: 32,64,128,256,512,992)\n"
    "  --teams LIST        teams; 0: as many as the device's runtime makes of its own accord (default: 1)\n"
    "  --mode MODE         spmd, generic or both (default)\n"
    "  --repetitions N     timings of each (default: 20)\n"
    "  --inner N           executions of the construct in a timing (default: 100)\n"
    "  --delay N           iterations of the delay in each (default: 16)\n"
    "  --device N          the device (default: OpenMP's)\n"
    "  --counts            instructions and switches instead of time (virtual GPU with OMPTARGET_VGPU_COUNT=1)\n"
    "  --list              names the suites and constructs this program has\n";

static void wrong(const char *what, const char *value) {
    fprintf(stderr, "epcc: %s: %s (epcc --help)\n", what, value);
    exit(2);
}

static int number(const char *option, const char *text, int least, int most) {
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || end == text || *end || value < least || value > most) {
        fprintf(stderr, "epcc: %s %s: a number from %d to %d is needed\n", option, text, least, most);
        exit(2);
    }
    return (int)value;
}

static struct list numbers(const char *option, char *text, int least, int most) {
    struct list list = {0};
    for (char *part = strtok(text, ","); part; part = strtok(NULL, ",")) {
        if (list.count == MOST)
            wrong("too many values", option);
        list.values[list.count++] = number(option, part, least, most);
    }
    if (list.count == 0)
        wrong("no value", option);
    return list;
}

static int is_named(const struct construct *construct) {
    if (options.construct_count == 0)
        return 1;
    for (int i = 0; i < options.construct_count; i++)
        if (!strcmp(options.constructs[i], construct->suite) || !strcmp(options.constructs[i], construct->name))
            return 1;
    return 0;
}

static void list_constructs(void) {
    for (int i = 0; i < CONSTRUCTS; i++) {
        int earlier = 0; // with another chunk or size
        while (strcmp(suite[earlier].name, suite[i].name))
            earlier++;
        if (earlier == i)
            printf("%s\t%s\n", suite[i].suite, suite[i].name);
    }
}

// A name that nothing has is an error: it would measure less than was asked for.
static void check_names(void) {
    for (int i = 0; i < options.construct_count; i++) {
        int found = 0;
        for (int k = 0; k < CONSTRUCTS; k++)
            found |= !strcmp(options.constructs[i], suite[k].suite) || !strcmp(options.constructs[i], suite[k].name);
        if (!found)
            wrong("no such suite or construct (--list)", options.constructs[i]);
    }
}

static void read_options(int count, char **arguments) {
    for (int i = 1; i < count; i++) {
        const char *option = arguments[i];
        if (!strcmp(option, "--help") || !strcmp(option, "-h")) {
            fputs(usage, stdout);
            exit(0);
        }
        if (!strcmp(option, "--list")) {
            list_constructs();
            exit(0);
        }
        if (!strcmp(option, "--counts")) {
            options.counts = 1;
            continue;
        }
        char *value = i + 1 < count ? arguments[++i] : NULL;
        if (!value)
            wrong("unknown, or its value is missing", option);
        if (!strcmp(option, "--constructs")) {
            for (char *part = strtok(value, ","); part; part = strtok(NULL, ",")) {
                if (options.construct_count == MOST)
                    wrong("too many values", option);
                options.constructs[options.construct_count++] = part;
            }
        } else if (!strcmp(option, "--threads"))
            options.threads = numbers(option, value, 1, 992);
        else if (!strcmp(option, "--teams"))
            options.teams = numbers(option, value, 0, 1 << 20);
        else if (!strcmp(option, "--mode")) {
            options.spmd = strcmp(value, "generic") != 0;
            options.generic = strcmp(value, "spmd") != 0;
            if (options.spmd && options.generic && strcmp(value, "both"))
                wrong("--mode is spmd, generic or both, not", value);
        } else if (!strcmp(option, "--repetitions"))
            options.repetitions = number(option, value, 2, 10000);
        else if (!strcmp(option, "--inner"))
            options.inner = number(option, value, 1, 1000000);
        else if (!strcmp(option, "--delay"))
            options.length = number(option, value, 1, 1000000);
        else if (!strcmp(option, "--device"))
            options.device = number(option, value, 0, INT_MAX);
        else
            wrong("unknown option", option);
    }
    check_names();
}

// Device memory for the teams of the largest launch.
static struct team *own;

static double mean(const struct run *run, size_t member) {
    static struct team *copy;
    static int room;
    if (room < run->teams) {
        copy = realloc(copy, (size_t)run->teams * sizeof *copy);
        room = run->teams;
    }
    if (!copy ||
        omp_target_memcpy(copy, own, (size_t)run->teams * sizeof *copy, 0, 0, omp_get_initial_device(), options.device)) {
        fputs("epcc: no memory for the results, or they cannot be read\n", stderr);
        exit(1);
    }
    double sum = 0;
    for (int team = 0; team < run->teams; team++) {
        uint64_t value;
        memcpy(&value, (char *)&copy[team] + member, sizeof value);
        sum += (double)value;
    }
    return sum / run->teams;
}

static int path(enum work work) { return work == LOOP ? ITERATIONS : work != NONE; }
static int in_turns(enum work work) { return work == TURNS || work == NONE; }

static long units(const struct construct *construct, const struct run *run) {
    if (in_turns(construct->work))
        return (long)turns(run->inner, run->threads) * run->threads;
    return (long)run->inner * (construct->per ? construct->per : 1);
}

static void print_case(const struct construct *construct, const char *mode, const struct run *run) {
    printf("{\"suite\":\"%s\",\"construct\":\"%s\",\"parameter\":%d,\"mode\":\"%s\",\"teams\":%d,\"threads\":%d,\"delays\":%d",
           construct->suite, construct->name, construct->parameter, mode, run->teams, run->threads, path(construct->work));
}

static void print_numbers(const char *name, const double *values, int count, double scale) {
    printf(",\"%s\":[", name);
    for (int i = 0; i < count; i++)
        printf("%s%.17g", i ? "," : "", values[i] * scale);
    putchar(']');
}

// The length of a steady tick is the device's to say.
static double nanoseconds_per_tick(void) {
    double tick = 0;
#pragma omp target map(from : tick)
    tick = omp_get_wtick();
    return tick * 1e9;
}

static void measure(const struct construct *construct, launch *kernel, const char *mode, const struct run *run) {
    static double tick;
    double *ticks = malloc((size_t)options.repetitions * 2 * sizeof *ticks), *steady = ticks + options.repetitions;
    if (!ticks) {
        fputs("epcc: out of memory\n", stderr);
        exit(1);
    }
    if (tick == 0)
        tick = nanoseconds_per_tick();
    kernel(run); // Bull's first repetition, which fills caches and is not counted
    for (int i = 0; i < options.repetitions; i++) {
        kernel(run);
        ticks[i] = mean(run, offsetof(struct team, ticks));
        steady[i] = mean(run, offsetof(struct team, steady));
    }
    print_case(construct, mode, run);
    printf(",\"units\":%ld", units(construct, run));
    print_numbers("ticks", ticks, options.repetitions, 1);
    print_numbers("ns", steady, options.repetitions, tick);
    puts("}");
    free(ticks);
}

static int has_counters(void) { return ompx_get_device_counters && !ompx_get_device_counters(options.device, NULL, NULL); }

static void read_counters(double *instructions, double *switches) {
    uint64_t executed, switched;
    if (!has_counters() || ompx_get_device_counters(options.device, &executed, &switched)) {
        fputs("epcc: --counts: this device does not count; the virtual GPU does, with OMPTARGET_VGPU_COUNT=1\n", stderr);
        exit(1);
    }
    *instructions = (double)executed;
    *switches = (double)switched;
}

// Counts of two launches, the second with twice the repetitions: their difference is that of the repetitions alone.
static void count(const struct construct *construct, launch *kernel, const char *mode, const struct run *run) {
    double instructions[2], switches[2];
    long done[2];
    for (int i = 0; i < 2; i++) {
        struct run longer = *run;
        // Turns are per thread, rounded down.
        longer.inner *= (i + 1) * (in_turns(construct->work) ? run->threads : 1);
        done[i] = units(construct, &longer);
        double begin[2];
        read_counters(&begin[0], &begin[1]);
        kernel(&longer);
        read_counters(&instructions[i], &switches[i]);
        instructions[i] -= begin[0];
        switches[i] -= begin[1];
    }
    if (instructions[0] == 0) {
        fputs("epcc: --counts: instructions are not counted; set OMPTARGET_VGPU_COUNT=1\n", stderr);
        exit(1);
    }
    enum work work = construct->work;
    int together = !in_turns(work);
    print_case(construct, mode, run);
    printf(",\"units\":[%ld,%ld],\"work\":%d,\"executors\":%d", done[0], done[1],
           path(work) * (work == EACH || work == LOOP ? run->threads : 1), together ? run->threads : 1);
    print_numbers("instructions", instructions, 2, 1);
    print_numbers("switches", switches, 2, 1);
    puts("}");
}

// Whether a team has as many threads as it was asked to have.
static int has_threads(launch *probe, const char *mode, const struct run *run) {
    struct team first;
    probe(run);
    omp_target_memcpy(&first, own, sizeof first, 0, 0, omp_get_initial_device(), options.device);
    if (first.threads == run->threads)
        return 1;
    printf("{\"left_out\":\"%s, %d threads: the device gives %d\"}\n", mode, run->threads, first.threads);
    return 0;
}

static void run_case(const struct construct *construct, launch *kernel, const char *mode, const struct run *run) {
    struct run its = *run;
    its.parameter = construct->parameter;
    (options.counts ? count : measure)(construct, kernel, mode, &its);
    fflush(stdout);
}

static void run_shape(const struct run *run, int generic) {
    const char *mode = generic ? "generic" : "spmd";
    if (!has_threads(generic ? probe_generic : probe_spmd, mode, run))
        return;
    // Without the references nothing can be said of the constructs.
    for (int i = 0; i < REFERENCES; i++)
        if (can_time(&references[i], generic))
            run_case(&references[i], generic ? references[i].generic : references[i].spmd, mode, run);
    for (int i = 0; i < CONSTRUCTS; i++)
        if (is_named(&suite[i]))
            run_case(&suite[i], generic ? suite[i].generic : suite[i].spmd, mode, run);
}

static int default_teams(void) {
    int teams = 1;
#pragma omp target teams map(tofrom : teams)
    if (omp_get_team_num() == 0)
        teams = omp_get_num_teams();
    return teams;
}

// For `lock/unlock`, if that is measured. (Not every runtime has locks on every GPU.)
static void make_locks(int teams) {
    int needed = 0;
    for (int i = 0; i < CONSTRUCTS; i++)
        needed |= is_named(&suite[i]) && !strcmp(suite[i].name, "lock/unlock");
    if (!needed)
        return;
    struct team *const all = own;
#pragma omp target teams num_teams(teams) thread_limit(1) is_device_ptr(all)
    omp_init_lock(&all[omp_get_team_num()].lock);
}

int main(int argument_count, char **arguments) {
    read_options(argument_count, arguments);
    if (options.device < 0)
        options.device = omp_get_default_device();
    if (options.device >= omp_get_num_devices()) {
        fprintf(stderr, "epcc: no device %d: there are %d\n", options.device, omp_get_num_devices());
        return 1;
    }
    omp_set_default_device(options.device);
    int most = 1;
    for (int i = 0; i < options.teams.count; i++) {
        int *teams = &options.teams.values[i];
        *teams = *teams ? *teams : default_teams();
        most = *teams > most ? *teams : most;
    }
    own = omp_target_alloc((size_t)most * sizeof *own, options.device);
    if (!own) {
        fprintf(stderr, "epcc: no device memory for %d teams\n", most);
        return 1;
    }
    omp_target_memset(own, 0, (size_t)most * sizeof *own, options.device);
    make_locks(most);
    printf("{\"epcc\":%d,\"device\":%d,\"repetitions\":%d,\"inner\":%d,\"delay\":%d,\"counters\":%s}\n", SCHEMA,
           options.device, options.repetitions, options.inner, options.length,
           has_counters() ? "true" : "false");
    struct run alone = {own, 1, 1, options.inner, options.length, 0};
    run_case(&references[0], references[0].spmd, "spmd", &alone);
    for (int t = 0; t < options.teams.count; t++)
        for (int n = 0; n < options.threads.count; n++)
            for (int generic = !options.spmd; generic <= options.generic; generic++) {
                struct run run = {own, options.teams.values[t], options.threads.values[n], options.inner, options.length, 0};
                run_shape(&run, generic);
            }
    omp_target_free(own, options.device);
    return 0;
}
