// declare_target: functions and globals that exist on the device.
//
// Between `declare target` and `end declare target` everything is compiled for the device too. A global
// there has one copy on the host and one on each device; `target update` moves values between the two. A
// global object with a constructor is constructed on both sides. `link` keeps a big global off the device
// until it is mapped.
//
//     omptarget run examples/declare_target.cpp

#include <cstdio>

namespace {

int wrong = 0;

void expect(const char *what, double is, double expected) {
    if (is != expected) {
        std::printf("%s is %g, expected %g\n", what, is, expected);
        wrong++;
    }
}

} // namespace

#pragma omp declare target

int counter = 5;                             // initialised on both sides
const double coefficients[] = {1, -2, 0.5};  // constant data
int scratch[64];                             // zero on both sides

// Functions and templates that target regions use need only be declared here. Visible ones outside work,
// too: clang adds the functions that a target region calls.
double polynomial(double x) {
    double value = 0;
    for (int i = 2; i >= 0; i--)
        value = value * x + coefficients[i];
    return value;
}

template <typename T> T clamp(T value, T low, T high) { return value < low ? low : value > high ? high : value; }

int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); } // recursion is fine

// Functions through pointers: the table holds device addresses on the device, host ones on the host.
int twice(int x) { return 2 * x; }
int square(int x) { return x * x; }
int (*const operations[])(int) = {twice, square, factorial};

// Constructed before main on the host, and when the image is loaded on the device.
struct Table {
    int squares[16];
    Table() {
        for (int i = 0; i < 16; i++)
            squares[i] = i * i;
    }
};
Table table;

#pragma omp end declare target

// Not on the device until it is mapped; kernels reach it by its name all the same.
double big[1 << 12];
#pragma omp declare target link(big)

static void globals() {
    int seen = 0;
#pragma omp target map(from : seen)
    seen = counter;
    expect("the device's counter", seen, 5);

    counter = 100; // the host's copy only
#pragma omp target update to(counter)
#pragma omp target
    counter += 11;
#pragma omp target update from(counter)
    expect("the counter after both sides changed it", counter, 111);

#pragma omp target teams distribute parallel for
    for (int i = 0; i < 64; i++)
        scratch[i] = i + 1;
#pragma omp target update from(scratch[8 : 8])
    expect("scratch[8]", scratch[8], 9);
    expect("scratch[15]", scratch[15], 16);
}

static void functions() {
    double value = 0;
    int limited = 0, called[3] = {};
#pragma omp target map(from : value, limited) map(tofrom : called)
    {
        value = polynomial(3);
        limited = clamp(42, 0, 10) + clamp<int>(-1, 0, 10);
        for (int i = 0; i < 3; i++)
            called[i] = operations[i](5);
    }
    expect("polynomial(3)", value, -0.5);
    expect("clamp", limited, 10);
    expect("twice(5)", called[0], 10);
    expect("square(5)", called[1], 25);
    expect("factorial(5)", called[2], 120);
}

static void constructed() {
    int sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum)
    for (int i = 0; i < 16; i++)
        sum += table.squares[i];
    expect("the sum over the constructed table", sum, 1240);
}

static void linked() {
    for (int i = 0; i < 1 << 12; i++)
        big[i] = i;
#pragma omp target teams distribute parallel for map(tofrom : big)
    for (int i = 0; i < 1 << 12; i++)
        big[i] *= 2;
    double sum = 0;
    for (double element : big)
        sum += element;
    expect("the sum over the linked array", sum, 4096.0 * 4095);
}

int main() {
    globals();
    functions();
    constructed();
    linked();
    std::printf(wrong ? "FAIL: %d values differ\n" : "PASS\n", wrong);
    return wrong != 0;
}
