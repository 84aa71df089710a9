// backprop: one layer of a neural network. The forward pass has few outer and very many inner iterations (hidden
// units, inputs; a sum), the adjustment of the weights few inner ones (outer loop: inputs). Weights of one input lie
// together: the forward pass reads with a stride.
#include "nested.h"

enum { HIDDEN = 16 };

static int inputs;
static float *values, *weights, *given, *expected_weights, units[HIDDEN], expected_units[HIDDEN], deltas[HIDDEN];
static Kernel kernels[2];

static inline float squash(double sum) { return (float)(1.0 / (1.0 + exp(-sum))); }

static inline float adjusted(float weight, float delta, float value) { return weight + 0.3f * delta * value; }

static void setup(int size) {
    inputs = 256 * size * size;
    kernels[0].outer = kernels[1].inner = HIDDEN;
    kernels[0].inner = kernels[1].outer = inputs;
    values = allocate(inputs, sizeof *values);
    weights = allocate((long)inputs * HIDDEN, sizeof *weights);
    given = allocate((long)inputs * HIDDEN, sizeof *weights);
    expected_weights = allocate((long)inputs * HIDDEN, sizeof *weights);
    for (int i = 0; i < inputs; i++)
        values[i] = (float)draw_unit();
    for (int i = 0; i < inputs * HIDDEN; i++)
        given[i] = (float)(draw_unit() - 0.5) / 16;
    for (int h = 0; h < HIDDEN; h++) {
        double sum = 0;
        deltas[h] = (float)draw_unit();
        for (int i = 0; i < inputs; i++)
            sum += values[i] * (double)given[i * HIDDEN + h];
        expected_units[h] = squash(sum);
        for (int i = 0; i < inputs; i++)
            expected_weights[i * HIDDEN + h] = adjusted(given[i * HIDDEN + h], deltas[h], values[i]);
    }
#pragma omp target enter data map(to : values[0 : inputs], deltas) map(alloc : weights[0 : inputs * HIDDEN], units)
}

static void reset(void) {
    memcpy(weights, given, (long)inputs * HIDDEN * sizeof *weights);
    memset(units, 0xff, sizeof units);
#pragma omp target update to(weights[0 : inputs * HIDDEN], units)
}

static void forward_spmd(void) {
#pragma omp target teams distribute parallel for
    for (int h = 0; h < HIDDEN; h++) {
        double sum = 0;
        for (int i = 0; i < inputs; i++)
            sum += values[i] * (double)weights[i * HIDDEN + h];
        units[h] = squash(sum);
    }
}

static void forward_nested(void) {
#pragma omp target teams distribute
    for (int h = 0; h < HIDDEN; h++) {
        double sum = 0;
#pragma omp parallel for reduction(+ : sum)
        for (int i = 0; i < inputs; i++)
            sum += values[i] * (double)weights[i * HIDDEN + h];
        units[h] = squash(sum);
    }
}

static void adjust_spmd(void) {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < inputs; i++)
        for (int h = 0; h < HIDDEN; h++)
            weights[i * HIDDEN + h] = adjusted(weights[i * HIDDEN + h], deltas[h], values[i]);
}

static void adjust_nested(void) {
#pragma omp target teams distribute
    for (int i = 0; i < inputs; i++) {
#pragma omp parallel for
        for (int h = 0; h < HIDDEN; h++)
            weights[i * HIDDEN + h] = adjusted(weights[i * HIDDEN + h], deltas[h], values[i]);
    }
}

static long wrong(void) {
#pragma omp target update from(weights[0 : inputs * HIDDEN], units)
    return differing_floats(units, expected_units, HIDDEN, 1e-5) +
           differing_floats(weights, expected_weights, (long)inputs * HIDDEN, 1e-6);
}

static Kernel kernels[2] = {{.name = "backprop:forward", .paper = "1:4,000", .shape = {forward_spmd, forward_nested}},
                            {.name = "backprop:adjust", .paper = "4,000:1", .shape = {adjust_spmd, adjust_nested}}};

int main(int argc, char **argv) {
    return measure(argc, argv, &(Program){.setup = setup, .reset = reset, .wrong = wrong, KERNELS(kernels)});
}
