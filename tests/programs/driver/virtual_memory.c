// Virtual memory management: two pieces of memory side by side, kernels and copies across them, and a piece that another
// process gets.
#define _GNU_SOURCE
#include "driver.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    int kind, handles;
    int place, number;
    void *meta_data;
    unsigned char rest[8];
} Properties;
typedef struct {
    int place, number, access;
} AccessOf;

int cuMemGetAllocationGranularity(size_t *granularity, const Properties *properties, int option);
int cuMemAddressReserve(Address *at, size_t size, size_t align, Address wanted, unsigned long long flags);
int cuMemAddressFree(Address at, size_t size);
int cuMemCreate(unsigned long long *memory, size_t size, const Properties *properties, unsigned long long flags);
int cuMemRelease(unsigned long long memory);
int cuMemMap(Address at, size_t size, size_t offset, unsigned long long memory, unsigned long long flags);
int cuMemUnmap(Address at, size_t size);
int cuMemSetAccess(Address at, size_t size, const AccessOf *list, size_t count);
int cuMemGetAccess(unsigned long long *flags, const void *location, Address at);
int cuMemExportToShareableHandle(void *descriptor, unsigned long long memory, int kind, unsigned long long flags);
int cuMemImportFromShareableHandle(unsigned long long *memory, void *descriptor, int kind);
int cuMemRetainAllocationHandle(unsigned long long *memory, void *at);

static const char text[] =
    ".version 7.0\n.target sm_52\n.address_size 64\n"
    ".visible .entry put(.param .u64 at, .param .u32 value) { .reg .b32 %r; .reg .b64 %d;\n"
    " ld.param.u64 %d, [at]; ld.param.u32 %r, [value]; st.global.u32 [%d], %r; ret; }\n";

static const Properties properties = {1, 1, 1, 0, NULL, {0}};
static const AccessOf both = {1, 0, 3}, reading = {1, 0, 1};
static Handle kernel;
static size_t piece;

static int put(Address at, unsigned value) {
    OK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&at, &value}, NULL));
    return cuCtxSynchronize();
}

static Handle context;

static void start(void) {
    Handle module;
    int device;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuCtxCreate_v2(&context, 0, device));
    OK(cuModuleLoadData(&module, text));
    OK(cuModuleGetFunction(&kernel, module, "put"));
    OK(cuMemGetAllocationGranularity(&piece, &properties, 0));
}

static void mistakes(Address at, unsigned long long memory) {
    unsigned long long other;
    AccessOf strange = {1, 0, 2};
    int file = memfd_create("small", 0);
    EXPECT(1, cuMemAddressReserve(&at, piece + 1, 0, 0, 0));
    EXPECT(1, cuMemCreate(&other, piece - 1, &properties, 0));
    EXPECT(2, cuMemCreate(&other, (size_t)1 << 50, &properties, 0));
    EXPECT(1, cuMemMap(at, piece, 0, memory, 0));
    EXPECT(1, cuMemMap(at + 2 * piece, piece, 0, memory, 0));
    EXPECT(1, cuMemMap(at + piece, piece, piece, memory, 0));
    EXPECT(1, cuMemMap(0, piece, 0, memory, 0));
    EXPECT(1, cuMemSetAccess(at, 2 * piece, &both, 1));
    EXPECT(1, cuMemSetAccess(at, piece, &strange, 1));
    EXPECT(1, cuMemAddressFree(at, 2 * piece));
    EXPECT(1, cuMemRelease(1));
    EXPECT(1, cuMemImportFromShareableHandle(&other, (void *)99999, 1));
    EXPECT(1, cuMemImportFromShareableHandle(&other, (void *)(size_t)file, 1));
}

static void side_by_side(void) {
    Address at, whose;
    unsigned long long first, second, again, flags;
    unsigned words[2] = {0}, more[4] = {1, 2, 3, 4};
    int value = 0;
    OK(cuDeviceGetAttribute(&value, 102, 0));
    CHECK(value == 1);
    OK(cuMemAddressReserve(&at, 2 * piece, 0, 0, 0));
    CHECK(at % piece == 0);
    OK(cuMemCreate(&first, piece, &properties, 0));
    OK(cuMemMap(at, piece, 0, first, 0));
    mistakes(at, first);
    // Nothing may be done with it yet.
    EXPECT(1, cuMemcpyDtoH_v2(words, at, 4));
    OK(cuMemCreate(&second, piece, &properties, 0));
    OK(cuMemMap(at + piece, piece, 0, second, 0));
    OK(cuMemRelease(second));
    OK(cuMemSetAccess(at, 2 * piece, &both, 1));
    OK(cuMemGetAccess(&flags, &both, at + piece));
    CHECK(flags == 3);
    OK(put(at + piece - 4, 17));
    OK(put(at + piece, 18));
    OK(cuMemcpyDtoH_v2(words, at + piece - 4, sizeof words));
    CHECK(words[0] == 17 && words[1] == 18);
    OK(cuMemcpyHtoD_v2(at + piece - 8, more, sizeof more));
    OK(cuPointerGetAttribute(&whose, 11, at + piece + 8));
    CHECK(whose == at + piece);
    OK(cuMemRetainAllocationHandle(&again, (void *)at));
    OK(cuMemRelease(again));
    // The second is the first, seen once more.
    EXPECT(1, cuMemUnmap(at + piece, 2 * piece));
    OK(cuMemUnmap(at + piece, piece));
    OK(cuMemMap(at + piece, piece, 0, first, 0));
    OK(cuMemSetAccess(at + piece, piece, &reading, 1));
    EXPECT(1, cuMemcpyHtoD_v2(at + piece, more, 4));
    OK(put(at + 4, 99));
    OK(cuMemcpyDtoH_v2(words, at + piece, sizeof words));
    CHECK(words[1] == 99);
    OK(cuMemUnmap(at, 2 * piece));
    OK(cuMemRelease(first));
    OK(cuMemAddressFree(at, 2 * piece));
}

// Maps the memory of a descriptor, has a kernel write a word, and reads the next one.
static unsigned exchange(int descriptor, unsigned value) {
    unsigned long long memory;
    unsigned word = 0;
    Address at;
    OK(cuMemImportFromShareableHandle(&memory, (void *)(size_t)descriptor, 1));
    OK(cuMemAddressReserve(&at, piece, 0, 0, 0));
    OK(cuMemMap(at, piece, 0, memory, 0));
    OK(cuMemSetAccess(at, piece, &both, 1));
    OK(put(at, value));
    OK(cuMemcpyDtoH_v2(&word, at + 4, 4));
    return word;
}

// The other process starts its own driver, and has the descriptor from this one.
static void between_processes(void) {
    int ready[2], descriptor = -1, status = -1;
    unsigned long long memory;
    unsigned words[2] = {0, 4711};
    Address at;
    CHECK(pipe(ready) == 0);
    // A file of the same sort, made before the fork, so that both have it.
    int file = memfd_create("shared", MFD_ALLOW_SEALING);
    CHECK(ftruncate(file, 2 << 20) == 0 && fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0);
    pid_t child = fork();
    if (child == 0) {
        char byte;
        if (read(ready[0], &byte, 1) != 1)
            _exit(1);
        start();
        _exit(exchange(file, 31) == 4711 ? 0 : 2);
    }
    start();
    OK(cuMemImportFromShareableHandle(&memory, (void *)(size_t)file, 1));
    OK(cuMemExportToShareableHandle(&descriptor, memory, 1, 0));
    CHECK(descriptor > 2 && descriptor != file);
    OK(cuMemAddressReserve(&at, piece, 0, 0, 0));
    OK(cuMemMap(at, piece, 0, memory, 0));
    OK(cuMemSetAccess(at, piece, &both, 1));
    OK(cuMemcpyHtoD_v2(at, words, sizeof words));
    CHECK(write(ready[1], "", 1) == 1);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    OK(cuMemcpyDtoH_v2(words, at, sizeof words));
    CHECK(words[0] == 31 && words[1] == 4711);
}

int main(void) {
    between_processes();
    side_by_side();
    // An address of no mapping is a fault, and no more.
    Address at;
    OK(cuMemAddressReserve(&at, piece, 0, 0, 0));
    EXPECT(700, put(at, 1));
    // Memory outlives the context.
    start();
    unsigned long long memory;
    OK(cuMemAddressReserve(&at, piece, 0, 0, 0));
    OK(cuMemCreate(&memory, piece, &properties, 0));
    OK(cuMemMap(at, piece, 0, memory, 0));
    OK(cuMemRelease(memory));
    OK(cuCtxDestroy_v2(context));
    OK(cuMemUnmap(at, piece));
    OK(cuMemAddressFree(at, piece));
    return verdict();
}
