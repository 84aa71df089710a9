// A region in a function that the kernel calls through a pointer: no compiler sees both.
#pragma omp begin declare target
void region(int n, int *a) {
#pragma omp parallel for firstprivate(n, a)
    for (int i = 0; i < n; i++)
        a[i] += 1;
}
typedef void (*Function)(int, int *);
Function chosen = region;
#pragma omp end declare target

void kernel(int n, int *a) {
#pragma omp target map(tofrom : a[:n])
    chosen(n, a);
}
