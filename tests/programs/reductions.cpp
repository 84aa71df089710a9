// Reductions: every operator and type, at every level of parallelism, arrays, user-defined.

#include <climits>
#include <complex>
#include <cstdint>
#include <limits>

#include "check.h"

namespace {

constexpr int N = 777;

template <typename T> struct Results {
    T sum, product, least, most;
};

template <typename T> void check(const char *type, Results<T> r) {
    int before = checks_failed;
    EXPECT(r.sum, static_cast<T>(static_cast<T>(5) + 7 * 20));
    EXPECT(r.product, 64);
    EXPECT(r.least, 2);
    EXPECT(r.most, 99);
    if (checks_failed != before)
        std::printf("  for %s\n", type);
}

template <typename T> T least_of(int i) { return static_cast<T>(i % 90 == 17 ? 2 : 50); }
template <typename T> T most_of(int i) { return static_cast<T>(i % 300 == 299 ? 99 : i % 50); }

// Three ways through the runtime: across teams, across the threads of one team, nested in each other.
template <typename T> void arithmetic(const char *type) {
    Results<T> r{5, 1, 127, 0};
    T sum = 5, product = 1, least = 127, most = 0;
#pragma omp target teams distribute parallel for num_teams(5) thread_limit(96)                               \
    reduction(+ : sum) reduction(* : product) reduction(min : least) reduction(max : most)                   \
    map(tofrom : sum, product, least, most)
    for (int i = 0; i < N; i++) {
        sum += static_cast<T>(i % 111 == 0 ? 20 : 0);
        product *= static_cast<T>(i % 130 == 7 ? 2 : 1);
        least = least < least_of<T>(i) ? least : least_of<T>(i);
        most = most > most_of<T>(i) ? most : most_of<T>(i);
    }
    r = {sum, product, least, most};
    check(type, r);

    sum = 5, product = 1, least = 127, most = 0;
#pragma omp target parallel for num_threads(75) reduction(+ : sum) reduction(* : product)                    \
    reduction(min : least) reduction(max : most) map(tofrom : sum, product, least, most)
    for (int i = 0; i < N; i++) {
        sum += static_cast<T>(i % 111 == 0 ? 20 : 0);
        product *= static_cast<T>(i % 130 == 7 ? 2 : 1);
        least = least < least_of<T>(i) ? least : least_of<T>(i);
        most = most > most_of<T>(i) ? most : most_of<T>(i);
    }
    r = {sum, product, least, most};
    check(type, r);

    sum = 5, product = 1, least = 127, most = 0;
#pragma omp target teams num_teams(3) thread_limit(64) reduction(+ : sum) reduction(* : product)             \
    reduction(min : least) reduction(max : most) map(tofrom : sum, product, least, most)
#pragma omp distribute
    for (int block = 0; block < N; block += 50) {
        int end = block + 50 < N ? block + 50 : N;
        // A reduction of the team's threads inside the reduction of the teams.
#pragma omp parallel for reduction(+ : sum) reduction(* : product) reduction(min : least) reduction(max : most)
        for (int i = block; i < end; i++) {
            sum += static_cast<T>(i % 111 == 0 ? 20 : 0);
            product *= static_cast<T>(i % 130 == 7 ? 2 : 1);
            least = least < least_of<T>(i) ? least : least_of<T>(i);
            most = most > most_of<T>(i) ? most : most_of<T>(i);
        }
    }
    r = {sum, product, least, most};
    check(type, r);
}

template <typename T> void bitwise(const char *type) {
    int before = checks_failed;
    T all = static_cast<T>(0x7f), any = 0, odd = 0;
    bool every = true, some = false;
#pragma omp target teams distribute parallel for num_teams(4) thread_limit(65)                               \
    reduction(& : all) reduction(| : any) reduction(^ : odd) reduction(&& : every) reduction(|| : some)      \
    map(tofrom : all, any, odd, every, some)
    for (int i = 0; i < N; i++) {
        all &= static_cast<T>(i == 500 ? 0x5f : 0x7f);
        any |= static_cast<T>(i == 600 ? 0x22 : 0x08);
        odd ^= static_cast<T>(i % 64);
        every = every && i >= 0;
        some = some || i == 776;
    }
    T expected = 0;
    for (int i = 0; i < N; i++)
        expected = static_cast<T>(expected ^ (i % 64));
    EXPECT(all, 0x5f);
    EXPECT(any, 0x2a);
    EXPECT(odd, expected);
    EXPECT(every, true);
    EXPECT(some, true);
    if (checks_failed != before)
        std::printf("  for %s\n", type);
}

// Arrays and sections as reduction variables.
[[maybe_unused]] void arrays() {
    int histogram[10] = {};
    double section[6] = {1, 1, 1, 1, 1, 1};
#pragma omp target teams distribute parallel for reduction(+ : histogram) reduction(+ : section[2 : 3])      \
    map(tofrom : histogram, section) num_teams(3)
    for (int i = 0; i < N; i++) {
        histogram[i % 10]++;
        section[2 + i % 3] += 0.5;
    }
    for (int bin = 0; bin < 10; bin++)
        EXPECT(histogram[bin], bin < 7 ? 78 : 77);
    EXPECT(section[1], 1);
    EXPECT(section[2], 1 + 259 * 0.5);
    EXPECT(section[4], 1 + 259 * 0.5);
    EXPECT(section[5], 1);
}

// Types of several sizes: 4 bytes, 8 bytes with a constructor, 40 bytes with padding. (Of a struct whose size is no
// multiple of 4 clang 22 shuffles the tail with a store of 4 bytes, past the end of its own variable.)
struct Rgb {
    unsigned char r, g, b, unused;
};
struct Big {
    double a[4];
    int b;
};
struct Extreme {
    float value = -1;
    int index = -1;
    void take(const Extreme &other) {
        if (other.value > value || (other.value == value && other.index < index))
            *this = other;
    }
};
#pragma omp declare reduction(mix : Rgb : omp_out.r += omp_in.r, omp_out.g ^= omp_in.g,                      \
                                  omp_out.b = omp_out.b > omp_in.b ? omp_out.b : omp_in.b)                   \
    initializer(omp_priv = Rgb{0, 0, 0, 0})
#pragma omp declare reduction(+ : Big : omp_out.a[0] += omp_in.a[0], omp_out.a[3] += omp_in.a[3],            \
                                  omp_out.b += omp_in.b) initializer(omp_priv = Big{{0, 0, 0, 0}, 0})
#pragma omp declare reduction(extreme : Extreme : omp_out.take(omp_in)) initializer(omp_priv = Extreme())
#pragma omp declare reduction(+ : std::complex<double> : omp_out += omp_in)                                  \
    initializer(omp_priv = std::complex<double>(0, 0))

[[maybe_unused]] void user_defined() {
    Rgb rgb{1, 0, 0, 0};
    Big big{{1, 0, 0, 0}, 2};
    Extreme extreme;
    std::complex<double> sum(0, 1);
#pragma omp target teams distribute parallel for reduction(mix : rgb) reduction(+ : big, sum)                \
    reduction(extreme : extreme) map(tofrom : rgb, big, extreme, sum) num_teams(4) thread_limit(61)
    for (int i = 0; i < N; i++) {
        rgb.r += i % 100 == 0;
        rgb.g ^= static_cast<unsigned char>(i);
        rgb.b = rgb.b > i % 200 ? rgb.b : static_cast<unsigned char>(i % 200);
        big.a[0] += i;
        big.a[3] += 1;
        big.b++;
        Extreme here;
        here.value = static_cast<float>(i * 7 % 101);
        here.index = i;
        extreme.take(here);
        sum += std::complex<double>(i, -1);
    }
    unsigned char green = 0;
    for (int i = 0; i < N; i++)
        green = static_cast<unsigned char>(green ^ i);
    EXPECT(rgb.r, 9);
    EXPECT(rgb.g, green);
    EXPECT(rgb.b, 199);
    EXPECT(big.a[0], 1 + N * (N - 1) / 2);
    EXPECT(big.a[3], N);
    EXPECT(big.b, N + 2);
    EXPECT(extreme.value, 100);
    EXPECT(extreme.index, 72);
    EXPECT(sum.real(), N * (N - 1) / 2);
    EXPECT(sum.imag(), 1 - N);
}

// Many reductions at once: more than a warp's worth of state to move.
[[maybe_unused]] void many() {
    double a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;
    long g = 0, h = 0;
    float k = 0;
    short s = 0;
#pragma omp target teams distribute parallel for reduction(+ : a, b, c, d, e, f, g, h, k, s)
    for (int i = 0; i < N; i++) {
        a += 1, b += 2, c += 3, d += 4, e += 5, f += 6, g += 7, h += 8, k += 9;
        s++;
    }
    EXPECT(a + b + c + d + e + f + g + h + k + s, 46.0 * N);
}

// More teams than the runtime's buffer for cross-team reductions is likely to have.
[[maybe_unused]] void many_teams() {
    long sum = 0;
#pragma omp target teams distribute parallel for num_teams(1500) thread_limit(32) reduction(+ : sum) map(tofrom : sum)
    for (int i = 0; i < 48000; i++)
        sum += i;
    EXPECT(sum, 48000L * 47999 / 2);
}

[[maybe_unused]] void sections_and_loops() {
    int sum = 0, other = 0;
#pragma omp target map(tofrom : sum, other)
#pragma omp parallel num_threads(50)
    {
#pragma omp sections reduction(+ : sum)
        {
#pragma omp section
            sum += 1;
#pragma omp section
            sum += 10;
#pragma omp section
            sum += 100;
        }
#pragma omp for reduction(+ : sum) reduction(max : other) schedule(dynamic, 3)
        for (int i = 0; i < 1000; i++) {
            sum += 1;
            other = other > i ? other : i;
        }
    }
    EXPECT(sum, 1111);
    EXPECT(other, 999);
}

} // namespace

// One part per compilation: the device link's time grows faster than the number of kernels.
int main() {
#if PART == 1
    arithmetic<signed char>("signed char");
    arithmetic<unsigned short>("unsigned short");
    arithmetic<int>("int");
#elif PART == 2
    arithmetic<unsigned long long>("unsigned long long");
    arithmetic<float>("float");
    arithmetic<double>("double");
#elif PART == 3
    arithmetic<unsigned char>("unsigned char");
    arithmetic<short>("short");
    arithmetic<unsigned>("unsigned");
    arithmetic<long>("long");
#elif PART == 4
    bitwise<unsigned char>("unsigned char");
    bitwise<short>("short");
    bitwise<int>("int");
    bitwise<unsigned long>("unsigned long");
#elif PART == 5
    arrays();
    user_defined();
    many();
    many_teams();
#else
    sections_and_loops();
#endif
    return done();
}
