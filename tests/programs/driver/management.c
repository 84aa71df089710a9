// CUDA's management library, as monitors ask it.
#include "driver.h"

enum { UNINITIALIZED = 1, INVALID = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, TOO_SMALL = 7, OTHER_VERSION = 25 };

typedef struct {
    unsigned long long total, free, used;
} Memory;
typedef struct {
    unsigned version;
    unsigned long long total, reserved, free, used;
} VersionedMemory;
typedef struct {
    unsigned number;
    unsigned long long used;
    unsigned parts[2];
} Process;

int nvmlInit_v2(void);
int nvmlShutdown(void);
const char *nvmlErrorString(int code);
int nvmlDeviceGetCount_v2(unsigned *count);
int nvmlDeviceGetHandleByIndex_v2(unsigned number, Handle *device);
int nvmlDeviceGetHandleByUUID(const char *uuid, Handle *device);
int nvmlDeviceGetName(Handle device, char *name, unsigned room);
int nvmlDeviceGetUUID(Handle device, char *uuid, unsigned room);
int nvmlDeviceGetMemoryInfo(Handle device, Memory *memory);
int nvmlDeviceGetMemoryInfo_v2(Handle device, VersionedMemory *memory);
int nvmlDeviceGetComputeRunningProcesses_v3(Handle device, unsigned *count, Process *list);
int nvmlDeviceGetTemperature(Handle device, int sensor, unsigned *degrees);

int main(void) {
    unsigned count = 0;
    int number;
    char name[96], uuid[96];
    Handle device, same, context;
    Address address;
    Memory before, memory;
    VersionedMemory versioned = {.version = 40 | 2 << 24};
    Process processes[2];
    EXPECT(UNINITIALIZED, nvmlDeviceGetCount_v2(&count));
    OK(nvmlInit_v2());
    OK(nvmlDeviceGetCount_v2(&count));
    CHECK(count == 1);
    OK(nvmlDeviceGetHandleByIndex_v2(0, &device));
    EXPECT(INVALID, nvmlDeviceGetHandleByIndex_v2(1, &same));
    OK(nvmlDeviceGetName(device, name, sizeof name));
    CHECK(strncmp(name, "virtual GPU", 11) == 0);
    EXPECT(TOO_SMALL, nvmlDeviceGetName(device, name, 4));
    OK(nvmlDeviceGetUUID(device, uuid, sizeof uuid));
    CHECK(strlen(uuid) == 40);
    OK(nvmlDeviceGetHandleByUUID(uuid, &same));
    CHECK(same == device);
    EXPECT(NOT_FOUND, nvmlDeviceGetHandleByUUID("GPU-0", &same));
    OK(nvmlDeviceGetMemoryInfo(device, &before));
    count = 2;
    OK(nvmlDeviceGetComputeRunningProcesses_v3(device, &count, processes));
    CHECK(count == 0);
    // The memory is that of the process, by whichever interface.
    OK(cuInit(0));
    OK(cuDeviceGet(&number, 0));
    OK(cuCtxCreate_v2(&context, 0, number));
    OK(cuMemAlloc_v2(&address, 1 << 20));
    OK(nvmlDeviceGetMemoryInfo(device, &memory));
    CHECK(memory.used == before.used + (1 << 20) && memory.free + memory.used == memory.total);
    OK(nvmlDeviceGetMemoryInfo_v2(device, &versioned));
    CHECK(versioned.used == memory.used && versioned.total == memory.total);
    versioned.version = 7;
    EXPECT(OTHER_VERSION, nvmlDeviceGetMemoryInfo_v2(device, &versioned));
    EXPECT(TOO_SMALL, nvmlDeviceGetComputeRunningProcesses_v3(device, &count, NULL));
    CHECK(count == 1);
    OK(nvmlDeviceGetComputeRunningProcesses_v3(device, &count, processes));
    CHECK(count == 1 && processes[0].used == memory.used);
    EXPECT(NOT_SUPPORTED, nvmlDeviceGetTemperature(device, 0, &count));
    EXPECT(INVALID, nvmlDeviceGetName((Handle)0x1000, name, sizeof name));
    CHECK(strcmp(nvmlErrorString(0), "success") == 0);
    OK(cuCtxDestroy_v2(context));
    OK(nvmlShutdown());
    EXPECT(UNINITIALIZED, nvmlShutdown());
    return verdict();
}
