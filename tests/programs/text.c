// snprintf and strtod and their families: what the device makes of values and texts is what the host's C library does.

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { CASES = 40, WIDTH = 64, VALUES = 7, NUMBERS = 15 };

#pragma omp begin declare target
// Through a function with variable arguments of its own.
static int through(char *out, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(out, size, format, arguments);
    va_end(arguments);
    return length;
}

static int texts(char (*out)[WIDTH], int i, double d, const char *text) {
    int n = 0, length = 0;
    long l = (long)i * 1000000007;
#define TRY(...) length += snprintf(out[n++], WIDTH, __VA_ARGS__)
    TRY("%d|%5d|%-5d|%05d|%+d", i, i, i, i, i);
    TRY("%x %#x %X %o %u", i, i, i, i, i);
    TRY("%ld %lld %lu %zu %hd %hhd", l, (long long)l, (unsigned long)l, (size_t)l, (short)i, (signed char)i);
    TRY("%c%s%c", 'a' + i % 26, text, 'z');
    TRY("%10s|%-10s|%.2s", text, text, text);
    TRY("%f", d);
    TRY("%.0f %.1f %.10f", d, d, d);
    TRY("%e %.3E", d, d);
    TRY("%g %G %#g", d, d, d);
    TRY("%a %.2A", d, d);
    TRY("%*d %.*f", 8, i, 3, d);
    TRY("%d %f %d %f %s", i, d, i, d, text);
    TRY("%%%p", (void *)0);
    TRY("cut: %s %s %s %s %s %s %s %s %s %s", text, text, text, text, text, text, text, text, text, text);
    length += through(out[n++], WIDTH, "%s: %d %g %ld", text, i, d, l);
    length += through(out[n++], 5, "%s: %d", text, i);
    length += sprintf(out[n++], "%d-%s", i, text);
    length += snprintf(NULL, 0, "%d %f", i, d);
    return length * 100 + n;
}

static double numbers(const char (*in)[WIDTH], int *taken) {
    double sum = 0;
    for (int i = 0; i < NUMBERS; i++) {
        char *end;
        double value = strtod(in[i], &end);
        taken[i] = (int)(end - in[i]);
        sum += value * (i + 1) + strtof(in[i], NULL) + atof(in[i]);
    }
    return sum;
}
#pragma omp end declare target

static void formatting(void) {
    double values[VALUES] = {0, -1.5, 0.1, 1e10, 123456.789, 9.999999e-5, -2.5e-300};
    for (int k = 0; k < VALUES; k++) {
        char device[CASES][WIDTH] = {{0}}, host[CASES][WIDTH] = {{0}};
        int on_device = 0, i = k * k * 1777 - 3;
        double value = values[k];
#pragma omp target map(tofrom : device, on_device)
        on_device = texts(device, i, value, "some text");
        EXPECT(on_device, texts(host, i, value, "some text"));
        for (int n = 0; n < CASES; n++) {
            EXPECT(strcmp(device[n], host[n]), 0);
            if (strcmp(device[n], host[n]))
                printf("'%s' for '%s'\n", device[n], host[n]);
        }
    }
}

static void parsing(void) {
    char in[NUMBERS][WIDTH] = {"1.5",  "  -2.25e3x", "0x1.8p4", ".5",         "5.",       "1e400",   "-0",    "text",
                               "1e-5", "0.1",        "0x",      "12345678.9", "4.9e-324", "1e+",     "\t7 8"};
    strcpy(in[5], "1e30");
    int device_taken[NUMBERS] = {0}, host_taken[NUMBERS] = {0};
    double on_device = 0;
#pragma omp target map(to : in) map(tofrom : device_taken, on_device)
    on_device = numbers(in, device_taken);
    EXPECT(on_device == numbers(in, host_taken), 1);
    for (int i = 0; i < NUMBERS; i++)
        EXPECT(device_taken[i], host_taken[i]);
}

// Every thread has a buffer of its own.
static void everywhere(void) {
    int wrong = 0;
#pragma omp target teams distribute parallel for reduction(+ : wrong)
    for (int i = 0; i < 2000; i++) {
        char text[32];
        snprintf(text, sizeof text, "%d.25", i);
        wrong += strtod(text, NULL) != i + 0.25;
    }
    EXPECT(wrong, 0);
}

int main(void) {
    formatting();
    parsing();
    everywhere();
    return done();
}
