// Every conversion between floating point and 128-bit integers, as hexadecimal digits: compiled in two ways, the output must be the same.
#include <stdint.h>
#include <stdio.h>
#include <string.h>
typedef __int128 i128;
typedef unsigned __int128 u128;

static void wide(u128 v) {
    printf(" %016llx%016llx", (unsigned long long)(v >> 64), (unsigned long long)v);
}

// xorshift, by Marsaglia.
static uint64_t next(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

int main(void) {
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        uint64_t high = next(&state), low = next(&state);
        // Of every width; some with a few bits that decide how to round.
        u128 v = ((u128)high << 64 | low) >> (i % 128);
        if (i % 3 == 0)
            v = (v | (u128)1 << (127 - i % 100)) & ~(u128)0 << (i % 61);
        i128 s = i % 2 ? -(i128)v : (i128)v;
        float f[2] = {(float)v, (float)s};
        double d[2] = {(double)v, (double)s};
        uint32_t f_bits[2];
        uint64_t d_bits[2];
        memcpy(f_bits, f, sizeof f);
        memcpy(d_bits, d, sizeof d);
        printf("%08x %08x %016llx %016llx", f_bits[0], f_bits[1], (unsigned long long)d_bits[0], (unsigned long long)d_bits[1]);
        // Back, where the value fits.
        if (d[0] < 0x1p127) {
            wide((u128)d[0]);
            wide((u128)(i128)d[1]);
        }
        if (f[0] < 0x1p127f) {
            wide((u128)f[0]);
            wide((u128)(i128)f[1]);
        }
        double broken = (double)(int64_t)high / 0x1p40;
        wide((u128)(i128)broken);
        wide((u128)(i128)(float)broken);
        printf("\n");
    }
}
