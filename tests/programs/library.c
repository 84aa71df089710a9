// A program with target regions in its own files, in a static archive and in a shared library that is
// loaded, unloaded and loaded again. Argument: the shared library (from library_shared.cpp).

#include <dlfcn.h>

#include "check.h"

int archive_sum(int n);    // library_archive.c, in an archive
int archive_unused(int n); // never called; its target region is in the archive all the same

static int own_sum(int n) {
    int sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum += i;
    return sum;
}

static void with_library(const char *path) {
    void *library = dlopen(path, RTLD_NOW);
    if (!library) {
        printf("%s\n", dlerror());
        exit(3);
    }
    int (*shared_sum)(int) = (int (*)(int))dlsym(library, "shared_sum");
    int (*shared_count)(void) = (int (*)(void))dlsym(library, "shared_count");
    EXPECT(shared_sum(10), 90);
    EXPECT(shared_sum(20), 380);
    // The library's device global belongs to it; it starts anew with every load.
    EXPECT(shared_count(), 2);
    EXPECT(own_sum(10), 45);
    dlclose(library);
}

int main(int argc, char **argv) {
    EXPECT(own_sum(100), 4950);
    EXPECT(archive_sum(10), 285);
    for (int round = 0; round < 2 && argc > 1; round++)
        with_library(argv[1]);
    EXPECT(own_sum(1000), 499500);
    EXPECT(archive_sum(3), 5);
    return done();
}
