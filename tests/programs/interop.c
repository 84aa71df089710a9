// Interop objects: their properties, what the routines answer, and that constructs wait for what they depend on.

#include "check.h"
#include <stdint.h>

static void expect_code(const char *what, int is, int expected) {
    if (is != expected)
        printf("%s: ", what);
    EXPECT(is, expected);
}

static void check_none(void) {
    omp_interop_t none = omp_interop_none;
    int code = 7;
    EXPECT(omp_get_interop_int(none, omp_ipr_device_num, &code), 0);
    EXPECT(code, omp_irc_empty);
    EXPECT(omp_get_interop_str(none, omp_ipr_vendor_name, &code) == NULL, 1);
    EXPECT(code, omp_irc_empty);
    EXPECT(omp_get_interop_ptr(none, omp_ipr_device, NULL) == NULL, 1);
    EXPECT(omp_get_interop_name(none, omp_ipr_device) == NULL, 1);
    EXPECT(omp_get_interop_type_desc(none, omp_ipr_device) == NULL, 1);
}

#ifdef OFFLOAD
static void check_properties(omp_interop_t object, int device, int synchronises) {
    int code = 7;
    EXPECT(omp_get_num_interop_properties(object), 0);
    EXPECT(omp_get_interop_int(object, omp_ipr_device_num, &code), device);
    EXPECT(code, omp_irc_success);
    EXPECT(omp_get_interop_int(object, omp_ipr_fr_id, &code) >= 1000, 1);
    EXPECT(omp_get_interop_int(object, omp_ipr_vendor, &code), 1000);
    EXPECT(strcmp(omp_get_interop_str(object, omp_ipr_vendor_name, &code), "omptarget-rs"), 0);
    EXPECT(strlen(omp_get_interop_str(object, omp_ipr_fr_name, &code)), 4); // vgpu, host
    EXPECT(omp_get_interop_ptr(object, omp_ipr_device, &code) != NULL, 1);
    EXPECT(code, omp_irc_success);
    EXPECT(omp_get_interop_ptr(object, omp_ipr_targetsync, &code) != NULL, synchronises);
    EXPECT(code, synchronises ? omp_irc_success : omp_irc_no_value);
    EXPECT(omp_get_interop_ptr(object, omp_ipr_platform, &code) == NULL, 1);
    EXPECT(code, omp_irc_no_value);

    omp_get_interop_str(object, omp_ipr_device_num, &code);
    expect_code("an integer as string", code, omp_irc_type_int);
    omp_get_interop_int(object, omp_ipr_vendor_name, &code);
    expect_code("a string as integer", code, omp_irc_type_str);
    omp_get_interop_int(object, omp_ipr_device, &code);
    expect_code("a pointer as integer", code, omp_irc_type_ptr);
    for (int property = 0; property > -20; property = property ? property - 10 : -10) {
        omp_get_interop_int(object, (omp_interop_property_t)property, &code);
        expect_code("no property", code, omp_irc_out_of_range);
    }
    omp_get_interop_int(&code, omp_ipr_device_num, &code);
    expect_code("no object", code, omp_irc_other);

    EXPECT(strcmp(omp_get_interop_name(object, omp_ipr_device_num), "device_num"), 0);
    EXPECT(strcmp(omp_get_interop_type_desc(object, omp_ipr_vendor_name), "const char *"), 0);
    EXPECT(omp_get_interop_name(object, (omp_interop_property_t)-10) == NULL, 1);
}

extern int ompx_interop_add_completion_callback(omp_interop_t, void (*)(omp_interop_t, void *), void *);

static void count(omp_interop_t object, void *data) {
    (void)object;
    ++*(int *)data;
}

static void check_callbacks(omp_interop_t object) {
    int calls = 0;
    EXPECT(ompx_interop_add_completion_callback(object, count, &calls), omp_irc_success);
    EXPECT(ompx_interop_add_completion_callback(omp_interop_none, count, &calls), omp_irc_other);
    EXPECT(calls, 0);
#pragma omp interop use(object)
    EXPECT(calls, 1);
#pragma omp interop use(object)
    EXPECT(calls, 1);
}

static void check_dependences(int device) {
    omp_interop_t object = omp_interop_none;
    int x = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp target nowait depend(out : x) map(tofrom : x)
        x = 1;
#pragma omp interop init(targetsync : object) device(device) depend(in : x)
        EXPECT(x, 1);
#pragma omp target nowait depend(inout : x) map(tofrom : x)
        x = 2;
#pragma omp interop use(object) depend(inout : x)
        EXPECT(x, 2);
#pragma omp interop destroy(object) nowait depend(inout : x)
    }
    EXPECT(object == omp_interop_none, 1);
}
#endif

int main(void) {
    check_none();
#ifdef OFFLOAD
    int last = omp_get_num_devices() - 1;
    omp_interop_t first = omp_interop_none, second = omp_interop_none;
#pragma omp interop init(target : first) init(prefer_type("cuda", "level_zero"), targetsync : second) device(last)
    check_properties(first, last, 0);
    check_properties(second, last, 1);
    int code;
    EXPECT(omp_get_interop_ptr(first, omp_ipr_device, &code) == omp_get_interop_ptr(second, omp_ipr_device, &code), 1);
    check_callbacks(second);
    omp_interop_t copy = first;
#pragma omp interop destroy(first)
    EXPECT(first == omp_interop_none, 1);
    omp_get_interop_int(copy, omp_ipr_device_num, &code);
    expect_code("a destroyed object", code, omp_irc_other);
#pragma omp interop use(second)
#pragma omp interop destroy(second)
    check_dependences(last);
#endif
    // The host has no foreign runtime to speak of.
    omp_interop_t host = (omp_interop_t)1;
    int number = omp_get_initial_device();
#pragma omp interop init(targetsync : host) device(number)
    EXPECT(host == omp_interop_none, 1);
#pragma omp interop destroy(host)
    return done();
}
