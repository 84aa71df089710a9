// Mathematics that reaches the device as LLVM's intrinsics, not as calls of the library: builtins, in every precision
// and by element of a vector, and clang's `scan`. Against the same on the host.
#include <math.h>

#include "check.h"

typedef float float4 __attribute__((ext_vector_type(4)));
typedef double double2 __attribute__((ext_vector_type(2)));

enum { DOUBLES = 26, SINGLES = 17 };

#pragma omp declare target
static void doubles(double x, double *out) {
    int n = 0;
    out[n++] = __builtin_acos(x / 2);
    out[n++] = __builtin_asin(x / 2);
    out[n++] = __builtin_atan(x);
    out[n++] = __builtin_atan2(x, 3.0);
    out[n++] = __builtin_cos(x);
    out[n++] = __builtin_cosh(x);
    out[n++] = __builtin_exp(x);
    out[n++] = __builtin_exp10(x);
    out[n++] = __builtin_exp2(x);
    out[n++] = __builtin_log(x);
    out[n++] = __builtin_log10(x);
    out[n++] = __builtin_log2(x);
    out[n++] = __builtin_pow(x, 1.25);
    out[n++] = __builtin_powi(x, -3);
    out[n++] = __builtin_sin(x);
    out[n++] = __builtin_sinh(x);
    out[n++] = __builtin_tan(x);
    out[n++] = __builtin_tanh(x);
    double whole, sine, cosine;
    out[n++] = __builtin_modf(-3.75 * x, &whole);
    out[n++] = whole;
    __builtin_sincos(2 * x, &sine, &cosine);
    out[n++] = sine;
    out[n++] = cosine;
    out[n++] = __builtin_lround(2.5 * x) + __builtin_lrint(2.5 * x);
    out[n++] = __builtin_llround(-2.5 * x) + __builtin_llrint(-2.5 * x);
    double2 both = __builtin_elementwise_log((double2){x, 2 * x});
    out[n++] = both.x;
    out[n++] = both.y;
}

static void singles(float x, float *out) {
    int n = 0;
    out[n++] = __builtin_acosf(x / 2);
    out[n++] = __builtin_cosf(x);
    out[n++] = __builtin_expf(x);
    out[n++] = __builtin_exp10f(x);
    out[n++] = __builtin_exp2f(x);
    out[n++] = __builtin_logf(x);
    out[n++] = __builtin_log10f(x);
    out[n++] = __builtin_log2f(x);
    out[n++] = __builtin_powf(x, 1.25f);
    out[n++] = __builtin_powif(x, -3);
    out[n++] = __builtin_sinf(100000 * x);
    out[n++] = __builtin_lroundf(2.5f * x);
    float4 all = __builtin_elementwise_sin((float4){x, 2 * x, 3 * x, 4 * x});
    for (int i = 0; i < 4; i++)
        out[n++] = all[i];
    float whole;
    out[n++] = __builtin_modff(2.5f * x, &whole) + whole;
}
#pragma omp end declare target

// `x` is known on the device alone.
static void builtins(double x) {
    double of_device[DOUBLES], of_host[DOUBLES];
    float single_of_device[SINGLES], single_of_host[SINGLES];
    int infinite = 0;
#pragma omp target map(from : of_device, single_of_device) map(tofrom : infinite)
    {
        doubles(x, of_device);
        singles((float)x, single_of_device);
        double whole, rest = __builtin_modf(-1e300 * x * 1e300, &whole);
        infinite = rest == 0 && __builtin_signbit(rest) && __builtin_isinf(whole);
    }
    doubles(x, of_host);
    singles((float)x, single_of_host);
    for (int i = 0; i < DOUBLES; i++)
        EXPECT_NEAR(of_device[i], of_host[i], 1e-14);
    for (int i = 0; i < SINGLES; i++)
        EXPECT_NEAR(single_of_device[i], single_of_host[i], 1e-6);
    EXPECT(infinite, 1);
}

// The number of rounds is a logarithm that clang has computed on the device.
static void scans(int n) {
    int sums[100], sum = 0;
#pragma omp target map(from : sums) map(tofrom : sum)
#pragma omp parallel for reduction(inscan, + : sum)
    for (int i = 0; i < n; i++) {
        sum += i;
#pragma omp scan inclusive(sum)
        sums[i] = sum;
    }
    for (int i = 0; i < n; i++)
        EXPECT(sums[i], i * (i + 1) / 2);
}

int main(int argc, char **argv) {
    (void)argv;
    builtins(argc * 0.75);
    scans(argc * 100);
    return done();
}
