// binomial: European options by a lattice of 254 steps, two barriers for every two levels.

#include "bench.h"

enum { N = 64, STEPS = 254 };
static float *price, *strike, *value;
static float up, discount, chance;

static void prepare(void) {
    price = make(N * sizeof *price), strike = make(N * sizeof *strike), value = make(N * sizeof *value);
    for (int i = 0; i < N; i++)
        price[i] = random_float(5.0f, 30.0f), strike[i] = random_float(1.0f, 100.0f), value[i] = 0.0f;
    double step = 1.0 / STEPS, rate = 0.02, volatility = 0.3;
    up = volatility * sqrt(step);
    discount = exp(-rate * step);
    chance = (exp(rate * step) - exp(-up)) / (exp(up) - exp(-up));
    send(price, N);
    send(strike, N);
    send(value, N);
}

static void run(void) {
    static cl_kernel binomial;
    if (!binomial)
        binomial = cl_find("binomial");
    ARRAY(binomial, 0, price);
    ARRAY(binomial, 1, strike);
    ARRAY(binomial, 2, value);
    cl_pass(binomial, 3, (STEPS + 1) * sizeof(float), NULL);
    cl_pass(binomial, 4, (STEPS + 1) * sizeof(float), NULL);
    VALUE(binomial, 5, up);
    VALUE(binomial, 6, discount);
    VALUE(binomial, 7, chance);
    cl_launch(binomial, N * (STEPS + 1), 1, STEPS + 1, 1);
}

static int wrong(void) {
    int bad = 0;
    fetch(value, N);
    for (int option = 0; option < N; option++) {
        double nodes[STEPS + 1];
        for (int i = 0; i <= STEPS; i++)
            nodes[i] = fmax(price[option] * exp(up * (2.0 * i - STEPS)) - strike[option], 0.0);
        for (int level = STEPS; level > 0; level--)
            for (int i = 0; i < level; i++)
                nodes[i] = discount * (chance * nodes[i + 1] + (1.0 - chance) * nodes[i]);
        bad += differs(value[option], nodes[0], 1e-3);
    }
    return bad;
}
