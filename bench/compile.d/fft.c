// Fourier transforms of 512 points, a team for each: what a kernel with many live values costs the compiler. A thread
// has 8 points in registers. Between three transforms of 8 points the team exchanges them through its memory.
// `omptarget bench compile` compiles and runs it.
#include <math.h>
#include <omp.h>
#include <stdio.h>

enum { POINTS = 512, THREADS = 64, EACH = 8, TEAMS = 16 };

static double in_re[TEAMS * POINTS], in_im[TEAMS * POINTS], out_re[TEAMS * POINTS], out_im[TEAMS * POINTS];

#pragma omp declare target
static inline void multiply(double *re, double *im, double c, double s) {
    double r = *re * c - *im * s;
    *im = *re * s + *im * c;
    *re = r;
}

static inline void butterfly(double *re, double *im, int a, int b) {
    double r = re[a] - re[b], i = im[a] - im[b];
    re[a] += re[b];
    im[a] += im[b];
    re[b] = r;
    im[b] = i;
}

// A transform of 8 points; point k of the result is at the place that has k's three bits in reverse.
static inline void transform(double *re, double *im) {
    const double half = 0.70710678118654752440;
    const double c[4] = {1, half, 0, -half}, s[4] = {0, -half, -1, -half};
#pragma unroll
    for (int span = 4; span > 0; span /= 2)
#pragma unroll
        for (int k = 0; k < 8; k++)
            if ((k & span) == 0) {
                int step = (k & (span - 1)) * (4 / span);
                butterfly(re, im, k, k + span);
                multiply(&re[k + span], &im[k + span], c[step], s[step]);
            }
}

static inline int reversed(int k) { return (k & 1) * 4 + (k & 2) + (k & 4) / 4; }

// Turns point k by `place * k` steps of a circle of `points`.
static inline void turn(double *re, double *im, int place, int points) {
    double angle = -2 * M_PI * place / points, c = cos(angle), s = sin(angle), c_k = 1, s_k = 0;
#pragma unroll
    for (int k = 1; k < EACH; k++) {
        multiply(&c_k, &s_k, c, s);
        multiply(&re[reversed(k)], &im[reversed(k)], c_k, s_k);
    }
}
#pragma omp end declare target

static void fft(int inverse) {
    double sign = inverse ? -1 : 1;
#pragma omp target teams num_teams(TEAMS) thread_limit(THREADS) map(to : in_re, in_im) map(from : out_re, out_im)
    {
        double shared[POINTS + POINTS / 8];
#pragma omp parallel num_threads(THREADS)
        {
            int thread = omp_get_thread_num(), high = thread / 8, low = thread % 8;
            int first = omp_get_team_num() * POINTS + thread;
            double re[EACH], im[EACH];
#pragma unroll
            for (int k = 0; k < EACH; k++) {
                re[k] = in_re[first + k * THREADS];
                im[k] = sign * in_im[first + k * THREADS];
            }
            transform(re, im);
            turn(re, im, thread, 512);
#pragma unroll
            for (int part = 0; part < 2; part++) {
                double *value = part ? im : re;
#pragma omp barrier
#pragma unroll
                for (int k = 0; k < EACH; k++)
                    shared[k * 72 + thread + high] = value[reversed(k)];
#pragma omp barrier
#pragma unroll
                for (int k = 0; k < EACH; k++)
                    value[k] = shared[high * 72 + k * 9 + low];
            }
            transform(re, im);
            turn(re, im, low, 64);
#pragma unroll
            for (int part = 0; part < 2; part++) {
                double *value = part ? im : re;
#pragma omp barrier
#pragma unroll
                for (int k = 0; k < EACH; k++)
                    shared[high * 72 + k * 9 + low] = value[reversed(k)];
#pragma omp barrier
#pragma unroll
                for (int k = 0; k < EACH; k++)
                    value[k] = shared[high * 72 + low * 9 + k];
            }
            transform(re, im);
#pragma unroll
            for (int k = 0; k < EACH; k++) {
                // The three digits of a point's number, first last.
                int to = omp_get_team_num() * POINTS + k * 64 + low * 8 + high;
                out_re[to] = re[reversed(k)];
                out_im[to] = sign * im[reversed(k)];
            }
        }
    }
}

int main(void) {
    for (int i = 0; i < TEAMS * POINTS; i++) {
        in_re[i] = (i * 37 % 101) / 100.0;
        in_im[i] = (i * 53 % 89) / 100.0;
    }
    fft(0);
    double worst = 0;
    for (int k = 0; k < POINTS; k += 73) {
        double re = 0, im = 0;
        for (int i = 0; i < POINTS; i++) {
            double angle = -2 * M_PI * ((long)i * k % POINTS) / POINTS;
            re += in_re[i] * cos(angle) - in_im[i] * sin(angle);
            im += in_re[i] * sin(angle) + in_im[i] * cos(angle);
        }
        worst = fmax(worst, fmax(fabs(re - out_re[k]), fabs(im - out_im[k])));
    }
    printf("%s\n", worst < 1e-9 ? "PASS" : "FAIL");
    return worst < 1e-9 ? 0 : 1;
}
