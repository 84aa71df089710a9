// What a region captures by value and reads through an address that it chooses (codegen-llvm:
// device/captured_values.rs).
#include <algorithm>

#include "check.h"

enum { N = 64 };

static const int *lesser(const int *one, const int *other) {
    return *other < *one ? other : one;
}

static void integers(int limit) {
    int out[N], chosen[N];
#pragma omp target teams distribute parallel for map(from : out, chosen)
    for (int i = 0; i < N; i++) {
        int own = i / 4 + 1;
        out[i] = std::min(own, limit);
        chosen[i] = *lesser(&own, &limit);
    }
    for (int i = 0; i < N; i++) {
        EXPECT(out[i], i / 4 + 1 < limit ? i / 4 + 1 : limit);
        EXPECT(chosen[i], out[i]);
    }
}

template <typename T> static void others(T limit) {
    T out[N];
#pragma omp target teams distribute parallel for map(from : out)
    for (int i = 0; i < N; i++)
        out[i] = std::max(T(i), limit);
    for (int i = 0; i < N; i++)
        EXPECT(out[i], T(i) > limit ? T(i) : limit);
}

static void generic(int limit) {
    int out[N];
#pragma omp target teams distribute map(from : out)
    for (int i = 0; i < N; i++) {
        int own = i / 2;
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 0)
            out[i] = std::min(own, limit);
    }
    for (int i = 0; i < N; i++)
        EXPECT(out[i], i / 2 < limit ? i / 2 : limit);
}

int main() {
    integers(9);
    others<short>(17);
    others<unsigned>(18);
    others<float>(19.5f);
    others<double>(20.5);
    others<char>(21);
    others<long>(22);
    generic(11);
    return done();
}
