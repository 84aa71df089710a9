// The shared library of library.c: C++, with a device global that has a constructor.

#pragma omp declare target
struct Counter {
    int calls;
    Counter() : calls(0) {}
    ~Counter() { calls = -1; }
};
static Counter counter;
static int power(int i) { return 2 * i; }
#pragma omp end declare target

extern "C" int shared_sum(int n) {
    int sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum += power(i);
#pragma omp target
    counter.calls++;
    return sum;
}

extern "C" int shared_count() {
    int calls = 0;
#pragma omp target map(from : calls)
    calls = counter.calls;
    return calls;
}
