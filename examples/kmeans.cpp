// kmeans: Lloyd's algorithm on real data, with everything that is constant kept on the device.
//
// The points go to the device once (`target data`). Each iteration assigns every point to its nearest
// centre and sums the points of each cluster, in two kernels. The host divides and sends the new
// centres with `target update`. The pixels are integers, so the sums do not depend on their order. The
// same algorithm on the host must give the same labels.
//
//     omptarget run examples/kmeans.cpp -- dist/data/digits.csv   (handwritten digits, from scripts/fetch)
//
// The argument is a CSV file of 65 integers a line: 64 coordinates and the true class 0..9. Without one
// the program computes points of its own and says so.

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

namespace {

enum { DIMENSIONS = 64, CLUSTERS = 10, MAX_ITERATIONS = 100 };

struct Data {
    std::vector<int> coordinates; // DIMENSIONS per point
    std::vector<int> classes;
    int size() const { return static_cast<int>(classes.size()); }
};

struct Clustering {
    std::vector<int> labels;
    int iterations;
};

Data synthetic() {
    Data data;
    unsigned state = 1;
    for (int p = 0; p < 1500; p++) {
        data.classes.push_back(p % CLUSTERS);
        for (int d = 0; d < DIMENSIONS; d++) {
            state = state * 1664525u + 1013904223u;
            data.coordinates.push_back((p % CLUSTERS * (d + 1) % 13) + static_cast<int>(state >> 30));
        }
    }
    return data;
}

Data read_csv(const char *path) {
    std::FILE *file = std::fopen(path, "r");
    Data data;
    int value, column = 0;
    while (file && std::fscanf(file, column == 0 ? "%d" : ",%d", &value) == 1) {
        (column < DIMENSIONS ? data.coordinates : data.classes).push_back(value);
        column = column < DIMENSIONS ? column + 1 : 0;
        if (column == 0 && (value < 0 || value >= CLUSTERS))
            break;
    }
    if (!file || !std::feof(file) || column != 0 || data.size() < CLUSTERS) {
        std::fprintf(stderr, "%s: cannot be read as %d integers a line\n", path, DIMENSIONS + 1);
        std::exit(2);
    }
    std::fclose(file);
    return data;
}

// Called on the device and on the host: functions that a target region calls are compiled for both.
// No fused multiply-add, so that both round alike.
#pragma omp declare target
int nearest(const int *point, const double *centres) {
#pragma clang fp contract(off)
    int best = 0;
    double least = std::numeric_limits<double>::max();
    for (int c = 0; c < CLUSTERS; c++) {
        double distance = 0.0;
        for (int d = 0; d < DIMENSIONS; d++) {
            double difference = point[d] - centres[c * DIMENSIONS + d];
            distance += difference * difference;
        }
        if (distance < least) {
            least = distance;
            best = c;
        }
    }
    return best;
}
#pragma omp end declare target

// The first points are the first centres.
std::vector<double> first_centres(const Data &data) {
    return {data.coordinates.begin(), data.coordinates.begin() + CLUSTERS * DIMENSIONS};
}

void divide(std::vector<double> &centres, const std::vector<long> &sums, const std::vector<int> &counts) {
    for (int c = 0; c < CLUSTERS; c++)
        for (int d = 0; d < DIMENSIONS && counts[c] > 0; d++)
            centres[c * DIMENSIONS + d] = static_cast<double>(sums[c * DIMENSIONS + d]) / counts[c];
}

Clustering on_device(const Data &data) {
    const int n = data.size();
    std::vector<double> centre_values = first_centres(data);
    std::vector<long> sum_values(CLUSTERS * DIMENSIONS);
    std::vector<int> count_values(CLUSTERS);
    Clustering result{std::vector<int>(n, -1), 0};

    // map takes array sections of pointers; a std::vector itself would copy only its three pointers.
    const int *points = data.coordinates.data();
    double *centres = centre_values.data();
    long *sums = sum_values.data();
    int *counts = count_values.data(), *labels = result.labels.data();

#pragma omp target data map(to : points[0 : n * DIMENSIONS], centres[0 : CLUSTERS * DIMENSIONS])       \
    map(tofrom : labels[0 : n]) map(alloc : sums[0 : CLUSTERS * DIMENSIONS], counts[0 : CLUSTERS])
    {
        int changed = 1;
        while (changed > 0 && result.iterations < MAX_ITERATIONS) {
            changed = 0;
#pragma omp target teams distribute parallel for reduction(+ : changed)
            for (int p = 0; p < n; p++) {
                int label = nearest(points + p * DIMENSIONS, centres);
                changed += label != labels[p];
                labels[p] = label;
            }

#pragma omp target teams distribute parallel for
            for (int i = 0; i < CLUSTERS * DIMENSIONS; i++) {
                sums[i] = 0;
                if (i < CLUSTERS)
                    counts[i] = 0;
            }
#pragma omp target teams distribute parallel for
            for (int p = 0; p < n; p++) {
                int label = labels[p];
#pragma omp atomic
                counts[label]++;
                for (int d = 0; d < DIMENSIONS; d++) {
#pragma omp atomic
                    sums[label * DIMENSIONS + d] += points[p * DIMENSIONS + d];
                }
            }

#pragma omp target update from(sums[0 : CLUSTERS * DIMENSIONS], counts[0 : CLUSTERS])
            divide(centre_values, sum_values, count_values);
#pragma omp target update to(centres[0 : CLUSTERS * DIMENSIONS])
            result.iterations++;
        }
    }
    return result;
}

Clustering on_host(const Data &data) {
    const int n = data.size();
    std::vector<double> centres = first_centres(data);
    Clustering result{std::vector<int>(n, -1), 0};
    for (int changed = 1; changed > 0 && result.iterations < MAX_ITERATIONS; result.iterations++) {
        std::vector<long> sums(CLUSTERS * DIMENSIONS);
        std::vector<int> counts(CLUSTERS);
        changed = 0;
        for (int p = 0; p < n; p++) {
            int label = nearest(&data.coordinates[p * DIMENSIONS], centres.data());
            changed += label != result.labels[p];
            result.labels[p] = label;
            counts[label]++;
            for (int d = 0; d < DIMENSIONS; d++)
                sums[label * DIMENSIONS + d] += data.coordinates[p * DIMENSIONS + d];
        }
        divide(centres, sums, counts);
    }
    return result;
}

// The fraction of points whose class is the most common one of their cluster.
double purity(const Data &data, const Clustering &clustering) {
    int members[CLUSTERS][CLUSTERS] = {}, matching = 0;
    for (int p = 0; p < data.size(); p++)
        members[clustering.labels[p]][data.classes[p]]++;
    for (auto &cluster : members) {
        int most = 0;
        for (int count : cluster)
            most = count > most ? count : most;
        matching += most;
    }
    return static_cast<double>(matching) / data.size();
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 2)
        std::printf("no data given: using computed points\n");
    const Data data = argc < 2 ? synthetic() : read_csv(argv[1]);
    const Clustering device = on_device(data), host = on_host(data);

    int wrong = device.iterations != host.iterations;
    for (int p = 0; p < data.size(); p++)
        wrong += device.labels[p] != host.labels[p];
    std::printf("%d points, %d iterations (%d on the host), purity %.3f\n", data.size(), device.iterations,
                host.iterations, purity(data, device));
    std::printf(wrong ? "FAIL: %d differences\n" : "PASS\n", wrong);
    return wrong != 0;
}
