// A unit beside complex_products.c, with <complex.h>: clang's form of it defines the support library's functions here,
// weak ones.
#include <complex.h>

float complex quotient_of_unit(float complex z, float complex w) {
    float complex quotient;
#pragma omp target map(to : z, w) map(from : quotient)
    quotient = z / w;
    return quotient;
}
