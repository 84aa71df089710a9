// Products and quotients of complex numbers in a unit without <complex.h>: clang calls its support library's functions
// for them. Infinities and NaNs are those of C 2017, G.5.1; other results agree with the host's but for rounding.
#include <math.h>
#include <stdio.h>

enum { VALUES = 7, PAIRS = VALUES * VALUES * VALUES * VALUES };

static double _Complex products[PAIRS], quotients[PAIRS];
static float _Complex short_products[PAIRS], short_quotients[PAIRS];

float _Complex quotient_of_unit(float _Complex z, float _Complex w); // complex_unit.c

#pragma omp begin declare target
static const double values[VALUES] = {1.5, -0.25, 0.0, -0.0, INFINITY, -INFINITY, NAN};

static double _Complex number(double re, double im) {
    double _Complex z;
    __real__ z = re;
    __imag__ z = im;
    return z;
}

static void numbers(int pair, double *parts) {
    for (int i = 0; i < 4; i++, pair /= VALUES)
        parts[i] = values[pair % VALUES];
}
#pragma omp end declare target

static int close_to(double a, double b, double tolerance) {
    return isnan(a) ? isnan(b) : isinf(a) || isinf(b) ? a == b : fabs(a - b) <= tolerance * (fabs(a) + fabs(b));
}

// An infinite number may have any other part.
static int same(double _Complex a, double _Complex b, double tolerance) {
    if (isinf(__real__ a) || isinf(__imag__ a))
        return isinf(__real__ b) || isinf(__imag__ b);
    return close_to(__real__ a, __real__ b, tolerance) && close_to(__imag__ a, __imag__ b, tolerance);
}

int main(void) {
    int wrong = 0;
#pragma omp target teams distribute parallel for map(from : products, quotients, short_products, short_quotients)
    for (int pair = 0; pair < PAIRS; pair++) {
        double p[4];
        numbers(pair, p);
        double _Complex z = number(p[0], p[1]), w = number(p[2], p[3]);
        float _Complex short_z = z, short_w = w;
        products[pair] = z * w;
        quotients[pair] = z / w;
        short_products[pair] = short_z * short_w;
        short_quotients[pair] = short_z / short_w;
    }
    for (int pair = 0; pair < PAIRS; pair++) {
        double p[4];
        numbers(pair, p);
        double _Complex z = number(p[0], p[1]), w = number(p[2], p[3]);
        float _Complex short_z = z, short_w = w;
        int good[] = {same(z * w, products[pair], 1e-14), same(z / w, quotients[pair], 1e-14),
                      same(short_z * short_w, short_products[pair], 1e-6),
                      same(short_z / short_w, short_quotients[pair], 1e-6)};
        for (int i = 0; i < 4; i++)
            if (!good[i] && wrong++ < 10)
                printf("(%g, %g) and (%g, %g): result %d differs\n", p[0], p[1], p[2], p[3], i);
    }
    float _Complex quotient = quotient_of_unit(number(3, 4), number(1, 2));
    if (!same(number(2.2, -0.4), quotient, 1e-6)) {
        printf("in the other unit the quotient is (%g, %g)\n", __real__ quotient, __imag__ quotient);
        wrong++;
    }
    puts(wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
