// Synchronisation inside a team: barriers, single, master, masked, critical, atomic, locks, sections,
// flush, for team sizes of every kind.

#include <limits.h>

#include "check.h"

// Team sizes around warps and at the limits; odd ones leave partial warps.
static const int sizes[] = {1, 2, 3, 17, 31, 32, 33, 63, 64, 65, 100, 127, 255, 333, 512, 769, 1000, 1023, 1024};
enum { SIZES = sizeof sizes / sizeof *sizes };

// The sizes asked for are the sizes given on a device.
static void expect_team(int got, int asked) {
    if (offloading())
        EXPECT(got, asked);
}

// Each thread reads what its neighbour wrote before the barrier, round after round.
static void barriers(int threads) {
    int values[2][1024], wrong = 0, team = 0;
#pragma omp target map(alloc : values) map(tofrom : wrong, team) thread_limit(1024)
#pragma omp parallel num_threads(threads)
    {
        int me = omp_get_thread_num(), n = omp_get_num_threads();
        team = n;
        values[0][me] = me;
        for (int round = 0; round < 6; round++) {
#pragma omp barrier
            int next = values[round % 2][(me + 1) % n];
            values[(round + 1) % 2][me] = next;
            if (next != (me + 1 + round) % n) {
#pragma omp atomic
                wrong++;
            }
        }
    }
    EXPECT(wrong, 0);
    expect_team(team, threads);
}

static void once(int threads) {
    int single = 0, master = 0, masked = 0, copied = 0, sections[3] = {0}, team = 0;
#pragma omp target map(tofrom : single, master, masked, copied, sections, team) thread_limit(1024)
#pragma omp parallel num_threads(threads)
    {
        int value = -1;
#pragma omp single
        {
            single++;
            team = omp_get_num_threads();
        }
#pragma omp master
        master += 1 + omp_get_thread_num();
#pragma omp masked filter(omp_get_num_threads() - 1)
        masked += omp_get_thread_num() + 1;
#pragma omp single copyprivate(value)
        value = 42;
#pragma omp atomic
        copied += value == 42;
#pragma omp sections
        {
#pragma omp section
            sections[0]++;
#pragma omp section
            sections[1]++;
#pragma omp section
            sections[2]++;
        }
#pragma omp single nowait
        single += 10;
    }
    EXPECT(single, 11);
    EXPECT(master, 1);
    EXPECT(masked, team);
    EXPECT(copied, team);
    EXPECT(sections[0] == 1 && sections[1] == 1 && sections[2] == 1, 1);
}

static void exclusion(int threads) {
    int named = 0, other = 0, locked = 0, tested = 0, nested = 0, team = 0;
    omp_lock_t lock;
    omp_nest_lock_t nest;
#pragma omp target map(tofrom : named, other, locked, tested, nested, team) map(alloc : lock, nest) thread_limit(512)
    {
        omp_init_lock(&lock);
        omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(threads)
        {
            team = omp_get_num_threads();
            for (int k = 0; k < 2; k++) {
                // Plain additions: only mutual exclusion keeps them.
#pragma omp critical
                named += 1;
#pragma omp critical(second)
                {
                    int before = other;
                    other = before + 1;
                }
                omp_set_lock(&lock);
                locked += 1;
                omp_unset_lock(&lock);
            }
            while (!omp_test_lock(&lock)) {
            }
            tested += 1;
            omp_unset_lock(&lock);
        }
        omp_set_nest_lock(&nest);
        nested = omp_test_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
        omp_destroy_lock(&lock);
        omp_destroy_nest_lock(&nest);
    }
    EXPECT(named, 2 * team);
    EXPECT(other, 2 * team);
    EXPECT(locked, 2 * team);
    EXPECT(tested, team);
    EXPECT(nested, 2);
}

// Every form of atomic, on every width, by all threads of several teams.
static void atomics(void) {
    int i = 0, last = -1, swaps[300], least = INT_MAX;
    unsigned char c = 0;
    short s = 0;
    long long l = 0;
    float f = 0;
    double d = 0, product = 1;
    unsigned bits = 0, all = ~0u, odd = 0;
#pragma omp target teams distribute parallel for num_teams(3) thread_limit(50)                               \
    map(tofrom : i, c, s, l, f, d, product, bits, all, odd, least, swaps, last)
    for (int k = 0; k < 300; k++) {
        int captured;
#pragma omp atomic capture
        captured = i++;
        swaps[captured] = k;
#pragma omp atomic
        c += 1;
#pragma omp atomic
        s -= 2;
#pragma omp atomic update
        l += 1LL << 33;
#pragma omp atomic
        f += 0.5f;
#pragma omp atomic seq_cst
        d += 0.25;
        if (k % 50 == 0) {
#pragma omp atomic
            product *= 2;
        }
#pragma omp atomic
        bits |= 1u << k % 32;
#pragma omp atomic
        all &= ~(k == 7 ? 8u : 0u);
#pragma omp atomic
        odd ^= (unsigned)k;
#pragma omp atomic compare
        least = k - 100 < least ? k - 100 : least;
#pragma omp atomic write
        last = k;
        int seen;
#pragma omp atomic read
        seen = last;
        if (seen < 0) {
#pragma omp atomic
            d += 1000;
        }
    }
    unsigned parity = 0;
    long sum = 0;
    for (int k = 0; k < 300; k++) {
        parity ^= (unsigned)k;
        sum += swaps[k];
    }
    EXPECT(i, 300);
    EXPECT(sum, 300 * 299 / 2);
    EXPECT(c, 300 % 256);
    EXPECT(s, -600);
    EXPECT(l, 300LL << 33);
    EXPECT(f, 150);
    EXPECT(d, 75);
    EXPECT(product, 64);
    EXPECT(bits, ~0u);
    EXPECT(all, ~8u);
    EXPECT(odd, parity);
    EXPECT(least, -100);
    EXPECT(last >= 0 && last < 300, 1);
}

// One thread hands a value to another through a flag, inside a warp and across warps.
static void flag(int from, int to) {
    int data = 0, ready = 0, seen = 0;
#pragma omp target map(tofrom : data, ready, seen)
#pragma omp parallel num_threads(96)
    {
        int me = omp_get_thread_num(), n = omp_get_num_threads();
        if (me == from % n) {
            data = 99;
#pragma omp flush
#pragma omp atomic write
            ready = 1;
        }
        if (me == to % n) {
            int now = 0;
            while (!now) {
#pragma omp atomic read
                now = ready;
            }
#pragma omp flush
            seen = data;
        }
    }
    EXPECT(seen, 99);
}

int main(void) {
    for (int k = 0; k < SIZES; k++) {
        // A host without offload cannot sensibly run teams of a thousand threads.
        if (sizes[k] > 65 && !offloading())
            break;
        barriers(sizes[k]);
        once(sizes[k]);
        if (sizes[k] <= 333)
            exclusion(sizes[k]);
    }
    atomics();
    flag(0, 70);
    if (offloading()) {
        flag(70, 0);
        flag(1, 2);
        flag(2, 1);
    }
    return done();
}
