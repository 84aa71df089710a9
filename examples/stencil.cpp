// stencil: many launches on data that stays on the device, looked at now and then.
//
// `target data` keeps two grids on the device for the whole run; every step is one kernel that reads one
// grid and writes the other. `target update` copies a single row back to watch it, and sends a changed
// row there in the middle of the run: partial copies in both directions.
//
//     omptarget run examples/stencil.cpp

#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

namespace {

constexpr int ROWS = 96, COLUMNS = 130, STEPS = 100, PROBE = ROWS / 2;

// A view of a grid: what a kernel captures is the pointer, and the pointer is translated to the device.
template <typename T> struct Heat {
    T rate;

    T operator()(const T *grid, int row, int column) const {
#pragma clang fp contract(off)
        const T *here = grid + row * COLUMNS + column;
        return *here + rate * (here[-1] + here[1] + here[-COLUMNS] + here[COLUMNS] - 4 * *here);
    }
};

template <typename T> std::vector<T> initial() {
    std::vector<T> grid(ROWS * COLUMNS);
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            grid[row * COLUMNS + column] = (row * 31 + column * 17) % 100;
    return grid;
}

template <typename T> void heat_row(T *grid) {
    for (int column = 0; column < COLUMNS; column++)
        grid[PROBE * COLUMNS + column] += 50;
}

template <typename T> std::vector<T> on_device(Heat<T> heat) {
    std::vector<T> first = initial<T>(), second = first;
    T *now = first.data(), *next = second.data();
    constexpr int SIZE = ROWS * COLUMNS;

#pragma omp target data map(tofrom : now[0 : SIZE]) map(to : next[0 : SIZE])
    {
        for (int step = 0; step < STEPS; step++) {
            // The pointers swap on the host; each names a mapped grid, so each finds its copy.
#pragma omp target teams distribute parallel for collapse(2) firstprivate(heat)
            for (int row = 1; row < ROWS - 1; row++)
                for (int column = 1; column < COLUMNS - 1; column++)
                    next[row * COLUMNS + column] = heat(now, row, column);
            std::swap(now, next);

            if (step == STEPS / 2) {
#pragma omp target update from(now[PROBE * COLUMNS : COLUMNS])
                heat_row(now);
#pragma omp target update to(now[PROBE * COLUMNS : COLUMNS])
            }
        }
        // After an even number of swaps `now` is `first`, which goes back to the host.
    }
    return first;
}

template <typename T> std::vector<T> on_host(Heat<T> heat) {
    std::vector<T> now = initial<T>(), next = now;
    for (int step = 0; step < STEPS; step++) {
        for (int row = 1; row < ROWS - 1; row++)
            for (int column = 1; column < COLUMNS - 1; column++)
                next[row * COLUMNS + column] = heat(now.data(), row, column);
        std::swap(now, next);
        if (step == STEPS / 2)
            heat_row(now.data());
    }
    return now;
}

template <typename T> int check(const char *type) {
    static_assert(STEPS % 2 == 0, "the grid that goes back is the one the last step wrote");
    const Heat<T> heat{static_cast<T>(0.1)};
    const std::vector<T> device = on_device(heat), host = on_host(heat);
    int wrong = 0;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        if (device[i] != host[i] && ++wrong <= 5)
            std::printf("%s: cell (%d, %d) is %.17g, expected %.17g\n", type, i / COLUMNS, i % COLUMNS,
                        static_cast<double>(device[i]), static_cast<double>(host[i]));
    std::printf("%s: after %d steps the centre has %.6f\n", type, STEPS,
                static_cast<double>(device[PROBE * COLUMNS + COLUMNS / 2]));
    return wrong;
}

} // namespace

int main() {
    int wrong = check<float>("float") + check<double>("double");
    std::printf(wrong ? "FAIL: %d cells differ\n" : "PASS\n", wrong);
    return wrong != 0;
}
