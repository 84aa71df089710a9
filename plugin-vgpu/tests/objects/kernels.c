// Kernels as omptarget-codegen would compile them, for tests of the loader: they exercise its
// relocations, its symbols and its line tables.
typedef unsigned int u32;
typedef unsigned long u64;
struct context;
extern void vgpu_barrier(struct context *, u32, u32, u32);
extern void vgpu_wild_access(struct context *, u32, u64, u32) __attribute__((noreturn));
extern double sin(double);
extern void *memcpy(void *, const void *, u64);
extern void not_there(void) __attribute__((weak));

int counter = 40;
long big[100000];
static const char *const names[] = {"zero", "one", "two"};
int common_variable;

static u32 tid(struct context *cx) { return *(u32 *)cx; }

__attribute__((noinline)) int add(int a, int b) { return a + b; }
int (*volatile pointer)(int, int) = add;

void entry_sum(struct context *cx, const u64 *args) {
    vgpu_barrier(cx, 1, 0, 0);
    if (tid(cx) == 0) {
        long *out = (long *)args[0];
        char word[8];
        memcpy(word, names[args[1] % 3], 4);
        big[99999] = 5;
        out[0] = pointer(counter, 2) + (not_there ? 100 : 0) + big[99999] + common_variable;
        out[1] = word[0];
        out[2] = (long)(1000 * sin(args[1] / 2.0));
        counter++;
    }
    vgpu_barrier(cx, 1, 0, 0);
}

static inline __attribute__((always_inline)) void store(int *where) {
    *(volatile int *)where = 1; // the innermost frame of the fault
}

void entry_wild(struct context *cx, const u64 *args) {
    if (tid(cx) == 2)
        store((int *)args[0]);
}

void entry_checked(struct context *cx, const u64 *args) { vgpu_wild_access(cx, 2, args[0], 0); }

void entry_in_library(struct context *cx, const u64 *args) {
    if (tid(cx) == 1)
        memcpy((void *)args[0], names, args[1]); // the call that faults
    vgpu_barrier(cx, 1, 0, 0);
}

int constructed;
void entry_construct(struct context *cx, const u64 *args) { constructed += 7; }
void entry_destruct(struct context *cx, const u64 *args) { counter = -1; }
