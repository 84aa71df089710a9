// A tool: writes an event of the offload runtime per line to the file OMPT_TOOL_LOG, and says WRONG where ids, endpoints or
// threads do not fit together. OMPT_TOOL_STYLE=plain takes the callbacks with the runtime's ids instead of the tool's.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <inttypes.h>
#include <omp-tools.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *out;
static int plain;
static _Atomic uint64_t next_id = 1;
// What this thread has begun and not ended.
static _Thread_local uint64_t region, operation;

#define CHECK(condition) ((condition) ? (void)0 : (void)fprintf(out, "WRONG %s\n", #condition))

static const char *const kinds[] = {"?", "target", "enter data", "exit data", "update"};
static const char *const operations[] = {"?", "alloc", "to device", "from device", "delete", "associate", "disassociate"};

static const char *kind_name(int kind) { return kinds[kind & 7]; }
static const char *wait(int kind) { return kind & 8 ? " nowait" : ""; }

// A global of the program by its name; anything else is only there or not.
static const char *place(const void *address, char *text) {
    Dl_info info;
    if (address && dladdr(address, &info) && info.dli_sname)
        sprintf(text, "%s+%td", info.dli_sname, (const char *)address - (const char *)info.dli_saddr);
    else
        strcpy(text, address ? "memory" : "nothing");
    return text;
}

// The function that encountered the construct or called the routine.
static const char *function(const void *code) {
    Dl_info info;
    return code && dladdr(code, &info) && info.dli_sname ? info.dli_sname : code ? "somewhere" : "nowhere";
}

static void begin_region(int kind, int device, const void *code, const ompt_data_t *task) {
    CHECK(task != NULL);
    fprintf(out, "begin %s%s on %d at %s\n", kind_name(kind), wait(kind), device, function(code));
}

static void end_region(int kind, int device, const void *code) {
    fprintf(out, "end %s%s on %d at %s\n", kind_name(kind), wait(kind), device, function(code));
}

static void on_target_emi(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task,
                          ompt_data_t *target_task, ompt_data_t *data, const void *code) {
    (void)target_task;
    if (endpoint == ompt_scope_begin) {
        CHECK(data->value == 0 && region == 0);
        region = data->value = next_id++;
        begin_region(kind, device, code, task);
    } else {
        CHECK(data->value == region && region != 0);
        region = 0;
        end_region(kind, device, code);
    }
}

static void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task, ompt_id_t id,
                      const void *code) {
    CHECK(id != 0);
    if (endpoint == ompt_scope_begin) {
        region = id;
        begin_region(kind, device, code, task);
    } else {
        CHECK(id == region);
        region = 0;
        end_region(kind, device, code);
    }
}

static void print_operation(const char *endpoint, int kind, const void *from, int from_device, const void *to, int to_device,
                            size_t bytes, const void *code) {
    char a[200], b[200];
    fprintf(out, "  %s%s %s on %d, %s on %d, %zu bytes, at %s\n", endpoint, operations[kind & 15], place(from, a),
            from_device, place(to, b), to_device, bytes, function(code));
}

static void on_operation_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target_task, ompt_data_t *data,
                             ompt_id_t *id, ompt_target_data_op_t kind, void *from, int from_device, void *to,
                             int to_device, size_t bytes, const void *code) {
    (void)target_task;
    CHECK(data != NULL && data->value == region);
    if (endpoint == ompt_scope_begin)
        operation = *id = next_id++;
    else
        CHECK(*id == operation);
    print_operation(endpoint == ompt_scope_begin ? "begin " : "end ", kind, from, from_device, to, to_device, bytes, code);
}

static void on_operation(ompt_id_t target, ompt_id_t id, ompt_target_data_op_t kind, void *from, int from_device, void *to,
                         int to_device, size_t bytes, const void *code) {
    CHECK(target == region);
    CHECK(id != 0 && id != operation);
    operation = id;
    print_operation("", kind, from, from_device, to, to_device, bytes, code);
}

static void on_submit_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *data, ompt_id_t *id, unsigned teams) {
    CHECK(data->value == region && region != 0);
    if (endpoint == ompt_scope_begin)
        operation = *id = next_id++;
    else
        CHECK(*id == operation);
    fprintf(out, "  %s kernel of %u teams\n", endpoint == ompt_scope_begin ? "begin" : "end", teams);
}

static void on_submit(ompt_id_t target, ompt_id_t id, unsigned teams) {
    CHECK(target == region && region != 0);
    CHECK(id != 0 && id != operation);
    fprintf(out, "  kernel of %u teams\n", teams);
}

static void on_device_initialize(int device, const char *type, ompt_device_t *opaque, ompt_function_lookup_t lookup,
                                 const char *documentation) {
    (void)opaque, (void)lookup, (void)documentation;
    fprintf(out, "device %d: %s\n", device, type && *type ? "named" : "nameless");
    if (getenv("OMPT_TOOL_DEVICE_INTERFACE")) {
        ompt_get_device_num_procs_t procs = (ompt_get_device_num_procs_t)lookup("ompt_get_device_num_procs");
        ompt_get_device_time_t now = (ompt_get_device_time_t)lookup("ompt_get_device_time");
        ompt_translate_time_t translate = (ompt_translate_time_t)lookup("ompt_translate_time");
        CHECK(procs(opaque) >= 1);
        ompt_device_time_t first = now(opaque), second = now(opaque);
        CHECK(first <= second && translate(opaque, first) <= translate(opaque, second));
        CHECK(lookup("ompt_set_trace_ompt") == NULL && lookup("no_such_function") == NULL);
    }
}

static void on_device_finalize(int device) { fprintf(out, "device %d goes\n", device); }

static void on_device_load(int device, const char *file, int64_t offset, void *in_file, size_t bytes, void *host,
                           void *address, uint64_t module) {
    (void)file, (void)offset, (void)in_file, (void)address, (void)module;
    CHECK(bytes > 0 && host != NULL);
    fprintf(out, "image on %d\n", device);
}

static void on_device_unload(int device, uint64_t module) {
    (void)module;
    fprintf(out, "image leaves %d\n", device);
}

static int initialize(ompt_function_lookup_t lookup, int host, ompt_data_t *data) {
    (void)host, (void)data;
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
#define SET(name, function) set(ompt_callback_##name, (ompt_callback_t)(function))
    SET(device_initialize, on_device_initialize);
    SET(device_finalize, on_device_finalize);
    SET(device_load, on_device_load);
    SET(device_unload, on_device_unload);
    if (plain) {
        SET(target, on_target);
        SET(target_data_op, on_operation);
        SET(target_submit, on_submit);
    } else {
        SET(target_emi, on_target_emi);
        SET(target_data_op_emi, on_operation_emi);
        SET(target_submit_emi, on_submit_emi);
    }
    return 1;
}

static void finalize(ompt_data_t *data) {
    (void)data;
    fputs("over\n", out);
    fflush(out);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
    (void)version, (void)runtime;
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    const char *log = getenv("OMPT_TOOL_LOG"), *style = getenv("OMPT_TOOL_STYLE");
    out = log ? fopen(log, "w") : NULL;
    if (!out)
        return NULL;
    setvbuf(out, NULL, _IOLBF, 0);
    plain = style && !strcmp(style, "plain");
    return &result;
}
