// blackscholes: prices of European options; limited by exp, log and square root.

#include "bench.h"

enum { N = 1 << 18 };
static const float rate = 0.02f, volatility = 0.30f;
static float *price, *strike, *years, *call, *put;

// The normal distribution's integral, by Abramowitz and Stegun 26.2.17.
static inline float normal(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float sum = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * expf(-0.5f * d * d) * sum;
    return d > 0.0f ? 1.0f - tail : tail;
}

static void prepare(void) {
    float **arrays[] = {&price, &strike, &years, &call, &put};
    const float low[] = {5.0f, 1.0f, 0.25f, 0.0f, 0.0f}, high[] = {30.0f, 100.0f, 10.0f, 0.0f, 0.0f};
    for (int array = 0; array < 5; array++) {
        *arrays[array] = make(N * sizeof(float));
        for (int i = 0; i < N; i++)
            (*arrays[array])[i] = random_float(low[array], high[array]);
        send(*arrays[array], N);
    }
}

static void run(void) {
#ifdef BENCH_OPENCL
    static cl_kernel blackscholes;
    if (!blackscholes)
        blackscholes = cl_find("blackscholes");
    ARRAY(blackscholes, 0, price);
    ARRAY(blackscholes, 1, strike);
    ARRAY(blackscholes, 2, years);
    ARRAY(blackscholes, 3, call);
    ARRAY(blackscholes, 4, put);
    VALUE(blackscholes, 5, rate);
    VALUE(blackscholes, 6, volatility);
    cl_launch(blackscholes, N, 1, 128, 1);
#else
    float r = rate, v = volatility;
    PARALLEL_FOR()
    for (int i = 0; i < N; i++) {
        float root = sqrtf(years[i]);
        float d1 = (logf(price[i] / strike[i]) + (r + 0.5f * v * v) * years[i]) / (v * root);
        float d2 = d1 - v * root, n1 = normal(d1), n2 = normal(d2), discounted = strike[i] * expf(-r * years[i]);
        call[i] = price[i] * n1 - discounted * n2;
        put[i] = discounted * (1.0f - n2) - price[i] * (1.0f - n1);
    }
#endif
}

static int wrong(void) {
    int bad = 0;
    fetch(call, N);
    fetch(put, N);
    for (int i = 0; i < N; i++) {
        double root = sqrt(years[i]);
        double d1 = (log((double)price[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) / (volatility * root);
        double n1 = 0.5 * erfc(-d1 / sqrt(2.0)), n2 = 0.5 * erfc(-(d1 - volatility * root) / sqrt(2.0));
        double discounted = strike[i] * exp(-(double)rate * years[i]);
        bad += differs(call[i], price[i] * n1 - discounted * n2, 2e-4);
        bad += differs(put[i], discounted * (1.0 - n2) - price[i] * (1.0 - n1), 2e-4);
    }
    return bad;
}
