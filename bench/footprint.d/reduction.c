// A sum of doubles across threads and teams.
double kernel(int n, const double *a) {
    double sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : a[:n])
    for (int i = 0; i < n; i++)
        sum += a[i];
    return sum;
}
