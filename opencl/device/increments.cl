// Atomic increments and decrements of 32 bits. libclc's are the GPU's operations that wrap at a bound, for which CPUs
// need a loop. The objects are volatile in name only, as an atomic operation is never left out.

#define OVERLOADABLE __attribute__((overloadable, always_inline))

#define STEP(name, operation, TYPE, QUALIFIERS, SPACE)                                                                 \
    OVERLOADABLE TYPE name(QUALIFIERS SPACE TYPE *object) {                                                            \
        return __scoped_atomic_fetch_##operation((SPACE TYPE *)object, (TYPE)1, __ATOMIC_RELAXED,                      \
                                                 __MEMORY_SCOPE_DEVICE);                                               \
    }

#define STEPS(TYPE, SPACE)                                                                                             \
    STEP(atomic_inc, add, TYPE, volatile, SPACE)                                                                       \
    STEP(atomic_dec, sub, TYPE, volatile, SPACE)                                                                       \
    STEP(atom_inc, add, TYPE, volatile, SPACE)                                                                         \
    STEP(atom_dec, sub, TYPE, volatile, SPACE)                                                                         \
    STEP(atom_inc, add, TYPE, , SPACE)                                                                                 \
    STEP(atom_dec, sub, TYPE, , SPACE)

STEPS(int, global)
STEPS(uint, global)
STEPS(int, local)
STEPS(uint, local)
