// Exponentials, logarithms, powers and angles on the device where formulas have to select: zeros, infinities, what is
// no number, subnormal and very large numbers (devicertl/libdevice). Against the host's, within four units in the last
// place.
#include <cmath>
#include <limits>

#include "check.h"

enum { FUNCTIONS = 16 };

static const double VALUES[] = {0.0,   -0.0,  INFINITY, -INFINITY, NAN,   1,         -1,   2,     -2,    0.5,
                                -0.5,  3,     -3,       7.5,       -7,    1e30,      1e-30, 1e-45, -1e-45, 16777217,
                                1e6,   1e10,  -1e22,    3e38,      88.7,  -87.5,     -103, 128,   -149.5, 709.7,
                                -745,  1e300, 5e-324,   1e-310,    1023.5, -1074,    0.1,  0.7,   1.4142, 3.14159265,
                                262143.9, 262144.1, 3e6, 5153.0015, 16367173, 1.00000012};
enum { COUNT = sizeof VALUES / sizeof *VALUES };

#pragma omp declare target
template <typename T> void evaluate(T x, T *out) {
    int n = 0;
    out[n++] = std::exp(x);
    out[n++] = std::exp2(x);
    out[n++] = std::log(x);
    out[n++] = std::log2(x);
    out[n++] = std::log10(x);
    out[n++] = std::sin(x);
    out[n++] = std::cos(x);
    out[n++] = std::tan(x);
    out[n++] = std::atan(x);
    out[n++] = std::tanh(x);
    out[n++] = std::erf(x);
    out[n++] = std::atan2(x, static_cast<T>(-2));
    out[n++] = std::atan2(x, static_cast<T>(0));
    out[n++] = std::pow(x, static_cast<T>(0.5));
    out[n++] = std::pow(static_cast<T>(0.75), x);
    // What a product loses in rounding.
    T product = x * static_cast<T>(0.7);
    out[n++] = std::fma(x, static_cast<T>(0.7), -product);
}
#pragma omp end declare target

// The same number, sign included, or close to it.
template <typename T> static bool alike(T is, T expected) {
    if (is == expected)
        return is != 0 || std::signbit(is) == std::signbit(expected);
    if (is != is || expected != expected || std::isinf(expected))
        return is != is && expected != expected;
    T step = std::nextafter(std::fabs(expected), std::numeric_limits<T>::infinity()) - std::fabs(expected);
    return std::fabs(is - expected) <= 4 * step;
}

template <typename T> static void functions() {
    T values[COUNT], device[COUNT][FUNCTIONS], host[FUNCTIONS];
    for (int i = 0; i < COUNT; i++)
        values[i] = static_cast<T>(VALUES[i]);
#pragma omp target teams distribute parallel for map(to : values) map(from : device)
    for (int i = 0; i < COUNT; i++)
        evaluate(values[i], device[i]);
    for (int i = 0; i < COUNT; i++) {
        evaluate(values[i], host);
        for (int f = 0; f < FUNCTIONS; f++)
            if (!alike(device[i][f], host[f])) {
                double is = device[i][f], expected = host[f];
                printf("function %d of %g is %g, not %g\n", f, static_cast<double>(values[i]), is, expected);
                EXPECT(false, true);
            }
    }
}

template <typename T> static void powers() {
    T values[COUNT], device[COUNT][COUNT];
    for (int i = 0; i < COUNT; i++)
        values[i] = static_cast<T>(VALUES[i]);
#pragma omp target teams distribute parallel for collapse(2) map(to : values) map(from : device)
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < COUNT; k++)
            device[i][k] = std::pow(values[i], values[k]);
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < COUNT; k++) {
            T expected = std::pow(values[i], values[k]);
            if (!alike(device[i][k], expected)) {
                double base = values[i], exponent = values[k], is = device[i][k];
                printf("%g to the power of %g is %g, not %g\n", base, exponent, is, static_cast<double>(expected));
                EXPECT(false, true);
            }
        }
}

int main() {
    functions<float>();
    functions<double>();
    powers<float>();
    powers<double>();
    return done();
}
