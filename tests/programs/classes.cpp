// C++ in target regions: classes, templates, lambdas, references, the standard library's headers.

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "check.h"

namespace {

class Matrix {
public:
    Matrix(int rows, int columns) : rows_(rows), columns_(columns), data_(new double[rows * columns]()) {}
    Matrix(const Matrix &) = delete;
    ~Matrix() { delete[] data_; }

    double &operator()(int r, int c) { return data_[r * columns_ + c]; }
    double operator()(int r, int c) const { return data_[r * columns_ + c]; }

    // A member function that offloads its own object.
    void fill() {
#pragma omp target teams distribute parallel for collapse(2) map(to : this[0 : 1]) map(from : data_[0 : rows_ * columns_])
        for (int r = 0; r < rows_; r++)
            for (int c = 0; c < columns_; c++)
                data_[r * columns_ + c] = r * 100 + c;
    }

    double sum() const {
        double sum = 0;
#pragma omp target teams distribute parallel for map(to : this[0 : 1], data_[0 : rows_ * columns_]) reduction(+ : sum)
        for (int i = 0; i < rows_ * columns_; i++)
            sum += data_[i];
        return sum;
    }

    // As unstructured data, with constructor-like and destructor-like halves.
    void enter() {
#pragma omp target enter data map(to : this[0 : 1])
#pragma omp target enter data map(to : data_[0 : rows_ * columns_])
    }
    void leave() {
#pragma omp target exit data map(from : data_[0 : rows_ * columns_])
#pragma omp target exit data map(delete : this[0 : 1])
    }
    void scale(double by) {
#pragma omp target teams distribute parallel for
        for (int i = 0; i < rows_ * columns_; i++)
            data_[i] *= by;
    }

private:
    int rows_, columns_;
    double *data_;
};

void matrices() {
    Matrix m(7, 9);
    m.fill();
    EXPECT(m(6, 8), 608);
    EXPECT(m.sum(), 9 * 100 * 21 + 7 * 36);
    m.enter();
    m.scale(2);
    m.scale(0.25);
    m.leave();
    EXPECT(m(6, 8), 304);
}

template <typename T, int N> struct Small {
    T values[N];
    constexpr Small(T start) : values() {
        for (int i = 0; i < N; i++)
            values[i] = start + static_cast<T>(i);
    }
    template <typename F> T fold(F f) const {
        T result = values[0];
        for (int i = 1; i < N; i++)
            result = f(result, values[i]);
        return result;
    }
};

template <typename T> void templates() {
    T sum = 0, product = 0, largest = 0;
#pragma omp target map(from : sum, product, largest)
    {
        Small<T, 5> small(1);
        sum = small.fold([](T a, T b) { return static_cast<T>(a + b); });
        product = small.fold([](T a, T b) { return static_cast<T>(a * b); });
        largest = small.fold([](T a, T b) { return a > b ? a : b; });
    }
    EXPECT(sum, 15);
    EXPECT(product, 120);
    EXPECT(largest, 5);
}

void references(int &by_reference, const std::array<int, 4> &array) {
#pragma omp target map(tofrom : by_reference)
    for (int x : array)
        by_reference += x;
}

struct Base {
    int base;
    int get() const { return base; }
};
struct Derived : Base {
    int derived;
    Derived(int b, int d) : Base{b}, derived(d) {}
    int get() const { return Base::get() * 10 + derived; }
    static constexpr int constant = 77;
};

void inheritance() {
    Derived d(4, 2);
    int seen = 0, constant = 0;
#pragma omp target map(to : d) map(from : seen, constant)
    {
        seen = d.get();
        constant = Derived::constant;
    }
    EXPECT(seen, 42);
    EXPECT(constant, 77);
}

// Objects with constructors and destructors inside a region, private ones included.
struct Counted {
    int *counter;
    explicit Counted(int *c) : counter(c) { (*counter)++; }
    Counted(const Counted &other) : counter(other.counter) { (*counter) += 10; }
    ~Counted() { (*counter) += 100; }
};

void lifetimes() {
    int counter = 0;
#pragma omp target map(tofrom : counter)
    {
        Counted first(&counter);
        { Counted second(first); }
    }
    EXPECT(counter, 211);
}

void library() {
    int sorted[6] = {5, 2, 9, 1, 7, 3}, out[6] = {};
    double smallest = 0;
    int same = 0;
#pragma omp target map(to : sorted) map(from : out, smallest, same)
    {
        std::array<int, 6> a{};
        std::copy(sorted, sorted + 6, a.begin());
        std::sort(a.begin(), a.end());
        std::pair<int, int> ends{a.front(), a.back()};
        auto [low, high] = ends;
        for (int i = 0; i < 6; i++)
            out[i] = a[i] + (i == 0 ? low : 0) + (i == 5 ? high : 0);
        smallest = std::numeric_limits<double>::min();
        same = std::accumulate(a.begin(), a.end(), 0) + std::max({1, 2, 3}) + std::get<1>(std::make_tuple(1, 4));
    }
    EXPECT(out[0], 2);
    EXPECT(out[4], 7);
    EXPECT(out[5], 18);
    EXPECT(smallest, std::numeric_limits<double>::min());
    EXPECT(same, 27 + 3 + 4);

    std::vector<int> v(1000);
    int *data = v.data();
    const int n = static_cast<int>(v.size());
#pragma omp target teams distribute parallel for map(from : data[0 : n])
    for (int i = 0; i < n; i++)
        data[i] = i;
    EXPECT(std::accumulate(v.begin(), v.end(), 0), 499500);

    // Random-access iterators as loop variables.
    int sum = 0;
#pragma omp target parallel for map(to : data[0 : n]) reduction(+ : sum)
    for (int *i = data; i < data + n; ++i)
        sum += *i;
    EXPECT(sum, 499500);
}

enum class Colour : std::uint8_t { red = 1, green = 2, blue = 4 };

void enums_and_exceptions_free_code() {
    Colour colour = Colour::green;
    int seen = 0;
#pragma omp target map(tofrom : colour) map(from : seen)
    {
        switch (colour) {
        case Colour::red: seen = 1; break;
        case Colour::green: seen = 20; break;
        case Colour::blue: seen = 300; break;
        }
        colour = Colour::blue;
    }
    EXPECT(seen, 20);
    EXPECT(static_cast<int>(colour), 4);
}

} // namespace

// Apart from lambdas_of_the_device(): where one function has a lambda outside and one inside a target region,
// clang 22 names the first one differently on host and device, and the kernel is not found.
template <typename F> void for_each(int n, F f) {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
        f(i);
}

void lambdas() {
    int a[50] = {}, scale = 3;
    int *p = a;
    // A lambda made on the host and called on the device: its captures travel with it.
#pragma omp target data map(tofrom : p[0 : 50])
#pragma omp target data use_device_ptr(p)
    for_each(50, [=](int i) { p[i] = i * scale; });
    EXPECT(a[49], 147);
}

void lambdas_of_the_device() {
    int total = 0;
#pragma omp target map(tofrom : total)
    {
        auto add = [&total](int x) { total += x; };
        for (int i = 0; i < 5; i++)
            add(i);
    }
    EXPECT(total, 10);
}

// A class with virtual functions, created and called on the device.
struct Shape {
    virtual double area() const = 0;
    virtual ~Shape() {}
};
struct Square : Shape {
    double side;
    explicit Square(double s) : side(s) {}
    double area() const override { return side * side; }
};
struct Disc : Shape {
    double radius;
    explicit Disc(double r) : radius(r) {}
    double area() const override { return 3 * radius * radius; }
};

static void virtual_functions() {
    double sum = 0;
#pragma omp target map(from : sum)
    {
        Square square(2);
        Disc disc(1);
        const Shape *shapes[] = {&square, &disc};
        sum = 0;
        for (const Shape *shape : shapes)
            sum += shape->area();
    }
    EXPECT(sum, 7);
}

// Constructed and destroyed with the image; constructed in order.
#pragma omp declare target
struct Global {
    int value;
    explicit Global(int v);
};
int constructed = 40;
Global::Global(int v) : value(v + constructed++) {}
Global first(1), second(2);
#pragma omp end declare target

static void global_objects() {
    int a = 0, b = 0;
#pragma omp target map(from : a, b)
    {
        a = first.value;
        b = second.value;
    }
    EXPECT(a, 41);
    EXPECT(b, 43);
}

int main() {
    matrices();
    templates<char>();
    templates<int>();
    templates<long long>();
    templates<float>();
    templates<double>();
    lambdas();
    lambdas_of_the_device();
    int by_reference = 1;
    references(by_reference, {1, 2, 3, 4});
    EXPECT(by_reference, 11);
    inheritance();
    lifetimes();
    library();
    enums_and_exceptions_free_code();
    virtual_functions();
    global_objects();
    return done();
}
