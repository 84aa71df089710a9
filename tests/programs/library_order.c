// Three copies of a shared library with target regions (library_shared.cpp), opened and closed in every order. Arguments: the
// libraries.

#include <dlfcn.h>

#include "check.h"

typedef int (*Sum)(int);
typedef int (*Count)(void);

static void *open_library(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        printf("%s\n", dlerror());
        exit(3);
    }
    return library;
}

// A library counts its calls on the device, from 0 after each load.
static void use(void *library, int calls) {
    EXPECT(((Sum)dlsym(library, "shared_sum"))(10), 90);
    EXPECT(((Count)dlsym(library, "shared_count"))(), calls);
}

int main(int argc, char **argv) {
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    if (argc != 4)
        return 2;
    for (int round = 0; round < 6; round++) {
        void *libraries[3];
        for (int i = 0; i < 3; i++) {
            libraries[i] = open_library(argv[1 + i]);
            use(libraries[i], 1);
        }
        const int *order = orders[round];
        for (int closed = 0; closed < 3; closed++) {
            dlclose(libraries[order[closed]]);
            for (int i = closed + 1; i < 3; i++)
                use(libraries[order[i]], closed + 2);
        }
    }
    return done();
}
