// The entry points of LLVM's tool for recorded kernels, called as the tool calls them (docs/abi.md, section 13):
//
//   program record FOLDER                                   records the region below to FOLDER/omptarget-recording
//   program replay FOLDER KERNEL IMAGE MEMORY BASE TEAMS THREADS ARGUMENT...   replays it from files, saving its memory in FOLDER
//   program fault …                                         the same with arguments that lead nowhere: the kernel faults
//   program refuse FOLDER                                   asks for what cannot be

#include <omp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int __tgt_activate_record_replay(int64_t device, uint64_t memory, void *address, bool record, bool save_output, uint64_t *offset);
int __tgt_target_kernel_replay(void *location, int64_t device, void *region, void *memory, int64_t memory_size, void **arguments,
                               ptrdiff_t *offsets, int32_t count, int32_t teams, int32_t threads, uint64_t trip_count);

struct Entry {
    uint64_t reserved;
    uint16_t version, kind;
    uint32_t flags;
    void *address;
    const char *name;
    uint64_t size, data;
    void *auxiliary;
};
struct Image {
    void *start, *end;
    struct Entry *entries, *entries_end;
};
struct Program {
    int32_t images;
    struct Image *device_images;
    struct Entry *entries, *entries_end;
};
void __tgt_register_lib(struct Program *program);
void __tgt_unregister_lib(struct Program *program);

enum { N = 1000, MOST = 16 };

// A list in device memory: pointers that memory holds.
struct Node {
    struct Node *next;
    double value;
};

static int record(void) {
    int device = omp_get_default_device();
    uint64_t offset = 1;
    if (__tgt_activate_record_replay(-1, 64 << 20, NULL, true, true, &offset) != 0 || offset != 0)
        return puts("no recording"), 1;
    struct Node *nodes = omp_target_alloc(3 * sizeof *nodes, device);
    struct Node list[] = {{nodes + 1, 1}, {nodes + 2, 20}, {NULL, 300}};
    omp_target_memcpy(nodes, list, sizeof list, 0, 0, device, omp_get_initial_device());
    static double out[N];
    double factor = 2;
#pragma omp target teams distribute parallel for num_teams(4) thread_limit(64) is_device_ptr(nodes) map(tofrom : out)
    for (int i = 0; i < N; i++)
        for (struct Node *node = nodes; node; node = node->next)
            out[i] += factor * node->value + i;
    omp_target_free(nodes, device);
    for (int i = 0; i < N; i++)
        if (out[i] != 642 + 3 * i)
            return printf("%d: %g\n", i, out[i]), 1;
    // A second activation comes too late.
    return __tgt_activate_record_replay(0, 0, NULL, true, true, NULL) != -1;
}

static void *file(const char *name, size_t *size) {
    FILE *stream = fopen(name, "rb");
    if (!stream)
        exit(3);
    fseek(stream, 0, SEEK_END);
    *size = ftell(stream);
    rewind(stream);
    void *content = malloc(*size + 1);
    if (!content || fread(content, 1, *size, stream) != *size)
        exit(3);
    fclose(stream);
    return content;
}

static int replay(int count, char **words, bool fault) {
    size_t image_size, size;
    char *image = file(words[1], &image_size), *memory = file(words[2], &size);
    uintptr_t base = strtoull(words[3], NULL, 0);
    int teams = atoi(words[4]), threads = atoi(words[5]);
    void *arguments[MOST];
    ptrdiff_t offsets[MOST] = {0};
    count -= 6;
    for (int i = 0; i < count; i++)
        arguments[i] = (void *)strtoull(words[6 + i], NULL, 0);

    // Any address tells the kernel from others.
    struct Entry entry = {0, 1, 1, 0, (void *)1, words[0], 0, 0, NULL};
    struct Image device_image = {image, image + image_size, &entry, &entry + 1};
    struct Program program = {1, &device_image, &entry, &entry + 1};
    __tgt_register_lib(&program);

    if (__tgt_target_kernel_replay(NULL, 0, entry.address, memory, size, arguments, offsets, count, teams, threads, N) != -1)
        return puts("replayed without memory"), 1;
    // Memory is not where it was.
    void *elsewhere = omp_target_alloc(1 << 20, 0);
    uint64_t offset = 0;
    if (__tgt_activate_record_replay(0, size, (void *)base, false, true, &offset) != 0 || offset == 0)
        return puts("no memory elsewhere"), 1;
    for (int i = 0; i < count; i++)
        if ((uintptr_t)arguments[i] >= base && (uintptr_t)arguments[i] < base + size)
            arguments[i] = (char *)arguments[i] - offset;
    if (fault) {
        for (int i = 0; i < count; i++)
            arguments[i] = (void *)8;
        return __tgt_target_kernel_replay(NULL, 0, entry.address, memory, size, arguments, offsets, count, teams, threads, N) != -1;
    }
    // Each replay begins with the recorded memory again.
    for (int run = 0; run < 2; run++)
        if (__tgt_target_kernel_replay(NULL, 0, entry.address, memory, size, arguments, offsets, count, teams, threads, N) != 0)
            return puts("no replay"), 1;

    // Nothing of these is run, and nothing of it breaks what comes after.
    char *one_more = malloc(size + 1);
    int refused = __tgt_target_kernel_replay(NULL, 0, (void *)2, memory, size, arguments, offsets, count, teams, threads, N) == -1 &&
                  __tgt_target_kernel_replay(NULL, 0, entry.address, one_more, size + 1, arguments, offsets, count, teams, threads, N) == -1 &&
                  __tgt_target_kernel_replay(NULL, 0, entry.address, NULL, size, arguments, offsets, count, teams, threads, N) == -1 &&
                  __tgt_target_kernel_replay(NULL, 0, entry.address, memory, -1, arguments, offsets, count, teams, threads, N) == -1 &&
                  __tgt_target_kernel_replay(NULL, 0, entry.address, memory, size, NULL, offsets, count, teams, threads, N) == -1 &&
                  __tgt_target_kernel_replay(NULL, 0, entry.address, memory, size, arguments, offsets, -1, teams, threads, N) == -1 &&
                  __tgt_target_kernel_replay(NULL, 0, entry.address, memory, size, arguments, offsets, count, -1, threads, N) == -1 &&
                  __tgt_target_kernel_replay(NULL, 99, entry.address, memory, size, arguments, offsets, count, teams, threads, N) == -1;
    if (!refused || __tgt_target_kernel_replay(NULL, 0, entry.address, memory, size, arguments, offsets, count, teams, threads, N) != 0)
        return puts("what cannot be was not refused"), 1;
    omp_target_free(elsewhere, 0);
    __tgt_unregister_lib(&program);
    return 0;
}

static int refuse(void) {
    uint64_t offset = 77;
    int refused = __tgt_activate_record_replay(99, 1 << 20, NULL, false, false, &offset) == -1 &&
                  __tgt_activate_record_replay(omp_get_initial_device(), 1 << 20, NULL, false, false, &offset) == -1 &&
                  __tgt_activate_record_replay(0, UINT64_MAX, NULL, false, false, &offset) == -1 &&
                  __tgt_activate_record_replay(0, UINT64_MAX, (void *)4096, false, false, &offset) == -1 &&
                  __tgt_activate_record_replay(0, (uint64_t)1 << 60, NULL, false, false, &offset) == -1 &&
                  __tgt_activate_record_replay(0, 0, NULL, true, false, &offset) == -1 && offset == 77 &&
                  __tgt_target_kernel_replay(NULL, 0, NULL, NULL, 0, NULL, NULL, 0, 1, 1, 0) == -1;
    return refused ? 0 : (puts("what cannot be was not refused"), 1);
}

int main(int count, char **words) {
    if (count < 3 || chdir(words[2]) != 0)
        return 2;
    bool fault = strcmp(words[1], "fault") == 0;
    int outcome;
    if (fault || strcmp(words[1], "replay") == 0)
        outcome = replay(count - 3, words + 3, fault);
    else
        outcome = strcmp(words[1], "record") == 0 ? record() : refuse();
    puts(outcome ? "FAIL" : "PASS");
    return outcome;
}
