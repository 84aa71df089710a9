// The static archive of library.c. Its device function has the name of one in library_shared.cpp.

#pragma omp declare target
static int power(int i) { return i * i; }
#pragma omp end declare target

int archive_sum(int n) {
    int sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum += power(i);
    return sum;
}

int archive_unused(int n) {
#pragma omp target map(tofrom : n)
    n = power(n);
    return n;
}
