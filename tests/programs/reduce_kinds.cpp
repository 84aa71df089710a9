// Reductions of many kinds at once, with teams of odd sizes: what the device finds is what the host finds.

#include <complex>
#include <cstdint>
#include <cstring>

#include "check.h"

namespace {

using Wide = __int128;

// A structure with a constructor, and padding in its middle.
struct Stats {
    int64_t count;
    char mark;
    double sum, least;
    Stats() : count(0), mark(0), sum(0), least(1e30) {}
    void merge(const Stats &other) {
        count += other.count;
        mark = static_cast<char>(mark ^ other.mark);
        sum += other.sum;
        least = least < other.least ? least : other.least;
    }
    bool operator==(const Stats &other) const {
        return count == other.count && mark == other.mark && sum == other.sum && least == other.least;
    }
};

// Larger than a warp's transfer at once, of an odd number of words.
struct Table {
    int32_t bins[13];
};

#pragma omp declare target
void add(Table &out, const Table &in) {
    for (int i = 0; i < 13; i++)
        out.bins[i] += in.bins[i];
}
#pragma omp end declare target

#pragma omp declare reduction(merge : Stats : omp_out.merge(omp_in)) initializer(omp_priv = Stats())
// User-defined, because the host's atomics for `+` would want libatomic.
#pragma omp declare reduction(plus : Wide : omp_out += omp_in) initializer(omp_priv = 0)
#pragma omp declare reduction(add : Table : add(omp_out, omp_in)) initializer(omp_priv = Table{})
#pragma omp declare reduction(+ : std::complex<double> : omp_out += omp_in) initializer(omp_priv = 0)
#pragma omp declare reduction(* : std::complex<float> : omp_out *= omp_in) initializer(omp_priv = 1)

struct Results {
    Wide wide = 1;
    std::complex<double> sum{1, -1};
    std::complex<float> turn{1, 0};
    bool all = true, any = false;
    int logical_and = 1, logical_or = 0;
    double least = 1e9;
    Stats stats;
    Table table{};
    double section[9] = {};
    int64_t grid[2][3] = {};

    bool operator==(const Results &other) const {
        return wide == other.wide && sum == other.sum && turn == other.turn && all == other.all && any == other.any &&
               logical_and == other.logical_and && logical_or == other.logical_or && least == other.least && stats == other.stats &&
               !std::memcmp(&table, &other.table, sizeof table) && !std::memcmp(section, other.section, sizeof section) &&
               !std::memcmp(grid, other.grid, sizeof grid);
    }
};

// One iteration's part. All numbers are whole and small, so sums do not depend on the order.
#define BODY(i)                                                                                                        \
    wide += (static_cast<Wide>(1) << 70) + (i);                                                                        \
    sum += std::complex<double>((i), -2 * (i));                                                                        \
    turn *= std::complex<float>(0, (i) % 7 == 0 ? 1 : -1);                                                             \
    all = all && (i) != n - 2;                                                                                         \
    any = any || (i) == n - 1;                                                                                         \
    logical_and = logical_and && (i) < n;                                                                              \
    logical_or = logical_or || (i) > n;                                                                                \
    least = least < 500 - (i) ? least : 500 - (i);                                                                     \
    stats.merge(sample(i));                                                                                            \
    table.bins[(i) % 13] += (i) + 1;                                                                                   \
    section[2 + (i) % 5] += (i);                                                                                       \
    grid[(i) % 2][(i) % 3] += (i)

#pragma omp declare target
Stats sample(int i) {
    Stats one;
    one.count = 1;
    one.mark = static_cast<char>(i);
    one.sum = i;
    one.least = -i;
    return one;
}
#pragma omp end declare target

#define CLAUSES                                                                                                        \
    reduction(plus : wide) reduction(+ : sum, section[2 : 5], grid) reduction(* : turn) reduction(&& : all, logical_and)                \
        reduction(|| : any, logical_or) reduction(min : least) reduction(merge : stats) reduction(add : table)
#define MAPPED map(tofrom : wide, sum, turn, all, any, logical_and, logical_or, least, stats, table, section, grid)

#define UNPACK(r)                                                                                                      \
    auto &wide = r.wide;                                                                                               \
    auto &sum = r.sum;                                                                                                 \
    auto &turn = r.turn;                                                                                               \
    auto &all = r.all, &any = r.any;                                                                                   \
    auto &logical_and = r.logical_and, &logical_or = r.logical_or;                                                     \
    auto &least = r.least;                                                                                             \
    auto &stats = r.stats;                                                                                             \
    auto &table = r.table;                                                                                             \
    auto &section = r.section;                                                                                         \
    auto &grid = r.grid

Results on_host(int n) {
    Results r;
    UNPACK(r);
    for (int i = 0; i < n; i++) {
        BODY(i);
    }
    return r;
}

#if PART == 1
// The threads of one team.
Results in_team(int n, int threads) {
    Results r;
    UNPACK(r);
#pragma omp target parallel for num_threads(threads) MAPPED CLAUSES
    for (int i = 0; i < n; i++) {
        BODY(i);
    }
    return r;
}
#define RUN in_team
#elif PART == 2
// The threads of three teams.
Results in_league(int n, int threads) {
    Results r;
    UNPACK(r);
#pragma omp target teams distribute parallel for num_teams(3) num_threads(threads) thread_limit(threads) MAPPED CLAUSES
    for (int i = 0; i < n; i++) {
        BODY(i);
    }
    return r;
}
#define RUN in_league
#else
// A region of each of two teams, whose results the teams reduce.
Results nested(int n, int threads) {
    Results r;
    UNPACK(r);
#pragma omp target teams num_teams(2) thread_limit(threads) MAPPED CLAUSES
    {
#pragma omp distribute
        for (int half = 0; half < 2; half++) {
            int begin = half ? n / 2 : 0, end = half ? n : n / 2;
#pragma omp parallel for num_threads(threads) CLAUSES
            for (int i = begin; i < end; i++) {
                BODY(i);
            }
        }
    }
    return r;
}
#define RUN nested
#endif

// The same team adds the same numbers in the same order: not a bit may differ from run to run.
#if PART == 2
void repeats() {
    double first = 0;
    for (int run = 0; run < 5; run++) {
        double sum = 0;
#pragma omp target teams distribute parallel for num_teams(37) thread_limit(65) reduction(+ : sum)
        for (int i = 1; i < 20000; i++)
            sum += 1.0 / i;
        if (run == 0)
            first = sum;
        EXPECT(!std::memcmp(&sum, &first, sizeof sum), true);
    }
}
#endif

} // namespace

int main() {
    for (int threads : {1, 2, 31, 33, 63, 65, 127, 500, 992, 1000, 1024}) {
        // A generic kernel's master takes a warp of the block.
        if (PART == 3 && threads > 960)
            break;
        for (int n : {1, 77, 1100}) {
            bool same = RUN(n, threads) == on_host(n);
            if (!same)
                std::printf("%d threads, %d iterations:\n", threads, n);
            EXPECT(same, true);
        }
    }
#if PART == 2
    repeats();
#endif
    return done();
}
