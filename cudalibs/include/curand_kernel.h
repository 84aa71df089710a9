// Random numbers in kernels, for programs that are compiled with no file of NVIDIA's: XORWOW and Philox4x32-10, with
// cuRAND's names and sequences. XORWOW: G. Marsaglia, "Xorshift RNGs", 2003. Philox: J. Salmon et al., "Parallel random
// numbers: as easy as 1, 2, 3", 2011.
#ifndef CURAND_KERNEL_H_
#define CURAND_KERNEL_H_

#include <math.h>

#include <curand.h>
#include <curand_xorwow_jumps.h>
#include <vector_types.h>

#define OMPTARGET_RANDOM static inline __attribute__((device))

struct curandStateXORWOW {
    unsigned int d, v[5];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned int STATE;
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

OMPTARGET_RANDOM void omptarget_xorwow_step(unsigned int *v) {
    unsigned int t = v[0] ^ v[0] >> 2;
    v[0] = v[1];
    v[1] = v[2];
    v[2] = v[3];
    v[3] = v[4];
    v[4] = (v[4] ^ v[4] << 4) ^ (t ^ t << 1);
}

// n * 2^shift steps.
OMPTARGET_RANDOM void omptarget_xorwow_skip(unsigned int *v, unsigned long long n, int shift) {
    for (int power = 0; n >> power; power++) {
        if (!(n >> power & 1)) {
            continue;
        }
        unsigned int sum[5] = {0, 0, 0, 0, 0};
        for (int term = 0; term < 160; term++) {
            unsigned int taken = -(omptarget_xorwow_jumps[power + shift][term / 32] >> term % 32 & 1);
            for (int word = 0; word < 5; word++) {
                sum[word] ^= taken & v[word];
            }
            omptarget_xorwow_step(v);
        }
        for (int word = 0; word < 5; word++) {
            v[word] = sum[word];
        }
        if (power == 63) {
            return;
        }
    }
}

OMPTARGET_RANDOM void skipahead(unsigned long long n, curandStateXORWOW_t *state) {
    omptarget_xorwow_skip(state->v, n, 0);
    state->d += 362437u * (unsigned int)n;
}

// Sequences are 2^67 steps apart.
OMPTARGET_RANDOM void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *state) {
    omptarget_xorwow_skip(state->v, n, 67);
}

OMPTARGET_RANDOM void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                                  curandStateXORWOW_t *state) {
    unsigned int low = ((unsigned int)seed ^ 0xaad26b49u) * 1099087573u;
    unsigned int high = ((unsigned int)(seed >> 32) ^ 0xf7dcefddu) * 2591861531u;
    state->d = 6615241u + high + low;
    state->v[0] = 123456789u + low;
    state->v[1] = 362436069u ^ low;
    state->v[2] = 521288629u + high;
    state->v[3] = 88675123u ^ high;
    state->v[4] = 5783321u + low;
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0.0f;
    state->boxmuller_extra_double = 0.0;
    skipahead_sequence(sequence, state);
    skipahead(offset, state);
}

OMPTARGET_RANDOM unsigned int curand(curandStateXORWOW_t *state) {
    omptarget_xorwow_step(state->v);
    state->d += 362437u;
    return state->v[4] + state->d;
}

OMPTARGET_RANDOM uint4 omptarget_philox(uint4 c, uint2 k) {
    for (int round = 0; round < 10; round++) {
        unsigned long long p = 0xD2511F53ull * c.x, q = 0xCD9E8D57ull * c.z;
        uint4 next = {(unsigned int)(q >> 32) ^ c.y ^ k.x, (unsigned int)q, (unsigned int)(p >> 32) ^ c.w ^ k.y,
                      (unsigned int)p};
        c = next;
        k.x += 0x9E3779B9u;
        k.y += 0xBB67AE85u;
    }
    return c;
}

OMPTARGET_RANDOM void omptarget_philox_count(unsigned long long n, unsigned int *low, unsigned int *high) {
    unsigned long long sum = ((unsigned long long)*high << 32 | *low) + n;
    *low = (unsigned int)sum;
    *high = (unsigned int)(sum >> 32);
}

OMPTARGET_RANDOM void omptarget_philox_add(unsigned long long n, curandStatePhilox4_32_10_t *state) {
    unsigned long long before = (unsigned long long)state->ctr.y << 32 | state->ctr.x;
    omptarget_philox_count(n, &state->ctr.x, &state->ctr.y);
    if (before + n < before) {
        omptarget_philox_count(1, &state->ctr.z, &state->ctr.w);
    }
}

OMPTARGET_RANDOM void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *state) {
    state->STATE += (unsigned int)(n & 3);
    n /= 4;
    if (state->STATE > 3) {
        n++;
        state->STATE -= 4;
    }
    omptarget_philox_add(n, state);
    state->output = omptarget_philox(state->ctr, state->key);
}

OMPTARGET_RANDOM void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *state) {
    omptarget_philox_count(n, &state->ctr.z, &state->ctr.w);
    state->output = omptarget_philox(state->ctr, state->key);
}

OMPTARGET_RANDOM void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                                  curandStatePhilox4_32_10_t *state) {
    state->ctr.x = state->ctr.y = state->ctr.z = state->ctr.w = 0;
    state->key.x = (unsigned int)seed;
    state->key.y = (unsigned int)(seed >> 32);
    state->STATE = 0;
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0.0f;
    state->boxmuller_extra_double = 0.0;
    skipahead_sequence(sequence, state);
    skipahead(offset, state);
}

OMPTARGET_RANDOM void omptarget_philox_next(curandStatePhilox4_32_10_t *state) {
    omptarget_philox_add(1, state);
    state->output = omptarget_philox(state->ctr, state->key);
}

OMPTARGET_RANDOM unsigned int omptarget_philox_word(uint4 block, unsigned int index) {
    return index == 0 ? block.x : index == 1 ? block.y : index == 2 ? block.z : block.w;
}

OMPTARGET_RANDOM unsigned int curand(curandStatePhilox4_32_10_t *state) {
    unsigned int word = omptarget_philox_word(state->output, state->STATE++);
    if (state->STATE == 4) {
        omptarget_philox_next(state);
        state->STATE = 0;
    }
    return word;
}

OMPTARGET_RANDOM uint4 curand4(curandStatePhilox4_32_10_t *state) {
    unsigned int words[4];
    uint4 before = state->output;
    omptarget_philox_next(state);
    for (unsigned int i = 0; i < 4; i++) {
        unsigned int place = state->STATE + i;
        words[i] = place < 4 ? omptarget_philox_word(before, place) : omptarget_philox_word(state->output, place - 4);
    }
    uint4 four = {words[0], words[1], words[2], words[3]};
    return four;
}

// Numbers in (0, 1].
OMPTARGET_RANDOM float omptarget_uniform(unsigned int bits) { return bits * 2.3283064e-10f + 2.3283064e-10f / 2.0f; }

OMPTARGET_RANDOM double omptarget_uniform_double(unsigned int low, unsigned int high) {
    const double step = 1.1102230246251565e-16;
    return ((unsigned long long)low ^ (unsigned long long)high << 21) * step + step / 2.0;
}

OMPTARGET_RANDOM float curand_uniform(curandStateXORWOW_t *state) { return omptarget_uniform(curand(state)); }

OMPTARGET_RANDOM double curand_uniform_double(curandStateXORWOW_t *state) {
    unsigned int low = curand(state);
    return omptarget_uniform_double(low, curand(state));
}

OMPTARGET_RANDOM float curand_uniform(curandStatePhilox4_32_10_t *state) { return omptarget_uniform(curand(state)); }

// As cuRAND has it: of 32 bits.
OMPTARGET_RANDOM double curand_uniform_double(curandStatePhilox4_32_10_t *state) {
    return curand(state) * 2.3283064365386963e-10 + 2.3283064365386963e-10;
}

OMPTARGET_RANDOM float4 curand_uniform4(curandStatePhilox4_32_10_t *state) {
    uint4 bits = curand4(state);
    float4 four = {omptarget_uniform(bits.x), omptarget_uniform(bits.y), omptarget_uniform(bits.z),
                   omptarget_uniform(bits.w)};
    return four;
}

OMPTARGET_RANDOM double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state) {
    uint4 bits = curand4(state);
    double2 two = {omptarget_uniform_double(bits.x, bits.y), omptarget_uniform_double(bits.z, bits.w)};
    return two;
}

// Two normal numbers of two in (0, 1].
OMPTARGET_RANDOM float2 omptarget_box_muller(unsigned int x, unsigned int y) {
    const float step = 2.3283064e-10f * 6.2831855f;
    float radius = sqrtf(-2.0f * logf(omptarget_uniform(x))), angle = y * step + step / 2.0f;
    float2 two = {radius * sinf(angle), radius * cosf(angle)};
    return two;
}

OMPTARGET_RANDOM double2 omptarget_box_muller_double(uint4 bits) {
    double radius = sqrt(-2.0 * log(omptarget_uniform_double(bits.x, bits.y)));
    double angle = 6.283185307179586 * omptarget_uniform_double(bits.z, bits.w);
    double2 two = {radius * sin(angle), radius * cos(angle)};
    return two;
}

// The numbers that both generators make likewise, from pairs of bits. A state keeps the second normal number of two.
#define OMPTARGET_NORMAL(state_t)                                                                                      \
    OMPTARGET_RANDOM float2 curand_normal2(state_t *state) {                                                           \
        unsigned int x = curand(state);                                                                                \
        return omptarget_box_muller(x, curand(state));                                                                 \
    }                                                                                                                  \
    OMPTARGET_RANDOM float curand_normal(state_t *state) {                                                             \
        if (state->boxmuller_flag) {                                                                                   \
            state->boxmuller_flag = 0;                                                                                 \
            return state->boxmuller_extra;                                                                             \
        }                                                                                                              \
        float2 two = curand_normal2(state);                                                                            \
        state->boxmuller_extra = two.y;                                                                                \
        state->boxmuller_flag = 1;                                                                                     \
        return two.x;                                                                                                  \
    }                                                                                                                  \
    OMPTARGET_RANDOM float curand_log_normal(state_t *state, float mean, float deviation) {                            \
        return expf(mean + deviation * curand_normal(state));                                                          \
    }                                                                                                                  \
    OMPTARGET_RANDOM double2 curand_normal2_double(state_t *state) {                                                   \
        uint4 bits;                                                                                                    \
        bits.x = curand(state);                                                                                        \
        bits.y = curand(state);                                                                                        \
        bits.z = curand(state);                                                                                        \
        bits.w = curand(state);                                                                                        \
        return omptarget_box_muller_double(bits);                                                                      \
    }                                                                                                                  \
    OMPTARGET_RANDOM double curand_normal_double(state_t *state) {                                                     \
        if (state->boxmuller_flag_double) {                                                                            \
            state->boxmuller_flag_double = 0;                                                                          \
            return state->boxmuller_extra_double;                                                                      \
        }                                                                                                              \
        double2 two = curand_normal2_double(state);                                                                    \
        state->boxmuller_extra_double = two.y;                                                                         \
        state->boxmuller_flag_double = 1;                                                                              \
        return two.x;                                                                                                  \
    }                                                                                                                  \
    OMPTARGET_RANDOM double curand_log_normal_double(state_t *state, double mean, double deviation) {                  \
        return exp(mean + deviation * curand_normal_double(state));                                                    \
    }

OMPTARGET_NORMAL(curandStateXORWOW_t)
OMPTARGET_NORMAL(curandStatePhilox4_32_10_t)

OMPTARGET_RANDOM float4 curand_normal4(curandStatePhilox4_32_10_t *state) {
    uint4 bits = curand4(state);
    float2 one = omptarget_box_muller(bits.x, bits.y), two = omptarget_box_muller(bits.z, bits.w);
    float4 four = {one.x, one.y, two.x, two.y};
    return four;
}

#undef OMPTARGET_NORMAL

#endif
