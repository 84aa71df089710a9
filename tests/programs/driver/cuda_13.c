// What nvcc 13 makes of a program: it asks for version 13 of the runtime's interface, registers a fat binary with PTX,
// a kernel and a managed variable, and launches by the kernel's handle. With STATIC the runtime is in the program.
#include "driver.h"

#ifdef STATIC
#define OF_13(name)
#else
#define OF_13(name) __asm__(".symver " #name ", " #name "@libcudart.so.13")
#endif
typedef struct {
    unsigned x, y, z;
} Dim3;
void **__cudaRegisterFatBinary(const void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFunction(void **handle, const void *host, const char *name, const char *device, int limit, void *thread,
                            void *block, void *block_size, void *grid_size, int *warp);
void __cudaRegisterManagedVar(void **handle, void **pointer, char *address, const char *name, int external, size_t size,
                              int constant, int global);
char __cudaInitModule(void **handle);
void __cudaUnregisterFatBinary(void **handle);
int __cudaGetKernel(Handle *kernel, const void *host);
int __cudaLaunchKernel(Handle kernel, Dim3 grid, Dim3 block, void **arguments, size_t shared, Handle stream);
int cudaDeviceSynchronize(void);
int cudaGetDeviceProperties(void *properties, int device);
int cudaPointerGetAttributes(void *attributes, const void *pointer);
int cudaGraphCreate(Handle *graph, unsigned flags);
int cudaGraphAddEmptyNode(Handle *node, Handle graph, const Handle *after, size_t count);
int cudaGraphAddDependencies(Handle graph, const Handle *from, const Handle *to, const void *edges, size_t count);
int cudaGraphGetEdges(Handle graph, Handle *from, Handle *to, void *edges, size_t *count);
int cudaGraphDestroy(Handle graph);
OF_13(__cudaRegisterFatBinary);
OF_13(__cudaRegisterFatBinaryEnd);
OF_13(__cudaRegisterFunction);
OF_13(__cudaRegisterManagedVar);
OF_13(__cudaInitModule);
OF_13(__cudaUnregisterFatBinary);
OF_13(__cudaGetKernel);
OF_13(__cudaLaunchKernel);
OF_13(cudaDeviceSynchronize);
OF_13(cudaGetDeviceProperties);
OF_13(cudaPointerGetAttributes);
OF_13(cudaGraphCreate);
OF_13(cudaGraphAddEmptyNode);
OF_13(cudaGraphAddDependencies);
OF_13(cudaGraphGetEdges);
OF_13(cudaGraphDestroy);

// counter starts at 5; each thread adds n.
static const char text[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .global .attribute(.managed) .align 4 .u32 counter = 5;\n"
    ".visible .entry add(.param .u32 n) { .reg .b32 %r<3>; .reg .b64 %d;\n"
    " ld.param.u32 %r1, [n]; mov.u64 %d, counter; atom.global.add.u32 %r2, [%d], %r1; ret; }\n";

// A fat binary of one entry.
static struct {
    unsigned magic;
    unsigned short version, header;
    unsigned long long size;
    struct {
        unsigned short kind, version;
        unsigned header;
        unsigned long long size;
        unsigned rest[3], arch, more[8];
    } entry;
    char text[sizeof text];
} fat = {0xba55ed50, 1, 16, 64 + sizeof text, {1, 0x101, 64, sizeof text, {0}, 75, {0}}, ""};

static struct {
    unsigned magic, version;
    const void *data, *more;
} wrapper = {0x466243b1, 1, &fat, NULL};

static void add_stub(void) {}

static void managed(void) {
    static unsigned *counter;
    static char device_counter;
    Handle kernel;
    unsigned n = 3;
    int attributes[16];
    memcpy(fat.text, text, sizeof text);
    void **handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, add_stub, "add", "add", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterManagedVar(handle, (void **)&counter, &device_counter, "counter", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    CHECK(__cudaInitModule(handle) == 1);
    CHECK(counter != NULL && *counter == 5);
    *counter += 2;
    OK(__cudaGetKernel(&kernel, add_stub));
    OK(__cudaLaunchKernel(kernel, (Dim3){2, 1, 1}, (Dim3){50, 1, 1}, (void *[]){&n}, 0, NULL));
    OK(cudaDeviceSynchronize());
    CHECK(*counter == 307);
    OK(cudaPointerGetAttributes(attributes, counter));
    CHECK(attributes[0] == 3);
    __cudaUnregisterFatBinary(handle);
    EXPECT(1, __cudaGetKernel(NULL, add_stub));
}

static void properties(void) {
    // Of cudaDeviceProp's 1008 bytes none behind is written.
    static unsigned char device[1016];
    memset(device, 0xab, sizeof device);
    OK(cudaGetDeviceProperties(device, 0));
    CHECK(!memcmp(device, "virtual GPU", 11));
    CHECK(device[1007] == 0 && device[1008] == 0xab);
    EXPECT(1, cudaGetDeviceProperties(NULL, 0));
    EXPECT(101, cudaGetDeviceProperties(device, 99));
}

static void edges(void) {
    Handle graph, from[2], to[2], nodes[3];
    unsigned char data[2][8] = {{0}};
    size_t count = 2;
    OK(cudaGraphCreate(&graph, 0));
    for (int i = 0; i < 3; i++)
        OK(cudaGraphAddEmptyNode(&nodes[i], graph, NULL, 0));
    OK(cudaGraphAddDependencies(graph, nodes, nodes + 1, data, 2));
    memset(data, 7, sizeof data);
    OK(cudaGraphGetEdges(graph, from, to, data, &count));
    CHECK(count == 2 && data[0][0] == 0 && data[1][7] == 0);
    data[0][2] = 1;
    EXPECT(801, cudaGraphAddDependencies(graph, nodes, nodes + 2, data, 1));
    OK(cudaGraphDestroy(graph));
}

int main(void) {
    managed();
    properties();
    edges();
    return verdict();
}
