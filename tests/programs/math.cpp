// Mathematical functions and std::complex on the device, against the host's.

#include <cmath>
#include <complex>
#include <cstring>

#include "check.h"

// One value per function and argument, computed by the same code on both sides. Tolerances are a few
// units in the last place of the type; the arguments stay where the functions are well conditioned.
#pragma omp declare target

enum { FUNCTIONS = 40, ARGUMENTS = 9 };

template <typename T> void evaluate(T x, T *out) {
    int n = 0;
    out[n++] = std::sin(x);
    out[n++] = std::cos(x);
    out[n++] = std::tan(x / 4);
    out[n++] = std::asin(x / 8);
    out[n++] = std::acos(x / 8);
    out[n++] = std::atan(x);
    out[n++] = std::atan2(x, static_cast<T>(1.5));
    out[n++] = std::sinh(x);
    out[n++] = std::cosh(x);
    out[n++] = std::tanh(x);
    out[n++] = std::asinh(x);
    out[n++] = std::acosh(std::fabs(x) + 1);
    out[n++] = std::atanh(x / 8);
    out[n++] = std::exp(x);
    out[n++] = std::exp2(x);
    out[n++] = std::expm1(x);
    out[n++] = std::log(std::fabs(x) + static_cast<T>(0.5));
    out[n++] = std::log2(std::fabs(x) + static_cast<T>(0.5));
    out[n++] = std::log10(std::fabs(x) + static_cast<T>(0.5));
    out[n++] = std::log1p(std::fabs(x));
    out[n++] = std::pow(std::fabs(x), static_cast<T>(1.7));
    out[n++] = std::sqrt(std::fabs(x));
    out[n++] = std::cbrt(x);
    out[n++] = std::hypot(x, static_cast<T>(2.25));
    out[n++] = std::erf(x);
    out[n++] = std::erfc(x / 2);
    out[n++] = std::tgamma(std::fabs(x) + static_cast<T>(0.75));
    out[n++] = std::lgamma(std::fabs(x) + static_cast<T>(3.5));
    out[n++] = std::fmod(x, static_cast<T>(0.7));
    out[n++] = std::remainder(x, static_cast<T>(0.7));
    out[n++] = std::floor(x);
    out[n++] = std::ceil(x);
    out[n++] = std::trunc(x);
    out[n++] = std::round(x);
    out[n++] = std::rint(x);
    out[n++] = std::ldexp(x, 5);
    out[n++] = std::fma(x, x, static_cast<T>(0.125));
    out[n++] = std::fmax(x, static_cast<T>(0.3)) + std::fmin(x, static_cast<T>(0.3));
    out[n++] = std::copysign(static_cast<T>(2), x);
    int exponent;
    T whole;
    out[n++] = std::frexp(x, &exponent) + exponent + std::modf(x, &whole) + whole + std::ilogb(x) + std::logb(x);
}

#pragma omp end declare target

template <typename T> static void functions(double tolerance) {
    const T arguments[ARGUMENTS] = {T(-6.25), T(-2.5), T(-1), T(-0.1), T(0.1), T(0.5), T(1), T(3.3), T(7)};
    T device[ARGUMENTS][FUNCTIONS], host[FUNCTIONS];
#pragma omp target teams distribute parallel for map(to : arguments) map(from : device)
    for (int i = 0; i < ARGUMENTS; i++)
        evaluate(arguments[i], device[i]);
    for (int i = 0; i < ARGUMENTS; i++) {
        evaluate(arguments[i], host);
        for (int f = 0; f < FUNCTIONS; f++) {
            int failed = checks_failed;
            EXPECT_NEAR(device[i][f], host[f], tolerance);
            if (checks_failed != failed)
                printf("  function %d of %g\n", f, static_cast<double>(arguments[i]));
        }
    }
}

static void special_values() {
    double infinity = INFINITY, nan = NAN, out[8] = {};
    int classes[8] = {};
#pragma omp target map(from : out, classes)
    {
        out[0] = std::exp(infinity);
        out[1] = std::log(0.0 * infinity);
        out[2] = std::sqrt(-0.0);
        out[3] = std::atan(infinity);
        out[4] = std::pow(nan, 0.0);
        out[5] = 1 / out[2];
        out[6] = std::fmax(nan, 3.0);
        out[7] = std::sin(1e22); // argument reduction
        classes[0] = std::isinf(infinity) != 0;
        classes[1] = std::isnan(nan) != 0;
        classes[2] = std::isfinite(1.0) != 0;
        classes[3] = std::signbit(-0.0) != 0;
        classes[4] = static_cast<int>(std::lround(2.5) + std::llrint(2.5));
        classes[5] = std::isnormal(1e-310) != 0;
        classes[6] = std::abs(-5);
        classes[7] = static_cast<int>(std::fabs(-6.0));
    }
    EXPECT(out[0], INFINITY);
    EXPECT(out[1], NAN);
    EXPECT(out[2], 0);
    EXPECT_NEAR(out[3], 1.5707963267948966, 1e-15);
    EXPECT(out[4], 1);
    EXPECT(out[5], -INFINITY);
    EXPECT(out[6], 3);
    EXPECT_NEAR(out[7], std::sin(1e22), 1e-14);
    EXPECT(classes[0] && classes[1] && classes[2] && classes[3], 1);
    EXPECT(classes[4], 5);
    EXPECT(classes[5], 0);
    EXPECT(classes[6] + classes[7], 11);
}

// Large angles take another path, here in some lanes of a warp.
template <typename T> static void large_angles(double tolerance) {
    constexpr int N = 64;
    T angles[N], device[2][N];
    for (int i = 0; i < N; i++)
        angles[i] = std::ldexp(T(1 + i / T(100)), i % 3 ? i / 2 : 24 + i);
#pragma omp target teams distribute parallel for map(to : angles) map(from : device)
    for (int i = 0; i < N; i++) {
        device[0][i] = std::sin(angles[i]);
        device[1][i] = std::cos(angles[i]);
    }
    for (int i = 0; i < N; i++) {
        EXPECT_NEAR(device[0][i], std::sin(angles[i]), tolerance);
        EXPECT_NEAR(device[1][i], std::cos(angles[i]), tolerance);
    }
}

template <typename T> static void complex_numbers(double tolerance) {
    using C = std::complex<T>;
    constexpr int N = 10;
    C device[N], host[N];
    const C a(T(1.5), T(-2)), b(T(0.25), T(3));
    auto compute = [](C a, C b, C *out) {
        out[0] = a + b;
        out[1] = a * b;
        out[2] = a / b;
        out[3] = std::conj(a) - b;
        out[4] = C(std::abs(a), std::arg(b));
        out[5] = std::norm(a) * b;
        out[6] = std::exp(a);
        out[7] = std::sqrt(b);
        out[8] = std::polar(T(2), T(0.5));
        out[9] = std::log(a) + std::sin(b);
    };
#pragma omp target map(from : device)
    compute(a, b, device);
    compute(a, b, host);
    for (int i = 0; i < N; i++) {
        EXPECT_NEAR(device[i].real(), host[i].real(), tolerance);
        EXPECT_NEAR(device[i].imag(), host[i].imag(), tolerance);
    }
    // As array elements.
    C values[40];
    for (int i = 0; i < 40; i++)
        values[i] = C(T(i), T(-2 * i));
#pragma omp target teams distribute parallel for map(to : values) map(tofrom : device)
    for (int i = 0; i < N; i++)
        device[i] = values[i] + values[39 - i] * C(0, 1);
    EXPECT(device[3].real(), 3 + 72);
    EXPECT(device[3].imag(), -6 + 36);
}

// Half precision as a storage and arithmetic type.
static void half() {
    _Float16 a[33];
    for (int i = 0; i < 33; i++)
        a[i] = static_cast<_Float16>(i * 0.5);
#pragma omp target teams distribute parallel for map(tofrom : a)
    for (int i = 0; i < 33; i++)
        a[i] = a[i] * static_cast<_Float16>(2) + static_cast<_Float16>(0.25);
    EXPECT(static_cast<float>(a[32]), 32.25);
    EXPECT(static_cast<float>(a[1]), 1.25);
}

int main() {
    functions<double>(1e-13);
    functions<float>(2e-6);
    special_values();
    large_angles<double>(1e-15);
    large_angles<float>(1e-6);
    complex_numbers<double>(1e-13);
    complex_numbers<float>(1e-5);
    half();
    return done();
}
