// What an interop object is to the HSA runtime's own interface: an agent and a queue, which the runtime itself accepts.
#include <dlfcn.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// hsa_agent_t, and the beginning of hsa_queue_t.
typedef struct { uint64_t handle; } agent_t;
typedef struct { uint32_t type, features; void *base; uint64_t doorbell; uint32_t size; } queue_t;
typedef int agent_query(agent_t, int, void *);
typedef uint64_t index_query(const queue_t *);

int main(void) {
    enum { hsa = 7, name = 0 };
    omp_interop_t object = omp_interop_none;
    // There is no HIP: whoever prefers it gets what is below it.
#pragma omp interop init(prefer_type("hip", "hsa"), targetsync : object)
    if (omp_get_interop_int(object, omp_ipr_fr_id, NULL) != hsa)
        return 2;
    if (strcmp(omp_get_interop_str(object, omp_ipr_fr_name, NULL), "hsa"))
        return 3;
    if (strcmp(omp_get_interop_str(object, omp_ipr_vendor_name, NULL), "omptarget-rs"))
        return 9;
    int code;
    agent_t *agent = omp_get_interop_ptr(object, omp_ipr_device, &code);
    if (!agent || code != omp_irc_success)
        return 4;
    omp_get_interop_ptr(object, omp_ipr_device_context, &code);
    if (code != omp_irc_no_value)
        return 5;
    queue_t *queue = omp_get_interop_ptr(object, omp_ipr_targetsync, NULL);
    void *runtime = dlopen("libhsa-runtime64.so.1", RTLD_NOW);
    if (!runtime || !queue || queue->size < 64)
        return 6;
    agent_query *query = (agent_query *)dlsym(runtime, "hsa_agent_get_info");
    index_query *taken = (index_query *)dlsym(runtime, "hsa_queue_load_read_index_scacquire");
    char text[64] = "";
    if (query(*agent, name, text) || strcmp(text, "gfx90a"))
        return 7;
    uint64_t before = taken(queue);
    // Others may have added packets to the queue, so the end of the object's work is a packet behind all of them.
#pragma omp interop use(object)
    if (taken(queue) == before)
        return 8;
#pragma omp interop destroy(object)
    puts("PASS");
    return 0;
}
