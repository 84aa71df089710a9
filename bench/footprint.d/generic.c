// Generic mode: sequential code, then a region that reads what it computed.
void kernel(int n, int *a) {
#pragma omp target map(tofrom : a[:n])
    {
        int first = a[0];
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            a[i] += first;
    }
}
