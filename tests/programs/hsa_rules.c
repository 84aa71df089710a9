// Uses an HSA runtime directly, with the vendor's own headers: `rules FILE CASE`. FILE is the code object of
// tests/ir/hsa_rules.ll. The case `right` breaks no rule and prints PASS; every other case breaks one.
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 256, BYTES = COUNT * 4, PACKETS = 64 };

static hsa_agent_t cpu, gpu, other_gpu;
static hsa_amd_memory_pool_t coarse, fine, kernarg;
static hsa_queue_t *queue;
static hsa_executable_t executable;
static hsa_signal_t done;
static atomic_int queue_error;

// The arguments of `add`, and what a code object of version 5 expects behind them.
struct arguments {
    void *to;
    int32_t value;
    uint64_t count;
    uint32_t block_count[3];
    uint16_t group_size[3];
    uint16_t remainder[3];
    uint8_t reserved0[16];
    uint64_t global_offset[3];
    uint16_t grid_dims;
    uint8_t reserved1[190];
};

static void expect(hsa_status_t status, const char *what) {
    if (status == HSA_STATUS_SUCCESS)
        return;
    const char *text = "?";
    hsa_status_string(status, &text);
    printf("%s: %s\n", what, text);
    exit(3);
}
#define CALL(function, ...) expect(function(__VA_ARGS__), #function)
// Whether `what` is this case.
#define IS(name) if (!strcmp(what, #name))

static hsa_status_t see_agent(hsa_agent_t agent, void *data) {
    (void)data;
    hsa_device_type_t type;
    CALL(hsa_agent_get_info, agent, HSA_AGENT_INFO_DEVICE, &type);
    if (type == HSA_DEVICE_TYPE_CPU)
        cpu = agent;
    else if (gpu.handle == 0)
        gpu = agent;
    else
        other_gpu = agent;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t see_pool(hsa_amd_memory_pool_t pool, void *data) {
    bool of_cpu = data != NULL;
    hsa_amd_segment_t segment;
    CALL(hsa_amd_memory_pool_get_info, pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
    if (segment != HSA_AMD_SEGMENT_GLOBAL)
        return HSA_STATUS_SUCCESS;
    uint32_t flags;
    CALL(hsa_amd_memory_pool_get_info, pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
    if (!of_cpu)
        coarse = pool;
    else if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT)
        kernarg = pool;
    else if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED)
        fine = pool;
    return HSA_STATUS_SUCCESS;
}

static void see_queue_error(hsa_status_t status, hsa_queue_t *source, void *data) {
    const char *text = "?";
    hsa_status_string(status, &text);
    printf("queue error: %s%s\n", text, source == queue && data == &queue ? "" : " of another queue");
    atomic_store(&queue_error, 1);
}

static hsa_status_t see_event(const hsa_amd_event_t *event, void *data) {
    (void)data;
    if (event->event_type == HSA_AMD_GPU_MEMORY_FAULT_EVENT)
        printf("memory fault at %#lx%s\n", event->memory_fault.virtual_address,
               event->memory_fault.agent.handle == gpu.handle ? "" : " by another agent");
    return HSA_STATUS_SUCCESS;
}

static void *allocate(hsa_amd_memory_pool_t pool, size_t size, bool access) {
    void *memory;
    CALL(hsa_amd_memory_pool_allocate, pool, size, 0, &memory);
    if (access)
        CALL(hsa_amd_agents_allow_access, 1, &gpu, NULL, memory);
    return memory;
}

static hsa_signal_t new_signal(int64_t value) {
    hsa_signal_t signal;
    CALL(hsa_signal_create, value, 0, NULL, &signal);
    return signal;
}

static void load(const char *path, bool freeze) {
    static char bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    hsa_code_object_reader_t reader;
    CALL(hsa_code_object_reader_create_from_memory, bytes, size, &reader);
    CALL(hsa_executable_create_alt, HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL, &executable);
    CALL(hsa_executable_load_agent_code_object, executable, gpu, reader, NULL, NULL);
    CALL(hsa_code_object_reader_destroy, reader);
    if (freeze)
        CALL(hsa_executable_freeze, executable, NULL);
    fclose(file);
}

static hsa_executable_symbol_t symbol(const char *name) {
    hsa_executable_symbol_t found;
    CALL(hsa_executable_get_symbol_by_name, executable, name, &gpu, &found);
    return found;
}

// A packet for a kernel without its header.
static hsa_kernel_dispatch_packet_t packet_for(const char *kernel, void *arguments) {
    hsa_kernel_dispatch_packet_t packet = {
        .setup = 1, .workgroup_size_x = 64, .workgroup_size_y = 1, .workgroup_size_z = 1,
        .grid_size_x = COUNT, .grid_size_y = 1, .grid_size_z = 1,
        .kernarg_address = arguments, .completion_signal = done,
    };
    hsa_executable_symbol_t found = symbol(kernel);
    CALL(hsa_executable_symbol_get_info, found, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &packet.kernel_object);
    CALL(hsa_executable_symbol_get_info, found, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE,
         &packet.group_segment_size);
    CALL(hsa_executable_symbol_get_info, found, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE,
         &packet.private_segment_size);
    return packet;
}

static uint16_t header_for(hsa_packet_type_t type) {
    return (uint16_t)(type | 1 << HSA_PACKET_HEADER_BARRIER | HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_ACQUIRE_FENCE_SCOPE |
                      HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_RELEASE_FENCE_SCOPE);
}

// Body first, header by release store, then the doorbell.
static void submit(const void *packet, uint16_t header) {
    uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
    char *slot = (char *)queue->base_address + index % queue->size * 64;
    memcpy(slot + 4, (const char *)packet + 4, 60);
    uint16_t setup = ((const uint16_t *)packet)[1];
    atomic_store_explicit((_Atomic uint32_t *)slot, header | (uint32_t)setup << 16, memory_order_release);
    hsa_signal_store_screlease(queue->doorbell_signal, (int64_t)index);
}

// Waits for the signal, or for the queue to fail.
static void wait_for_done(void) {
    while (hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, 1000000, HSA_WAIT_STATE_BLOCKED) >= 1)
        if (atomic_load(&queue_error))
            exit(4);
}

static struct arguments *arguments_for(void *to) {
    struct arguments *arguments = allocate(kernarg, sizeof *arguments, true);
    *arguments = (struct arguments){.to = to, .value = 5, .count = COUNT, .block_count = {COUNT / 64, 1, 1},
                                    .group_size = {64, 1, 1}, .grid_dims = 1};
    return arguments;
}

static void start_copy(void *to, const void *from, size_t size, hsa_signal_t *after) {
    CALL(hsa_amd_memory_async_copy, to, gpu, from, cpu, size, after ? 1 : 0, after, done);
}

static bool call_handler(int64_t value, void *count) {
    return value == 0 && atomic_fetch_add((atomic_int *)count, 1) < 0;
}

static void right(void) {
    int host[COUNT];
    for (int i = 0; i < COUNT; i++)
        host[i] = i;
    void *locked, *device = allocate(coarse, BYTES, false);
    CALL(hsa_amd_memory_lock, host, sizeof host, &gpu, 1, &locked);
    start_copy(device, locked, BYTES, NULL);
    wait_for_done();
    struct arguments *arguments = arguments_for(device);
    atomic_int called = 0;
    hsa_signal_t first = new_signal(1), second = new_signal(1);
    CALL(hsa_amd_signal_async_handler, second, HSA_SIGNAL_CONDITION_EQ, 0, call_handler, &called);
    hsa_kernel_dispatch_packet_t packet = packet_for("add.kd", arguments);
    packet.completion_signal = first;
    submit(&packet, header_for(HSA_PACKET_TYPE_KERNEL_DISPATCH));
    hsa_barrier_and_packet_t barrier = {.dep_signal = {first}, .completion_signal = second};
    submit(&barrier, header_for(HSA_PACKET_TYPE_BARRIER_AND));
    hsa_signal_store_relaxed(done, 1);
    CALL(hsa_amd_memory_async_copy, locked, cpu, device, gpu, BYTES, 1, &second, done);
    wait_for_done();
    while (!atomic_load(&called))
        ;
    for (int i = 0; i < COUNT; i++)
        if (host[i] != i + 5)
            exit(5);
    CALL(hsa_amd_memory_fill, device, 0x01010101, COUNT);
    hsa_signal_store_relaxed(done, 1);
    CALL(hsa_amd_memory_async_copy, locked, cpu, device, gpu, BYTES, 0, NULL, done);
    wait_for_done();
    if (host[COUNT - 1] != 0x01010101)
        exit(6);
    uint64_t address;
    CALL(hsa_executable_symbol_get_info, symbol("counter"), HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &address);
    hsa_signal_store_relaxed(done, 1);
    CALL(hsa_amd_memory_async_copy, locked, cpu, (void *)address, gpu, 4, 0, NULL, done);
    wait_for_done();
    if (host[0] != 7)
        exit(7);
    CALL(hsa_amd_memory_unlock, host);
    CALL(hsa_signal_destroy, first);
    CALL(hsa_signal_destroy, second);
    CALL(hsa_signal_destroy, done);
    CALL(hsa_queue_destroy, queue);
    CALL(hsa_executable_destroy, executable);
    CALL(hsa_amd_memory_pool_free, device);
    CALL(hsa_amd_memory_pool_free, arguments);
    CALL(hsa_shut_down);
    puts("PASS");
}

// One field of a good packet is wrong.
static void packet(const char *what) {
    struct arguments *arguments = arguments_for(allocate(coarse, BYTES, false));
    hsa_kernel_dispatch_packet_t packet = packet_for("add.kd", arguments);
    uint16_t header = header_for(HSA_PACKET_TYPE_KERNEL_DISPATCH);
    IS(reserved0) packet.reserved0 = 1;
    IS(reserved2) packet.reserved2 = 1;
    IS(dimensions) packet.setup = 0;
    IS(setup) packet.setup = 5;
    IS(more_dimensions) packet.grid_size_y = 2;
    IS(multiple) packet.grid_size_x = COUNT - 1;
    IS(no_items) packet.workgroup_size_x = 0;
    IS(many_items) packet.workgroup_size_x = packet.grid_size_x = 512;
    IS(much_group) packet.group_segment_size = 65540;
    IS(object) packet.kernel_object ^= 1;
    IS(alignment) packet.kernarg_address = (char *)arguments + 8;
    IS(kernarg_pool) packet.kernarg_address = memcpy(allocate(fine, sizeof *arguments, true), arguments, sizeof *arguments);
    IS(kernarg_access) packet.kernarg_address = memcpy(allocate(kernarg, sizeof *arguments, false), arguments, sizeof *arguments);
    IS(kernarg_end) packet.kernarg_address = (char *)arguments + 4096 - 16;
    IS(completion) packet.completion_signal.handle ^= 1;
    IS(type) header = header_for(7);
    IS(release) header = HSA_PACKET_TYPE_KERNEL_DISPATCH | HSA_FENCE_SCOPE_AGENT << 9 | HSA_FENCE_SCOPE_AGENT << 11;
    IS(acquire) header = HSA_PACKET_TYPE_KERNEL_DISPATCH | HSA_FENCE_SCOPE_SYSTEM << 11;
    IS(scopes) header |= 3 << 11;
    IS(block_count) arguments->block_count[0] = COUNT;
    IS(group_size) arguments->group_size[0] = 32;
    IS(remainder) arguments->remainder[1] = 1;
    IS(grid_dims) arguments->grid_dims = 3;
    IS(argument_access) arguments->to = allocate(fine, BYTES, false);
    submit(&packet, header);
    wait_for_done();
}

static void little_group(void) {
    struct { void *to; } *arguments = allocate(kernarg, 64, true);
    arguments->to = allocate(coarse, BYTES, false);
    hsa_kernel_dispatch_packet_t packet = packet_for("share.kd", arguments);
    packet.group_segment_size -= 4;
    submit(&packet, header_for(HSA_PACKET_TYPE_KERNEL_DISPATCH));
    wait_for_done();
}

static void trap(void) {
    hsa_kernel_dispatch_packet_t packet = packet_for("trap.kd", NULL);
    submit(&packet, header_for(HSA_PACKET_TYPE_KERNEL_DISPATCH));
    wait_for_done();
}

static void follow(bool handled) {
    if (handled)
        CALL(hsa_amd_register_system_event_handler, see_event, NULL);
    uint64_t *arguments = allocate(kernarg, 64, true);
    *arguments = 0x12345678;
    hsa_kernel_dispatch_packet_t packet = packet_for("follow.kd", arguments);
    submit(&packet, header_for(HSA_PACKET_TYPE_KERNEL_DISPATCH));
    wait_for_done();
}

// Starts a kernel that runs until its flag is set.
static atomic_int *start_waiting(void ***arguments) {
    atomic_int *flag = allocate(fine, 4, true);
    atomic_store(flag, 0);
    *arguments = allocate(kernarg, 64, true);
    **arguments = flag;
    hsa_kernel_dispatch_packet_t packet = packet_for("wait.kd", *arguments);
    packet.grid_size_x = packet.workgroup_size_x = 1;
    submit(&packet, header_for(HSA_PACKET_TYPE_KERNEL_DISPATCH));
    while (hsa_queue_load_read_index_scacquire(queue) == 0)
        ;
    return flag;
}

// Does something while a kernel runs that must not be done then.
static void meanwhile(const char *what) {
    void **arguments;
    atomic_int *flag = start_waiting(&arguments);
    IS(destroy_executable) printf("%#x\n", hsa_executable_destroy(executable));
    IS(destroy_signal) printf("%#x\n", hsa_signal_destroy(done));
    IS(store_signal) hsa_signal_store_relaxed(done, 1);
    IS(free_arguments) printf("%#x\n", hsa_amd_memory_pool_free(arguments));
    IS(change_arguments) arguments[0] = NULL;
    atomic_store(flag, 1);
    wait_for_done();
}

static void memory(const char *what) {
    char *device = allocate(coarse, BYTES, false), *host = allocate(fine, BYTES, true);
    IS(free_twice) {
        CALL(hsa_amd_memory_pool_free, device);
        CALL(hsa_amd_memory_pool_free, device);
    }
    IS(free_inside) CALL(hsa_amd_memory_pool_free, device + 64);
    IS(copy_access) start_copy(device, allocate(fine, BYTES, false), BYTES, NULL);
    IS(copy_beyond) start_copy(device, host, 4097, NULL);
    IS(copy_unlocked) {
        static int unlocked[COUNT];
        start_copy(device, unlocked, BYTES, NULL);
    }
    IS(copy_overlap) start_copy(device, device + 4, 64, NULL);
    IS(copy_freed) {
        CALL(hsa_amd_memory_pool_free, host);
        start_copy(device, host, 64, NULL);
    }
    IS(fill_beyond) CALL(hsa_amd_memory_fill, device, 1, 1025);
    IS(unlock_twice) CALL(hsa_amd_memory_unlock, device);
    IS(access_inside) CALL(hsa_amd_agents_allow_access, 1, &gpu, NULL, host + 64);
    hsa_signal_t after = new_signal(1);
    IS(free_copied) {
        start_copy(device, host, BYTES, &after);
        CALL(hsa_amd_memory_pool_free, host);
    }
    IS(destroy_awaited) {
        start_copy(device, host, BYTES, &after);
        CALL(hsa_signal_destroy, after);
    }
    IS(reuse_awaited) {
        start_copy(device, host, BYTES, &after);
        hsa_signal_store_relaxed(after, 2);
        hsa_signal_store_relaxed(after, 0);
        wait_for_done();
    }
}

static void doorbell(const char *what) {
    IS(unreserved) hsa_signal_store_relaxed(queue->doorbell_signal, 0);
    IS(overrun) {
        // Nothing is rung for until more packets are written than fit.
        hsa_queue_add_write_index_relaxed(queue, PACKETS + 1);
        hsa_signal_store_relaxed(queue->doorbell_signal, PACKETS);
    }
    while (!atomic_load(&queue_error))
        ;
}

int main(int count, char **words) {
    const char *what = count > 2 ? words[2] : "right";
    IS(not_initialised) CALL(hsa_iterate_agents, see_agent, NULL);
    CALL(hsa_init);
    CALL(hsa_iterate_agents, see_agent, NULL);
    CALL(hsa_amd_agent_iterate_memory_pools, cpu, see_pool, &cpu);
    CALL(hsa_amd_agent_iterate_memory_pools, gpu, see_pool, NULL);
    CALL(hsa_queue_create, gpu, PACKETS, HSA_QUEUE_TYPE_MULTI, see_queue_error, &queue, UINT32_MAX, UINT32_MAX, &queue);
    load(words[1], strcmp(what, "not_frozen"));
    done = new_signal(1);
    setvbuf(stdout, NULL, _IONBF, 0);
    IS(right) right();
    if (!strncmp(what, "packet_", 7)) packet(what + 7);
    if (!strncmp(what, "memory_", 7)) memory(what + 7);
    if (!strncmp(what, "while_", 6)) meanwhile(what + 6);
    if (!strncmp(what, "doorbell_", 9)) doorbell(what + 9);
    IS(little_group) little_group();
    IS(trap) trap();
    IS(follow) follow(true);
    IS(follow_unhandled) follow(false);
    IS(not_frozen) packet_for("add.kd", NULL);
    IS(no_suffix) symbol("add");
    IS(destroy_signal_twice) {
        CALL(hsa_signal_destroy, done);
        CALL(hsa_signal_destroy, done);
    }
    IS(destroy_queue_twice) {
        CALL(hsa_queue_destroy, queue);
        CALL(hsa_queue_destroy, queue);
    }
    IS(leaks) {
        allocate(coarse, BYTES, false);
        CALL(hsa_shut_down);
    }
    return 0;
}
