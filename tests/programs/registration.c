// What a linker wrapper adds to a program: its device image, the file IMAGE, and the table of offload entries,
// the section ENTRIES, are registered before main and unregistered after it (docs/abi.md, sections 6 and 7).
#include <stdint.h>

struct device_image {
    const void *start, *end;
    const void *entries, *entries_end;
};

struct program {
    int32_t images;
    const struct device_image *image;
    const void *entries, *entries_end;
};

extern void __tgt_register_lib(const struct program *);
extern void __tgt_unregister_lib(const struct program *);

#define BOUND(which, section) BOUND_(which, section)
#define BOUND_(which, section) __##which##_##section
extern const char BOUND(start, ENTRIES)[], BOUND(stop, ENTRIES)[];
extern const char image_start[], image_end[];

__asm__(".pushsection .rodata\n"
        ".balign 16\n"
        "image_start: .incbin \"" IMAGE "\"\n"
        "image_end:\n"
        ".popsection");

static const struct device_image image = {image_start, image_end, BOUND(start, ENTRIES), BOUND(stop, ENTRIES)};
static const struct program program = {1, &image, BOUND(start, ENTRIES), BOUND(stop, ENTRIES)};

__attribute__((constructor)) static void enter(void) {
    __tgt_register_lib(&program);
}

__attribute__((destructor)) static void leave(void) {
    __tgt_unregister_lib(&program);
}
